"""The catalog: the collections that are there, and their indexes.

A `Catalog` is a value: whoever defines something makes a new one, so that a write that fails puts the old one back and
readers never see what is not committed.
"""

import datetime
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from embedded.codec import Document, decode
from embedded.operators.matching import Predicate, compile_filter

IDENTITY_SPEC: Document = {"v": 2, "key": {"_id": 1}, "name": "_id_"}


@dataclass(eq=False, slots=True)
class Index:
    """One index. `multikey` is a bit for each component whose values came out of arrays; bits are only ever added.

    `dropped` is set before its entries are seen to go: what was read meanwhile is not to be trusted.
    `uses` counts the scans `since` it was made or the server started; when two threads count at once, one may be lost.
    """

    id: int
    spec: Document
    multikey: int = 0
    dropped: bool = False
    uses: int = 0
    since: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    name: str = field(init=False)
    keys: tuple[tuple[str, int], ...] = field(init=False)
    paths: tuple[tuple[tuple[str, ...], int], ...] = field(init=False)
    """The same, the names of each path apart."""
    unique: bool = field(init=False)
    sparse: bool = field(init=False)
    expire_after: float | None = field(init=False)
    partial: Mapping[str, Any] | None = field(init=False)
    covers: Predicate | None = field(init=False)
    roots: frozenset[str] = field(init=False)
    """The fields of a document that decide under which keys the index holds it."""

    def __post_init__(self) -> None:
        spec = self.spec
        self.name = spec["name"]
        self.keys = tuple((path, -1 if direction < 0 else 1) for path, direction in spec["key"].items())
        self.paths = tuple((tuple(path.split(".")), direction) for path, direction in self.keys)
        self.unique = bool(spec.get("unique", False)) or self.name == "_id_"
        self.sparse = bool(spec.get("sparse", False))
        self.expire_after = spec.get("expireAfterSeconds")
        self.partial = spec.get("partialFilterExpression")
        self.covers = None if self.partial is None else compile_filter(self.partial)
        self.roots = frozenset(path.split(".", 1)[0] for path in [*self.spec["key"], *_paths(self.partial or {})])

    @property
    def table(self) -> str:
        """The SQLite table that holds the entries."""
        return "unique_entries" if self.unique else "entries"


def _paths(filter: Mapping[str, Any]) -> Iterator[str]:
    """The paths that the filter of a partial index looks at."""
    for name, condition in filter.items():
        if name.startswith("$"):
            for part in condition:
                yield from _paths(part)
        else:
            yield name


@dataclass(frozen=True, eq=False, slots=True)
class Collection:
    """One collection with its indexes, the one on `_id` first."""

    id: int
    database: str
    name: str
    uuid: bytes
    indexes: tuple[Index, ...]

    @property
    def namespace(self) -> str:
        return f"{self.database}.{self.name}"

    @property
    def identity(self) -> Index:
        return self.indexes[0]

    def index_named(self, name: str) -> Index | None:
        return next((index for index in self.indexes if index.name == name), None)


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that is defined, by (database, collection)."""

    collections: Mapping[tuple[str, str], Collection]

    def get(self, database: str, name: str) -> Collection | None:
        return self.collections.get((database, name))

    def of_database(self, database: str) -> list[Collection]:
        """The collections of a database by name."""
        found = [each for (owner, _), each in self.collections.items() if owner == database]
        return sorted(found, key=lambda each: each.name)

    def databases(self) -> list[str]:
        return sorted({database for database, _ in self.collections})

    def indexes(self) -> Iterator[tuple[Collection, Index]]:
        for collection in self.collections.values():
            for index in collection.indexes:
                yield collection, index

    def with_collection(self, collection: Collection) -> "Catalog":
        return Catalog({**self.collections, (collection.database, collection.name): collection})

    def with_indexes(self, collection: Collection, indexes: tuple[Index, ...]) -> "Catalog":
        return self.with_collection(replace(collection, indexes=indexes))

    def without_collection(self, collection: Collection) -> "Catalog":
        left = {key: each for key, each in self.collections.items() if each.id != collection.id}
        return Catalog(left)


def load(connection: sqlite3.Connection) -> Catalog:
    """The catalog as the file has it."""
    indexes: dict[int, list[Index]] = {}
    for identifier, owner, spec, multikey in connection.execute(
        "SELECT id, collection, spec, multikey FROM indexes ORDER BY id"
    ):
        indexes.setdefault(owner, []).append(Index(identifier, decode(spec), multikey))
    return Catalog(
        {
            (database, name): Collection(identifier, database, name, uuid, tuple(indexes[identifier]))
            for identifier, database, name, uuid in connection.execute("SELECT id, db, name, uuid FROM collections")
        }
    )
