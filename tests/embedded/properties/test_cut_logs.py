"""The store, cut off anywhere, is what it was after some of its COMMITs, and never less than what was acknowledged.

A machine writes, keeps a model of its own beside it, and now and then goes on with a copy of the files as they are, as
after a kill. Whatever the log is cut off to, opening it gives the model as it was then.
"""

import copy
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from embedded.catalog import load
from embedded.codec import decode
from embedded.errors import StoreError
from embedded.schema import open_file
from tests.embedded.properties.examples import examples
from tests.embedded.properties.stores import Opened, check_entries, contents

Document = dict[str, Any]
State = dict[str, "Modelled"]
HEADER, FRAME_HEADER = 32, 24
names = st.sampled_from(["c", "d"])
identifiers = st.integers(0, 5)
scores = st.integers(0, 3)
documents = st.builds(
    lambda identifier, score, tags: {"_id": identifier, "k": score, "t": tags, "n": 0},
    identifiers,
    scores,
    st.lists(scores, max_size=2),
)


class Modelled:
    """A collection as it should be: documents by `_id`, and whether each of its indexes is unique."""

    def __init__(self) -> None:
        self.documents: dict[int, Document] = {}
        self.indexes: dict[str, bool] = {}

    def allows(self, changed: dict[int, Document]) -> bool:
        """Whether documents with these changes break no unique index."""
        after = [each["k"] for each in {**self.documents, **changed}.values()]
        return not self.indexes.get("k") or len(set(after)) == len(after)


def logged(wal: Path) -> tuple[bytes, int]:
    """(what tells this log from the one before, where its last frame ends): older frames may follow."""
    raw = wal.read_bytes() if wal.exists() else b""
    salts, end = raw[16:24], HEADER
    size = FRAME_HEADER + int.from_bytes(raw[8:12], "big")
    while end + size <= len(raw) and raw[end + 8 : end + 16] == salts:
        end += size
    return salts, end if raw else 0


