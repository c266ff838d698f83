"""Which embeddings does a user have? One user's part of the recall index, in memory."""

from collections.abc import Iterable, Sequence
from copy import copy
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.collections import TOMBSTONE_SECONDS
from memory.domain import RULE_BASED
from utils.mongo import Document
from utils.vectors import from_binary

MIN_ROWS = 64
ROW_BYTES, EMPTY_BYTES = 250, 2_000  # of ids and columns, and of an index without rows


class UserIndex:
    """Rows of embeddings with what a search filters by. A deleted row stays as a hole until the index is built anew.

    `matrix`: (rows, dimensions) float32, rows L2-normalised. `settled`: the change up to which it is complete.
    """

    def __init__(self, model: str, dimensions: int) -> None:
        self.model = model
        self.dimensions = dimensions
        self.epoch = ""
        self.settled = 0
        self._refreshed = monotonic()
        self.ids: list[str] = []
        self.matrix: NDArray[np.float32] = np.zeros((0, dimensions), np.float32)
        self.times: NDArray[np.float64] = np.zeros(0)
        self.sessions: NDArray[np.int32] = np.zeros(0, np.int32)
        self.kinds: NDArray[np.int32] = np.zeros(0, np.int32)
        self.alive: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._row_of: dict[str, int] = {}
        self._codes: dict[tuple[str, str], int] = {}

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """What it takes in memory, roughly."""
        return self.matrix.nbytes + ROW_BYTES * len(self.ids) + EMPTY_BYTES

    @property
    def expired(self) -> bool:
        """Whether marks of deletions may have gone since it was last brought up to date."""
        return monotonic() - self._refreshed > TOMBSTONE_SECONDS / 2

    def touch(self) -> None:
        """Says that it is up to date now."""
        self._refreshed = monotonic()

    def code(self, kind: str, name: str) -> int:
        """The number that stands for a session or a kind in the columns; -1 for one never seen."""
        return self._codes.get((kind, name), -1)

    def row_of(self, identifier: str) -> int | None:
        """The row of a gist; None where it has none."""
        return self._row_of.get(identifier)

    def put(self, documents: Sequence[Document]) -> None:
        """Adds or replaces rows from documents of `vectors`. Those of another embedding model, or not embedded, are
        left out: vectors of different models are never compared. So are answers made by rules: all they do is quote
        what stands in other rows."""
        for document in documents:
            if document.get("embedding_model") != self.model or document.get("model") == RULE_BASED:
                self.drop([document["_id"]])
                continue
            vector = from_binary(document["embedding"])
            if len(vector) != self.dimensions:  # another model that has the same name
                self.drop([document["_id"]])
                continue
            row = self._row_of.get(document["_id"])
            if row is None:
                row = self._new_row(document["_id"])
            self.matrix[row] = vector
            self.times[row] = document["timestamp"].timestamp()
            self.sessions[row] = self._codes.setdefault(("session", document["session_id"]), len(self._codes))
            self.kinds[row] = self._codes.setdefault(("kind", document["kind"]), len(self._codes))
            self.alive[row] = True

    def drop(self, ids: Iterable[str]) -> None:
        for identifier in ids:
            row = self._row_of.pop(identifier, None)
            if row is not None:
                self.alive[row] = False

    def compacted(self) -> "UserIndex":
        """Itself, or a copy without holes where there are more of them than rows; searches under way keep the old."""
        rows = np.flatnonzero(self.alive[: len(self.ids)])
        if len(self.ids) - len(rows) <= len(rows) + MIN_ROWS:
            return self
        fresh = copy(self)
        fresh.ids = [self.ids[row] for row in rows]
        fresh._row_of = {identifier: row for row, identifier in enumerate(fresh.ids)}
        fresh.matrix, fresh.times, fresh.alive = self.matrix[rows], self.times[rows], self.alive[rows]
        fresh.sessions, fresh.kinds = self.sessions[rows], self.kinds[rows]
        return fresh

    def _new_row(self, identifier: str) -> int:
        row = len(self.ids)
        if row == len(self.matrix):
            self._grow(max(MIN_ROWS, row + row // 2))
        self.ids.append(identifier)
        self._row_of[identifier] = row
        return row

    def _grow(self, rows: int) -> None:
        def longer(column: NDArray[Any], *shape: int) -> NDArray[Any]:
            grown = np.zeros((rows, *shape), column.dtype)
            if len(column):
                grown[: len(column)] = column
            return grown

        self.matrix = longer(self.matrix, self.dimensions)
        self.times, self.alive = longer(self.times), longer(self.alive)
        self.sessions, self.kinds = longer(self.sessions), longer(self.kinds)
