"""Sight: which rows of an index a search may see."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.recall.index import UserIndex
from memory.recall.links import visible_neighbours
from memory.recall.ragged import Rows
from utils.vectors import Floats


@dataclass(frozen=True)
class Sight:
    """`visible`: (rows,), of which `count` are. `before`, `after`: the row next to each in its session that may be seen
    too, (rows + 1,), as `memory.links.visible_neighbours` has them. `lengths`: of the rows in terms, and one, (rows,);
    `mean`: of those that may be seen."""

    visible: NDArray[np.bool_]
    count: int
    before: Rows
    after: Rows
    lengths: Floats
    mean: float

    @classmethod
    def of(cls, index: UserIndex, visible: NDArray[np.bool_]) -> "Sight":
        """`visible`: (rows,), which is kept; no other row is looked at."""
        lengths = index.terms.counts[: len(visible)].astype(np.float32) + 1
        count = int(visible.sum())
        return cls(
            visible,
            count,
            visible_neighbours(index.links.before, visible),
            visible_neighbours(index.links.after, visible),
            lengths,
            float(lengths[visible].mean()) if count else 0.0,
        )

    def without(self, index: UserIndex, rows: NDArray[np.bool_]) -> "Sight":
        """The same but for some rows, (rows,)."""
        return Sight.of(index, self.visible & ~rows) if rows.any() else self
