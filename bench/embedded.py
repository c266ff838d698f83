"""What the built-in store costs beside raw SQLite that reads and writes the same BSON.

    python -m bench.embedded [--documents 100000] [--seconds 3]

Fills the store and a plain SQLite table of the same indexes with the same documents, each with a vector of 1,536
float32, and measures both in turns in one run. The store is asked on a bare socket, for a driver's own time is not the
store's; what PyMongo makes of the same stands beside it. The baseline of a reading is SQLite's statement, the decoding
of its BSON, and one round trip on loopback, to a server that does nothing, which carries as many bytes as the store's
reply; that of a write is the encoding, SQLite's statement with a COMMIT in full sync, and a round trip of the document.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import random
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, cast

import bson
import numpy as np
from bson.binary import Binary, BinaryVectorDtype
from bson.codec_options import CodecOptions
from pymongo import ASCENDING, MongoClient

from utils.loops import new_runner

DIMENSIONS = 1536
PER_SESSION = 1_000
NEWEST = 200
BATCH = 500
DATABASE, COLLECTION = "bench", "messages"
OP_MSG = 2013
ROUNDS = 7
AWARE: CodecOptions[dict[str, Any]] = CodecOptions(tz_aware=True)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)

Document = dict[str, Any]


def document_of(n: int) -> Document:
    """The n-th document: a message with the vector of its text, as a chat backend keeps it."""
    vector = np.random.default_rng(n).standard_normal(DIMENSIONS, dtype=np.float32)
    return {
        "_id": f"message-{n:08d}",
        "user_id": f"user-{n % 7}",
        "session_id": f"session-{n // PER_SESSION}",
        "message_index": n % PER_SESSION,
        "role": "assistant" if n % 2 else "user",
        "content": f"what was said in message {n}, and some more words about it " * 3,
        "timestamp": BEGAN + timedelta(seconds=n),
        "embedding": Binary.from_vector(vector, BinaryVectorDtype.FLOAT32),
    }


class Raw:
    """The same documents in SQLite alone, with the same two unique keys."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000;"
            "CREATE TABLE messages (row INTEGER PRIMARY KEY, id TEXT UNIQUE, session TEXT, place INTEGER, body BLOB,"
            " UNIQUE (session, place));"
        )

    def insert(self, documents: list[Document]) -> int:
        """Inserts documents in one COMMIT; returns how many."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany(
            "INSERT INTO messages (id, session, place, body) VALUES (?, ?, ?, ?)",
            ((each["_id"], each["session_id"], each["message_index"], bson.encode(each)) for each in documents),
        )
        self.connection.execute("COMMIT")
        return len(documents)

    def find_one(self, identifier: str) -> list[Document]:
        return self._decoded("SELECT body FROM messages WHERE id = ?", identifier)

    def newest(self, session: str) -> list[Document]:
        return self._decoded(f"SELECT body FROM messages WHERE session = ? ORDER BY place DESC LIMIT {NEWEST}", session)

    def count(self, session: str) -> int:
        found: int = self.connection.execute("SELECT COUNT(*) FROM messages WHERE session = ?", (session,)).fetchone()[
            0
        ]
        return found

    def _decoded(self, statement: str, value: str) -> list[Document]:
        return [bson.decode(body, AWARE) for (body,) in self.connection.execute(statement, (value,))]


class _Echo(asyncio.Protocol):
    """Answers each message with as many bytes as it asks for."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        length, wanted = struct.unpack_from("<ii", self._buffer)
        if len(self._buffer) == 8 + length:
            self._buffer = b""
            self._transport.write(bytes(wanted))


def _echo(listener: socket.socket) -> None:
    """A server on the store's kind of event loop that does nothing."""

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(_Echo, sock=listener)
        await server.serve_forever()

    with new_runner() as runner:
        runner.run(serve())


