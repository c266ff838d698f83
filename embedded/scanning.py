"""Scans: the documents of a plan, read a piece at a time.

Each piece is one finished SQLite statement that goes on behind the last key of the one before. So nothing stays open
between two pieces: a scan can pause for minutes, move to another thread, and never holds back a checkpoint.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from operator import itemgetter
from typing import TypeVar

from embedded.catalog import Index
from embedded.codec import Document, decode
from embedded.errors import StoreError
from embedded.operators.matching import Predicate, compile_filter
from embedded.planning import Plan
from embedded.schema import ROW_BITS

Source = Callable[[], sqlite3.Connection]
"""The connection to read on; asked for anew for every piece, since the thread may be another."""

Row = tuple[int, bytes]
Entry = tuple[bytes, int, bytes]
Match = tuple[int, bytes, Document | None]
"""A document's row, its bytes, and the document itself where it had to be decoded anyway."""

Decode = Callable[[int, bytes], Document]
"""The document of a row's bytes."""

T = TypeVar("T")

FIRST_PIECE = 32
_LARGEST_FIRST = 256
_LARGEST_PIECE = 1024
_PIECE_BYTES = 512 * 1024  # an idle cursor may hold one piece


@dataclass(slots=True)
class Gauge:
    """How much came through a stream, and how long that took."""

    given: int = 0
    seconds: float = 0.0

    def through(self, stream: Iterator[T]) -> Iterator[T]:
        """The same stream, breaths and all."""
        while True:
            started = time.perf_counter()
            try:
                each = next(stream)
            except StopIteration:
                return
            finally:
                self.seconds += time.perf_counter() - started
            self.given += each is not None
            yield each


@dataclass(slots=True)
class Effort:
    """What a scan has read so far, and what it has `found` in that; `explain` shows it."""

    keys: int = 0
    documents: int = 0
    found: Gauge = field(default_factory=Gauge)


def _statement(table: str, *, reverse: bool, resumed: bool) -> str:
    turn, beyond = ("DESC", "<") if reverse else ("ASC", ">")
    if not resumed:
        limits = "e.key >= ? AND e.key < ?"
    elif table == "unique_entries":
        limits = f"e.key {beyond} ? AND e.key {'>=' if reverse else '<'} ?"
    else:
        limits = f"(e.key, e.doc) {beyond} (?, ?) AND e.key {'>=' if reverse else '<'} ?"
    order = f"e.key {turn}" if table == "unique_entries" else f"e.key {turn}, e.doc {turn}"
    return (
        f"SELECT e.key, e.doc, d.body FROM {table} e CROSS JOIN documents d ON d.id = e.doc "  # noqa: S608
        f"WHERE e.idx = ? AND {limits} ORDER BY {order} LIMIT ?"
    )


_STATEMENTS = {
    (table, reverse, resumed): _statement(table, reverse=reverse, resumed=resumed)
    for table in ("entries", "unique_entries")
    for reverse in (False, True)
    for resumed in (False, True)
}
_POINTS = (64, _FEW_POINTS := 8, 1)
_POINT_STATEMENTS = {
    (size, reverse): (
        "SELECT e.key, e.doc, d.body FROM unique_entries e CROSS JOIN documents d ON d.id = e.doc "  # noqa: S608
        f"WHERE e.idx = ? AND e.key IN ({', '.join('?' * size)}) ORDER BY e.key {'DESC' if reverse else 'ASC'}"
    )
    for size in _POINTS
    for reverse in (False, True)
}
_ONE = "SELECT d.body FROM unique_entries e CROSS JOIN documents d ON d.id = e.doc WHERE e.idx = ? AND e.key = ?"
_ROW = "SELECT body FROM documents WHERE id = ?"
_FORWARD = "SELECT id, body FROM documents WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
_BACKWARD = "SELECT id, body FROM documents WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?"


def decode_row(row: int, raw: bytes) -> Document:
    """`Decode` by decoding."""
    return decode(raw)


def matches(
    plan: Plan, source: Source, *, wanted: int = 0, effort: Effort | None = None, decoded: Decode = decode_row
) -> Iterator[Match | None]:
    """The documents that a plan's filter selects, in the plan's order; None is a breath between two pieces.

    `wanted` is how many the caller will take (0: all), so that no more are read than needed.
    """
    rows = scan(plan, source, wanted=wanted if plan.exact else 0, effort=effort)
    if plan.exact:
        for row in rows:
            yield None if row is None else (row[0], row[1], None)
        return
    selects: Predicate = compile_filter(plan.filter)
    for row in rows:
        if row is None:
            yield None
            continue
        document = decoded(row[0], row[1])
        if selects(document):
            yield row[0], row[1], document


def read_one(plan: Plan, source: Source) -> Iterator[bytes]:
    """The bytes of the document that an exact plan of a single point finds, without all that a scan may need."""
    index = plan.index
    assert index is not None  # noqa: S101
    rows: list[tuple[bytes]] = source().execute(_ONE, (index.id, plan.ranges[0][0])).fetchall()
    check_there(index)
    index.uses += 1
    return iter(rows[0] if rows else ())


def read_row(row: int, source: Source) -> bytes | None:
    """The bytes of a document, None if it is gone."""
    found: tuple[bytes] | None = source().execute(_ROW, (row,)).fetchone()
    return found[0] if found else None


