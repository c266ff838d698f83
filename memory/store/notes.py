"""Notes: what changes seldom and is asked for all the time (summaries, digests, key/value facts, whether there are
observations), cached."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from memory.store.changes import Changes

T = TypeVar("T")

MOST = 2_000  # users, or conversations, whose notes are kept, the least recently used going first
SECONDS = 30.0  # after which they are read again, for the sake of those who edit a collection by hand


class NotesCache(Generic[T]):
    """What `load` gives for an owner, or one of the owner's conversations, kept for as long as the owner's `notes`
    counter stands where it stood before.

    A write by any process is seen by the next `get`: it takes a number of that counter first, and while it has not
    closed the number, nothing is kept.
    """

    def __init__(self, changes: Changes, load: Callable[..., Awaitable[T]]) -> None:
        self._changes = changes
        self._load = load
        self._kept: OrderedDict[tuple[str, ...], tuple[tuple[str, int], float, T]] = OrderedDict()

    async def get(self, owner: str, *conversation: str) -> T:
        """What `load(owner, *conversation)` gave, or gives."""
        key = (owner, *conversation)
        standing = await self._changes.standing(owner, "notes")
        if standing is None:
            return await self._load(*key)
        version = (standing.epoch, standing.change)
        kept = self._kept.get(key)
        if kept is not None and kept[0] == version and monotonic() - kept[1] < SECONDS:
            self._kept.move_to_end(key)
            return kept[2]
        value = await self._load(*key)
        if standing.settled == standing.change:
            self._kept[key] = (version, monotonic(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return value

    def let_go(self, owner: str) -> None:
        """Lets go of all that is kept of an owner."""
        for key in [key for key in self._kept if key[0] == owner]:
            del self._kept[key]
