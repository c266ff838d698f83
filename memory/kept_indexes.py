"""Whose indexes are kept in memory, and how are they brought up to date?"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory import metrics
from memory.changes import Changes, Standing
from memory.collections import Collections
from memory.index import FIELDS, UserIndex
from memory.ranking import Scope
from utils.coalesce import Coalescer
from utils.mongo import Document

FEW = 64  # changes up to which the news of concurrent requests are read in one call
BATCH = 250  # documents read at a time while an index is filled; with 2,000 the process keeps 20 MB more
MEGABYTE = 1 << 20


@dataclass
class _Kept:
    """A user's index, the lock under which it is brought up to date, and the bytes that it was counted with."""

    index: UserIndex
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    bytes: int = 0


class KeptIndexes:
    """The whole history of each user that was searched lately.

    The least recently used go first when all take more than `memory_mb`. A user's index is brought up to date before
    each search, so that a write or a deletion by any process is seen by the next one.
    """

    def __init__(self, collections: Collections, changes: Changes, model: str, memory_mb: int) -> None:
        self._vectors = collections.vectors
        self._news: Coalescer[tuple[str, int], list[Document]] = Coalescer(self._read_news)
        self._changes = changes
        self._model = model
        self._bound = memory_mb * MEGABYTE
        self._bytes = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def holds(self, owner: str, key: str) -> bool:
        kept = self._kept.get(owner)
        return kept is not None and kept.index.row_of(key) is not None

    async def suiting(self, owner: str, vector: NDArray[np.float32], recipe: Recipe, scope: Scope) -> UserIndex:
        """The index of all that the owner has, whatever the recipe and the scope."""
        dimensions = len(vector)
        kept = self._kept.get(owner)
        if kept is None:
            kept = self._kept[owner] = _Kept(UserIndex(self._model, dimensions))
        self._kept.move_to_end(owner)
        async with kept.lock:
            standing = await self._changes.standing(owner)
            # An index of before the user's first change holds what was just said, and goes on.
            known = kept.index.epoch in ("", standing.epoch if standing is not None else "")
            if not known or kept.index.expired or kept.index.dimensions != dimensions:
                kept.index = UserIndex(self._model, dimensions)
            kept.index.standing = standing
            if standing is not None:
                kept.index.epoch = standing.epoch
                if standing.change > kept.index.settled:
                    await self._catch_up(owner, kept.index, standing)
                    kept.index.settled = standing.settled
                kept.index = kept.index.compacted()
                kept.index.touch()
            if self._kept.get(owner) is kept:
                self._bytes += kept.index.bytes - kept.bytes
                kept.bytes = kept.index.bytes
            index = kept.index
        self._evict(owner)
        return index

    async def _catch_up(self, owner: str, index: UserIndex, standing: Standing) -> None:
        since = index.settled
        if standing.deleted > since:  # first, because an id that was deleted may have been given again since
            index.drop(await self._changes.deleted_since(owner, since))
        if since and standing.change - since <= FEW:
            index.put(await self._news.get((owner, since)))
        elif since:
            await self._read(owner, index, since)
        else:
            with metrics.LOADS.time():
                await self._read(owner, index, since)
            metrics.LOADED.inc(len(index))

    async def _read(self, owner: str, index: UserIndex, since: int) -> None:
        """Puts what has changed since into an index, some at a time."""
        batch: list[Document] = []
        cursor = self._vectors.find({"user_id": owner, "change": {"$gt": since}}, FIELDS).batch_size(BATCH)
        async for document in cursor:
            batch.append(document)
            if len(batch) == BATCH:
                index.put(batch)
                batch.clear()
        index.put(batch)

    async def _read_news(self, wanted: Sequence[tuple[str, int]]) -> list[list[Document]]:
        """What changed for each of several owners since a number of theirs."""
        since = {"$or": [{"user_id": owner, "change": {"$gt": number}} for owner, number in wanted]}
        found: dict[str, list[Document]] = {owner: [] for owner, _ in wanted}
        for document in await self._vectors.find(since, FIELDS | {"user_id": 1}).to_list(None):
            found[document["user_id"]].append(document)
        return [found[owner] for owner, _ in wanted]

    def _evict(self, keep: str) -> None:
        """Drops the least recently used indexes until the rest fits; the one just used stays, however large."""
        while self._bytes > self._bound:
            owner, kept = next(iter(self._kept.items()))
            if owner == keep or kept.lock.locked():
                break
            del self._kept[owner]
            self._bytes -= kept.bytes
            metrics.EVICTED.inc()
        metrics.USERS.set(len(self._kept))
        metrics.BYTES.set(self._bytes)
