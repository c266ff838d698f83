"""The ledger: documents, index entries and definitions change together.

Everything here runs on the writer's thread inside its open transaction. `insert`, `replace` and `delete` are whole by
themselves: they work out every index key, which may fail, before their first statement, and take back unique entries
where one is refused. `attempt` makes what consists of several of them whole or nothing. Replies go out only after the
writer's COMMIT.
"""

import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from embedded.catalog import IDENTITY_SPEC, Catalog, Collection, Index
from embedded.codec import Document, decode, encode
from embedded.errors import StoreError
from embedded.keying import NO_KEYS, entry_keys, is_same_key
from embedded.operators.values import UNDEFINED, encode_key, index_values, invert_key
from embedded.planning import Plan
from embedded.recent import RecentlyDecoded
from embedded.scanning import scan
from embedded.schema import ROW_BITS

_INSERT = {
    table: f"INSERT INTO {table} (idx, key, doc) VALUES (?, ?, ?)"  # noqa: S608
    for table in ("entries", "unique_entries")
}
_REMOVE = {
    "entries": "DELETE FROM entries WHERE idx = ? AND key = ? AND doc = ?",
    "unique_entries": "DELETE FROM unique_entries WHERE idx = ? AND key = ? AND doc = ?",
}
_MOVE = "UPDATE entries SET key = ? WHERE idx = ? AND key = ? AND doc = ?"