def scan(plan: Plan, source: Source, *, wanted: int = 0, effort: Effort | None = None) -> Iterator[Row | None]:
    """The documents within a plan's ranges, each once; None is a breath between two pieces."""
    if effort is None:
        effort = Effort()
        if plan.index is not None:
            plan.index.uses += 1  # what `explain` measures is no use
    if plan.index is None:
        yield from _scan_collection(plan, source, wanted, effort)
        return
    seen: set[int] | None = set() if plan.index.multikey else None
    entries = _merged(plan, source, wanted, effort) if plan.shared else _in_turn(plan, source, wanted, effort)
    for entry in entries:
        if entry is None:
            yield None
        elif seen is None:
            yield entry[1], entry[2]
        elif entry[1] not in seen:
            seen.add(entry[1])
            yield entry[1], entry[2]


def _in_turn(plan: Plan, source: Source, wanted: int, effort: Effort) -> Iterator[Entry | None]:
    """One range after the other."""
    if plan.points and len(plan.ranges) > 1:
        yield from _scan_points(plan, source, wanted, effort)
        return
    for low, high in reversed(plan.ranges) if plan.reverse else plan.ranges:
        yield from _scan_range(plan, low, high, source, wanted, effort)


def _merged(plan: Plan, source: Source, wanted: int, effort: Effort) -> Iterator[Entry | None]:
    """All ranges at once, by what follows the bytes that each range begins with."""

    def keyed(low: bytes, high: bytes, shared: int) -> Iterator[tuple[bytes, Entry]]:
        for entry in _scan_range(plan, low, high, source, wanted, effort):
            if entry is not None:
                yield entry[0][shared:], entry

    streams = [keyed(low, high, shared) for (low, high), shared in zip(plan.ranges, plan.shared, strict=True)]
    for number, (_, entry) in enumerate(merge(*streams, key=itemgetter(0), reverse=plan.reverse)):
        yield entry
        if number % FIRST_PIECE == 0:
            yield None


def _scan_range(
    plan: Plan, low: bytes, high: bytes, source: Source, wanted: int, effort: Effort
) -> Iterator[Entry | None]:
    index = plan.index
    assert index is not None  # noqa: S101
    table, reverse = index.table, plan.reverse
    size = wanted or FIRST_PIECE
    size = min(size, _LARGEST_FIRST)
    rows = source().execute(_STATEMENTS[table, reverse, False], (index.id, low, high, size)).fetchall()
    while True:
        check_there(index)
        effort.keys += len(rows)
        effort.documents += len(rows)
        yield from rows
        if len(rows) < size:
            return
        yield None
        key, doc, _ = rows[-1]
        place: tuple[object, ...] = (key,) if index.unique else (key, doc)
        size = _next_size(size, sum(len(body) for _, _, body in rows), len(rows))
        end = low if reverse else high
        rows = source().execute(_STATEMENTS[table, reverse, True], (index.id, *place, end, size)).fetchall()


def _scan_points(plan: Plan, source: Source, wanted: int, effort: Effort) -> Iterator[Entry | None]:
    """Many single keys, some in each statement."""
    index = plan.index
    assert index is not None  # noqa: S101
    keys = [low for low, _ in plan.ranges]
    if plan.reverse:
        keys.reverse()
    size, place = _FEW_POINTS, 0
    while place < len(keys):
        some = keys[place : place + size]
        place += size
        some += some[-1:] * (size - len(some))  # of few lengths, so that few statements are prepared
        rows = source().execute(_POINT_STATEMENTS[size, plan.reverse], (index.id, *some)).fetchall()
        check_there(index)
        effort.keys += len(rows)
        effort.documents += len(rows)
        yield from rows
        yield None
        if not wanted:
            largest = max((len(body) for _, _, body in rows), default=0)
            size = next(size for size in _POINTS if size * largest <= _PIECE_BYTES or size == 1)


def check_there(index: Index) -> None:
    """After a piece was read. Raises QueryPlanKilled (175) where the index may have been dropped before; that on `_id`
    goes with its collection."""
    if index.dropped:
        raise StoreError(175, f"query plan killed :: index '{index.name}' dropped")


def _scan_collection(plan: Plan, source: Source, wanted: int, effort: Effort) -> Iterator[Row | None]:
    low, high = plan.collection.id << ROW_BITS, (plan.collection.id + 1) << ROW_BITS
    statement = _BACKWARD if plan.reverse else _FORWARD
    size = min(wanted or FIRST_PIECE, _LARGEST_FIRST)
    while True:
        rows = source().execute(statement, (low, high, size)).fetchall()
        check_there(plan.collection.identity)
        effort.documents += len(rows)
        yield from rows
        if len(rows) < size:
            return
        yield None
        if plan.reverse:
            high = rows[-1][0]
        else:
            low = rows[-1][0]
        size = _next_size(size, sum(len(body) for _, body in rows), len(rows))


def _next_size(size: int, read: int, rows: int) -> int:
    """How many rows the next piece may have: more and more, as long as it stays at about half a megabyte."""
    return max(1, min(4 * size, _LARGEST_PIECE, _PIECE_BYTES * rows // max(read, 1)))
