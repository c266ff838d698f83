"""Validation: whether a collection's documents and its index entries agree.

The keys that the documents call for and the entries that are there are summed up, each in buckets of rows. Only where
two sums differ, be it because something was written meanwhile, is each document held against its entries and each entry
against its document: those in one transaction, so that what is written is seen whole or not at all.
"""

import sqlite3
from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bson import Binary

from embedded.catalog import Collection, Index
from embedded.codec import Document, decode, encode_reply
from embedded.commands.call import Call, Command, Steps, read
from embedded.cursors import Leave
from embedded.errors import StoreError, not_implemented
from embedded.keying import entry_keys
from embedded.scanning import Source, check_there
from embedded.schema import ROW_BITS

PIECE = 500
BUCKETS = 1 << 14
MAX_TOLD = 1_000  # of each kind of mistake; all are counted
MAX_KEPT_BYTES = 16 * 1024 * 1024
_KEY_BYTES = 100  # that Python takes for a key beyond its letters
_HASH = (1 << 64) - 1


class Sums:
    """For each bucket of rows, whether what was added came twice: once as called for, once as found."""

    def __init__(self) -> None:
        self._sums = array("Q", bytes(8 * BUCKETS))

    def add(self, row: int, key: bytes) -> None:
        self._sums[row % BUCKETS] ^= hash((row, key)) & _HASH

    def differ_at(self, row: int) -> bool:
        return self._sums[row % BUCKETS] != 0

    def differ(self) -> bool:
        return any(self._sums)


@dataclass(slots=True)
class Mistakes:
    """Entries that are missing, or too many: how many of each index, and the first of them as (index, row)."""

    counts: Counter[str] = field(default_factory=Counter)
    first: list[tuple[str, int]] = field(default_factory=list)

    def add(self, index: Index, row: int) -> None:
        self.counts[index.name] += 1
        if len(self.first) < MAX_TOLD:
            self.first.append((index.name, row))

    def told(self) -> list[Document]:
        return [{"indexName": name, "recordId": row} for name, row in self.first]


@dataclass(slots=True)
class Findings:
    """What was counted, the rows that cannot be read, and what is wrong with each index.

    `unmarked`: indexes that are not marked multikey where they hold arrays, and so answer wrongly.
    """

    documents: int = 0
    keys: dict[str, int] = field(default_factory=dict)
    corrupt: set[int] = field(default_factory=set)
    missing: Mistakes = field(default_factory=Mistakes)
    extra: Mistakes = field(default_factory=Mistakes)
    unmarked: set[str] = field(default_factory=set)


