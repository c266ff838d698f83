"""Notes: what changes seldom and is asked for all the time (summaries, digests, key/value facts, the profile, whether
there are observations), cached."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from memory.store.changes import Changes, Counter

T = TypeVar("T")
Version = tuple[str, *tuple[int, ...]]  # the owner's epoch, and where counters stand

MOST = 2_000  # users, or conversations, whose notes are kept, the least recently used going first
SECONDS = 30.0  # after which they are read again, for the sake of those who edit a collection by hand


class NotesCache(Generic[T]):
    """What `load` gives for an owner, or something of the owner's by its name, such as a conversation, kept for as long
    as the owner's `counters` stand where they stood before.

    A write by any process is seen by the next `get`: it takes a number of one of these counters first, and while it has
    not closed the number, nothing is kept.
    """

    def __init__(
        self, changes: Changes, load: Callable[..., Awaitable[T]], counters: tuple[Counter, ...] = ("notes",)
    ) -> None:
        self._changes = changes
        self._load = load
        self._counters = counters
        self._kept: OrderedDict[tuple[str, ...], tuple[Version, float, T]] = OrderedDict()

    async def get(self, owner: str, *name: str) -> T:
        """What `load(owner, *name)` gave, or gives."""
        key = (owner, *name)
        read = [await self._changes.standing(owner, counter) for counter in self._counters]
        standings = [standing for standing in read if standing is not None]
        if len(standings) < len(read):
            return await self._load(*key)
        version: Version = (standings[0].epoch, *(standing.change for standing in standings))
        kept = self._kept.get(key)
        if kept is not None and kept[0] == version and monotonic() - kept[1] < SECONDS:
            self._kept.move_to_end(key)
            return kept[2]
        value = await self._load(*key)
        if all(standing.settled == standing.change for standing in standings):
            self._kept[key] = (version, monotonic(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return value

    def let_go(self, owner: str) -> None:
        """Lets go of all that is kept of an owner."""
        for key in [key for key in self._kept if key[0] == owner]:
            del self._kept[key]
