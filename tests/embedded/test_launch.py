"""There is exactly one server for a home, and it comes back."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pymongo import AsyncMongoClient, MongoClient

from embedded.launch import StoreStartError, attached
from embedded.server import serve
from embedded.waiting import CLOSING_SECONDS, seconds_to_wait
from tests.embedded.drivers import kept_attached, until

ATTACH = """
import asyncio, sys
from pathlib import Path
from urllib.parse import urlsplit
from pymongo import AsyncMongoClient
from embedded.launch import attached

async def main():
    async with attached(Path(sys.argv[1]), idle_exit=1.0) as uri:
        async with AsyncMongoClient(uri) as client:
            await client.t.starts.insert_one({"by": sys.argv[2]})
            status = await client.admin.command("serverStatus")
        print(uri, status["pid"], flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def state(home: Path) -> dict:
    return json.loads((home / "store" / "store.json").read_text())


def serves(home: Path, pid: int) -> bool:
    """Whether the process says that it does; the one before takes away what it had said."""
    try:
        return state(home)["pid"] == pid
    except FileNotFoundError:
        return False


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not Path("/proc/self").exists()


def test_four_processes_at_once_share_one_server(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ATTACH, str(tmp_path), str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(4)
    ]
    said = {process.stdout.readline().strip() for process in processes}
    assert len(said) == 1 and said != {""}
    uri, pid = said.pop().split()
    with MongoClient(uri) as client:
        assert client.t.starts.count_documents({}) == 4
    for process in processes:
        process.communicate("")
    until(lambda: not alive(int(pid)))


async def test_a_killed_server_is_back_on_its_port_for_whoever_has_the_uri(tmp_path):
    async with attached(tmp_path, idle_exit=1.0) as uri, AsyncMongoClient(uri, retryReads=True) as client:
        await client.t.docs.insert_one({"_id": 1})
        before = state(tmp_path)
        for _ in range(2):
            pid = state(tmp_path)["pid"]
            os.kill(pid, signal.SIGKILL)
            for _ in range(500):
                try:
                    if (await client.admin.command("serverStatus"))["pid"] != pid:
                        break
                except Exception:
                    await asyncio.sleep(0.02)
            else:
                raise AssertionError("not back")
            assert await client.t.docs.find_one({"_id": 1}) == {"_id": 1}
        assert state(tmp_path)["port"] == before["port"]


async def test_a_second_server_on_the_same_files_is_refused(tmp_path):
    async with attached(tmp_path, idle_exit=1.0) as uri:
        second = await asyncio.create_subprocess_exec(sys.executable, "-m", "embedded", "--home", str(tmp_path))
        assert await asyncio.wait_for(second.wait(), 20) == 3
        with pytest.raises(StoreStartError, match=f":{urlsplit(uri).port}"):
            await asyncio.to_thread(serve, tmp_path)


def test_a_server_that_is_to_run_alone_waits_for_one_that_nobody_needs_any_more(tmp_path):
    with kept_attached(tmp_path, idle_exit=4.0) as uri, MongoClient(uri) as client:
        client.t.docs.insert_one({"_id": 1})
        before = state(tmp_path)["pid"]
    alone = subprocess.Popen([sys.executable, "-m", "embedded", "--home", str(tmp_path)], stderr=subprocess.PIPE)
    try:
        until(lambda: alone.poll() is not None or serves(tmp_path, alone.pid), 30)
        with MongoClient("127.0.0.1", state(tmp_path)["port"]) as client:
            assert client.t.docs.find_one({}) == {"_id": 1}
        until(lambda: not alive(before))  # its files are free before its process is gone
        alone.send_signal(signal.SIGINT)
        assert b"ends when nobody needs it: waiting 7 seconds at most" in alone.communicate(timeout=10)[1]
        assert alone.returncode == 0
    finally:
        alone.kill()


@pytest.mark.parametrize("told", ["", "[]", "{}", '{"port": 1, "idle_exit": 1.0}', '{"port": "x", "idle_exit": 1.0}'])
def test_a_server_that_does_not_say_how_long_it_stays_is_waited_for_a_moment(tmp_path, told):
    assert seconds_to_wait(tmp_path) == CLOSING_SECONDS
    (tmp_path / "store.json").write_text(told)
    assert seconds_to_wait(tmp_path) == CLOSING_SECONDS


async def test_the_server_ends_when_nobody_is_left_and_the_next_start_has_the_same_port(tmp_path):
    async with attached(tmp_path, idle_exit=0.3) as uri:
        pid = state(tmp_path)["pid"]
        async with AsyncMongoClient(uri) as client:
            await client.t.docs.insert_one({"_id": 1})
    until(lambda: not alive(pid))
    assert not (tmp_path / "store" / "store.json").exists()
    assert (tmp_path / "store" / "data.db-wal").exists() is False
    async with attached(tmp_path, idle_exit=0.3) as again, AsyncMongoClient(again) as client:
        assert again == uri
        assert await client.t.docs.find_one({}) == {"_id": 1}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly(tmp_path, number):
    process = subprocess.Popen([sys.executable, "-m", "embedded", "--home", str(tmp_path)], stderr=subprocess.PIPE)
    until(lambda: (tmp_path / "store" / "store.json").exists())
    with MongoClient("127.0.0.1", state(tmp_path)["port"]) as client:
        client.t.docs.insert_one({"_id": 1})
        process.send_signal(number)
        assert process.wait(10) == 0
    assert b"stopped" in process.communicate()[1]
    assert not (tmp_path / "store" / "store.json").exists()


async def test_a_foreign_a_newer_and_a_corrupt_file_are_refused_with_what_to_do(tmp_path):
    told = (("foreign", "move it away"), ("newer", "version 99.*use what wrote it"), ("corrupt", "copy from before"))
    for name, words in told:
        folder = tmp_path / name / "store"
        folder.mkdir(parents=True)
        if name == "corrupt":
            (folder / "data.db").write_bytes(b"no database at all " * 500)
        else:
            connection = sqlite3.connect(folder / "data.db")
            connection.execute("CREATE TABLE t (a)")
            if name == "newer":
                connection.execute(f"PRAGMA application_id = {0x4C6F6369}")
                connection.execute("PRAGMA user_version = 99")
            connection.commit()
            connection.close()
        with pytest.raises(StoreStartError, match=words):
            async with attached(tmp_path / name):
                pass


def test_a_port_in_use_is_told(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = subprocess.run(
            [sys.executable, "-m", "embedded", "--home", str(tmp_path), "--port", str(port)],
            capture_output=True,
            timeout=20,
            check=False,
        )
    assert refused.returncode == 1 and b"is in use" in refused.stderr


async def test_a_port_that_another_program_took_meanwhile_is_not_insisted_on(tmp_path):
    async with attached(tmp_path, idle_exit=0.2) as uri:
        pid, port = state(tmp_path)["pid"], state(tmp_path)["port"]
    until(lambda: not alive(pid))
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        async with attached(tmp_path, idle_exit=0.2) as other:
            assert other != uri


async def test_attaching_while_the_server_is_about_to_end_always_works(tmp_path):
    for n in range(8):
        async with attached(tmp_path, idle_exit=0.05) as uri, AsyncMongoClient(uri) as client:
            await client.t.docs.insert_one({"_id": n})
        await asyncio.sleep(0.02 * n)
    async with attached(tmp_path, idle_exit=0.05) as uri, AsyncMongoClient(uri) as client:
        assert await client.t.docs.count_documents({}) == 8


async def test_a_stale_state_file_does_not_mislead(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "store.json").write_text('{"pid": 1, "port": 1, "started": 0}')
    async with attached(tmp_path, idle_exit=0.2) as uri, AsyncMongoClient(uri) as client:
        await client.admin.command("ping")


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux's table of sockets")
async def test_only_loopback_is_served(tmp_path):
    async with attached(tmp_path, idle_exit=0.2):
        port = f"{state(tmp_path)['port']:04X}"
    rows = [line.split() for table in ("tcp", "tcp6") for line in sockets(table)]
    listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(":" + port)}
    assert listening == {"0100007F:" + port}


def sockets(table: str) -> list[str]:
    file = Path("/proc/net") / table
    return file.read_text().splitlines()[1:] if file.exists() else []