class KeptKeys:
    """The keys of documents in one index, those used last kept.

    What is kept of a row holds only for the very bytes it was kept with.
    """

    def __init__(self, index: Index, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._index = _apart(index)
        self._kept: OrderedDict[int, tuple[bytes, frozenset[bytes], int]] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0

    def of(self, row: int, raw: bytes) -> frozenset[bytes]:
        """Raises InvalidBSON (22)."""
        kept = self._kept.get(row)
        if kept is not None and kept[0] == raw:
            self._kept.move_to_end(row)
            return kept[1]
        keys = entry_keys(self._index, decode(raw))
        self._drop(row)
        size = len(raw) + sum(map(len, keys)) + _KEY_BYTES * len(keys)
        self._kept[row] = (raw, keys, size)
        self._bytes += size
        while self._bytes > self._max_bytes:
            self._drop(next(iter(self._kept)))
        return keys

    def _drop(self, row: int) -> None:
        gone = self._kept.pop(row, None)
        if gone is not None:
            self._bytes -= gone[2]


def validate(call: Call) -> Steps:
    """Reads everything and changes nothing. Raises NamespaceNotFound (26)."""
    for option in ("repair", "metadata", "checkBSONConformance", "fixMultikey"):
        if call.boolean(option):
            raise not_implemented(f"validate with {option}")
    if call.boolean("background") and call.boolean("full"):
        raise StoreError(
            72, "Running the validate command with both { background: true } and { full: true } is not supported."
        )
    collection = call.collection()
    if collection is None:
        raise StoreError(26, f"Collection '{call.namespace}' does not exist to validate.")
    yield Leave.LOOP
    findings = Findings()
    for _ in _look(collection, call.store.source, findings):
        call.breathe()
        yield None
    yield encode_reply(_tell(collection, findings))


def _look(collection: Collection, source: Source, findings: Findings) -> Iterator[None]:
    """Fill in the findings, a breath after each piece."""
    sums = {index: Sums() for index in collection.indexes}
    yield from _add_documents(collection, source, sums, findings)
    for index in collection.indexes:
        yield from _add_entries(index, source, sums[index], findings)
        if sums[index].differ():
            keys = KeptKeys(index)
            yield from _look_for_missing(collection, index, keys, source, sums[index], findings)
            yield from _look_for_strays(index, keys, source, sums[index], findings)


def _add_documents(
    collection: Collection, source: Source, sums: dict[Index, Sums], findings: Findings
) -> Iterator[None]:
    """Adds the entries that the documents call for."""
    apart = [(_apart(index), added) for index, added in sums.items()]
    for piece in _documents(collection, source):
        for _, row, raw in piece:
            findings.documents += 1
            try:
                document = decode(raw)
                called_for = [(added, entry_keys(index, document)) for index, added in apart]
            except StoreError:
                findings.corrupt.add(row)
                continue
            for added, keys in called_for:
                for key in keys:
                    added.add(row, key)
        yield
    for (found, _), index in zip(apart, sums, strict=True):
        if found.multikey & ~index.multikey:
            findings.unmarked.add(index.name)


def _add_entries(index: Index, source: Source, added: Sums, findings: Findings) -> Iterator[None]:
    """Adds the entries that are there."""
    findings.keys[index.name] = 0
    for piece in _entries(index, source):
        for _, key, row in piece:
            findings.keys[index.name] += 1
            added.add(row, key)
        yield


def _look_for_missing(
    collection: Collection, index: Index, keys: KeptKeys, source: Source, sums: Sums, findings: Findings
) -> Iterator[None]:
    """Looks for documents without one of their entries."""
    held = f"SELECT 1 FROM {index.table} WHERE idx = ? AND key = ? AND doc = ?"  # noqa: S608
    for piece in _documents(collection, source):
        for connection, row, raw in piece:
            if not sums.differ_at(row):
                continue
            try:
                wanted = keys.of(row, raw)
            except StoreError:
                findings.corrupt.add(row)
                continue
            for key in wanted:
                if connection.execute(held, (index.id, key, row)).fetchone() is None:
                    findings.missing.add(index, row)
        yield


def _look_for_strays(index: Index, keys: KeptKeys, source: Source, sums: Sums, findings: Findings) -> Iterator[None]:
    """Looks for entries without their document."""
    for piece in _entries(index, source):
        wanted: dict[int, frozenset[bytes]] = {}  # as the documents are in this transaction
        for connection, key, row in piece:
            if row in findings.corrupt or not sums.differ_at(row):
                continue
            if row not in wanted:
                found = connection.execute("SELECT body FROM documents WHERE id = ?", (row,)).fetchone()
                wanted[row] = frozenset() if found is None else keys.of(row, found[0])
            if key not in wanted[row]:
                findings.extra.add(index, row)
        yield


def _documents(collection: Collection, source: Source) -> Iterator[Iterator[tuple[sqlite3.Connection, int, bytes]]]:
    """The documents, each piece of them read in one transaction."""
    low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
    more = True

    def piece() -> Iterator[tuple[sqlite3.Connection, int, bytes]]:
        nonlocal low, more
        count = 0
        with _snapshot(source()) as connection:
            for row, raw in connection.execute(
                "SELECT id, body FROM documents WHERE id > ? AND id < ? ORDER BY id LIMIT ?", (low, high, PIECE)
            ):
                yield connection, row, raw
                low = row
                count += 1
        more = count == PIECE

    while more:
        yield piece()
        for index in collection.indexes:
            check_there(index)


def _entries(index: Index, source: Source) -> Iterator[Iterator[tuple[sqlite3.Connection, bytes, int]]]:
    """The entries as (key, row), each piece of them read in one transaction."""
    place: tuple[bytes, int] = (b"", -1)
    more = True

    def piece() -> Iterator[tuple[sqlite3.Connection, bytes, int]]:
        nonlocal place, more
        count = 0
        with _snapshot(source()) as connection:
            for key, row in connection.execute(
                f"SELECT key, doc FROM {index.table} WHERE idx = ? AND (key, doc) > (?, ?) "  # noqa: S608
                "ORDER BY key, doc LIMIT ?",
                (index.id, *place, PIECE),
            ):
                yield connection, key, row
                place = (key, row)
                count += 1
        more = count == PIECE

    while more:
        yield piece()
        check_there(index)


def _apart(index: Index) -> Index:
    """The same index as its documents alone mark it: working out keys marks an index, and nothing is to change."""
    return Index(index.id, index.spec)


def _tell(collection: Collection, findings: Findings) -> Document:
    missing, extra = findings.missing, findings.extra
    wrong = missing.counts.keys() | extra.counts.keys()
    errors = [
        f"index '{name}' and the documents do not agree: {missing.counts[name]} entries are missing, "
        f"{extra.counts[name]} too many"
        for name in sorted(wrong)
    ]
    errors += [f"index '{name}' holds arrays and is not marked multikey" for name in sorted(findings.unmarked)]
    errors += ["documents cannot be read, or not indexed"] if findings.corrupt else []
    wrong |= findings.unmarked
    corrupt = sorted(findings.corrupt)
    counts = (missing.counts.total(), extra.counts.total(), len(corrupt))
    return {
        "ns": collection.namespace,
        "uuid": Binary(collection.uuid, 4),
        "nInvalidDocuments": len(corrupt),
        "nNonCompliantDocuments": 0,
        "nrecords": findings.documents,
        "nIndexes": len(collection.indexes),
        "keysPerIndex": findings.keys,
        "indexDetails": {index.name: {"valid": index.name not in wrong} for index in collection.indexes},
        "valid": not errors,
        "repaired": False,
        "warnings": [f"of each kind of mistake, {MAX_TOLD} are listed"] if max(counts) > MAX_TOLD else [],
        "errors": errors,
        "extraIndexEntries": extra.told(),
        "missingIndexEntries": missing.told(),
        "corruptRecords": corrupt[:MAX_TOLD],
    }


@contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """The file as it is at the first read inside."""
    connection.execute("BEGIN")
    try:
        yield connection
    finally:
        connection.execute("COMMIT")


COMMANDS: dict[str, Command] = {
    "validate": read(
        validate,
        *("validate", "full", "scandata", "repair", "metadata", "checkBSONConformance", "fixMultikey", "background"),
    ),
}