class Ledger:
    """The writer's hand: what is defined and stored, as the open transaction sees it."""

    def __init__(self, connection: sqlite3.Connection, catalog: Catalog) -> None:
        self.connection = connection
        self.catalog = catalog
        self.recent = RecentlyDecoded()
        self._next_rows: dict[int, int] = {}
        self._multikey = {index.id: index.multikey for _, index in catalog.indexes()}
        self._turned_multikey: set[Index] = set()
        self._dropped: list[Index] = []
        self._between: list[Callable[[sqlite3.Connection], None]] = []

    def source(self) -> sqlite3.Connection:
        """The connection that sees what this transaction has written so far."""
        return self.connection

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """One operation: whatever is raised inside leaves no trace of it."""
        catalog, dropped = self.catalog, len(self._dropped)
        self.connection.execute("SAVEPOINT operation")
        try:
            yield
        except BaseException:
            self.catalog = catalog
            del self._dropped[dropped:]
            self._forget_unmade()
            if self.connection.in_transaction:  # SQLite gives the whole transaction up when the disk is full
                self.connection.execute("ROLLBACK TO operation")
                self.connection.execute("RELEASE operation")
            raise
        self.connection.execute("RELEASE operation")

    def before_commit(self) -> None:
        """Write down which indexes have met arrays, and warn those who read from indexes that go."""
        for index in self._dropped:
            index.dropped = True
        for index in self._turned_multikey:
            self.connection.execute("UPDATE indexes SET multikey = ? WHERE id = ?", (index.multikey, index.id))

    def committed(self) -> None:
        """Called after COMMIT."""
        for index in self._turned_multikey:
            self._multikey[index.id] = index.multikey
        self._turned_multikey.clear()
        self._dropped.clear()

    def rolled_back(self, catalog: Catalog) -> None:
        """Called after ROLLBACK, with the catalog of the last COMMIT."""
        self.catalog = catalog
        self._next_rows.clear()
        for index in self._dropped:
            index.dropped = False
        self._dropped.clear()
        self._between.clear()
        self._forget_unmade()

    def between_transactions(self, run: Callable[[sqlite3.Connection], None]) -> None:
        """Keep what SQLite refuses inside a transaction until this one has ended well. `run` must not raise."""
        self._between.append(run)

    def run_between(self) -> None:
        """Called when the transaction is over and its replies are on their way."""
        between, self._between = self._between, []
        for run in between:
            run(self.connection)

    def _forget_unmade(self) -> None:
        """Drop what is known of indexes whose making was undone: SQLite gives their ids to others."""
        made = {index.id: index for _, index in self.catalog.indexes()}
        self._turned_multikey = {index for index in self._turned_multikey if made.get(index.id) is index}
        self._multikey = {number: bits for number, bits in self._multikey.items() if number in made}

    # Documents

    def insert(self, collection: Collection, document: Mapping[str, Any], raw: bytes) -> None:
        """Store a new document, or nothing where one of its unique keys is taken.

        Raises DuplicateKey (11000); before that 171 for arrays in two fields of one index.
        """
        row = self._next_row(collection)
        held = [(index, self._keys(index, document)) for index in collection.indexes]
        self._add_unique(collection, [(index, keys) for index, keys in held if index.unique], row, document)
        self.connection.execute("INSERT INTO documents (id, body) VALUES (?, ?)", (row, raw))
        for index, keys in held:
            if not index.unique:
                self._move_entries(index, NO_KEYS, keys, row)

    def replace(self, collection: Collection, row: int, old: Mapping[str, Any], new: Document, raw: bytes) -> None:
        """Put `new` in the place of `old`, or change nothing where one of its unique keys is taken; only index entries
        that differ are written. Raises DuplicateKey (11000)."""
        changed: list[tuple[Index, frozenset[bytes], frozenset[bytes]]] = []
        for index in collection.indexes[1:]:
            if not is_same_key(index, old, new):
                before, after = self._keys(index, old), self._keys(index, new)
                if before != after:
                    changed.append((index, before - after, after - before))
        self._add_unique(collection, [(index, came) for index, _, came in changed if index.unique], row, new)
        for index, gone, came in changed:
            if index.unique:
                self._remove_entries(index, gone, row)
            else:
                self._move_entries(index, gone, came, row)
        self.connection.execute("UPDATE documents SET body = ? WHERE id = ?", (raw, row))
        self.recent.put(row, raw, new)

    def delete(self, collection: Collection, row: int, document: Mapping[str, Any]) -> None:
        """Remove a document and its entries."""
        held = [(index, self._keys(index, document)) for index in collection.indexes]
        for index, keys in held:
            self._remove_entries(index, keys, row)
        self.connection.execute("DELETE FROM documents WHERE id = ?", (row,))

    def fetch(self, row: int) -> bytes | None:
        """The bytes of a document, None if it is gone."""
        found = self.connection.execute("SELECT body FROM documents WHERE id = ?", (row,)).fetchone()
        return found[0] if found else None

    # Definitions

    def collection(self, database: str, name: str) -> Collection:
        """The collection, made with its index on `_id` if it is not there. Raises InvalidNamespace (73)."""
        return self.catalog.get(database, name) or self.create_collection(database, name)

    def create_collection(self, database: str, name: str) -> Collection:
        """A new collection. Raises InvalidNamespace (73)."""
        check_namespace(database, name)
        identity = uuid.uuid4().bytes
        made = self.connection.execute(
            "INSERT INTO collections (db, name, uuid) VALUES (?, ?, ?)", (database, name, identity)
        ).lastrowid
        assert made is not None  # noqa: S101
        index = self._define_index(made, IDENTITY_SPEC)
        collection = Collection(made, database, name, identity, (index,))
        self.catalog = self.catalog.with_collection(collection)
        return collection

    def drop_collection(self, collection: Collection) -> None:
        """Remove a collection with its documents and indexes."""
        for index in collection.indexes:
            self._forget_index(index)
        low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
        self.connection.execute("DELETE FROM documents WHERE id > ? AND id < ?", (low, high))
        self.connection.execute("DELETE FROM collections WHERE id = ?", (collection.id,))
        self.catalog = self.catalog.without_collection(collection)

    def rename_collection(self, collection: Collection, database: str, name: str) -> None:
        """Give a collection another name, which has to be free. Raises InvalidNamespace (73)."""
        check_namespace(database, name)
        self.connection.execute("UPDATE collections SET db = ?, name = ? WHERE id = ?", (database, name, collection.id))
        renamed = replace(collection, database=database, name=name)
        self.catalog = self.catalog.without_collection(collection).with_collection(renamed)

    def create_index(
        self, collection: Collection, spec: Document, breathe: Callable[[], None] = lambda: None
    ) -> Collection:
        """Build an index over what is there, `breathe` called now and then; the collection with it.

        Raises DuplicateKey (11000).
        """
        index = self._define_index(collection.id, spec)
        everything = Plan(collection, {}, exact=True)
        for found in scan(everything, self.source):
            if found is None:
                breathe()
            else:
                row, raw = found
                document = decode(raw)
                self._add_entries(collection, index, self._keys(index, document), row, document)
        self.catalog = self.catalog.with_indexes(collection, (*collection.indexes, index))
        made = self.catalog.get(collection.database, collection.name)
        assert made is not None  # noqa: S101
        return made

    def drop_index(self, collection: Collection, index: Index) -> Collection:
        """The collection without the index."""
        self._forget_index(index)
        left = tuple(each for each in collection.indexes if each is not index)
        self.catalog = self.catalog.with_indexes(collection, left)
        made = self.catalog.get(collection.database, collection.name)
        assert made is not None  # noqa: S101
        return made

    def _define_index(self, collection: int, spec: Document) -> Index:
        made = self.connection.execute(
            "INSERT INTO indexes (collection, spec) VALUES (?, ?)", (collection, encode(spec))
        ).lastrowid
        assert made is not None  # noqa: S101
        self._multikey[made] = 0
        return Index(made, spec)

    def _forget_index(self, index: Index) -> None:
        self.connection.execute(f"DELETE FROM {index.table} WHERE idx = ?", (index.id,))  # noqa: S608
        self.connection.execute("DELETE FROM indexes WHERE id = ?", (index.id,))
        self._turned_multikey.discard(index)
        self._dropped.append(index)

    # Entries

    def _keys(self, index: Index, document: Mapping[str, Any]) -> frozenset[bytes]:
        keys = entry_keys(index, document)
        if index.multikey and index.multikey != self._multikey.get(index.id):
            self._turned_multikey.add(index)
        return keys

    def _add_entries(
        self, collection: Collection, index: Index, keys: frozenset[bytes], row: int, document: Mapping[str, Any]
    ) -> None:
        if index.unique:
            self._add_unique(collection, [(index, keys)], row, document)
        else:
            self._move_entries(index, NO_KEYS, keys, row)

    def _add_unique(
        self,
        collection: Collection,
        entries: Sequence[tuple[Index, frozenset[bytes]]],
        row: int,
        document: Mapping[str, Any],
    ) -> None:
        """Add entries of unique indexes, all or none. Raises DuplicateKey (11000)."""
        added: list[tuple[Index, bytes]] = []
        for index, keys in entries:
            for key in keys:
                try:
                    self.connection.execute(_INSERT["unique_entries"], (index.id, key, row))
                except sqlite3.IntegrityError:
                    for other, new in added:
                        self._remove_entries(other, frozenset((new,)), row)
                    raise duplicate_key(collection, index, key, document) from None
                added.append((index, key))

    def _move_entries(self, index: Index, gone: frozenset[bytes], came: frozenset[bytes], row: int) -> None:
        if len(gone) == len(came) == 1:
            self.connection.execute(_MOVE, (*came, index.id, *gone, row))
            return
        self._remove_entries(index, gone, row)
        for key in came:
            self.connection.execute(_INSERT["entries"], (index.id, key, row))

    def _remove_entries(self, index: Index, keys: frozenset[bytes], row: int) -> None:
        statement = _REMOVE[index.table]
        for key in keys:
            self.connection.execute(statement, (index.id, key, row))

    def _next_row(self, collection: Collection) -> int:
        row = self._next_rows.get(collection.id)
        if row is None:
            low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
            last = self.connection.execute(
                "SELECT id FROM documents WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 1", (low, high)
            ).fetchone()
            row = last[0] + 1 if last else low + 1
        self._next_rows[collection.id] = row + 1
        return int(row)


