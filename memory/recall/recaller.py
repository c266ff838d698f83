"""The recaller: what a user said that answers a query, by the fitted ranker or by cosine."""

import asyncio
import heapq
import logging
from asyncio import Future
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import Literal, Protocol

import numpy as np

from config.recipes import Recipe
from memory import metrics
from memory.domain import RULE_BASED, TURN, Candidate, Drop, Gist, Hit, Recall
from memory.gists import Cache, GistReader, JustSaid, embedded_fields, imprints, piece_in, text_to_embed
from memory.language import End, Trait, read_question
from memory.recall.features import POOL, asks_the_same
from memory.recall.index import ROLES, THREAD_ROWS, UserIndex
from memory.recall.query import AT_ONCE, Probe, names_for, probe_of, question_for, respelt, strange_words
from memory.recall.ranking import Scope, score, sight_of
from memory.recall.scored import SPARE, UNREAD, Ranked, Reads, Reranking, Scored
from memory.store import Standing
from utils.clock import zone_of
from utils.embeddings import Embedder, LocalEmbedder
from utils.encoder import MAX_CHARACTERS
from utils.errors import ModelError, ModelUnavailable
from utils.mongo import Document
from utils.tasks import begun
from utils.vectors import Floats

MOST_FILLED = 8_192  # kept at most to fill up what is repeated, whose texts are all read: some 0.3 s
MOST_DIVERSE = 1_024  # the same with MMR, whose pool is three times as large and compared pairwise: some 40 MB
READ_AROUND = 24  # best hits around which messages are read, too
MOST_AT_ONCE = 128  # kept at most on the event loop; to choose more, a thread is used
WIDE_POOL = 8 * POOL  # rows that are looked at closely where all texts of the first pool are the same

log = logging.getLogger(__name__)


Unplaced = Literal["asked", "pool"]  # it asks the same; it is not looked at closely


