"""Ragged arrays: many short arrays of different lengths kept in one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
