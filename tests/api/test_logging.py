"""Processes log what `LOG_LEVEL` asks for, and to standard error alone."""

import subprocess
from pathlib import Path

import httpx
import pytest

from tests.api.tool_requests import HISTORY, compress
from tests.mcp_clients import ACCEPT, INITIALIZE
from tests.processes import LOCI, environment, free_port, loci, run

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


def test_a_client_over_standard_output_gets_no_logs(home: Path) -> None:
    sent = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\nnot json\n'
    settings = environment(home, log_level="DEBUG")
    done = subprocess.run([LOCI, "mcp"], input=sent, env=settings, cwd=home, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b'{"jsonrpc"') and b"DEBUG" not in done.stdout


def test_a_level_that_is_none_is_refused_in_one_line(home: Path) -> None:
    done = run(home, "serve", log_level="loud")
    assert done.returncode == 1
    assert done.stderr.startswith("loci: LOG_LEVEL: Input should be 'DEBUG'") and len(done.stderr.splitlines()) == 1
    assert run(home, "serve", "--help", log_level="loud").returncode == 0
