"""Which summaries and facts does a user have, without asking the store for every message?"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from memory.changes import Changes

T = TypeVar("T")

OWNERS = 2_000  # users whose notes are kept, the least recently used going first
SECONDS = 30.0  # after which they are read again, for the sake of those who edit a collection by hand


class NotesCache(Generic[T]):
    """What `load` gives for an owner, kept for as long as the owner's `notes` counter stands where it stood before.

    A write by any process is seen by the next `get`: it takes a number of that counter first, and while it has not
    closed the number, nothing is kept.
    """

    def __init__(self, changes: Changes, load: Callable[[str], Awaitable[T]]) -> None:
        self._changes = changes
        self._load = load
        self._kept: OrderedDict[str, tuple[tuple[str, int], float, T]] = OrderedDict()

    async def get(self, owner: str) -> T:
        standing = await self._changes.standing(owner, "notes")
        version = (standing.epoch, standing.change) if standing else ("", 0)
        kept = self._kept.get(owner)
        if kept is not None and kept[0] == version and monotonic() - kept[1] < SECONDS:
            self._kept.move_to_end(owner)
            return kept[2]
        value = await self._load(owner)
        if standing is None or standing.settled == standing.change:
            self._kept[owner] = (version, monotonic(), value)
            self._kept.move_to_end(owner)
            while len(self._kept) > OWNERS:
                self._kept.popitem(last=False)
        return value
