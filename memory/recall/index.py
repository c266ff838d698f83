"""The recall index of one user, in memory."""

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.domain import REPLACED, RULE_BASED
from memory.gists import EMPTY, Imprint, from_bytes, from_document
from memory.language import Trait
from memory.recall.postings import Postings, Ragged, Rows, grown
from utils.encoder import TOKEN_DIMENSIONS
from utils.mongo import Document
from utils.vectors import Floats, from_binary

NONE = -1
PIECE = "\n"  # stands in no id: behind it comes the number of a piece


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


MIN_ROWS = 64
ROW_BYTES, EMPTY_BYTES = 250, 4_000  # of an id in two places, and of an index without rows
# What `put` reads of a gist, as a projection.
FIELDS = dict.fromkeys(
    (
        "embedding",
        "embedding_model",
        "recall",
        "timestamp",
        "session_id",
        "message_index",
        "kind",
        "role",
        "name",
        "model",
        "branch",
        "recalled",
    ),
    1,
)
WORD_FIELDS = {name: 1 for name in FIELDS if name not in ("embedding", "recall")} | {"words": 1}
WORDS = ""  # the model of an index that goes by words alone, whatever embedding a gist has, or none
ROLES = {"user": 0, "assistant": 1}
OTHER_ROLE = 2
THREAD_ROWS = 20_000  # from so many rows on, what looks through all of them leaves the event loop


