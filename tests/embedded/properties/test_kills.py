"""What clients were told is there after kill -9; what they were not told is there whole, in order, or not at all.

Each client changes a collection of its own and a log that all share, one operation after the other, until the server
dies under it. What is there then has to be what the client's model was after the last operation that was acknowledged,
or after the one that was under way.
"""

import copy
import json
import os
import random
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from tests.embedded.drivers import kept_attached, until
from tests.embedded.properties.stores import check_entries

ROUNDS = max(10, int(os.environ.get("LOCI_TEST_EXAMPLES", "0")) // 100)
CLIENTS = 8

Document = dict[str, Any]
State = tuple[dict[int, Document], set[str]]
"""The documents of a collection by `_id`, and the names of its indexes."""


class Writer(threading.Thread):
    """One client, and the states that its own collection went through."""

    def __init__(self, uri: str, seed: str) -> None:
        super().__init__(name=seed, daemon=True)
        self._uri, self._dice = uri, random.Random(seed)
        self._documents: dict[int, Document] = {}
        self._indexes: set[str] = set()
        self._next = 0
        self.states: list[State] = [({}, set())]
        self.acknowledged = 0  # the place of the last state that the server told of
        self.logged = 0
        self.logging = False  # an entry of the log is under way, otherwise a change of its own collection
        self.ended = threading.Event()  # a client that was between two operations would go on with the next server

    def run(self) -> None:
        with MongoClient(self._uri, retryWrites=False, serverSelectionTimeoutMS=5000) as client:
            own, log = client.kills[self.name], client.kills.log
            try:
                while not self.ended.is_set():
                    self._change(own)()
                    self.acknowledged, self.logging = len(self.states) - 1, True
                    log.update_one({"_id": "log"}, {"$push": {"entries": self.name}}, upsert=True)
                    self.logged, self.logging = self.logged + 1, False
            except PyMongoError:
                return

    def allowed(self) -> list[State]:
        """What its collection may be after the server has died."""
        return self.states[self.acknowledged :]

    def _change(self, own: Any) -> Callable[[], Any]:
        """The next operation; the model has changed already, a state for each document of a batch."""
        match self._dice.choice(["insert", "batch", "increment", "push", "push", "remove", "index", "drop"]):
            case "insert":
                document = self._insert()
                return lambda: own.insert_one(document)
            case "batch":
                documents = [self._insert() for _ in range(self._dice.randint(2, 30))]
                return lambda: own.insert_many(documents)
            case "increment":
                for document in self._documents.values():
                    document["n"] += 1
                self._note()
                return lambda: own.update_many({}, {"$inc": {"n": 1}})
            case "push" if self._documents:
                identifier = self._dice.choice(list(self._documents))
                self._documents[identifier]["t"].append(self._next)
                self._note()
                return lambda last=self._next: own.find_one_and_update({"_id": identifier}, {"$push": {"t": last}})
            case "remove":
                for identifier in [each for each in self._documents if each % 3 == 0]:
                    del self._documents[identifier]
                self._note()
                return lambda: own.delete_many({"third": True})
            case "index":
                if "n" in self._indexes:
                    self._indexes.remove("n")
                    self._note()
                    return lambda: own.drop_index("n")
                self._indexes.add("n")
                self._note()
                return lambda: own.create_index([("n", 1), ("t", -1)], name="n")
            case "drop" if self._dice.random() < 0.2:
                self._documents, self._indexes = {}, set()
                self._note()
                return own.drop
        return lambda: None

    def _insert(self) -> Document:
        self._next += 1
        document = {"_id": self._next, "n": 0, "t": [self._next], "third": self._next % 3 == 0, "pad": "x" * 500}
        self._documents[self._next] = copy.deepcopy(document)
        self._note()
        return document

    def _note(self) -> None:
        self.states.append((copy.deepcopy(self._documents), set(self._indexes)))


def test_what_was_acknowledged_to_each_client_is_there_after_kill_9(tmp_path):
    with kept_attached(tmp_path, idle_exit=1.0) as uri:
        for round in range(ROUNDS):
            writers = [Writer(uri, f"round {round} client {number}") for number in range(CLIENTS)]
            for writer in writers:
                writer.start()
            enough = random.Random(round).randint(4, 200)
            until(lambda writers=writers, enough=enough: sum(writer.logged for writer in writers) >= enough, 30)
            os.kill(json.loads((tmp_path / "store" / "store.json").read_text())["pid"], signal.SIGKILL)
            for writer in writers:
                writer.ended.set()
            for writer in writers:
                writer.join(20)
            with MongoClient(uri, serverSelectionTimeoutMS=10_000) as client:
                entries = client.kills.log.find_one({"_id": "log"})["entries"]
                for writer in writers:
                    assert state(client.kills[writer.name]) in writer.allowed()
                    assert entries.count(writer.name) - writer.logged in ((0, 1) if writer.logging else (0,))
    check_file(tmp_path / "store" / "data.db")


def state(collection: Any) -> State:
    indexes = set(collection.index_information()) - {"_id_"}
    return {document["_id"]: document for document in collection.find()}, indexes


def check_file(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check_entries(connection)
    connection.close()
