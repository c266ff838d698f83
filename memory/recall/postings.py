"""Ragged arrays, many short arrays of different lengths kept in one, and postings, the inverted index over them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.gists import Terms
from utils.vectors import Floats

Rows = NDArray[np.intp]


class Ragged:
    """Rows of different lengths, one behind the other in one array that grows. Rows are appended, never changed.

    `items`: (total, *shape). `starts`, `counts`: where each row begins, and how many items it has.
    """

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.items: NDArray[Any] = np.zeros((0, *shape), dtype)
        self.starts: NDArray[np.int64] = np.zeros(0, np.int64)
        self.counts: NDArray[np.int32] = np.zeros(0, np.int32)
        self._used = 0
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def bytes(self) -> int:
        return self.items.nbytes + self.starts.nbytes + self.counts.nbytes

    def append(self, row: NDArray[Any]) -> None:
        used = self._used + len(row)
        if used > len(self.items):
            self.items = grown(self.items, used)
        if self._rows == len(self.starts):
            self.starts, self.counts = grown(self.starts, self._rows + 1), grown(self.counts, self._rows + 1)
        self.items[self._used : used] = row
        self.starts[self._rows], self.counts[self._rows] = self._used, len(row)
        self._used = used
        self._rows += 1

    def row(self, number: int) -> NDArray[Any]:
        start = self.starts[number]
        found: NDArray[Any] = self.items[start : start + self.counts[number]]
        return found

    def gather(self, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The items of many rows, one behind the other, and where each row begins; the last entry is the end."""
        counts = self.counts[rows]
        bounds = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(counts, out=bounds[1:])
        places = np.repeat(self.starts[rows] - bounds[:-1], counts) + np.arange(bounds[-1])
        return self.items.take(places, axis=0), bounds

    def between(self, row: int, end: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """The items of the rows from `row` up to before `end`, and the row that each belongs to."""
        if row >= end:
            return self.items[:0], np.zeros(0, np.intp)
        starts, counts = self.starts, self.counts
        owners = np.repeat(np.arange(row, end), counts[row:end])
        return self.items[starts[row] : starts[end - 1] + counts[end - 1]], owners

    def items_between(self, row: int, end: int) -> int:
        """How many items the rows from `row` up to before `end` have."""
        return 0 if row >= end else int(self.starts[end - 1] + self.counts[end - 1] - self.starts[row])

    def taken(self, rows: Rows) -> "Ragged":
        """A copy of some rows, in their order."""
        copied = Ragged(self.items.dtype, *self.items.shape[1:])
        copied.items, bounds = self.gather(rows)
        copied.starts, copied.counts = bounds[:-1].copy(), self.counts[rows]
        copied._used, copied._rows = len(copied.items), len(rows)
        return copied


def rank_within(groups: NDArray[Any]) -> Rows:
    """Of items in an order, which each is within its group, 0 for the first, (n,). `groups`: (n,)."""
    together = np.argsort(groups, kind="stable")
    ordered = groups[together]
    ranks = np.empty(len(groups), np.intp)
    ranks[together] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return ranks


def grown(column: NDArray[Any], needed: int, fill: int = 0) -> NDArray[Any]:
    """A copy with room for at least `needed` rows, and a quarter more than there were."""
    room = max(64, needed, len(column) + len(column) // 4)
    longer = np.full((room, *column.shape[1:]), fill, column.dtype)
    longer[: len(column)] = column
    return longer


MOST_COUNTED = 255
UNSORTED = 2_000  # terms of the rows at the end that are read through, before all are sorted again

_ROW_BITS = 32


class Hits(NamedTuple):
    """Where some terms stand: one entry for each term and row that has it, those of a term in the order of rows.

    `terms`: (n,), by the place of each among those looked for. `rows`: (n,). `counts`: (n,), how often.
    """

    terms: Rows
    rows: Rows
    counts: NDArray[np.float32]

    def among(self, visible: NDArray[np.bool_]) -> "Hits":
        """Those in rows that may be seen. `visible`: (rows,); rows that came later may not."""
        if visible.all() and (not len(self.rows) or self.rows.max() < len(visible)):
            return self
        inside = self.rows < len(visible)
        inside[inside] = visible[self.rows[inside]]
        return self._only(inside)

    def first(self, terms: int) -> "Hits":
        """Those of the first so many terms."""
        return self._only(self.terms < terms)

    def frequencies(self, terms: int) -> NDArray[np.float32]:
        """How many rows have each of so many terms, (terms,)."""
        return np.bincount(self.terms, minlength=terms).astype(np.float32)

    def _only(self, chosen: NDArray[np.bool_]) -> "Hits":
        return Hits(self.terms[chosen], self.rows[chosen], self.counts[chosen])


_NO_HITS = Hits(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))


class Postings:
    """Rows by term, sorted up to a row; the few behind it are read through at each search.

    `terms`: the terms of every row. Sorting 2.5 million of them takes some 0.3 s; it is done when an eighth is new.
    Reading 50,000 through takes some 3 ms.
    """

    def __init__(self, terms: Ragged) -> None:
        self._terms = terms
        self._sorted = _sort(terms, 0)

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in self._sorted[1:])

    def sort(self) -> None:
        """Sorts the rows by their terms, unless few are new. The next search would, on the event loop."""
        end, done = len(self._terms), self._sorted
        if self._terms.items_between(done.end, end) > max(UNSORTED, len(done.rows) // 8):
            self._sorted = _sort(self._terms, end)

    def find(self, terms: Terms) -> Hits:
        """Where terms stand, each of them given once; no row need have one. Rows may be appended meanwhile."""
        self.sort()
        done, end = self._sorted, len(self._terms)
        found = _looked_up(done, terms)
        if end == done.end:
            return found
        new = _read_through(*self._terms.between(done.end, end), terms)
        return Hits(
            np.concatenate([found.terms, new.terms]),
            np.concatenate([found.rows, new.rows]),
            np.concatenate([found.counts, new.counts]),
        )


class _Sorted(NamedTuple):
    """The rows up to `end`. `keys`: every term once, ascending. `bounds`: where the rows of each begin in `rows` and
    `counts`; one entry more is the end."""

    end: int
    keys: Terms
    bounds: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]