class UserIndex:
    """Rows of gists with what a search ranks and filters by. Rows are appended; a deleted or replaced one stays as a
    hole until the index is built anew. Each piece of a long text has a row, too.

    `matrix`: (rows, dimensions) float32, rows L2-normalised. `terms`, `tokens`: of every row, as its imprint has them.
    `times`: seconds since 1970. `sessions`, `kinds`, `speakers`: codes of names. `places`: -1 where there is none.
    `traits`: (rows, 6). `changes`: how often a row came, went or had other neighbours; raised last.
    """

    def __init__(self, model: str, dimensions: int) -> None:
        self.model = model
        self.dimensions = dimensions
        self.changes = 0
        self.ids: list[str] = []
        self.matrix: NDArray[np.float32] = np.zeros((0, dimensions), np.float32)
        self.times: NDArray[np.float64] = np.zeros(0)
        self.sessions: NDArray[np.int32] = np.zeros(0, np.int32)
        self.kinds: NDArray[np.int32] = np.zeros(0, np.int32)
        self.speakers: NDArray[np.int32] = np.zeros(0, np.int32)
        self.places: NDArray[np.int32] = np.zeros(0, np.int32)
        self.roles: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.traits: NDArray[np.uint8] = np.zeros((0, len(Trait)), np.uint8)
        self.alive: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.terms = Ragged(np.uint32)
        self.tokens = Ragged(np.int8, TOKEN_DIMENSIONS)
        self.postings = Postings(self.terms)
        self.links = Links()
        self.names: dict[str, int] = {}  # of those who speak in it, lower case, and the code of each
        self._named: dict[int, str] = {}  # the same by code
        self._spoken: Counter[str] = Counter()  # rows of each name
        self._speakers = 0  # names there ever were
        self._row_of: dict[str, int] = {}
        self._codes: dict[tuple[str, str], int] = {}
        self._withheld: set[str] = set()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """What it takes in memory, roughly."""
        columns = sum(column.nbytes for column in (*self._columns, self.matrix))
        lists = self.terms.bytes + self.tokens.bytes + self.postings.bytes + self.links.bytes
        return columns + lists + ROW_BYTES * len(self.ids) + EMPTY_BYTES

    def code(self, kind: str, name: str) -> int:
        """The number that stands for a session or a kind in the columns; -1 for one never seen."""
        return self._codes.get((kind, name), -1)

    def is_withheld(self, identifier: str) -> bool:
        """Whether a gist is there and not to be found."""
        return identifier in self._withheld

    def row_of(self, identifier: str) -> int | None:
        """The row of a gist; None where it has none."""
        return self._row_of.get(identifier)

    def rows_of(self, identifier: str) -> list[int]:
        """The row of a gist, and those of its pieces."""
        rows: list[int] = []
        key = identifier
        while (row := self._row_of.get(key)) is not None:
            key = _piece_key(identifier, len(rows))
            rows.append(row)
        return rows

    def gist_of(self, row: int) -> str:
        """The `_id` of the gist that a row, or a piece in it, is of."""
        return self.ids[row].partition(PIECE)[0]

    def around(self, key: str, reach: int) -> set[str]:
        """The `_id`s of the messages at most so many before or after one in its session."""
        found = set[str]()
        for links in (self.links.before, self.links.after):
            row = self._row_of.get(key, NONE)
            for _ in range(reach):
                row = int(links[row]) if row != NONE else NONE
                found |= {self.gist_of(row)} if row != NONE else set()
        return found

    def piece_of(self, row: int) -> int | None:
        """Which of a gist's pieces a row is, from 0; None where it is the whole."""
        _, mark, number = self.ids[row].partition(PIECE)
        return int(number) if mark else None

    def put(self, documents: Sequence[Document]) -> None:
        """Adds or replaces rows from documents of `vectors`. Those of another embedding model, or not embedded, are
        left out: vectors of different models are never compared. So are answers made by rules: all they do is quote
        what stands in other rows; and what its user has put another in the place of, or wants recalled no more."""
        for document in documents:
            if _is_withheld(document):
                self._withheld.add(document["_id"])
            else:
                self._withheld.discard(document["_id"])
            self._put(document)
            for piece in _pieces(document):
                self._put(piece)

    def _put(self, document: Document) -> None:
        content = self._content_of(document)
        if content is None:
            self.drop([document["_id"]])
            return
        vector, imprint = content
        row = self._row_of.get(document["_id"])
        if row is not None and self._has(row, document, vector, imprint):
            return
        self.drop([document["_id"]])
        self._append(document, vector, imprint)

    def drop(self, ids: Iterable[str]) -> None:
        for identifier in ids:
            for row in self.rows_of(identifier):
                del self._row_of[self.ids[row]]
                self.alive[row] = False
                self._unname(int(self.speakers[row]))
                self.links.remove(row, int(self.sessions[row]))
                self.changes += 1

    def refresh(self) -> None:
        """Puts in order what is kept in order lazily."""
        size = len(self)
        self.changes += self.links.refresh(self.sessions[:size], self.places[:size], self.alive[:size])

    @property
    def is_sparse(self) -> bool:
        """Whether it has more holes than rows."""
        return len(self.ids) > 2 * len(self._row_of) + MIN_ROWS

    def snapshot(self) -> "UserIndex":
        """A copy to be compacted in a thread while rows are dropped from this one. It shares the columns: no row may be
        added to either meanwhile."""
        same = copy(self)
        same.alive, same._spoken = self.alive.copy(), Counter(self._spoken)
        same.names, same._named = dict(self.names), dict(self._named)
        return same

    def compacted(self) -> "UserIndex":
        """A copy without holes, its postings sorted; searches under way keep the old."""
        rows = np.flatnonzero(self.alive[: len(self.ids)])
        fresh = copy(self)
        fresh.names, fresh._named, fresh._codes = dict(self.names), dict(self._named), dict(self._codes)
        fresh._spoken, fresh._withheld = Counter(self._spoken), set(self._withheld)
        fresh.ids = [self.ids[row] for row in rows]
        fresh._row_of = {identifier: row for row, identifier in enumerate(fresh.ids)}
        fresh.matrix, fresh.times, fresh.alive = self.matrix[rows], self.times[rows], self.alive[rows]
        fresh.sessions, fresh.kinds, fresh.speakers = self.sessions[rows], self.kinds[rows], self.speakers[rows]
        fresh.places, fresh.roles, fresh.traits = self.places[rows], self.roles[rows], self.traits[rows]
        fresh.terms, fresh.tokens = self.terms.taken(rows), self.tokens.taken(rows)
        fresh.postings, fresh.links = Postings(fresh.terms), Links()
        for row, (session, place) in enumerate(zip(fresh.sessions.tolist(), fresh.places.tolist(), strict=True)):
            fresh.links.add(row, session, place)
        fresh.postings.sort()
        return fresh

    def drop_gone(self, origin: "UserIndex") -> None:
        """Drops what was dropped from another index since this one was made from it."""
        self.drop(self._row_of.keys() - origin._row_of.keys())

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return (self.times, self.sessions, self.kinds, self.speakers, self.places, self.roles, self.traits, self.alive)

    def _content_of(self, document: Document) -> tuple[NDArray[np.float32], Imprint] | None:
        """The vector and the imprint of a gist's row; None where it has no row here."""
        if _is_withheld(document):
            return None
        if self.model == WORDS:
            return np.zeros(0, np.float32), replace(EMPTY, terms=from_bytes(document.get("words", b"")))
        if document.get("embedding_model") != self.model or document.get("model") == RULE_BASED:
            return None
        vector = from_binary(document["embedding"])
        if len(vector) != self.dimensions:  # another model that has the same name
            return None
        return vector, from_document(document.get("recall"))

    def _has(self, row: int, document: Document, vector: NDArray[np.float32], imprint: Imprint) -> bool:
        """Whether a row says all that a document says."""
        return bool(
            self.sessions[row] == self.code("session", document["session_id"])
            and self.kinds[row] == self.code("kind", document["kind"])
            and self.roles[row] == ROLES.get(document.get("role", ""), OTHER_ROLE)
            and self._named.get(int(self.speakers[row]), "") == _name_of(document)
            and self.places[row] == document.get("message_index", -1)
            and self.times[row] == document["timestamp"].timestamp()
            and np.array_equal(self.matrix[row], vector)
            and np.array_equal(self.terms.row(row), imprint.terms)
            and np.array_equal(self.tokens.row(row), imprint.tokens)
            and np.array_equal(self.traits[row], imprint.traits)
        )

    def _append(self, document: Document, vector: NDArray[np.float32], imprint: Imprint) -> None:
        row = len(self.ids)
        if row == len(self.matrix):
            self._grow(row + 1)
        self.matrix[row] = vector
        self.times[row] = document["timestamp"].timestamp()
        self.sessions[row] = self._code("session", document["session_id"])
        self.kinds[row] = self._code("kind", document["kind"])
        self.speakers[row] = self._speaker(document)
        self.places[row] = document.get("message_index", -1)
        self.roles[row] = ROLES.get(document.get("role", ""), OTHER_ROLE)
        self.traits[row] = imprint.traits
        self.alive[row] = True
        self.terms.append(imprint.terms)
        self.tokens.append(imprint.tokens)
        self.links.add(row, int(self.sessions[row]), int(self.places[row]))
        self._row_of[document["_id"]] = row
        self.ids.append(document["_id"])
        self.changes += 1

    def _speaker(self, document: Document) -> int:
        """The code of the speaker's name; 0 for one who has none but the role."""
        name = _name_of(document)
        if not name:
            return 0
        if name not in self.names:
            self._speakers += 1
            self.names[name] = self._speakers
            self._named[self._speakers] = name
        self._spoken[name] += 1
        return self.names[name]

    def _unname(self, speaker: int) -> None:
        """One row less of a speaker; the name of one without any is nobody's."""
        name = self._named.get(speaker)
        if name is not None:
            self._spoken[name] -= 1
            if not self._spoken[name]:
                del self.names[name], self._spoken[name], self._named[speaker]

    def _code(self, kind: str, name: str) -> int:
        return self._codes.setdefault((kind, name), len(self._codes))

    def _grow(self, rows: int) -> None:
        self.matrix, self.times, self.alive = grown(self.matrix, rows), grown(self.times, rows), grown(self.alive, rows)
        self.sessions, self.kinds = grown(self.sessions, rows), grown(self.kinds, rows)
        self.speakers, self.places = grown(self.speakers, rows), grown(self.places, rows)
        self.roles, self.traits = grown(self.roles, rows), grown(self.traits, rows)


def _piece_key(identifier: str, number: int) -> str:
    return f"{identifier}{PIECE}{number}"


def _pieces(document: Document) -> list[Document]:
    """The pieces of a gist's text as documents of their own, which have no place in its session."""
    stored = (document.get("recall") or {}).get("pieces", ())
    return [
        {**document, "_id": _piece_key(document["_id"], number), "recall": piece, "message_index": NONE}
        | {"embedding": piece["embedding"]}
        for number, piece in enumerate(stored)
    ]


def _is_withheld(document: Document) -> bool:
    return document.get("branch") == REPLACED or not document.get("recalled", True)


def _name_of(document: Document) -> str:
    """The speaker's name, lower case; empty for one who has none but the role."""
    name: str = (document.get("name") or "").casefold()
    return "" if name == document.get("role") else name


@dataclass(frozen=True)
class Sight:
    """`visible`: (rows,), of which `count` are. `before`, `after`: the row next to each in its session that may be seen
    too, (rows + 1,), as `visible_neighbours` has them. `lengths`: of the rows in terms, and one, (rows,);
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