def check_namespace(database: str, name: str) -> None:
    """Raises InvalidNamespace (73) for names that MongoDB refuses."""
    if not database or len(database.encode()) > 63 or any(letter in '/\\. "$\x00' for letter in database):
        raise StoreError(73, f"Invalid database name: '{database}'")
    if not name or "$" in name or "\x00" in name or name.startswith((".", "system.")) or ".." in name:
        raise StoreError(73, f"Invalid collection name: {name}")
    if len(database.encode()) + len(name.encode()) + 1 > 255:
        raise StoreError(73, f"Fully qualified namespace is too long: {database}.{name}")


def duplicate_key(collection: Collection, index: Index, key: bytes, document: Mapping[str, Any]) -> StoreError:
    """The error for a document whose `key` a unique index holds already."""
    values = {}
    for path, direction in index.keys:
        found = index_values(document, path).values
        if len(index.keys) == 1:  # of an array, the element that is there already
            found = [value for value in found if encode_key(value) == (key if direction > 0 else invert_key(key))]
        values[path] = None if found[0] is UNDEFINED else found[0]
    shown = ", ".join(f"{path}: {_show(value)}" for path, value in values.items())
    return StoreError(
        11000,
        f"E11000 duplicate key error collection: {collection.namespace} index: {index.name} dup key: {{ {shown} }}",
        keyPattern=dict(index.keys),
        keyValue=values,
    )


def _show(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return "null" if value is None else str(value)