class Indexes(Cache, Protocol):
    """Where the index comes from that a query is ranked in."""

    async def suiting(
        self, owner: str, vector: "Future[Floats]", recipe: Recipe, scope: Scope
    ) -> tuple[UserIndex, Standing | None]:
        """Of the owner's gists all, or those that may suit a query, and the state of the store that they are of at
        least. `vector`: the query's embedding, (dimensions,), which may be still to come; the index is of another
        dimension at most where it is."""

    def known(self, owner: str) -> UserIndex | None:
        """What is in memory of the owner's index; it may be out of date."""

    async def catch_up(self, owner: str) -> None:
        """Brings what is in memory of the owner's index up to date, ahead of a search."""


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

    def read_ahead(self, owner: str, query: str) -> None:
        """Begins to read a query that is about to be asked, and as the owner's index is likely to understand it."""
        self._reader.read_ahead(query)
        known = self._known(owner)
        if known is not None and known.names and len(query) <= AT_ONCE:
            self._reader.read_ahead(read_question(query, names_for(query, known), time()).bare)

    def vectors(self, owner: str, keys: Iterable[str]) -> dict[str, Floats]:
        """By their `_id`s, what the encoder made of those of the owner's gists of which it is at hand."""
        known = self._known(owner)
        rows = {key: row for key in keys if (row := known.row_of(key)) is not None} if known is not None else {}
        return {key: known.matrix[row] for key, row in rows.items()} if known is not None else {}

    def _known(self, owner: str) -> UserIndex | None:
        """The owner's index, where the encoder embeds and it is in memory."""
        return self._indexes.known(owner) if self._embedder is self._reader else None

    async def catch_up(self, owner: str) -> None:
        """Has the owner's index up to date, if it is in memory, so that a search that comes next has little to read."""
        await self._indexes.catch_up(owner)

    async def place_of(
        self, owner: str, query: str, recipe: Recipe, scope: Scope, key: str
    ) -> tuple[int, Ranked] | Unplaced:
        """Where a gist comes in a search, 0 for the best, before any was chosen; or why it comes nowhere. Raises as
        `recall`."""
        asked = await self._ask(owner, query, recipe, scope)
        row = asked.index.row_of(key)
        if row is None or not sight_of(asked.index, recipe, scope).visible[row]:
            return "pool"
        scored = await self._scored(asked, POOL)
        placed = [scored.place_of(own) for own in asked.index.rows_of(key)] if scored is not None else []
        if any(placed):
            return min(filter(None, placed), key=lambda one: one[0])
        fused = recipe.ranking == "fused"
        return "asked" if fused and asks_the_same(asked.index, asked.probe, row) else "pool"

    async def at_end(self, owner: str, end: End, exclude: Collection[str]) -> Gist | None:
        """The first or last message of the owner's in all conversations, as far as they are embedded, but for some
        `_id`s; None where there is none, or the whole history is not in memory."""
        index = self._indexes.known(owner)
        key = _key_at_end(index, end, exclude) if index is not None else None
        found = await self._gists.by_keys(owner, [key], None) if key is not None else {}
        return found.get(key) if key is not None else None

    async def _best(self, asked: _Asked) -> Recall:
        recall = Recall(dimensions=len(asked.probe.dense))
        read = UNREAD
        for pool in (POOL, WIDE_POOL):
            scored = await self._scored(asked, pool, read)
            if scored is None:
                break
            read = scored.reads
            recall, enough = await self._filled(asked, scored)
            if enough or asked.recipe.ranking != "fused" or len(scored.rows) < pool:
                break  # else the same text stands there so often that others had no room
        return replace(recall, query=asked.query)

    async def _ask(self, owner: str, query: str, recipe: Recipe, scope: Scope) -> _Asked:
        """The query embedded while the index for it is read, its slips mended as the index has the words, and read
        once."""
        moment, local = time(), self._embedder is self._reader
        async with begun(self._embedded(owner, query, moment)) as embedding:
            index, standing = await self._indexes.suiting(owner, embedding, recipe, scope)
            if not local:  # a provider's model of this name may be another by now, and one that is away is asked once
                vector = await embedding
                while index.dimensions != len(vector):
                    index, standing = await self._indexes.suiting(owner, embedding, recipe, scope)
            await self._put_just_said(owner, index, scope.exclude)
            searched = await self._respelt(owner, query, index, recipe, scope) if local else query
            question = await question_for(searched, index, moment, zone_of(scope.timezone))
            if local:
                self._reader.read_ahead(question.bare)
            vector = await embedding if searched == query else (await self._embedder.embed([searched]))[0]
        probe = await probe_of(question, vector, self._embedder, self._reader)
        index.refresh()
        return _Asked(owner, searched, index, standing, probe, recipe, scope, moment)

    async def _embedded(self, owner: str, query: str, moment: float) -> Floats:
        """The query's embedding, (dimensions,) float32 of length 1. A provider gets the query without the names of
        those who speak, too, as it will be asked for that next."""
        known = None if self._embedder is self._reader else self._indexes.known(owner)
        texts = [query] if known is None else [query, (await question_for(query, known, moment)).bare]
        vector: Floats = (await self._embedder.embed(list(dict.fromkeys(texts))))[0]
        return vector

    async def _respelt(self, owner: str, query: str, index: UserIndex, recipe: Recipe, scope: Scope) -> str:
        """The query, misspelt words as the history has them. A provider's model reads through slips; and what MongoDB
        found by the query as it was typed is not all that was told."""
        strange = strange_words(query) if recipe.ranking == "fused" else []
        if not strange or self._indexes.known(owner) is not index:
            return query
        parts = query, strange, index, sight_of(index, recipe, scope).visible
        return respelt(*parts) if len(index) < THREAD_ROWS else await asyncio.to_thread(respelt, *parts)

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
            and not index.is_withheld(document["_id"])
        ]
        embedded = await self._as_far_as_embeddable(owner, fresh) if fresh else []
        texts = [text_to_embed(document) for document, _ in embedded]
        made = await imprints(self._reader, [document["content"] for document, _ in embedded], texts)
        index.put(
            [
                document | embedded_fields(vector, self._embedder.model, imprint)
                for (document, vector), imprint in zip(embedded, made, strict=True)
                if self._is_new(owner, document["_id"], index)
            ]
        )

    async def _as_far_as_embeddable(self, owner: str, said: Sequence[Document]) -> list[tuple[Document, Floats]]:
        """Messages with their embeddings, but for those that the model refuses, which are not tried again here.

        Raises `ModelUnavailable`.
        """
        try:
            vectors = await self._embedder.embed([text_to_embed(document) for document in said])
            return list(zip(said, vectors, strict=True))
        except ModelUnavailable:
            raise
        except ModelError as error:
            if len(said) == 1:
                log.warning("what was just said is not searched: %s", error.detail)
                self._just_said.let_go(owner, said[0]["_id"])
                return []
        half = len(said) // 2
        first = await self._as_far_as_embeddable(owner, said[:half])
        return first + await self._as_far_as_embeddable(owner, said[half:])

    async def _scored(self, asked: _Asked, pool: int, read: Reads = UNREAD) -> Scored | None:
        """`read`: what a cross-encoder has said by now."""
        parts = asked.index, asked.probe, asked.recipe, asked.scope, asked.moment, pool
        scored = score(*parts) if len(asked.index) < THREAD_ROWS else await asyncio.to_thread(score, *parts)
        if scored is None or self._reranking is None or not asked.recipe.rerank:
            return scored
        return scored.read(await self._reranking.of(asked.owner, asked.query, scored, asked.standing, read))

    async def _filled(self, asked: _Asked, scored: Scored) -> tuple[Recall, bool]:
        """The best with their texts, and whether no others could take the place of repeated ones."""
        recipe, spare = scored.recipe, SPARE
        most = MOST_FILLED if recipe.mmr_lambda is None else MOST_DIVERSE
        listed = 0  # of those dropped, however many were looked at in vain
        while True:
            select = scored.select
            ranked = select(spare) if spare <= MOST_AT_ONCE else await asyncio.to_thread(select, spare)
            kept = list(dict.fromkeys(scored.index.gist_of(one.row) for one in ranked if not one.dropped))
            near = set[str]().union(*(scored.index.around(key, asked.scope.reach) for key in kept[:READ_AROUND]))
            found = await self._gists.by_keys(asked.owner, near.union(kept), asked.standing)
            listed = listed or len(ranked)
            recall = _collect(scored.index, ranked, found, recipe, len(asked.probe.dense), listed)
            if len(recall.hits) == recipe.top_k:
                return recall, True
            if spare >= most or recipe.top_k + spare >= scored.passed:
                return recall, scored.passed < len(scored.rows)
            spare = min(8 * spare, most)

    def _is_new(self, owner: str, key: str, index: UserIndex) -> bool:
        """Whether something just said is neither in the index nor deleted meanwhile."""
        return index.row_of(key) is None and self._just_said.has(owner, key)


