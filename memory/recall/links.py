"""Links: which row stands before and after another in its session."""

import numpy as np
from numpy.typing import NDArray

from memory.recall.ragged import Rows, grown

NONE = -1


class Links:
    """Neighbours in a session, by place. A row behind its session's last is linked at once; one that comes out of
    order makes all be linked anew at the next look."""

    def __init__(self) -> None:
        self.before: NDArray[np.int32] = np.zeros(0, np.int32)
        self.after: NDArray[np.int32] = np.zeros(0, np.int32)
        self._last: dict[int, tuple[int, int]] = {}  # of each session: the highest place, and its row
        self._stale = False

    @property
    def bytes(self) -> int:
        return self.before.nbytes + self.after.nbytes

    def add(self, row: int, session: int, place: int) -> None:
        """A new row; `place` -1 for one that has no neighbours."""
        if row >= len(self.before):
            self.before, self.after = grown(self.before, row + 1, NONE), grown(self.after, row + 1, NONE)
        if place < 0:
            return
        highest, last = self._last.get(session, (-1, NONE))
        if place <= highest:
            self._stale = True
            return
        if last != NONE:
            self.after[last], self.before[row] = row, last
        self._last[session] = (place, row)

    def remove(self, row: int, session: int) -> None:
        """Its neighbours become each other's."""
        before, after = int(self.before[row]), int(self.after[row])
        if before != NONE:
            self.after[before] = after
        if after != NONE:
            self.before[after] = before
        self.before[row] = self.after[row] = NONE
        if self._last.get(session, (-1, NONE))[1] == row:
            self._stale = True

    def refresh(self, sessions: NDArray[np.int32], places: NDArray[np.int32], alive: NDArray[np.bool_]) -> bool:
        """Links all rows anew where that is due, and says whether it was. Columns of all rows."""
        if not self._stale:
            return False
        rows = np.flatnonzero(alive & (places >= 0))
        rows = rows[np.lexsort((places[rows], sessions[rows]))]
        before, after = np.full(len(self.before), NONE, np.int32), np.full(len(self.after), NONE, np.int32)
        joined = sessions[rows[1:]] == sessions[rows[:-1]]
        after[rows[:-1][joined]], before[rows[1:][joined]] = rows[1:][joined], rows[:-1][joined]
        ends = rows[np.append(~joined, True)] if len(rows) else rows
        self._last = {int(sessions[row]): (int(places[row]), int(row)) for row in ends}
        self.before, self.after, self._stale = before, after, False
        return True


def visible_neighbours(links: NDArray[np.int32], visible: NDArray[np.bool_]) -> Rows:
    """The neighbour of each row where it may be seen, -1 where there is none: (rows + 1,), the last of them -1, which
    is where -1 itself leads. `visible`: (rows,)."""
    seen = np.zeros(len(links) + 1, np.bool_)  # links may lead to rows that came later, and to -1
    seen[: len(visible)] = visible
    found = links[: len(visible)].copy()  # links may change while an index is searched on a thread
    return np.append(np.where(seen[found], found, NONE), NONE).astype(np.intp, copy=False)
