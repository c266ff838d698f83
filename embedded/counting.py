"""Counting: documents that a filter selects, and sizes of collections, without holding up the event loop.

Everything is added up in pieces with a breath (None) between them; the last value is the result.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from embedded.catalog import Collection, Index
from embedded.planning import EVERYTHING, Plan
from embedded.scanning import Effort, Source, check_there, matches
from embedded.schema import ROW_BITS

PIECE = 20_000
_DOCUMENTS_PIECE = 5_000


def count(plan: Plan, source: Source, *, effort: Effort | None = None) -> Iterator[int | None]:
    """The number of documents that a plan's filter selects; from index entries alone where the plan is exact."""
    index, ranges = plan.index, plan.ranges
    if plan.exact and index is None:
        index, ranges = plan.collection.identity, EVERYTHING
    if plan.exact and index is not None and effort is None:
        index.uses += 1
    total = 0
    if not plan.exact or index is None:
        for match in matches(plan, source, effort=effort):
            if match is None:
                yield None
            else:
                total += 1
        yield total
        return
    documents: set[int] = set()
    for low, high in ranges:
        for entries in _entries(index, low, high, source) if index.multikey else _summed("1", index, low, high, source):
            check_there(index)
            yield None
            if isinstance(entries, int):
                total += entries
            else:
                documents.update(entries)
    total += len(documents)
    if effort is not None:
        effort.keys += total
    yield total


def _summed(figure: str, index: Index, low: bytes, high: bytes, source: Source) -> Iterator[int]:
    """What a figure of each entry in a range comes to, piece by piece."""
    beyond, place = "key >= ?", (low,)
    while True:
        entries = f"FROM {index.table} WHERE idx = ? AND {beyond} AND key < ?"
        values = (index.id, *place, high)
        number, found = (
            source()
            .execute(
                f"SELECT COUNT(*), COALESCE(SUM(figure), 0) FROM (SELECT {figure} AS figure {entries} LIMIT {PIECE})",  # noqa: S608
                values,
            )
            .fetchone()
        )
        if number < PIECE:
            yield found
            return
        last = (
            source()
            .execute(
                f"SELECT key, doc {entries} ORDER BY key, doc LIMIT 1 OFFSET {PIECE - 1}",
                values,
            )
            .fetchone()
        )
        if last is not None:  # else some were deleted since
            yield found
            beyond, place = ("key > ?", last[:1]) if index.unique else ("(key, doc) > (?, ?)", last)


def _entries(index: Index, low: bytes, high: bytes, source: Source) -> Iterator[list[int]]:
    """The documents of the entries in a range, piece by piece; one with an array may come more than once."""
    place: tuple[object, ...] = (low, -1)
    while True:
        rows = (
            source()
            .execute(
                f"SELECT key, doc FROM {index.table} WHERE idx = ? AND (key, doc) > (?, ?) AND key < ? "  # noqa: S608
                f"ORDER BY key, doc LIMIT {PIECE}",
                (index.id, *place, high),
            )
            .fetchall()
        )
        yield [doc for _, doc in rows]
        if len(rows) < PIECE:
            return
        place = rows[-1]


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """Sizes in bytes: `size` of the documents, `index_sizes` of the keys by index name."""

    count: int
    size: int
    index_sizes: dict[str, int]

    @property
    def storage_size(self) -> int:
        return self.size + sum(self.index_sizes.values())


NOTHING = CollectionStats(0, 0, {})


def collection_stats(collection: Collection, source: Source) -> Iterator[CollectionStats | None]:
    """Counts and sizes, added up over all documents and entries."""
    low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
    count = size = 0
    while True:
        number, read, last = (
            source()
            .execute(
                "SELECT COUNT(*), COALESCE(SUM(size), 0), MAX(id) FROM "
                "(SELECT id, LENGTH(body) AS size FROM documents WHERE id > ? AND id < ? ORDER BY id LIMIT ?)",
                (low, high, _DOCUMENTS_PIECE),
            )
            .fetchone()
        )
        count, size, low = count + number, size + read, last
        yield None
        if number < _DOCUMENTS_PIECE:
            break
    sizes = {index.name: 0 for index in collection.indexes}
    for index in collection.indexes:
        for first, beyond in EVERYTHING:
            for keys in _summed("LENGTH(key) + 8", index, first, beyond, source):
                sizes[index.name] += keys
                yield None
    yield CollectionStats(count, size, sizes)