class CutLogs(RuleBasedStateMachine):
    """Writes beside a model, and copies of the files as they are at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.homes = 0
        self.path = self._new_home() / "data.db"
        self.opened = Opened(self.path, synchronous=False)
        self.model: State = {}
        self.salts, end = logged(self.wal)
        self.floor = 0  # below that, the log is in the file already
        self.history: list[tuple[int, list[State]]] = [(0, [{}]), (end, [{}])]

    def teardown(self) -> None:
        self.opened.close()
        shutil.rmtree(self.folder)

    @property
    def wal(self) -> Path:
        return self.path.with_name("data.db-wal")

    @rule(name=names, batch=st.lists(documents, min_size=1, max_size=4), ordered=st.booleans())
    def insert(self, name: str, batch: list[Document], ordered: bool) -> None:
        before, between = copy.deepcopy(self.model), []
        errors = self.opened.run({"insert": name, "documents": batch, "ordered": ordered}).get("writeErrors", [])
        into, refused = self.model.setdefault(name, Modelled()), []
        for place, document in enumerate(batch):
            if document["_id"] in into.documents or not into.allows({document["_id"]: document}):
                refused.append(place)
                if ordered:
                    break
            else:
                into.documents[document["_id"]] = copy.deepcopy(document)
                between.append(copy.deepcopy(self.model))
        assert [error["index"] for error in errors] == refused
        self._acknowledged(before, between)

    @rule(name=names, score=scores, to=scores)
    def set_many(self, name: str, score: int, to: int) -> None:
        self._change(name, {"k": score}, {"$set": {"k": to}}, many=True)

    @rule(name=names, identifier=identifiers, tag=scores)
    def push(self, name: str, identifier: int, tag: int) -> None:
        self._change(name, {"_id": identifier}, {"$push": {"t": tag}, "$inc": {"n": 1}}, many=False)

    def _change(self, name: str, filter: Document, update: Document, *, many: bool) -> None:
        before, collection = copy.deepcopy(self.model), self.model.get(name, Modelled())
        changed: dict[int, Document] = {}
        for identifier, document in collection.documents.items():
            if all(document[field] == value for field, value in filter.items()):
                new = changed[identifier] = copy.deepcopy(document) | update.get("$set", {})
                for field, value in update.get("$push", {}).items():
                    new[field].append(value)
                for field, value in update.get("$inc", {}).items():
                    new[field] += value
        reply = self.opened.run({"update": name, "updates": [{"q": filter, "u": update, "multi": many}]})
        assert ("writeErrors" not in reply) == collection.allows(changed)
        if "writeErrors" not in reply:
            assert reply["n"] == len(changed)
            collection.documents |= changed
        self._acknowledged(before)

    @rule(name=names, document=documents)
    def replace_or_insert(self, name: str, document: Document) -> None:
        before, identifier = copy.deepcopy(self.model), document["_id"]
        change = {"q": {"_id": identifier}, "u": document, "upsert": True}
        reply = self.opened.run({"update": name, "updates": [change]})
        allowed = self.model.get(name, Modelled()).allows({identifier: document})
        assert ("writeErrors" not in reply) == allowed
        if allowed:
            self.model.setdefault(name, Modelled()).documents[identifier] = copy.deepcopy(document)
        self._acknowledged(before)

    @rule(name=names, identifier=identifiers, remove=st.booleans())
    def find_and_modify(self, name: str, identifier: int, remove: bool) -> None:
        before, collection = copy.deepcopy(self.model), self.model.get(name, Modelled())
        body = {"findAndModify": name, "query": {"_id": identifier}}
        found = self.opened.run({**body, **({"remove": True} if remove else {"update": {"$inc": {"n": 5}}})})["value"]
        assert found == collection.documents.get(identifier)
        if found and remove:
            del collection.documents[identifier]
        elif found:
            collection.documents[identifier] = {**found, "n": found["n"] + 5}
        self._acknowledged(before)

    @rule(name=names, score=scores)
    def delete(self, name: str, score: int) -> None:
        before, collection = copy.deepcopy(self.model), self.model.get(name, Modelled())
        gone = [identifier for identifier, document in collection.documents.items() if document["k"] == score]
        assert self.opened.run({"delete": name, "deletes": [{"q": {"k": score}, "limit": 0}]})["n"] == len(gone)
        for identifier in gone:
            del collection.documents[identifier]
        self._acknowledged(before)

    @rule(name=names, field=st.sampled_from(["k", "t"]), unique=st.booleans())
    def create_index(self, name: str, field: str, unique: bool) -> None:
        before, unique = copy.deepcopy(self.model), unique and field == "k"
        collection = copy.deepcopy(self.model.get(name, Modelled()))
        if field in collection.indexes:
            return
        collection.indexes[field] = unique
        definition = {"key": {field: 1}, "name": field, "unique": unique}
        try:
            self.opened.run({"createIndexes": name, "indexes": [definition]})
        except StoreError as error:
            assert error.code == 11000 and not collection.allows({})
        else:
            assert collection.allows({})
            self.model[name] = collection
        self._acknowledged(before)

    @precondition(lambda self: any(each.indexes for each in self.model.values()))
    @rule(number=st.integers(0, 3))
    def drop_index(self, number: int) -> None:
        before = copy.deepcopy(self.model)
        indexes = [(name, field) for name, each in self.model.items() for field in each.indexes]
        name, field = indexes[number % len(indexes)]
        self.opened.run({"dropIndexes": name, "index": field})
        del self.model[name].indexes[field]
        self._acknowledged(before)

    @rule(name=names)
    def drop(self, name: str) -> None:
        before = copy.deepcopy(self.model)
        self.opened.run({"drop": name})
        self.model.pop(name, None)
        self._acknowledged(before)

    @rule(mode=st.sampled_from(["PASSIVE", "RESTART", "TRUNCATE"]))
    def checkpoint(self, mode: str) -> None:
        self.opened.store.connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        self.salts, self.floor = logged(self.wal)
        self.history = [(self.floor, [copy.deepcopy(self.model)])]

    @rule()
    def kill(self) -> None:
        """Go on with the files as they are."""
        path = self._copied()
        self.opened.close()
        self.path, self.opened = path, Opened(path, synchronous=False)
        self._compare(self.path, [self.model])

    @rule(permille=st.integers(0, 1000))
    def cut(self, permille: int) -> None:
        """Whatever the log is cut off to, what was committed in it is there, and nothing else."""
        size = self.wal.stat().st_size if self.wal.exists() else 0
        length = self.floor + permille * (size - self.floor) // 1000
        path = self._copied()
        if size:
            with path.with_name("data.db-wal").open("r+b") as file:
                file.truncate(length)
        last = max(place for place, (end, _) in enumerate(self.history) if end <= length)
        following = self.history[last + 1][1][:-1] if last + 1 < len(self.history) else []
        open_file(path).close()
        self._compare(path, [self.history[last][1][-1], *following])

    @invariant()
    def documents_and_entries_are_those_of_the_model(self) -> None:
        self._compare(self.path, [self.model])

    def _acknowledged(self, before: State, between: list[State] | None = None) -> None:
        """Note where the log ends now. `between`: what a batch that paused may have committed on its way."""
        salts, end = logged(self.wal)
        if salts != self.salts:
            self.salts, self.floor, self.history = salts, 0, [(0, [before])]
        self.history.append((end, [*(between or []), copy.deepcopy(self.model)]))

    def _new_home(self) -> Path:
        self.homes += 1
        home = self.folder / str(self.homes)
        home.mkdir()
        return home

    def _copied(self) -> Path:
        home = self._new_home()
        for file in (self.path, self.wal):
            if file.exists():
                shutil.copy(file, home)
        return home / "data.db"

    def _compare(self, path: Path, allowed: list[State]) -> None:
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        check_entries(connection)
        indexes = {
            name: {index.name: index.unique for index in collection.indexes[1:]}
            for (_, name), collection in load(connection).collections.items()
        }
        documents = {
            name: {document["_id"]: document for document in map(decode, found)}
            for name, found in contents(connection).items()
        }
        connection.close()
        states = [
            (
                {name: each.documents for name, each in state.items()},
                {name: each.indexes for name, each in state.items()},
            )
            for state in allowed
        ]
        assert (documents, indexes) in states


TestCutLogs = CutLogs.TestCase
TestCutLogs.settings = examples(40, steps=20)
