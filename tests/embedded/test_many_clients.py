"""Many clients at once, slow and dying ones among them, get what is theirs and leave the server whole."""

import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import bson
import pytest
from pymongo import MongoClient

from embedded.wire import request_message
from tests.embedded.drivers import kept_attached

CLIENTS = 64
LARGE, MANY = 1_000_000, 200


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that no other test keeps busy."""
    with kept_attached(tmp_path_factory.mktemp("own")) as uri:
        yield uri


def connected(uri: str) -> socket.socket:
    host, port = uri.removeprefix("mongodb://").split("/")[0].split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def at_once(count: int, run: Callable[[int], None]) -> None:
    """Runs a function in so many threads; raises what one of them raised."""
    raised: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            run(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if raised:
        raise raised[0]


def resident(uri: str) -> int:
    """Bytes of memory that the server has, by Linux's word."""
    with MongoClient(uri) as client:
        pid = client.admin.command("serverStatus")["pid"]
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_64_clients_read_what_they_wrote_and_nothing_is_lost(own):
    with MongoClient(own) as client:
        client.many.docs.create_index([("client", 1), ("n", 1)], unique=True)

    def work(number: int) -> None:
        with MongoClient(own, maxPoolSize=1) as client:
            docs = client.many.docs
            for n in range(20):
                docs.insert_one({"client": number, "n": n})
                docs.update_one({"_id": "all"}, {"$inc": {"count": 1}}, upsert=True)
                assert next(each["n"] for each in docs.find({"client": number}).sort("n", -1).limit(3)) == n
                assert docs.count_documents({"client": number}) == n + 1

    at_once(CLIENTS, work)
    with MongoClient(own) as client:
        assert client.many.docs.count_documents({"client": {"$exists": True}}) == CLIENTS * 20
        assert client.many.docs.find_one({"_id": "all"})["count"] == CLIENTS * 20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_a_client_that_does_not_read_its_replies_costs_one_of_them(own):
    with MongoClient(own) as client, connected(own) as slow:
        client.slow.docs.insert_one({"_id": 1, "pad": b"x" * LARGE})
        find = request_message(7, bson.encode({"find": "docs", "filter": {"_id": 1}, "$db": "slow"}))
        before = resident(own)
        for _ in range(MANY):
            slow.sendall(find)
            assert client.slow.docs.count_documents({"_id": 1}) == 1
        assert resident(own) - before < 30 * LARGE
        for _ in range(MANY):
            (length,) = struct.unpack("<i", received(slow, 4))
            reply = bson.decode(received(slow, length - 4)[17:])
            assert len(reply["cursor"]["firstBatch"][0]["pad"]) == LARGE


def test_clients_that_die_in_the_middle_of_a_message_or_a_reply_leave_nothing_behind(own):
    with MongoClient(own) as client:
        client.dying.docs.insert_one({"_id": 1, "pad": b"x" * LARGE})
        whole = request_message(1, bson.encode({"insert": "docs", "documents": [{"_id": 2}], "$db": "dying"}))
        find = request_message(1, bson.encode({"find": "docs", "filter": {"_id": 1}, "$db": "dying"}))
        for cut in range(1, len(whole), 5):
            with connected(own) as short:
                short.sendall(whole[:cut])
        for _ in range(5):
            with connected(own) as gone:
                gone.sendall(find)
                received(gone, 100_000)
        assert client.dying.docs.count_documents({}) == 1
        at_once(8, lambda number: connected(own).close())
        assert client.admin.command("ping")["ok"] == 1.0


def received(connection: socket.socket, length: int) -> bytes:
    parts = []
    while length:
        part = connection.recv(min(length, 1 << 20))
        assert part, "the connection was closed"
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