def _collect(
    index: UserIndex, ranked: list[Ranked], found: dict[str, Gist], recipe: Recipe, dimensions: int, listed: int
) -> Recall:
    """Puts texts to rows, each gist once, as it comes first. What was deleted meanwhile is dropped, and in a distinct
    recipe so is a text said before. `listed`: so many of those dropped are told at most."""
    hits: list[Hit] = []
    considered: list[Candidate] = []
    seen: set[str] = set()
    first: dict[str, Ranked] = {}
    for one in ranked:
        first.setdefault(index.gist_of(one.row), one)
    for key, one in first.items():
        dropped: Drop | None = one.dropped
        if dropped is None:
            gist = found.get(key)
            text = _compared_text(gist) if gist else ""
            if gist is None:
                dropped = "deleted"
            elif recipe.distinct and text in seen:
                dropped = "duplicate"
            elif len(hits) == recipe.top_k:
                dropped = one.otherwise
            else:
                seen.add(text)
                hits.append(Hit(gist, one.parts, piece_in(gist, index.piece_of(one.row))))
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


def merged(recalls: Sequence[Recall], recipe: Recipe) -> Recall:
    """Several searches for the same query as one: the best of all, by the same scores. Each keeps its order, which is
    not that of scores where results are diverse."""
    hits: list[Hit] = []
    dropped: dict[str, Drop] = {}
    seen: set[str] = set()
    for hit in heapq.merge(*(recall.hits for recall in recalls), key=lambda hit: -hit.score):
        text = _compared_text(hit.gist)
        if recipe.distinct and text in seen:
            dropped[hit.gist.key] = "duplicate"
        elif len(hits) == recipe.top_k:
            dropped[hit.gist.key] = "top_k"
        else:
            seen.add(text)
            hits.append(hit)
    places = {hit.gist.key: place for place, hit in enumerate(hits)}
    considered = [
        one._replace(dropped=dropped.get(one.key, one.dropped)) for recall in recalls for one in recall.considered
    ]
    considered.sort(key=lambda one: (places.get(one.key, len(places)), -one.parts.score))
    return replace(recalls[0], hits=tuple(hits), considered=tuple(considered))


def _compared_text(gist: Gist) -> str:
    """By which texts are told to be the same; long ones where they are so to the letter, which is quickly seen."""
    if len(gist.content) > MAX_CHARACTERS:
        return gist.content
    return " ".join(gist.content.split()).casefold()


def _key_at_end(index: UserIndex, end: End, exclude: Collection[str]) -> str | None:
    """The `_id` of the message of an index that was said first, or last, but for some; None where there is none."""
    size = len(index)
    fitting = index.alive[:size] & (index.kinds[:size] == index.code("kind", TURN))
    fitting &= index.roles[:size] == ROLES[end.role]
    if end.asking is not None:
        asks = index.traits[:size, Trait.ASKS]
        fitting &= (asks > 0) if end.asking else (asks != 1)
    for key in exclude:
        fitting[index.rows_of(key)] = False
    rows = np.flatnonzero(fitting)
    if not len(rows):
        return None
    order = np.lexsort((index.places[rows], index.times[rows]))
    return index.gist_of(int(rows[order[-1 if end.last else 0]]))
