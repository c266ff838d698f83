"""What did the user say that answers this? The one way to recall."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import time

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory import metrics
from memory.changes import Changes, Standing
from memory.collections import Collections
from memory.domain import RULE_BASED, Candidate, Drop, Gist, Hit, Recall
from memory.features import Probe
from memory.gist_reader import GistReader
from memory.index import UserIndex
from memory.probe import probe_of
from memory.ranking import UNREAD, Ranked, Reranked, Scope, place_of, rank
from memory.reranking import Reranking
from memory.vector_search import VectorSearch
from utils.coalesce import Coalescer
from utils.embeddings import Embedder, LocalEmbedder
from utils.mongo import Document

THREAD_ROWS = 20_000  # from so many rows on, scoring leaves the event loop
SPARE = 2  # kept beyond top_k, to take the place of duplicates
MOST_SPARE = 200
FEW = 64  # changes up to which the news of concurrent requests are read in one call
BATCH = 250  # documents read at a time while an index is filled
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
    ),
    1,
)
MEGABYTE = 1 << 20


@dataclass
class _Kept:
    """A user's index, the lock under which it is brought up to date, and the bytes that it was counted with."""

    index: UserIndex
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    bytes: int = 0


class Recaller:
    """Searches the whole history of a user exactly, or what a `vector_search` finds of it.

    Without one, keeps the embeddings of the users it searched in memory, the least recently used going first when they
    take more than `memory_mb`, and brings a user's part up to date before each search, so that a write or a deletion by
    any process is seen by the next search.
    """

    def __init__(
        self,
        collections: Collections,
        changes: Changes,
        gists: GistReader,
        embedder: Embedder,
        reader: LocalEmbedder,
        memory_mb: int,
        reranking: Reranking | None = None,
        vector_search: VectorSearch | None = None,
    ) -> None:
        self._vectors = collections.vectors
        self._gists = gists
        self._embedder = embedder
        self._reader = reader
        self._reranking = reranking
        self._news: Coalescer[tuple[str, int], list[Document]] = Coalescer(self._read_news)
        self._changes = changes
        self._model = embedder.model
        self._vector_search = vector_search
        self._bound = memory_mb * MEGABYTE
        self._bytes = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def recall(
        self,
        owner: str,
        query: str,
        vector: NDArray[np.float32],
        recipe: Recipe,
        scope: Scope,
        just_said: Sequence[Document] = (),
    ) -> Recall:
        """The owner's gists that suit a query best. `vector`: its embedding, (dimensions,) float32 of length 1.

        `just_said`: documents, as they are when embedded, that may not be so in the store yet.
        Raises `ModelError` where the query cannot be embedded in another way that the recipe asks for, and
        `StoreUnavailable` where a `vector_search` cannot be asked.
        """
        with metrics.SEARCHES.time():
            recall = await self._recall(owner, query, vector, recipe, scope, just_said)
        if not recall.hits:
            metrics.SILENT.inc()
        return recall

    async def _recall(
        self,
        owner: str,
        query: str,
        vector: NDArray[np.float32],
        recipe: Recipe,
        scope: Scope,
        just_said: Sequence[Document],
    ) -> Recall:
        index = await self._index(owner, vector, recipe, scope)
        index.put([document for document in just_said if index.row_of(document["_id"]) is None])
        if not len(index):
            return Recall(dimensions=len(vector))
        moment = time()
        search = await self._probe(query, vector, index, moment)
        reranked = await self._reranked(owner, query, index, search, recipe, scope, moment)
        spare = SPARE
        while True:
            wide = replace(recipe, top_k=recipe.top_k + spare)
            if len(index) < THREAD_ROWS:
                ranked = rank(index, search, wide, scope, moment, reranked)
            else:
                ranked = await asyncio.to_thread(rank, index, search, wide, scope, moment, reranked)
            keys = [index.ids[one.row] for one in ranked]
            kept = [key for key, one in zip(keys, ranked, strict=True) if not one.dropped]
            found = await self._gists.by_keys(owner, kept, index.standing)
            recall = _collect(keys, ranked, found, recipe, len(vector))
            whole = all(one.dropped in (None, "below_floor") for one in ranked)
            if len(recall.hits) == recipe.top_k or whole or spare > MOST_SPARE or recipe.mmr_lambda is not None:
                return recall
            spare *= 8  # the same text stands there so often that other texts had no room

    async def place_of(
        self, owner: str, query: str, vector: NDArray[np.float32], recipe: Recipe, scope: Scope, key: str
    ) -> tuple[int, Ranked] | None:
        """Where a gist comes in a search, 0 for the best, before any was chosen; None where it is not looked at
        closely. Raises as `recall`."""
        index = await self._index(owner, vector, recipe, scope)
        row = index.row_of(key)
        if row is None:
            return None
        moment = time()
        search = await self._probe(query, vector, index, moment)
        reranked = await self._reranked(owner, query, index, search, recipe, scope, moment)
        return await asyncio.to_thread(place_of, row, index, search, recipe, scope, moment, reranked)

    async def _reranked(
        self, owner: str, query: str, index: UserIndex, search: Probe, recipe: Recipe, scope: Scope, moment: float
    ) -> Reranked:
        """What the cross-encoder says of the best rows; nothing where there is none, or where it failed."""
        if self._reranking is None or not recipe.rerank:
            return UNREAD
        return await self._reranking.of(owner, query, index, search, recipe, scope, moment)

    async def _probe(self, query: str, vector: NDArray[np.float32], index: UserIndex, moment: float) -> Probe:
        search = await probe_of(query, vector, index, self._embedder, self._reader, moment)
        index.refresh()
        return search

    def lacking(self, owner: str, documents: Sequence[Document]) -> list[Document]:
        """Those of the owner's documents that are to be recalled and that the index does not hold yet."""
        kept = self._kept.get(owner)
        return [
            document
            for document in documents
            if document.get("model") != RULE_BASED and (kept is None or kept.index.row_of(document["_id"]) is None)
        ]

    async def _index(self, owner: str, vector: NDArray[np.float32], recipe: Recipe, scope: Scope) -> UserIndex:
        """What a query is ranked in."""
        if self._vector_search is not None:
            return await self._vector_search.around(owner, vector, recipe, scope)
        return await self._fresh(owner, len(vector))

    async def _fresh(self, owner: str, dimensions: int) -> UserIndex:
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


