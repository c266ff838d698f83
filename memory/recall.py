"""What did the user say that answers this? The one way to recall."""

import asyncio
import logging
from asyncio import Future
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import Protocol

from config.recipes import Recipe
from memory import metrics
from memory.changes import Standing
from memory.domain import FACT, RULE_BASED, Candidate, Drop, Gist, Hit, Recall
from memory.ends import End, key_at_end
from memory.features import POOL
from memory.first_look import Probe, asked_before
from memory.gist_reader import GistReader
from memory.gists import text_to_embed
from memory.imprint import embedded_fields, imprints
from memory.index import UserIndex
from memory.just_said import JustSaid
from memory.probe import Understood, probe_of
from memory.ranking import Scope, score, sight_of
from memory.reranking import Reranking
from memory.scored import Ranked, Scored
from memory.spelling import respelt
from utils.embeddings import AHEAD_CHARACTERS, Embedder, LocalEmbedder
from utils.errors import ModelError, ModelUnavailable
from utils.tasks import begun
from utils.vectors import Floats

THREAD_ROWS = 20_000  # from so many rows on, scoring leaves the event loop
SPARE = 2  # kept beyond top_k, to take the place of duplicates
MOST_DIVERSE = 1_024  # of these where results are to be diverse: of some times as many each is compared with each
MOST_AT_ONCE = 128  # of these at most while the event loop waits
WIDE_POOL = 8 * POOL  # where the best are all the same

log = logging.getLogger(__name__)


class Indexes(Protocol):
    """Where the index comes from that a query is ranked in."""

    async def suiting(
        self, owner: str, vector: "Future[Floats]", recipe: Recipe, scope: Scope
    ) -> tuple[UserIndex, Standing | None]:
        """Of the owner's gists all, or those that may suit a query, and the state of the store that they are of at
        least. `vector`: the query's embedding, (dimensions,), which may be still to come; the index is of another
        dimension at most where it is."""

    def known(self, owner: str) -> UserIndex | None:
        """What is in memory of the owner's index; it may be out of date."""

    def drop(self, owner: str, keys: Iterable[str]) -> None:
        """Takes out gists that are gone or changed."""

    def forget(self, owner: str) -> None:
        """Lets go of all that is kept of an owner."""


@dataclass(frozen=True)
class _Asked:
    """A search as it was asked, misspelt words as the history has them, at a `moment` in seconds since 1970."""

    owner: str
    query: str
    index: UserIndex
    standing: Standing | None
    probe: Probe
    recipe: Recipe
    scope: Scope
    moment: float


