"""Do a collection's documents and its index entries agree?

Each piece is read in one transaction, so that what is written meanwhile is seen whole or not at all.
"""

import sqlite3
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


@dataclass(slots=True)
class Findings:
    """What was counted, the rows that cannot be read, and the entries missing or too many as (index, row)."""

    documents: int = 0
    keys: dict[str, int] = field(default_factory=dict)
    corrupt: list[int] = field(default_factory=list)
    missing: list[tuple[str, int]] = field(default_factory=list)
    extra: list[tuple[str, int]] = field(default_factory=list)


def validate(call: Call) -> Steps:
    """Reads everything and changes nothing. Raises NamespaceNotFound (26)."""
    for option in ("repair", "metadata", "checkBSONConformance", "fixMultikey", "background"):
        if call.boolean(option):
            raise not_implemented(f"validate with {option}")
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
    yield from _look_at_documents(collection, source, findings)
    for index in collection.indexes:
        yield from _look_at_entries(index, source, findings)


def _look_at_documents(collection: Collection, source: Source, findings: Findings) -> Iterator[None]:
    """Has every document its entries?"""
    low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
    while True:
        with _snapshot(source()) as connection:
            rows = connection.execute(
                "SELECT id, body FROM documents WHERE id > ? AND id < ? ORDER BY id LIMIT ?", (low, high, PIECE)
            ).fetchall()
            for row, raw in rows:
                _look_at_document(connection, collection, row, raw, findings)
        for index in collection.indexes:
            check_there(index)
        yield
        if len(rows) < PIECE:
            return
        low = rows[-1][0]


def _look_at_document(
    connection: sqlite3.Connection, collection: Collection, row: int, raw: bytes, findings: Findings
) -> None:
    findings.documents += 1
    try:
        document = decode(raw)
    except StoreError:
        findings.corrupt.append(row)
        return
    for index in collection.indexes:
        for key in entry_keys(index, document):
            held = connection.execute(
                f"SELECT 1 FROM {index.table} WHERE idx = ? AND key = ? AND doc = ?",  # noqa: S608
                (index.id, key, row),
            ).fetchone()
            if held is None:
                findings.missing.append((index.name, row))


def _look_at_entries(index: Index, source: Source, findings: Findings) -> Iterator[None]:
    """Has every entry its document?"""
    place: tuple[object, ...] = (b"", -1)
    findings.keys[index.name] = 0
    while True:
        entries = (
            source()
            .execute(
                f"SELECT e.key, e.doc, d.body FROM {index.table} e LEFT JOIN documents d ON d.id = e.doc "  # noqa: S608
                "WHERE e.idx = ? AND (e.key, e.doc) > (?, ?) ORDER BY e.key, e.doc LIMIT ?",
                (index.id, *place, PIECE),
            )
            .fetchall()
        )
        check_there(index)
        findings.keys[index.name] += len(entries)
        for key, row, raw in entries:
            if row not in findings.corrupt and (raw is None or key not in entry_keys(index, decode(raw))):
                findings.extra.append((index.name, row))
        yield
        if len(entries) < PIECE:
            return
        place = entries[-1][:2]


def _tell(collection: Collection, findings: Findings) -> Document:
    wrong = {name for name, _ in (*findings.missing, *findings.extra)}
    errors = [f"index '{name}' and the documents do not agree" for name in sorted(wrong)]
    errors += ["documents cannot be read"] if findings.corrupt else []
    return {
        "ns": collection.namespace,
        "uuid": Binary(collection.uuid, 4),
        "nInvalidDocuments": len(findings.corrupt),
        "nNonCompliantDocuments": 0,
        "nrecords": findings.documents,
        "nIndexes": len(collection.indexes),
        "keysPerIndex": findings.keys,
        "indexDetails": {index.name: {"valid": index.name not in wrong} for index in collection.indexes},
        "valid": not errors,
        "repaired": False,
        "warnings": [],
        "errors": errors,
        "extraIndexEntries": _entries(findings.extra),
        "missingIndexEntries": _entries(findings.missing),
        "corruptRecords": findings.corrupt,
    }


def _entries(found: list[tuple[str, int]]) -> list[Document]:
    return [{"indexName": name, "recordId": row} for name, row in found]


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
        *("validate", "full", "repair", "metadata", "checkBSONConformance", "fixMultikey", "background"),
    ),
}