def _received(client: socket.socket, length: int) -> bytes:
    parts = []
    while length:
        part = client.recv(min(length, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


@contextlib.contextmanager
def round_trips() -> Iterator[Callable[[int, int], None]]:
    """A function that sends so many bytes to another process and waits for so many back."""
    listener = socket.create_server(("127.0.0.1", 0))
    process = multiprocessing.get_context("fork").Process(target=_echo, args=(listener,), daemon=True)
    process.start()
    with socket.create_connection(listener.getsockname()) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def trip(sent: int, received: int) -> None:
            client.sendall(struct.pack("<ii", sent, received) + bytes(sent))
            _received(client, received)

        yield trip
    process.terminate()
    process.join(5)
    listener.close()


def _message(command: Document) -> bytes:
    body = bson.encode(command)
    return struct.pack("<iiiiIB", 21 + len(body), 1, 0, OP_MSG, 0, 0) + body


class Wire:
    """A client of the store that does no more than it has to: one socket, one command after the other."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, command: Document) -> Document:
        """The reply to a command."""
        self._socket.sendall(_message({**command, "$db": DATABASE}))
        parts = [self._socket.recv(1 << 16)]
        (length,) = struct.unpack_from("<i", parts[0])
        if length > len(parts[0]):
            parts.append(_received(self._socket, length - len(parts[0])))
        reply = bson.decode(memoryview(b"".join(parts))[21:], AWARE)
        if reply["ok"] != 1.0 or "writeErrors" in reply:
            raise RuntimeError(str(reply)[:300])
        return reply

    def find(self, filter: Document, **options: object) -> list[Document]:
        found: list[Document] = self.ask({"find": COLLECTION, "filter": filter, **options})["cursor"]["firstBatch"]
        return found

    def close(self) -> None:
        self._socket.close()


@dataclass(frozen=True)
class Measured:
    """One thing that is measured: every call does it once for an argument."""

    name: str
    argument: Callable[[], Any]
    store: Callable[[Any], object]
    driver: Callable[[Any], object]
    raw: Callable[[Any], object]


def compare(measured: Measured, seconds: float) -> None:
    """Prints the median times, taken in turns, and the store's as a multiple of the baseline's."""
    calls = (measured.store, measured.raw, measured.driver)
    times: tuple[list[float], ...] = ([], [], [])
    for _ in range(ROUNDS):
        for kept, call in zip(times, calls, strict=True):
            until = time.perf_counter() + seconds / ROUNDS / len(calls)
            while time.perf_counter() < until:
                argument = measured.argument()
                began = time.perf_counter()
                call(argument)
                kept.append(time.perf_counter() - began)
    store, raw, driver = (median(each) * 1e3 for each in times)
    print(
        f"{measured.name:24} store {store:7.3f} ms   SQLite and a trip {raw:7.3f} ms   {store / raw:5.2f} x"
        f"   (through PyMongo {driver:.3f} ms)"
    )


class Server:
    """The store as a process."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.port = 0
        self.start_seconds = 0.0
        self.start()

    def start(self) -> None:
        began = time.perf_counter()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = port = probe.getsockname()[1]
        command = [sys.executable, "-m", "embedded", "--home", str(self._home), "--port", str(port)]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.client: MongoClient[Document] = MongoClient("127.0.0.1", port, directConnection=True, tz_aware=True)
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.005)
        self.messages = self.client[DATABASE][COLLECTION]
        self.messages.find_one({"_id": "message-00000000"})
        self.start_seconds = time.perf_counter() - began

    def stop(self) -> None:
        self.client.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)

    def resident(self) -> float:
        """MB."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def fill(server: Server, raw: Raw, documents: int) -> None:
    server.messages.create_index([("session_id", ASCENDING), ("message_index", ASCENDING)], unique=True)
    for first in range(0, documents, BATCH):
        batch = [document_of(n) for n in range(first, min(first + BATCH, documents))]
        server.messages.insert_many(batch)
        raw.insert(batch)


def measure(server: Server, raw: Raw, documents: int, seconds: float) -> None:
    chance = random.Random(1)
    new = iter(range(documents, 1 << 40))
    size = len(bson.encode(document_of(0)))
    wire = Wire(server.port)
    messages = server.messages

    def session() -> str:
        return f"session-{chance.randrange(max(1, documents // PER_SESSION))}"

    with round_trips() as trip:
        for measured in (
            Measured(
                "find_one by _id",
                lambda: f"message-{chance.randrange(documents):08d}",
                lambda _id: wire.find({"_id": _id}, limit=1, singleBatch=True),
                lambda _id: messages.find_one({"_id": _id}),
                lambda _id: (raw.find_one(_id), trip(100, size)),
            ),
            Measured(
                "insert of one",
                lambda: document_of(next(new)),
                lambda document: wire.ask({"insert": COLLECTION, "documents": [document]}),
                messages.insert_one,
                lambda document: (raw.insert([document]), trip(size, 60)),
            ),
            Measured(
                f"insert of {BATCH}",
                lambda: [document_of(next(new)) for _ in range(BATCH)],
                lambda batch: wire.ask({"insert": COLLECTION, "documents": batch}),
                messages.insert_many,
                lambda batch: (raw.insert(batch), trip(size * BATCH, 60)),
            ),
            Measured(
                f"newest {NEWEST} of a session",
                session,
                lambda name: wire.find(
                    {"session_id": name}, sort={"message_index": -1}, limit=NEWEST, batchSize=NEWEST
                ),
                lambda name: messages.find({"session_id": name}).sort("message_index", -1).limit(NEWEST).to_list(),
                lambda name: (raw.newest(name), trip(150, size * NEWEST)),
            ),
            Measured(
                "count of a session",
                session,
                lambda name: wire.ask({"count": COLLECTION, "query": {"session_id": name}}),
                lambda name: messages.count_documents({"session_id": name}),
                lambda name: (raw.count(name), trip(150, 60)),
            ),
        ):
            compare(measured, seconds)
    wire.close()


async def insert_at_once(server: Server, clients: int, seconds: float) -> float:
    """Documents a second that so many clients insert, each one after the other."""
    until = time.perf_counter() + seconds
    vectors = [document_of(n)["embedding"] for n in range(50)]
    inserted = 0

    async def client(number: int) -> None:
        nonlocal inserted
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        n = 0
        while time.perf_counter() < until:
            document = {"_id": f"{clients}-{number}-{n}", "embedding": vectors[n % 50]}
            writer.write(_message({"insert": "at_once", "documents": [document], "$db": DATABASE}))
            (length,) = struct.unpack("<i", await reader.readexactly(4))
            reply = bson.decode((await reader.readexactly(length - 4))[17:])
            if reply["n"] != 1:
                raise RuntimeError(str(reply)[:300])
            n += 1
        inserted += n
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
    return inserted / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, raw = Server(Path(folder)), Raw(Path(folder) / "raw.db")
        fill(server, raw, options.documents)
        filled = server.resident()
        server.stop()
        server.start()
        print(
            f"from start to the first answer {server.start_seconds:.2f} s; resident {server.resident():.0f} MB then, "
            f"{filled:.0f} MB after filling"
        )
        measure(server, raw, options.documents, options.seconds)
        for clients in (1, 8, 32, 64):
            rate = asyncio.run(insert_at_once(server, clients, options.seconds / 2))
            print(f"{clients:3} clients that insert: {rate:.0f} documents a second, each durable before its reply")
        print(f"resident after all {server.resident():.0f} MB")
        server.stop()


if __name__ == "__main__":
    main()