class Recaller:
    """Ranks what stands in the owner's index, and gives the best with their texts."""

    def __init__(
        self,
        indexes: Indexes,
        just_said: JustSaid,
        gists: GistReader,
        embedder: Embedder,
        reader: LocalEmbedder,
        reranking: Reranking | None = None,
    ) -> None:
        self._indexes = indexes
        self._just_said = just_said
        self._gists = gists
        self._embedder = embedder
        self._reader = reader
        self._reranking = reranking

    async def recall(self, owner: str, query: str, recipe: Recipe, scope: Scope) -> Recall:
        """The owner's gists that suit a query best, those among them that no worker has embedded yet.

        Raises `ModelError` where the query cannot be embedded, and `StoreUnavailable` where MongoDB's search is to be
        asked and cannot be.
        """
        with metrics.SEARCHES.time():
            recall = await self._best(await self._ask(owner, query, recipe, scope))
        if not recall.hits:
            metrics.WITHOUT_HITS.inc()
        return recall

    async def place_of(
        self, owner: str, query: str, recipe: Recipe, scope: Scope, key: str
    ) -> tuple[int, Ranked] | None:
        """Where a gist comes in a search, 0 for the best, before any was chosen; None where it is not looked at
        closely. Raises as `recall`."""
        asked = await self._ask(owner, query, recipe, scope)
        row = asked.index.row_of(key)
        scored = await self._scored(asked, POOL) if row is not None else None
        return scored.place_of(row) if scored is not None and row is not None else None

    async def at_end(self, owner: str, end: End, exclude: Collection[str]) -> Gist | None:
        """The first or last message of the owner's in all conversations, as far as they are embedded, but for some
        `_id`s; None where there is none, or the whole history is not in memory."""
        index = self._indexes.known(owner)
        key = key_at_end(index, end, exclude) if index is not None else None
        found = await self._gists.by_keys(owner, [key], None) if key is not None else {}
        return found.get(key) if key is not None else None

    async def asks_the_same(self, owner: str, query: str, recipe: Recipe, scope: Scope, key: str) -> bool:
        """Whether a gist is left out of a search because it asks the same. Raises as `recall`."""
        asked = await self._ask(owner, query, recipe, scope)
        row = asked.index.row_of(key)
        if row is None or recipe.ranking != "fused":
            return False
        cosines = asked.index.matrix[: len(asked.index)] @ asked.probe.dense
        return bool(asked_before(asked.index, asked.probe.question, cosines)[row])

    async def _best(self, asked: _Asked) -> Recall:
        recall = Recall(dimensions=len(asked.probe.dense))
        for pool in (POOL, WIDE_POOL):
            scored = await self._scored(asked, pool)
            if scored is None:
                break
            recall, enough = await self._filled(asked, scored)
            if enough or asked.recipe.ranking != "fused" or len(scored.rows) < pool:
                break  # else the same text stands there so often that others had no room
        # A fact in force has a gist; an index of all that the owner has knows of the kind then.
        has_all = self._indexes.known(asked.owner) is asked.index
        among_facts = not has_all or asked.index.code("kind", FACT) >= 0
        return replace(recall, among_facts=among_facts, query=asked.query)

    async def _ask(self, owner: str, query: str, recipe: Recipe, scope: Scope) -> _Asked:
        """Reads the query and the index for it, at the same time."""
        moment = time()
        async with (
            begun(self._understood(owner, query, moment)) as understanding,
            begun(self._embedded(query, understanding)) as reading,
        ):
            index, standing = await self._indexes.suiting(owner, reading, recipe, scope)
            understood = await understanding
            if understood is None or not understood.holds_for(index):
                understood = Understood.of(query, index, moment)
            if self._embedder is self._reader:  # after an outage, a provider is asked once until it answers
                self._reader.read_ahead(understood.question.bare)
                await self._put_just_said(owner, index, scope.exclude)
            vector = await reading
            while index.dimensions != len(vector):  # the model of this name is another by now
                index, standing = await self._indexes.suiting(owner, reading, recipe, scope)
        await self._put_just_said(owner, index, scope.exclude)
        if not understood.holds_for(index):
            understood = Understood.of(query, index, moment)
        searched = await self._respelt(owner, understood, recipe, scope)
        if searched != query:
            [vector] = await self._embedder.embed([searched])
            understood = Understood.of(searched, index, moment)
        probe = await probe_of(understood.question, vector, self._embedder, self._reader)
        index.refresh()
        return _Asked(owner, searched, index, standing, probe, recipe, scope, moment)

    async def _respelt(self, owner: str, understood: Understood, recipe: Recipe, scope: Scope) -> str:
        """The query, misspelt words as the history has them. A provider's model reads through slips; and what MongoDB
        found by the query as it was typed is not all that was told."""
        query, strange, index = understood.question.text, understood.strange, understood.index
        if not strange or recipe.ranking != "fused" or self._embedder is not self._reader:
            return query
        if self._indexes.known(owner) is not index:
            return query
        parts = query, strange, index, sight_of(index, recipe, scope).visible
        return respelt(*parts) if len(index) < THREAD_ROWS else await asyncio.to_thread(respelt, *parts)

    async def _understood(self, owner: str, query: str, moment: float) -> Understood | None:
        """A query as the index has it understood that is in memory; None where there is none. A long one, which holds
        the loop up, is read early for a provider alone, which is then asked once instead of twice."""
        await asyncio.sleep(0)  # the store is asked first, and there is time until it answers
        early = len(query) <= AHEAD_CHARACTERS or self._embedder is not self._reader
        known = self._indexes.known(owner) if early else None
        return None if known is None else Understood.of(query, known, moment)

    async def _embedded(self, query: str, understanding: "Future[Understood | None]") -> Floats:
        """The query's embedding, (dimensions,) float32 of length 1. A provider gets the query without the names of
        those who speak, too, as it will be asked for that next."""
        texts = [query]
        if self._embedder is not self._reader and (understood := await understanding) is not None:
            texts = list(dict.fromkeys((query, understood.question.bare)))
        vector: Floats = (await self._embedder.embed(texts))[0]
        return vector

    async def _put_just_said(self, owner: str, index: UserIndex, exclude: Collection[str]) -> None:
        """Puts into an index what was just said, where no worker has embedded it yet. What the model does not take is
        left out.

        Raises `ModelUnavailable`.
        """
        fresh = [
            document
            for document in self._just_said.of(owner)
            if document.get("model") != RULE_BASED
            and document["_id"] not in exclude
            and index.row_of(document["_id"]) is None
        ]
        if not fresh:
            return
        texts = [text_to_embed(document) for document in fresh]
        try:
            vectors = await self._embedder.embed(texts)
        except ModelUnavailable:
            raise
        except ModelError as error:
            log.warning("what was just said is not searched: %s", error.detail)
            return
        made = await imprints(self._reader, [document["content"] for document in fresh], texts)
        index.put(
            [
                document | embedded_fields(vector, self._embedder.model, imprint)
                for document, vector, imprint in zip(fresh, vectors, made, strict=True)
                if self._is_new(owner, document["_id"], index)
            ]
        )

    async def _scored(self, asked: _Asked, pool: int) -> Scored | None:
        parts = asked.index, asked.probe, asked.recipe, asked.scope, asked.moment, pool
        scored = score(*parts) if len(asked.index) < THREAD_ROWS else await asyncio.to_thread(score, *parts)
        if scored is None or self._reranking is None or not asked.recipe.rerank:
            return scored
        return scored.read(await self._reranking.of(asked.owner, asked.query, scored, asked.standing))

    async def _filled(self, asked: _Asked, scored: Scored) -> tuple[Recall, bool]:
        """The best with their texts, and whether no others could take the place of repeated ones."""
        recipe, spare = scored.recipe, SPARE
        most = scored.passed if recipe.mmr_lambda is None else MOST_DIVERSE
        listed = 0  # of those dropped, however many were looked at in vain
        while True:
            select = scored.select
            ranked = select(spare) if spare <= MOST_AT_ONCE else await asyncio.to_thread(select, spare)
            keys = [scored.index.ids[one.row] for one in ranked]
            kept = [key for key, one in zip(keys, ranked, strict=True) if not one.dropped]
            found = await self._gists.by_keys(asked.owner, kept, asked.standing)
            listed = listed or len(ranked)
            recall = _collect(keys, ranked, found, recipe, len(asked.probe.dense), listed)
            if len(recall.hits) == recipe.top_k:
                return recall, True
            if spare >= most or recipe.top_k + spare >= scored.passed:
                return recall, scored.passed < len(scored.rows)
            spare *= 8

    def _is_new(self, owner: str, key: str, index: UserIndex) -> bool:
        """Whether something just said is neither in the index nor deleted meanwhile."""
        return index.row_of(key) is None and self._just_said.has(owner, key)


