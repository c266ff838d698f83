"""Which summaries and facts does a user have, without asking the store for every message?"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, Literal, TypeVar

from memory.changes import Changes, Counter, Standing

T = TypeVar("T")

MOST = 2_000  # users, or conversations, whose notes are kept, the least recently used going first
SECONDS = 30.0  # after which they are read again, for the sake of those who edit a collection by hand

Until = Literal["note", "deletion"]


class NotesCache(Generic[T]):
    """What `load` gives for an owner, or one of the owner's conversations, kept until the owner's next change.

    `until`: a change of notes, or a deletion of gists. A write by any process is seen by the next `get`: it takes a
    number first, and while it has not closed the number, nothing is kept.
    """

    def __init__(self, changes: Changes, load: Callable[..., Awaitable[T]], until: Until = "note") -> None:
        self._changes = changes
        self._load = load
        self._counter: Counter = "notes" if until == "note" else "gists"
        self._kept: OrderedDict[tuple[str, ...], tuple[tuple[str, int], float, T]] = OrderedDict()

    async def get(self, owner: str, *conversation: str) -> T:
        """What `load(owner, *conversation)` gave, or gives."""
        key = (owner, *conversation)
        standing = await self._changes.standing(owner, self._counter)
        last = self._last(standing)
        version = (standing.epoch if standing else "", last)
        kept = self._kept.get(key)
        if kept is not None and kept[0] == version and monotonic() - kept[1] < SECONDS:
            self._kept.move_to_end(key)
            return kept[2]
        value = await self._load(*key)
        if standing is None or last <= standing.settled:
            self._kept[key] = (version, monotonic(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return value

    def _last(self, standing: Standing | None) -> int:
        """The number of the last change that counts."""
        if standing is None:
            return 0
        return standing.change if self._counter == "notes" else standing.deleted
