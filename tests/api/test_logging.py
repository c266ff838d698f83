"""Processes log what `LOG_LEVEL` asks for."""

from pathlib import Path

import httpx
import pytest

from tests.api.tool_requests import HISTORY, compress
from tests.conftest import RunHere
from tests.mcp_clients import ACCEPT, INITIALIZE
from tests.processes import free_port, loci

DEBUG = ("MemoryBankStrategy  Memory Bank Strategy - Step 1", "Ingestion  Ingested tool", "MemoryBankState reset")
LOADING = "INFO     MemoryBankStrategy  Loading embedding model: "


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logging")


@pytest.mark.parametrize("level", ["debug", "INFO", "WARNING"])
def test_a_server_logs_as_much_as_it_is_asked_to(home: Path, level: str) -> None:
    port = free_port()
    with loci(home, "serve", port=port, log_level=level) as server:
        server.says("Loci is at")
        assert "Loading embedding model" not in server.output
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as api:
            compress(api, level, HISTORY)
            api.delete("/v1/tool-memory/tasks/t", params={"user_id": level}).raise_for_status()
            api.post("/query", json={"query": "My zeppelin is called Biscuit."}).raise_for_status()
            api.post("/mcp", json=INITIALIZE, headers=ACCEPT).raise_for_status()
        server.stop()
        said = server.output
    assert [line in said for line in DEBUG] == [level == "debug"] * 3
    assert said.count(LOADING) == (level != "WARNING")
    assert not any(text in said for text in ("HAT001", "Biscuit", "jsonrpc"))


def test_a_level_that_is_none_is_refused_in_one_line(home: Path, run_here: RunHere) -> None:
    done = run_here(home, "serve", log_level="loud")
    assert done.returncode == 1
    assert done.stderr.startswith("loci: LOG_LEVEL: Input should be 'DEBUG'") and len(done.stderr.splitlines()) == 1
    assert run_here(home, "serve", "--help", log_level="loud").returncode == 0