def _collect(keys: list[str], ranked: list[Ranked], found: dict[str, Gist], recipe: Recipe, dimensions: int) -> Recall:
    """Puts texts to rows. What was deleted meanwhile is dropped, and in a distinct recipe so is a text said before."""
    hits: list[Hit] = []
    considered: list[Candidate] = []
    seen: set[str] = set()
    for key, one in zip(keys, ranked, strict=True):
        dropped: Drop | None = one.dropped
        if dropped is None:
            gist = found.get(key)
            text = " ".join(gist.content.split()).casefold() if gist else ""
            if gist is None:
                dropped = "deleted"
            elif recipe.distinct and text in seen:
                dropped = "duplicate"
            elif len(hits) == recipe.top_k:
                dropped = "top_k"
            else:
                seen.add(text)
                hits.append(Hit(gist, one.parts))
        considered.append(Candidate(key, one.parts, dropped))
    return Recall(tuple(hits), tuple(considered), dimensions)


def with_overrides(
    recipe: Recipe,
    *,
    top_k: int | None = None,
    floor: float | None = None,
    recency_weight: float | None = None,
    mmr_lambda: float | None = None,
) -> Recipe:
    """The recipe with the numbers that a request sets itself. Its own floor is the only one."""
    return replace(
        recipe,
        top_k=recipe.top_k if top_k is None else top_k,
        floor=recipe.floor if floor is None else floor,
        silence=recipe.silence if floor is None else 0.0,
        recency_weight=recipe.recency_weight if recency_weight is None else recency_weight,
        mmr_lambda=recipe.mmr_lambda if mmr_lambda is None else mmr_lambda,
    )
