"""A store in this process, to which properties speak and into whose file they look."""

import itertools
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embedded.catalog import Collection, Index, load
from embedded.codec import decode, encode
from embedded.commands import COMMANDS
from embedded.commands.call import Call, Now, Read
from embedded.dispatch import turns
from embedded.keying import entry_keys
from embedded.schema import ROW_BITS
from embedded.store import Store
from embedded.writer import Job

DATABASE = "t"


class Opened:
    """A store that takes commands as documents and answers them as it does over the wire."""

    def __init__(self, path: Path, *, synchronous: bool = True) -> None:
        self.store = Store(path, deliver=lambda jobs: [job.done(job.outcome) for job in jobs])
        self._numbers = itertools.count()
        if not synchronous:
            self.store.connection.execute("PRAGMA synchronous = OFF")

    def close(self) -> None:
        self.store.close()

    def new_name(self) -> str:
        """A name that no collection had before."""
        return f"c{next(self._numbers)}"

    def run(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a command. Raises what the command raises."""
        name = next(iter(body))
        call = Call(name, decode(encode({**body, "$db": DATABASE})), {}, self.store)
        command = COMMANDS[name]
        if isinstance(command, Now):
            return decode(command.run(call))
        if isinstance(command, Read):
            return decode(next(reply for reply in command.run(call) if reply is not None))
        outcomes: list[bytes | Exception] = []
        over = threading.Event()
        self.store.writer.put(Job(turns(call, command), lambda outcome: (outcomes.append(outcome), over.set())))
        assert over.wait(60)
        if isinstance(outcomes[0], Exception):
            raise outcomes[0]
        return decode(outcomes[0])

    def insert(self, name: str, documents: list[dict[str, Any]]) -> dict[str, Any]:
        """Insert what can be inserted; the reply tells of the rest."""
        return self.run({"insert": name, "documents": documents, "ordered": False})

    def find(self, name: str, filter: Mapping[str, Any], **options: Any) -> list[dict[str, Any]]:
        """Everything that a query finds."""
        return self._all({"find": name, "filter": filter, "batchSize": 10_000, **options})

    def aggregate(self, name: str, *stages: Mapping[str, Any], **options: Any) -> list[dict[str, Any]]:
        """Everything that comes out of a pipeline."""
        return self._all({"aggregate": name, "pipeline": list(stages), "cursor": {"batchSize": 10_000}, **options})

    def collection(self, name: str) -> Collection:
        found = self.store.catalog.get(DATABASE, name)
        assert found is not None
        return found

    def _all(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        cursor = self.run(body)["cursor"]
        assert cursor["id"] == 0
        found: list[dict[str, Any]] = cursor["firstBatch"]
        return found


def contents(connection: sqlite3.Connection) -> dict[str, list[bytes]]:
    """The documents of every collection, in order, as the file has them."""
    return {
        name: [raw for _, raw in _rows(connection, each)] for (_, name), each in load(connection).collections.items()
    }


def check_entries(connection: sqlite3.Connection) -> None:
    """The index entries in the file are those of its documents, worked out anew, and there are no others."""
    stored = {"entries": set(), "unique_entries": set()}
    for table, found in stored.items():
        found.update(connection.execute(f"SELECT idx, key, doc FROM {table}"))
    wanted: dict[str, set[tuple[int, bytes, int]]] = {"entries": set(), "unique_entries": set()}
    for collection, index in load(connection).indexes():
        anew = Index(index.id, index.spec)
        for row, raw in _rows(connection, collection):
            wanted[index.table].update((index.id, key, row) for key in entry_keys(anew, decode(raw)))
        assert index.multikey & anew.multikey == anew.multikey, index.spec
    assert stored == wanted


def _rows(connection: sqlite3.Connection, collection: Collection) -> list[tuple[int, bytes]]:
    low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
    return connection.execute(
        "SELECT id, body FROM documents WHERE id > ? AND id < ? ORDER BY id", (low, high)
    ).fetchall()
