"""Indexes that are kept in memory, and how they are brought up to date."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from config.recipes import Recipe
from memory import metrics
from memory.domain import SECTION
from memory.gists import JustSaid
from memory.recall.index import FIELDS, THREAD_ROWS, WORD_FIELDS, WORDS, UserIndex
from memory.recall.ranking import Scope
from memory.store import TOMBSTONE_SECONDS, Changes, Collections, Standing
from utils.coalesce import Coalescer
from utils.mongo import Document
from utils.vectors import Floats

FEW = 64  # changes up to which the news of concurrent requests are read in one call
BATCH = 250  # documents read at a time while an index is filled; with 2,000 the process keeps 20 MB more
MEGABYTE = 1 << 20
# Sections of memory banks have indexes of their own: whether a word is rare, and what else a message is ranked by, must
# not depend on what banks a user has.
MESSAGES: Document = {"kind": {"$ne": SECTION}}
SECTIONS: Document = {"kind": SECTION}


@dataclass
class _Kept:
    """A user's index, and the lock under which it is brought up to date. `epoch`: the user's, of which it is.
    `settled`: the change up to which it is complete; `seen`: the state with which it was brought up last. `bytes`:
    those that it was counted with."""

    index: UserIndex
    epoch: str = ""
    settled: int = 0
    seen: Standing | None = None
    refreshed: float = field(default_factory=monotonic)
    bytes: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def expired(self) -> bool:
        """Whether marks of deletions may have gone since it was last brought up to date."""
        return monotonic() - self.refreshed > TOMBSTONE_SECONDS / 2

    def begin_anew(self, model: str, dimensions: int) -> None:
        self.index, self.epoch, self.settled, self.seen = UserIndex(model, dimensions), "", 0, None


class KeptIndexes:
    """The whole history of each user that was searched lately; as far as the filter `only` leaves it.

    The least recently used go first when all take more than `memory_mb`. A user's index is brought up to date before
    each search, so that a write or a deletion by any process is seen by the next one.
    """

    def __init__(
        self,
        collections: Collections,
        changes: Changes,
        just_said: JustSaid,
        model: str,
        memory_mb: int,
        *,
        only: Document = MESSAGES,
    ) -> None:
        self._only = only
        self._fields = FIELDS if model != WORDS else WORD_FIELDS
        self._just_said = just_said
        self._vectors = collections.vectors
        self._news: Coalescer[tuple[str, int], list[Document]] = Coalescer(self._read_news)
        self._changes = changes
        self._model = model
        self._bound = memory_mb * MEGABYTE
        self._bytes = 0
        self._counted = (0, 0)  # users and bytes, as the figures of the process have them
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def known(self, owner: str) -> UserIndex | None:
        kept = self._kept.get(owner)
        return None if kept is None else kept.index

    async def catch_up(self, owner: str) -> None:
        kept = self._kept.get(owner)
        if kept is not None:
            await self.current(owner, kept.index.dimensions)

    def drop(self, owner: str, keys: Iterable[str]) -> None:
        """Takes gists out of the owner's index before it is brought up to date."""
        kept = self._kept.get(owner)
        if kept is not None:
            kept.index.drop(keys)

    def forget(self, owner: str) -> None:
        """Lets go of the owner's index; a search under way goes on with it."""
        kept = self._kept.pop(owner, None)
        self._bytes -= kept.bytes if kept is not None else 0

    async def suiting(
        self, owner: str, vector: "asyncio.Future[Floats]", recipe: Recipe, scope: Scope
    ) -> tuple[UserIndex, Standing | None]:
        """The index of all that the owner has, whatever the recipe and the scope, and the state that it has."""
        known = self._kept.get(owner)
        dimensions = len(await vector) if known is None or vector.done() else known.index.dimensions
        return await self.current(owner, dimensions)

    async def current(self, owner: str, dimensions: int = 0) -> tuple[UserIndex, Standing | None]:
        """The owner's index as of now, and the state that it has. `dimensions`: of the model's embeddings; an index of
        words has none."""
        if owner not in self._kept:
            self._kept[owner] = _Kept(UserIndex(self._model, dimensions))
        kept = self._kept[owner]
        self._kept.move_to_end(owner)
        async with kept.lock:
            standing = await self._changes.standing(owner)
            # An index of before the user's first change holds what was just said, and goes on.
            if kept.epoch not in ("", standing.epoch if standing is not None else ""):
                self._just_said.forget(owner)  # the user was deleted
                kept.begin_anew(self._model, dimensions)
            elif kept.expired or kept.index.dimensions != dimensions:
                kept.begin_anew(self._model, dimensions)
            if standing is not None:
                await self._bring_up(owner, kept, standing)
            if self._kept.get(owner) is kept:
                self._bytes += kept.index.bytes - kept.bytes
                kept.bytes = kept.index.bytes
            index = kept.index
        self._evict(owner)
        return index, standing

    async def _bring_up(self, owner: str, kept: _Kept, standing: Standing) -> None:
        kept.epoch = standing.epoch
        if standing.change > kept.settled and standing is not kept.seen:  # one look sees the same twice
            await self._catch_up(owner, kept.index, kept.settled, standing)
            kept.settled, kept.seen = standing.settled, standing
            if len(kept.index) >= THREAD_ROWS:
                await asyncio.to_thread(kept.index.postings.sort)
        if kept.index.is_sparse:
            kept.index = await _compacted(kept.index)
        kept.refreshed = monotonic()

    async def _catch_up(self, owner: str, index: UserIndex, since: int, standing: Standing) -> None:
        if standing.deleted > since:  # first, because an id that was deleted may have been given again since
            deleted = await self._changes.deleted_since(owner, since)
            self._just_said.drop(owner, deleted)
            index.drop(deleted)
        if since and standing.change - since <= FEW:
            news = await self._news.get((owner, since))
            for start in range(0, len(news), BATCH):  # a change may be of thousands that came at once
                await asyncio.sleep(0)
                index.put(news[start : start + BATCH])
        elif since:
            await self._read(owner, index, since)
        else:
            with metrics.LOADS.time():
                await self._read(owner, index, since)
            metrics.LOADED.inc(len(index))

    async def _read(self, owner: str, index: UserIndex, since: int) -> None:
        """Puts what has changed since into an index, some at a time."""
        batch: list[Document] = []
        cursor = self._vectors.find(self._changed(owner, since), self._fields).batch_size(BATCH)
        async for document in cursor:
            batch.append(document)
            if len(batch) == BATCH:
                index.put(batch)
                batch.clear()
        index.put(batch)

    async def _read_news(self, wanted: Sequence[tuple[str, int]]) -> list[list[Document]]:
        """What changed for each of several owners since a number of theirs."""
        since = {"$or": [self._changed(owner, number) for owner, number in wanted]}
        found: dict[str, list[Document]] = {owner: [] for owner, _ in wanted}
        async for document in self._vectors.find(since, self._fields | {"user_id": 1}).batch_size(BATCH):
            found[document["user_id"]].append(document)
        return [found[owner] for owner, _ in wanted]

    def _changed(self, owner: str, since: int) -> Document:
        return {"user_id": owner, "change": {"$gt": since}} | self._only

    def _evict(self, keep: str) -> None:
        """Drops the least recently used indexes until the rest fits; not the one just used, however large, nor those
        that are being brought up to date."""
        for owner, kept in list(self._kept.items()) if self._bytes > self._bound else ():
            if owner != keep and not kept.lock.locked():
                self.forget(owner)
                metrics.EVICTED.inc()
            if self._bytes <= self._bound:
                break
        users, size = self._counted
        metrics.USERS.inc(len(self._kept) - users)
        metrics.BYTES.inc(self._bytes - size)
        self._counted = len(self._kept), self._bytes


async def _compacted(index: UserIndex) -> UserIndex:
    """An index without holes; of a large one, made in a thread, while gists may be dropped from the old."""
    if len(index) < THREAD_ROWS:
        return index.compacted()
    before = index.changes
    fresh = await asyncio.to_thread(index.snapshot().compacted)
    if index.changes != before:
        fresh.drop_gone(index)
    return fresh
