"""What is told where the disk of the built-in store is full, or cannot be written."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.checks import eventually, problem
from tests.conftest import RunHere
from tests.disks import Disk, small_disk
from tests.processes import free_port, loci, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts a disk in memory")

TALK = {"role": "user", "content": "My dog is called Biscuit."}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "disk", 64) as made:
        yield made


@pytest.fixture
def home(disk: Disk, run_here: RunHere) -> Path:
    """A home in which something was said."""
    home = disk.path / "home"
    file = disk.path / "said.jsonl"
    file.write_text('{"role": "user", "content": "My dog is called Biscuit."}\n')
    assert run_here(home, "import", str(file)).returncode == 0
    return home


def end_store(home: Path) -> None:
    """Ends the store that commands share, before it does so by itself."""
    state = home / "store" / "store.json"
    os.kill(json.loads(state.read_text())["pid"], signal.SIGTERM)
    eventually(lambda: not state.exists() and not (home / "store" / "data.db-wal").exists())


def test_a_full_disk_is_told_as_such_and_once_in_the_log_until_there_is_room_again(
    disk: Disk, home: Path, run_here: RunHere
) -> None:
    port = free_port()
    said = {"session_id": "s", "messages": [TALK]}
    with (
        loci(home, "serve", port=port) as service,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as api,
    ):
        service.says("Loci is at")
        assert api.get("/readyz").json()["ready"] is True
        before = len(service.output)
        disk.fill()
        refused = [api.post("/query", json={"query": "What is my dog's name?"}) for _ in range(3)]
        refused += [api.post("/v1/messages", json=said) for _ in range(3)]
        for answer in refused:
            assert "disk is full" in problem(answer, 507)["detail"]
        ready = api.get("/readyz")
        assert ready.status_code == 503
        assert "disk is full" in ready.json()["dependencies"]["store"]["detail"]
        assert api.post("/v1/search", json={"query": "dog"}).json()["items"]
        asked = run_here(home, "ask", "hello")
        assert asked.returncode == 1 and "disk is full" in asked.stderr and len(asked.stderr.splitlines()) == 1
        told = run_here(home, "doctor", "--quick", columns=400)
        assert told.returncode == 1 and "FAIL store: the disk of" in told.stdout and "ok   broker" in told.stdout
        requests = [line for line in service.output[before:].splitlines() if "api.http.problems" in line]
        assert len(requests) == 1 and "disk is full" in requests[0]
        assert "Traceback" not in service.output
        disk.free()
        assert api.get("/readyz").status_code == 200
        answer = api.post("/query", json={"query": "What is my dog's name?"})
        assert "Biscuit" in answer.json()["response"]
    log = (home / "store" / "log").read_text()
    assert log.count("writes failed") == log.count("there is room on the disk again") == 1


def test_a_start_on_a_full_disk_says_so_in_a_line(disk: Disk, home: Path, run_here: RunHere) -> None:
    end_store(home)
    disk.fill()
    for command in ("serve", "search dog", "store"):
        failed = (run if command == "store" else run_here)(home, *command.split(), port=free_port())
        assert failed.returncode == 1
        (line,) = failed.stderr.splitlines()
        assert "the disk" in line and "is full" in line and str(home / "store") in line
    told = run_here(home, "doctor", columns=400)
    assert told.returncode == 1 and "is full" in told.stdout and "ok   embeddings" in told.stdout
    disk.free()
    assert "Biscuit" in run_here(home, "search", "dog").stdout


def test_a_home_that_cannot_be_written_any_more_is_told_in_a_line(disk: Disk, home: Path, run_here: RunHere) -> None:
    end_store(home)
    with disk.read_only():
        for command in ("serve", "search dog", "ask hello", "store"):
            failed = (run if command == "store" else run_here)(home, *command.split(), port=free_port())
            assert failed.returncode == 1
            (line,) = failed.stderr.splitlines()
            assert f"{home / 'store'} cannot be written: Read-only file system" in line
        told = run_here(home, "doctor", columns=400)
        assert told.returncode == 1 and not told.stderr
        assert f"FAIL store: {home / 'store'} cannot be written" in told.stdout
        assert "ok   embeddings" in told.stdout and "FAIL memory banks" in told.stdout
    assert "Biscuit" in run_here(home, "search", "dog").stdout