def _collect(
    keys: list[str], ranked: list[Ranked], found: dict[str, Gist], recipe: Recipe, dimensions: int, listed: int
) -> Recall:
    """Puts texts to rows. What was deleted meanwhile is dropped, and in a distinct recipe so is a text said before.
    `listed`: so many of those dropped are told at most."""
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
        if dropped is None or len(considered) - len(hits) < listed:
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
    """The recipe with the numbers that a request sets itself. Its own floor is the only one. Results that are to be
    diverse have each text once."""
    return replace(
        recipe,
        top_k=recipe.top_k if top_k is None else top_k,
        floor=recipe.floor if floor is None else floor,
        silence=recipe.silence if floor is None else 0.0,
        recency_weight=recipe.recency_weight if recency_weight is None else recency_weight,
        mmr_lambda=recipe.mmr_lambda if mmr_lambda is None else mmr_lambda,
        distinct=recipe.distinct or mmr_lambda is not None,
    )


def merged(recalls: Sequence[Recall], top_k: int) -> Recall:
    """Several searches for the same query as one: the best of all, by the same scores."""
    every = sorted((hit for recall in recalls for hit in recall.hits), key=lambda hit: -hit.score)
    hits, over = every[:top_k], {hit.gist.key for hit in every[top_k:]}
    considered = [
        one._replace(dropped="top_k") if one.key in over and one.dropped is None else one
        for recall in recalls
        for one in recall.considered
    ]
    considered.sort(key=lambda one: (one.dropped is not None, -one.parts.score))
    return replace(recalls[0], hits=tuple(hits), considered=tuple(considered))
