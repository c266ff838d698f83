"""Cursors: results that clients have not fetched yet."""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from embedded.codec import MAX_DOCUMENT
from embedded.errors import StoreError

IDLE_SECONDS = 600.0
SESSION_SECONDS = 1800.0  # of a cursor without a time-out, which ends with its session in MongoDB


class Leave(Enum):
    """What a breath says of the steps behind it. `LOOP`: a single one may take long, so they are not taken on the event
    loop. `NEVER`: they are few and short, and taken there however late it is."""

    LOOP = "loop"
    NEVER = "never"


Breath = Leave | None
"""A pause, at which other work may go first."""

Stream = Iterator[bytes | Breath]
"""Documents' bytes as they are found, and breaths between them."""


class Asker:
    """Who waits for a stream now: the command that opened it, later each `getMore`."""

    def __init__(self, breathe: Callable[[], None]) -> None:
        self.now = breathe

    def breathe(self) -> None:
        """Raises what ends the command that waits."""
        self.now()


@dataclass(slots=True)
class Cursor:
    """An open result: the rest of its stream, and the document that did not fit the last batch.

    A stream that has left the event loop once does so again for every batch: `leaves`. `more`: whether anything may
    be left. As in MongoDB, that is found out by looking where the stream `knows_end`, as what is sorted or listed does,
    or where all of its `limit` was given; else a full batch may be followed by an empty one.
    """

    id: int
    namespace: str
    stream: Stream
    asker: Asker | None = None
    pending: bytes | None = None
    used: float = field(default_factory=time.monotonic)
    patience: float = IDLE_SECONDS
    leaves: bool = False
    knows_end: bool = True
    limit: int = 0
    given: int = 0
    more: bool = False

    def fill(self, size: int) -> Iterator[list[bytes] | Breath]:
        """Up to `size` documents (0: no limit) and 16 MiB, as the last value; breaths before.

        `more` says afterwards whether anything may be left.
        """
        batch: list[bytes] = []
        room = MAX_DOCUMENT
        self.more = False
        if self.pending is not None:
            batch.append(self.pending)
            room -= len(self.pending)
            self.pending = None
        if self.leaves:
            yield Leave.LOOP
        if self._is_full(batch, size):
            self.given += len(batch)
            yield batch
            return
        for raw in self.stream:
            if not isinstance(raw, bytes):
                self.leaves = self.leaves or raw is Leave.LOOP
                yield raw
                continue
            room -= len(raw)
            if (size and len(batch) >= size) or (room < 0 and batch):
                self.pending, self.more = raw, True
                break
            batch.append(raw)
            if self._is_full(batch, size):
                break
        self.given += len(batch)
        yield batch

    def _is_full(self, batch: list[bytes], size: int) -> bool:
        """Whether a batch ends here without a look at what follows."""
        full = bool(size) and len(batch) >= size and not self.knows_end
        self.more = full and self.given + len(batch) != self.limit
        return full


class Cursors:
    """The cursors that are open, by id."""

    def __init__(self) -> None:
        self._open: dict[int, Cursor] = {}

    def __len__(self) -> int:
        return len(self._open)

    def keep(self, cursor: Cursor) -> int:
        """Remember a cursor that has more to give; its id."""
        if not cursor.id:
            cursor.id = secrets.randbelow(2**62) + 1
        cursor.used = time.monotonic()
        self._open[cursor.id] = cursor
        return cursor.id

    def take(self, identifier: int, namespace: str) -> Cursor:
        """The cursor, out of the table until it is kept again. Raises CursorNotFound (43)."""
        cursor = self._open.get(identifier)
        if cursor is None:
            raise StoreError(43, f"cursor id {identifier} not found")
        if cursor.namespace != namespace:
            raise StoreError(
                13, f"Requested getMore on namespace '{namespace}', but cursor belongs to {cursor.namespace}"
            )
        del self._open[identifier]
        return cursor

    def kill(self, identifiers: Iterable[int]) -> tuple[list[int], list[int]]:
        """(killed, not found) of the ids."""
        killed: list[int] = []
        unknown: list[int] = []
        for identifier in identifiers:
            (killed if self._open.pop(identifier, None) else unknown).append(identifier)
        return killed, unknown

    def expire(self, now: float | None = None) -> None:
        """Forget cursors that nobody asked for as long as each is kept: ten minutes, or a session's thirty."""
        now = time.monotonic() if now is None else now
        for identifier in [each.id for each in list(self._open.values()) if now - each.used > each.patience]:
            self._open.pop(identifier, None)
