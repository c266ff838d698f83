"""What does memory have to say about a request?"""

import asyncio
import logging
from dataclasses import replace

from agents.context import Bundle, ChatRequest, Context
from config.recipes import BundleSizes, Recipe
from memory.courtesy import is_courtesy
from memory.domain import FACT, Candidate, Gist, Hit, KeyValue, Recall, Summary
from memory.engine import Engine
from memory.observed import Recalled
from memory.ranking import Scope
from memory.recall import with_overrides
from utils.errors import ModelError
from utils.text import content_stems

UNSUMMARISED = 100  # messages

log = logging.getLogger(__name__)


class MemoryAgent:
    """Gathers similar messages, recent turns, summaries and key/value facts into one bundle; by the recipe
    `observations`, where there is one, observations too."""

    name = "memory_agent"

    def __init__(
        self, engine: Engine, recipe: Recipe, sizes: BundleSizes, *, observations: Recipe | None = None
    ) -> None:
        self._engine = engine
        self._recipe = recipe
        self._sizes = sizes
        self._observations = observations

    async def run(self, context: Context) -> Context:
        request, sizes = context.request, self._sizes
        try:
            async with asyncio.TaskGroup() as reading:
                recall = reading.create_task(self._recall(context))
                recent = reading.create_task(self._recent(context, 2 * sizes.recent_pairs))
                summaries = reading.create_task(self._summaries(request))
                memories = reading.create_task(self._memories(request))
                unsummarised = reading.create_task(self._unsummarised(context))
                observed = reading.create_task(self._observed(request))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        bundle = Bundle(
            recall.result(),
            tuple(recent.result()),
            tuple(summaries.result()),
            tuple(memories.result()),
            tuple(unsummarised.result()),
            tuple(await self._with_likeness(request, recall.result(), observed.result())),
        )
        if bundle.recall.among_facts:
            bundle = await self._without_outdated(request.owner, await self._without_echoes(request.owner, bundle))
        return replace(context, bundle=bundle)

    async def _without_echoes(self, owner: str, bundle: Bundle) -> Bundle:
        """A bundle without the facts that a message in it states."""
        recall = bundle.recall
        facts = [hit.gist.id for hit in recall.hits if hit.gist.kind == FACT]
        if not facts:
            return bundle
        told = {gist.id for gist in (*bundle.recent, *(hit.gist for hit in recall.hits))}
        sources = await self._engine.superseded.sources(owner, facts)
        echoes = {fact for fact, messages in sources.items() if not messages.isdisjoint(told)}
        hits = tuple(hit for hit in recall.hits if hit.gist.id not in echoes)
        keys = {hit.gist.key for hit in recall.hits if hit.gist.id in echoes}
        considered = tuple(one._replace(dropped="duplicate") if one.key in keys else one for one in recall.considered)
        return replace(bundle, recall=replace(recall, hits=hits, considered=considered))

    async def _without_outdated(self, owner: str, bundle: Bundle) -> Bundle:
        """A bundle without the messages that state what holds no longer. The facts that replaced it take their place,
        for they answer what these would have answered."""
        recall = bundle.recall
        ids = [hit.gist.id for hit in recall.hits] + [gist.id for gist in bundle.recent]
        outdated = await self._engine.superseded.gists_by_messages(owner, ids)
        if not outdated:
            return bundle
        hits: dict[str, Hit] = {}
        for hit in recall.hits:
            for gist in outdated.get(hit.gist.id, [hit.gist]):
                hits.setdefault(gist.key, Hit(gist, hit.parts))
        considered = [
            one._replace(dropped=None, parts=hits[one.key].parts) if one.dropped and one.key in hits else one
            for one in recall.considered
        ]
        missing = [Candidate(key, hit.parts) for key, hit in hits.items() if key not in {one.key for one in considered}]
        recall = replace(recall, hits=tuple(hits.values()), considered=(*missing, *considered))
        recent = tuple(gist for gist in bundle.recent if gist.id not in outdated)
        return replace(bundle, recall=recall, recent=recent)

    async def _summaries(self, request: ChatRequest) -> list[Summary]:
        most = self._sizes.summaries
        newest = await self._engine.summaries.newest(request.owner, request.session_id, most)
        return [one for one in newest if one.session_id == request.session_id] if request.isolated else newest

    async def _memories(self, request: ChatRequest) -> list[KeyValue]:
        if request.isolated:
            return []
        return await self._engine.keyvalues.suited(request.owner, request.query, self._sizes.memories)

    async def _observed(self, request: ChatRequest) -> list[Recalled]:
        if self._observations is None or request.isolated or is_courtesy(request.query):
            return []
        if not await self._engine.observations.has_any(request.owner):
            return []
        return await self._engine.observations.recall(request.owner, request.query, self._observations)

    async def _with_likeness(self, request: ChatRequest, recall: Recall, observed: list[Recalled]) -> list[Recalled]:
        """Observations with their likeness to what recall embedded just now, which is at hand; else as they are."""
        if not observed or not recall.dimensions:
            return observed
        embedder = self._engine.embedder
        try:
            [vector] = await embedder.embed([recall.query or request.query])
        except ModelError:
            return observed
        return await self._engine.observations.with_likeness(request.owner, observed, vector, embedder.model)

    async def _unsummarised(self, context: Context) -> list[Gist]:
        """For a request that names no subject: what no summary covers yet, or simply what was said last."""
        intent = context.intent.name
        if intent != "summarise" and (intent != "recall" or content_stems(context.request.query)):
            return []
        place = await context.opening()
        if place is None:
            return []
        covered = -1
        if intent == "summarise":
            # Asked anew, for the request's place may not know of the last summary.
            current = await self._engine.places.place(context.request.owner, context.request.session_id)
            covered = current.summarised_to if current is not None else -1
        most = min(place.index - covered - 1, UNSUMMARISED)
        if most <= 0:
            return []
        return await self._recent(context, most)

    async def _recent(self, context: Context, most: int) -> list[Gist]:
        request, place = context.request, await context.opening()
        if place is None:
            return []
        return await self._engine.turns.recent(request.owner, request.session_id, place, most)

    async def _recall(self, context: Context) -> Recall:
        """The similar messages; none where the query cannot be embedded, which the log tells."""
        request = context.request
        recipe = request.recipe or with_overrides(self._recipe, top_k=request.top_k)
        own = frozenset(context.own_keys)
        if request.isolated:
            scope = Scope.of_conversation(request.session_id, exclude=own)
        else:
            scope = Scope(request.session_id, exclude=own)
        try:
            return await self._engine.recall(request.owner, request.query, recipe, scope)
        except ModelError as error:
            log.warning("recall without similar messages: %s", error.detail)
            return Recall()
