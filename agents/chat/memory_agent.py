"""The memory agent: what memory has to say about a request, in one bundle."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from agents.chat.context import Bundle, ChatRequest, Context, Former, Material
from agents.chat.memories import tells_nothing
from config.recipes import BundleSizes, PromptBudget, Recipe
from memory.domain import FACT, TURN, Candidate, Gist, Hit, KeyValue, Parts, Recall, Summary
from memory.engine import Engine
from memory.facts import Fact, ProfileItem, stems_of, subject_of, whom_meant
from memory.gists import spoken
from memory.language import (
    LONGEST,
    asks_for_kept,
    doing,
    end_asked_for,
    has_pronoun,
    questions_in,
    with_pronouns_named,
)
from memory.observations import Recalled
from memory.recall import READ_AROUND, Scope, with_overrides
from memory.turns import lines_of
from utils.errors import ModelError
from utils.text import content_stems

UNSUMMARISED = 100  # messages
RESOLVED_BY = 4  # messages before it, for a question that speaks of somebody
KNOWN = 50  # facts that are gathered where all is asked for
ASKED_FOR = Parts(dense=0.0, score=1.0)  # of what is meant beyond doubt, and was not found by its likeness

log = logging.getLogger(__name__)


class MemoryAgent:
    """Gathers similar messages, recent turns, summaries and key/value facts into one bundle; by the recipe
    `observations`, where there is one, observations too."""

    name = "memory_agent"

    def __init__(
        self,
        engine: Engine,
        recipe: Recipe,
        sizes: BundleSizes,
        *,
        observations: Recipe | None = None,
        budget: PromptBudget | None = None,
    ) -> None:
        """`budget`: of prompts that go by tokens; None where no model is asked."""
        self._engine = engine
        self._budget = budget
        self._recipe = recipe
        self._sizes = sizes
        self._observations = observations

    async def read_ahead(self, request: ChatRequest) -> None:
        """Has the notes at hand that `run` needs, and the index; an encoder that works meanwhile is not waited for."""
        searching = self._engine.search.recaller.catch_up(request.owner)
        wanted: list[Awaitable[object]] = [self._summaries(request), searching]
        if not request.isolated:
            wanted.append(self._engine.chats.keyvalues.cache.get(request.owner))
            wanted.append(self._engine.notes.observations.has_any(request.owner))
        await asyncio.gather(*wanted)

    async def run(self, context: Context, recalls: Awaitable[list[Recall]] | None = None) -> Context:
        """`recalls`: of the same request, where they are under way."""
        request = context.request
        gathering = asyncio.gather(
            recalls or self.recalls(context),
            self._recent(context, 2 * self._sizes.recent_pairs),
            self._summaries(request),
            self._memories(request),
            self._unsummarised(context),
            self._observed(request),
        )
        (wider, recent, summaries, memories, unsummarised, observed), profile = await asyncio.gather(
            gathering, self._profile(request)
        )
        parts = [_cut(part, self._top_k(request)) for part in wider] if self._fills(request) else wider
        bundle = Bundle(
            _joined(request.asked, parts),
            tuple(recent),
            tuple(summaries),
            tuple(memories),
            tuple(unsummarised),
            tuple(observed),
            tuple(await self._known(request)),
            parts=tuple(parts) if len(parts) > 1 else (),
        )
        if self._budget is not None and self._fills(request):
            material = await self._material(context, bundle, _joined(request.asked, wider), self._budget)
            bundle = replace(bundle, material=replace(material, profile=tuple(profile)))
        bundle = await self._without_echoes(request.owner, await self._without_outdated(request.owner, bundle))
        return replace(context, bundle=await self._with_end(context, bundle))

    def _fills(self, request: ChatRequest) -> bool:
        """Whether a prompt is made that goes by tokens."""
        return self._budget is not None and request.prompt != "table"

    def _top_k(self, request: ChatRequest) -> int:
        return request.top_k or (request.recipe or self._recipe).top_k

    async def _material(self, context: Context, bundle: Bundle, recall: Recall, budget: PromptBudget) -> Material:
        """What fills a prompt. `recall`: hits as they were found, as many as there may be room for."""
        request, engine = context.request, self._engine
        hits = recall.hits
        messages = [hit.gist for hit in hits if hit.gist.kind == TURN]
        near, lines, empty = await asyncio.gather(
            engine.chats.turns.near(request.owner, messages[:READ_AROUND], len(budget.beside) // 2),
            self._lines(context, bundle, budget),
            self._empty(request.owner, messages),
        )
        near = [gist for gist in near if gist.key not in context.own_keys]
        return Material(hits, tuple(near), empty, lines=tuple(lines))

    async def _empty(self, owner: str, messages: Sequence[Gist]) -> frozenset[str]:
        """The ids of messages that tell nothing. The first short ones are read as they were embedded; others are told
        by their marks."""
        read = [message for message in messages[:READ_AROUND] if len(message.content) <= LONGEST]
        vectors = self._engine.search.recaller.vectors(owner, [message.key for message in read])
        if left := [message for message in read if message.key not in vectors]:
            with suppress(ModelError):
                texts = [spoken(message.name, message.role, message.content) for message in left]
                made = await self._engine.gists.encoder.embed(texts)
                vectors |= {message.key: vector for message, vector in zip(left, made, strict=True)}
        does = {one.key: doing(vectors[one.key], one.content) for one in read if one.key in vectors}
        return frozenset(message.id for message in messages if tells_nothing(message.content, does.get(message.key)))

    async def _profile(self, request: ChatRequest) -> list[ProfileItem]:
        if self._budget is None or not self._fills(request) or request.isolated:
            return []
        return await self._engine.knowledge.profile.within(request.owner, self._budget.profile)

    async def _lines(self, context: Context, bundle: Bundle, budget: PromptBudget) -> list[tuple[Summary, str]]:
        """The lines of summaries that are like the question, or all where a summary, or all that is known, is asked
        for."""
        every = [(summary, line) for summary in bundle.summaries for line in lines_of(summary.text)]
        if not every or context.request.asks_for_all or context.intent.name == "summarise":
            return every
        try:
            query, *vectors = await self._engine.gists.encoder.embed(
                [context.request.asked, *(line for _, line in every)]
            )
        except ModelError:
            return []
        return [line for line, vector in zip(every, vectors, strict=True) if float(vector @ query) >= budget.likeness]

    async def _with_end(self, context: Context, bundle: Bundle) -> Bundle:
        """A bundle with the message that is asked for by its place alone, before all that recall found. It is of this
        conversation where that has one, else of all."""
        request, end = context.request, end_asked_for(context.request.asked)
        if end is None:
            return bundle
        message = None
        if context.place is not None and not end.ever:
            message = await self._engine.chats.turns.at_end(request.owner, request.session_id, context.place.index, end)
        if message is None and not request.isolated:
            message = await self._engine.search.recaller.at_end(request.owner, end, context.own_keys)
        if message is None:
            return replace(bundle, end=end)
        recall = bundle.recall
        hits = (Hit(message, ASKED_FOR), *(hit for hit in recall.hits if hit.gist.key != message.key))
        others = (candidate for candidate in recall.considered if candidate.key != message.key)
        considered = (Candidate(message.key, ASKED_FOR), *others)
        return replace(bundle, recall=replace(recall, hits=hits, considered=considered), end=end, at_end=message)

    async def _known(self, request: ChatRequest) -> list[Fact]:
        """For a request to tell all, the facts in force that changed last."""
        if request.isolated or not request.asks_for_all:
            return []
        return await self._engine.knowledge.facts.newest(request.owner, KNOWN)

    async def _without_echoes(self, owner: str, bundle: Bundle) -> Bundle:
        """A bundle without the facts that a message in it states."""
        recall = bundle.recall
        facts = [hit.gist.id for hit in recall.hits if hit.gist.kind == FACT]
        if not facts:
            return bundle
        messages = {gist.id: gist.content for gist in (*bundle.recent, *(hit.gist for hit in recall.hits))}
        sources = await self._engine.knowledge.superseded.sources(owner, facts)
        former = tuple(
            replace(one, replaced_by=one.replaced_by.union(*(sources.get(fact, ()) for fact in one.replaced_by)))
            for one in bundle.former
        )
        by_id = {hit.gist.id: hit for hit in recall.hits}
        echoes, found, texts = set[str](), dict[str, Hit](), defaultdict[str, tuple[str, ...]](tuple)
        for fact, stating in sources.items():
            naming = [one for one in stating & messages.keys() if _names_what(messages[one], by_id[fact].gist.content)]
            if naming:
                echoes.add(fact)
            for source in naming:  # is found as well as the fact of it
                texts[source] += (by_id[fact].gist.content,)
                if source in by_id:
                    best = max(found.get(source, by_id[source]), by_id[fact], key=lambda hit: hit.score)
                    found[source] = replace(by_id[source], parts=best.parts)
        hits = tuple(found.get(hit.gist.id, hit) for hit in recall.hits if hit.gist.id not in echoes)
        keys = {hit.gist.key for hit in recall.hits if hit.gist.id in echoes}
        parts = {hit.gist.key: hit.parts for hit in found.values()}
        considered = tuple(
            candidate._replace(dropped="duplicate")
            if candidate.key in keys
            else candidate._replace(parts=parts.get(candidate.key, candidate.parts))
            for candidate in recall.considered
        )
        recall = replace(recall, hits=hits, considered=considered)
        return replace(bundle, recall=recall, former=former, echoes=texts)

    async def _without_outdated(self, owner: str, bundle: Bundle) -> Bundle:
        """A bundle without the messages that state what holds no longer. The facts that replaced it take their place,
        for they answer what these would have answered, or a fact that holds of what else such a message states, where
        that is nearer to what is asked. In what fills a prompt, they stand beside them."""
        recall, material = bundle.recall, bundle.material
        gists = (*(hit.gist for hit in (*recall.hits, *material.hits)), *bundle.recent, *material.near)
        ids = list(dict.fromkeys(gist.id for gist in gists if gist.kind == TURN))
        superseded = self._engine.knowledge.superseded
        outdated, undecided = await asyncio.gather(superseded.by_messages(owner, ids), superseded.undecided(owner, ids))
        bundle = replace(bundle, undecided=undecided)
        if not outdated:
            return bundle
        changed = {message_id: [gist.content for gist in facts] for message_id, facts in outdated.items()}
        holding = await superseded.holding(owner, list(outdated))
        hits: dict[str, Hit] = {}
        own = {candidate.key: candidate.parts.score for candidate in recall.considered}
        for hit in recall.hits:
            instead = outdated.get(hit.gist.id, [hit.gist])
            for gist in _nearer(instead, holding.get(hit.gist.id, ()), own):
                hits.setdefault(gist.key, Hit(gist, hit.parts))
        considered = [
            candidate._replace(dropped=None, parts=hits[candidate.key].parts)
            if candidate.dropped and candidate.key in hits
            else candidate
            for candidate in recall.considered
        ]
        known = {candidate.key for candidate in considered}
        missing = [Candidate(key, hit.parts) for key, hit in hits.items() if key not in known]
        recall = replace(recall, hits=tuple(hits.values()), considered=(*missing, *considered))
        recent = tuple(gist for gist in bundle.recent if gist.id not in outdated)
        former = tuple(
            Former(hit, frozenset(fact.id for fact in facts))
            for hit in bundle.recall.hits
            if (facts := outdated.get(hit.gist.id))
            and _nearest(facts, own) > _nearest(holding.get(hit.gist.id, ()), own)
        )
        material = replace(material, changed=changed)
        return replace(bundle, recall=recall, recent=recent, former=former, material=material)

    async def _summaries(self, request: ChatRequest) -> list[Summary]:
        most = self._sizes.summaries
        newest = await self._engine.chats.summaries.newest(request.owner, request.session_id, most)
        if request.isolated:
            return [summary for summary in newest if summary.session_id == request.session_id]
        return newest

    async def _memories(self, request: ChatRequest) -> list[KeyValue]:
        if request.isolated:
            return []
        most = KNOWN if asks_for_kept(request.asked) else self._sizes.memories
        return await self._engine.chats.keyvalues.suited(request.owner, request.asked, most)

    async def _observed(self, request: ChatRequest) -> list[Recalled]:
        if self._observations is None or request.isolated:
            return []
        if not await self._engine.notes.observations.has_any(request.owner):
            return []
        return await self._engine.notes.observations.recall(request.owner, request.asked, self._observations)

    async def _unsummarised(self, context: Context) -> list[Gist]:
        """For a request that names no subject: what no summary covers yet, or simply what was said last, where no
        summary is asked for, or all that is known."""
        intent, request, place = context.intent.name, context.request, context.place
        names_no_subject = intent == "recall" and not content_stems(request.asked)
        if intent != "summarise" and not request.asks_for_all and not names_no_subject:
            return []
        if place is None:
            return []
        covered = -1
        if intent == "summarise" and not request.asks_for_all:
            # Asked anew, for the request's place may not know of the last summary.
            current = await self._engine.chats.places.place(request.owner, request.session_id)
            covered = current.summarised_to if current is not None else -1
        most = min(place.index - covered - 1, UNSUMMARISED)
        if most <= 0:
            return []
        return await self._recent(context, most)

    async def _recent(self, context: Context, most: int) -> list[Gist]:
        request = context.request
        if context.place is None:
            return []
        return await self._engine.chats.turns.recent(request.owner, request.session_id, context.place, most)

    async def recalls(self, context: Context) -> list[Recall]:
        """The similar messages, for each question of the query, whatever its intent; none where it cannot be embedded,
        which the log tells."""
        request = context.request
        recipe = request.recipe or with_overrides(self._recipe, top_k=request.top_k)
        if self._budget is not None and self._fills(request):
            beside = len(request.history) or len(context.conversation.messages)  # what stands there is no memory
            wanted = self._budget.hits if request.top_k is None else min(request.top_k + beside, self._budget.hits)
            recipe = replace(recipe, top_k=max(recipe.top_k, wanted))
        scoped = Scope.of_conversation if request.isolated else Scope
        reach = len(self._budget.beside) // 2 if self._budget is not None and self._fills(request) else 0
        own = frozenset(context.own_keys)
        scope = scoped(request.session_id, exclude=own, timezone=request.timezone, reach=reach)
        try:
            recall, queries = self._engine.search.recall, questions_in(await self._resolved(context))
            return await asyncio.gather(*(recall(request.owner, query, recipe, scope) for query in queries))
        except ModelError as error:
            log.warning("recall without similar messages: %s", error.detail)
            return [Recall()]

    async def _resolved(self, context: Context) -> str:
        """The query with the name of whom its pronouns mean, where the message before it names somebody."""
        query = context.request.asked
        if len(query) > LONGEST or not has_pronoun(query):
            return query
        before = [gist for gist in await self._recent(context, RESOLVED_BY) if gist.role == "user"]
        whom = next((whom for gist in reversed(before) if (whom := whom_meant(gist.content, gist.timestamp))), None)
        return with_pronouns_named(query, whom) if whom else query


def _names_what(message: str, fact: str) -> bool:
    """Whether a message names all that a fact of it is about: "Actually it's at 8" names no rehearsal."""
    return subject_of(fact) <= stems_of(message)


def _cut(recall: Recall, top_k: int) -> Recall:
    return replace(recall, hits=recall.hits[:top_k])


def _joined(query: str, parts: Sequence[Recall]) -> Recall:
    """What was found for a query, or for the questions that it joins."""
    if len(parts) == 1:
        return parts[0]
    hits: dict[str, Hit] = {}
    for hit in sorted((hit for part in parts for hit in part.hits), key=lambda hit: -hit.score):
        hits.setdefault(hit.gist.key, hit)
    considered: dict[str, Candidate] = {}
    for candidate in sorted((each for part in parts for each in part.considered), key=lambda each: bool(each.dropped)):
        considered.setdefault(candidate.key, candidate)
    ranked = sorted(considered.values(), key=lambda candidate: -candidate.parts.score)
    return Recall(tuple(hits.values()), tuple(ranked), parts[0].dimensions, query)


def _nearer(replacing: Sequence[Gist], holding: Sequence[Gist], own: Mapping[str, float]) -> Sequence[Gist]:
    """Of what a message states, what takes its place: the facts that replaced some of it, or the one that holds, where
    recall by itself finds that nearer. `own`: scores by keys."""
    if _nearest(holding, own) <= max(_nearest(replacing, own), 0.0):
        return replacing
    return [max(holding, key=lambda gist: own.get(gist.key, 0.0))]


def _nearest(facts: Sequence[Gist], own: Mapping[str, float]) -> float:
    """The best score among facts; less than any where there is none."""
    return max((own.get(fact.key, 0.0) for fact in facts), default=-1.0)
