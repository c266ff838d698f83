"""Notes: what changes seldom and is asked for all the time (summaries, digests, key/value facts, the profile, whether
there are observations), cached."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from memory.store.changes import Changes, Counter

T = TypeVar("T")

MOST = 2_000  # users, or conversations, whose notes are kept, the least recently used going first
SECONDS = 30.0  # after which they are read again, for the sake of those who edit a collection by hand


@dataclass(frozen=True)
class _Kept(Generic[T]):
    """`version`: where the counter stood before it was begun to be loaded, which was at `since`."""

    version: tuple[str, int]
    since: float
    loading: "asyncio.Future[T]"


class NotesCache(Generic[T]):
    """What `load` gives for an owner, or something of the owner's by its name, such as a conversation, kept for as long
    as the owner's `counter` stands where it stood before.

    A write by any process is seen by the next `get`: it takes a number of that counter first, and while it has not
    closed the number, nothing is kept.
    """

    def __init__(self, changes: Changes, load: Callable[..., Awaitable[T]], counter: Counter = "notes") -> None:
        self._changes = changes
        self._load = load
        self._counter: Counter = counter
        self._kept: OrderedDict[tuple[str, ...], _Kept[T]] = OrderedDict()

    async def get(self, owner: str, *name: str) -> T:
        """What `load(owner, *name)` gave, or gives."""
        key = (owner, *name)
        standing = await self._changes.standing(owner, self._counter)
        if standing is None or standing.settled < standing.change:
            return await self._load(*key)
        version = (standing.epoch, standing.change)
        kept = self._kept.get(key)
        if kept is None or kept.version != version or monotonic() - kept.since >= SECONDS:
            kept = self._keep(key, version)
        self._kept.move_to_end(key)
        return kept.loading.result() if kept.loading.done() else await asyncio.shield(kept.loading)

    def let_go(self, owner: str) -> None:
        """Lets go of all that is kept of an owner."""
        for key in [key for key in self._kept if key[0] == owner]:
            del self._kept[key]

    def _keep(self, key: tuple[str, ...], version: tuple[str, int]) -> _Kept[T]:
        kept = self._kept[key] = _Kept(version, monotonic(), asyncio.ensure_future(self._load(*key)))

        def drop_failed(loading: "asyncio.Future[T]") -> None:
            failed = loading.cancelled() or loading.exception() is not None
            if failed and self._kept.get(key) is kept:
                del self._kept[key]

        kept.loading.add_done_callback(drop_failed)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return kept
