"""Workers on Redis, and what is left when one of the processes is killed: everything."""

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from tests.checks import eventually
from tests.processes import Process, free_port, loci
from tests.workers.conftest import Broker
from utils.clock import now

BATCH = 25
BATCHES = 12


class Deployment:
    """An API, a worker with the beat, a Redis and a built-in store, each a process."""

    def __init__(self, home: Path, broker: Broker, stack: ExitStack) -> None:
        self._home = home
        self._stack = stack
        self.broker = broker
        self.orphaned: list[str] = []  # leases that a worker held when it was killed
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.api = self._start("serve")
        self.api.says("Loci is at")
        self.worker = self._start("worker", "--beat")

    def _start(self, *arguments: str) -> Process:
        return self._stack.enter_context(
            loci(self._home, *arguments, redis_url=self.broker.url, port=self.port, host="127.0.0.1")
        )

    @property
    def store(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads((self._home / "store" / "store.json").read_text())
        return state

    @property
    def uri(self) -> str:
        return f"mongodb://127.0.0.1:{self.store['port']}/?directConnection=true"

    def kill(self, victim: str) -> None:
        """`kill -9`, and the restart by whoever looks after the process."""
        match victim:
            case "worker":
                self.worker.kill()
                self.orphaned = self._leases()
                self.worker = self._start("worker", "--beat")
            case "api":
                self.api.kill()
                self.api = self._start("serve")
            case "store":
                os.kill(self.store["pid"], signal.SIGKILL)  # those who are attached start it again
            case "redis":
                self.broker.kill_and_restart()

    def _leases(self) -> list[str]:
        with MongoClient[dict[str, Any]](self.uri) as client:
            return list(client["loci"]["vectors"].distinct("embed.lease", {"embed.state": "leased"}))

    def add(self, session: str, number: int) -> None:
        """Imports one batch, again and again until it is acknowledged."""
        messages = [
            {
                "id": f"{session}-{at}",
                "role": ("user", "assistant")[at % 2],
                "content": f"Heron {at} nests by the mill.",
            }
            for at in range(number * BATCH, (number + 1) * BATCH)
        ]

        def acknowledged() -> bool:
            try:
                body = {"session_id": session, "messages": messages}
                answer = httpx.post(f"{self.address}/v1/messages", json=body, timeout=30)
            except httpx.TransportError:
                return False
            assert answer.status_code in (200, 503), answer.text
            return answer.status_code == 200

        eventually(acknowledged, 60)


@pytest.fixture
def deployment(tmp_path: Path, broker: Broker) -> Iterator[Deployment]:
    with ExitStack() as stack:
        yield Deployment(tmp_path / "home", broker, stack)


def with_time_passing(vectors: Any, orphaned: list[str]) -> Callable[[], bool]:
    """Whether all is embedded; where only leases of the dead are left, the time until they end passes at once."""
    leased = {"embed.state": "leased"}

    def done() -> bool:
        try:
            if vectors.count_documents({"embed.state": "pending"}):
                return False
            over = {"$set": {"embed.lease_until": now() - timedelta(seconds=1)}}
            vectors.update_many({**leased, "embed.lease": {"$in": orphaned}}, over)
            return bool(vectors.count_documents(leased) == 0)
        except PyMongoError:
            return False

    return done


def windows_of(sessions: Any, summaries: Any, count: int) -> list[int] | None:
    """Where the summaries begin, once there are so many. The places of a batch that was never stored are waited for;
    that time passes at once."""
    found = summaries.find_one({})
    if found is not None and len(found["summaries"]) == count:
        return [one["from_index"] for one in found["summaries"]]
    waiting = {"summary.waiting_since": {"$exists": True}}
    sessions.update_many(waiting, {"$set": {"summary.waiting_since": now() - timedelta(hours=1)}})
    return None


def test_a_worker_of_its_own_embeds_and_summarises(deployment: Deployment) -> None:
    for number in range(2):
        deployment.add("s", number)
    with MongoClient[dict[str, Any]](deployment.uri) as client:
        database = client["loci"]
        eventually(lambda: database["vectors"].count_documents({"embed.state": "done"}) == 2 * BATCH)
        found = eventually(lambda: database["summaries"].find_one({"summaries.1": {"$exists": True}}))
        windows = [(one["from_index"], one["to_index"]) for one in found["summaries"]]
        assert windows == [(0, 19), (20, 39)]
    assert "loci.embed" not in deployment.api.output
    assert deployment.worker.stop() == 0
    assert "Traceback" not in deployment.worker.output
    assert deployment.api.stop() == 0


@pytest.mark.parametrize("victim", ["worker", "redis", "store", "api"])
def test_a_process_killed_in_the_middle_of_an_import_loses_nothing(deployment: Deployment, victim: str) -> None:
    sent = threading.Semaphore(0)

    def send() -> None:
        for number in range(BATCHES):
            deployment.add("s", number)
            sent.release()

    sender = threading.Thread(target=send)
    sender.start()
    for _ in range(BATCHES // 3):
        assert sent.acquire(timeout=60)
    deployment.kill(victim)
    sender.join(120)
    assert not sender.is_alive()
    total = BATCH * BATCHES
    with MongoClient[dict[str, Any]](deployment.uri) as client:
        vectors, summaries = client["loci"]["vectors"], client["loci"]["summaries"]
        eventually(with_time_passing(vectors, deployment.orphaned), 60)
        found = list(vectors.find({}, {"id": 1, "embed": 1, "message_index": 1, "embedding": 1}))
        assert sorted(document["id"] for document in found) == sorted(f"s-{at}" for at in range(total))
        assert all(document["embed"]["state"] == "done" and document["embedding"] for document in found)
        assert len({document["message_index"] for document in found}) == total
        sessions = client["loci"]["sessions"]
        places = {document["message_index"] for document in found}
        due = {place // 20 * 20 for place in places if place < (max(places) + 1) // 20 * 20}
        windows = eventually(lambda: windows_of(sessions, summaries, len(due)), 60)
        assert windows == sorted(due)
    items = httpx.post(f"{deployment.address}/v1/search", json={"query": "herons", "top_k": 50}, timeout=30).json()[
        "items"
    ]
    assert len(items) == 50


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed under /proc")
def test_no_process_of_a_worker_outlives_it(tmp_path: Path, broker: Broker) -> None:
    with loci(tmp_path, "worker", "--beat", "--concurrency", "2", redis_url=broker.url) as worker:
        started = eventually(lambda: children(worker.pid) if len(children(worker.pid)) >= 2 else None)
        worker.kill()
        eventually(lambda: not any(is_alive(pid) for pid in started))
    with loci(tmp_path, "worker", "--beat", "--concurrency", "2", redis_url=broker.url) as worker:
        started = eventually(lambda: children(worker.pid) if len(children(worker.pid)) >= 2 else None)
        assert worker.stop() == 0
        assert not any(is_alive(pid) for pid in started)


def test_a_worker_that_cannot_read_its_queue_ends_as_failed(tmp_path: Path, broker: Broker) -> None:
    with loci(tmp_path, "worker", redis_url=broker.url) as worker:
        with socket.create_connection(("127.0.0.1", urlsplit(broker.url).port or 0)) as line:
            line.sendall(b"LPUSH loci nonsense\r\n")
            assert line.recv(64)
        assert worker.ends() != 0