def _sort(terms: Ragged, end: int) -> _Sorted:
    items, owners = terms.between(0, end)
    pairs = items.astype(np.uint64) << np.uint64(_ROW_BITS) | owners.astype(np.uint64)
    pairs, counts = np.unique(pairs, return_counts=True)
    keys, starts = np.unique((pairs >> np.uint64(_ROW_BITS)).astype(np.uint32), return_index=True)
    return _Sorted(
        end,
        keys,
        np.append(starts, len(pairs)).astype(np.int64),
        (pairs & np.uint64(0xFFFF_FFFF)).astype(np.int32),
        np.minimum(counts, MOST_COUNTED).astype(np.uint8),
    )


def _looked_up(done: _Sorted, terms: Terms) -> Hits:
    if not len(done.keys):
        return _NO_HITS
    at = np.minimum(np.searchsorted(done.keys, terms), len(done.keys) - 1)
    starts = done.bounds[at]
    lengths = np.where(done.keys[at] == terms, done.bounds[at + 1] - starts, 0)
    ends = np.cumsum(lengths)
    places = np.repeat(starts - (ends - lengths), lengths) + np.arange(lengths.sum())
    return Hits(
        np.repeat(np.arange(len(terms)), lengths),
        done.rows[places].astype(np.intp),
        done.counts[places].astype(np.float32),
    )


def _read_through(items: Terms, owners: Rows, terms: Terms) -> Hits:
    """What `items` have, each of which belongs to a row."""
    if not len(terms):
        return _NO_HITS
    order = np.argsort(terms)
    numbers = order[np.minimum(np.searchsorted(terms, items, sorter=order), len(terms) - 1)]
    there = terms[numbers] == items
    pairs, counts = np.unique(numbers[there] << _ROW_BITS | owners[there], return_counts=True)
    rows = (pairs & ((1 << _ROW_BITS) - 1)).astype(np.intp)
    return Hits((pairs >> _ROW_BITS).astype(np.intp), rows, np.minimum(counts, MOST_COUNTED).astype(np.float32))


def idf(frequencies: Floats, rows: int) -> Floats:
    """The weight of terms that so many of all rows have, (terms,): ln(1 + (N - df + 0.5) / (df + 0.5))."""
    weights: Floats = np.log(1 + (rows - frequencies + np.float32(0.5)) / (frequencies + np.float32(0.5)))
    return weights


def saturated(counts: Floats, lengths: Floats, mean: float, k1: float, b: float) -> Floats:
    """The share of a term's weight that a row gets which has it so often; `lengths` in terms."""
    return (counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / mean))).astype(np.float32, copy=False)


def bm25(hits: Hits, weights: Floats, lengths: Floats, mean: float, k1: float = 0.6, b: float = 0.3) -> Floats:
    """The score of every row, shape (rows,). `weights`: of the terms. `lengths`: of the rows."""
    shares = weights[hits.terms] * saturated(hits.counts, lengths[hits.rows], mean, k1, b)
    return np.bincount(hits.rows, shares, minlength=len(lengths)).astype(np.float32)


def counts_in(hits: Hits, terms: int, rows: NDArray[np.intp]) -> Floats:
    """How often each row has each term, shape (terms, rows). `rows`: ascending, at least one."""
    counts = np.zeros((terms, len(rows)), np.float32)
    at = np.minimum(np.searchsorted(rows, hits.rows), len(rows) - 1)
    there = rows[at] == hits.rows
    counts[hits.terms[there], at[there]] = hits.counts[there]
    return counts
