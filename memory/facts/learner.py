"""What messages state, and what becomes of it beside the facts in force: by a model, or by rules."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory.domain import REPLACED, RULE_BASED
from memory.facts.facts import Facts, Origin
from memory.facts.model import decide_by_model, extract_by_model
from memory.facts.rules.corrections import corrected, in_full
from memory.facts.rules.extract import Candidate, candidates, keeps, lasting, stated_by, statement_of, states
from memory.facts.rules.keeping import asks_not_to_keep
from memory.facts.rules.leads import leads_of, said_in
from memory.facts.rules.reconcile import Add, Decision, Stated, decide_by_rules, nearest, texts_of
from memory.gists import gist_of
from memory.ids import keys_of
from memory.language import LONGEST, doing, is_foreign
from memory.store import Collections
from memory.turns import TOLD
from utils.chat import ChatModel
from utils.embeddings import LocalEmbedder
from utils.errors import ModelError
from utils.model_json import Ask, asking
from utils.mongo import Document
from utils.text import without_recalled
from utils.vectors import Floats

NEIGHBOURS = 20  # facts in force that a model is shown, those nearest by their words
COMPARED = 64  # facts in force that rules compare with new ones, those nearest by their words
JUST_TOLD = timedelta(minutes=10)  # how long what was told may be corrected without being named

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reading:
    """What a message states, and who found it. `decisions`: what becomes of that beside the facts in force, which were
    `known` by their ids, where that was decided along with it."""

    stated: Sequence[Stated]
    by: str = RULE_BASED
    known: Mapping[str, str] = field(default_factory=dict)
    decisions: Sequence[Decision] | None = None


class Learner:
    """Reads what a message states, and decides what becomes of it. `reader`: by which rules tell what lasts, and what
    is on the same."""

    def __init__(self, collections: Collections, facts: Facts, reader: LocalEmbedder, model: ChatModel | None) -> None:
        self._vectors = collections.vectors
        self._facts = facts
        self._reader = reader
        self._model = model
        self._ask = asking(model) if model is not None else None

    async def read(self, owner: str, text: str, at: datetime, ask: Ask | None) -> Reading:
        """What a text states that was said at a time."""
        text = without_recalled(text)
        if asks_not_to_keep(text):
            return Reading(())
        if self._model is not None and ask is not None:
            known = {} if await self._only_asks(text) else await self._known(owner)
            try:
                facts, decisions = await extract_by_model(ask, text, at, nearest(known, [text], NEIGHBOURS))
                return Reading([Stated(fact, fact) for fact in facts], self._model.model, known, decisions)
            except ModelError as error:
                log.warning("facts by rules: %s", error.detail)
        return Reading(await self.read_by_rules(text, at))

    async def _only_asks(self, text: str) -> bool:
        """Whether a text is a question or a request alone, so that facts in force hardly matter to what it states."""
        if not 0 < len(text) <= LONGEST:
            return False
        [vector] = await self._reader.embed([text])
        does = doing(vector, text)
        return does.asks_alone and not does.tells

    async def _known(self, owner: str) -> dict[str, str]:
        return {fact.id: fact.text for fact in await self._facts.in_force(owner)}

    async def read_by_rules(self, text: str, at: datetime) -> list[Stated]:
        """What a text states, by rules."""
        return stated_by(*await self._own_candidates(text, at))

    async def _own_candidates(self, text: str, at: datetime) -> tuple[list[Candidate], Mapping[str, Floats]]:
        """What may be facts of a text, in the user's own words, with the vectors by which that is decided."""
        found = await asyncio.to_thread(candidates, text, at)
        if not found:
            return [], {}
        said = [candidate.said for candidate in found]
        vectors = await self._vectors_of([*(text for candidate in found for text in candidate.read), *leads_of(said)])
        return [one for one in found if one.said.is_own(vectors, foreign=one.foreign)], vectors

    async def _vectors_of(self, texts: Iterable[str]) -> dict[str, Floats]:
        read = list(dict.fromkeys(texts))
        return dict(zip(read, await self._reader.embed(read), strict=True))

    async def read_as_told(self, owner: str, text: str, at: datetime, ask: Ask | None) -> Reading:
        """As `read`; a statement that no rule understands is a fact itself."""
        text = without_recalled(text)
        reading = await self.read(owner, text, at, ask)
        if reading.by != RULE_BASED or any(fact.lasts or fact.corrects for fact in reading.stated):
            return reading
        if asks_not_to_keep(text) or (statement := statement_of(text)) is None:
            return reading
        said = list(said_in(text))
        vectors = await self._vectors_of([statement, *leads_of(said)])
        [likely] = lasting(vectors[statement][None])
        own = all(one.is_own(vectors, whoever=True, foreign=is_foreign(text)) for one in said)
        return Reading([Stated(statement, statement)]) if keeps(statement, float(likely)) and own else reading

    async def decisions(self, origin: Origin, reading: Reading) -> tuple[list[Decision], str]:
        """What becomes of what is stated, and who decided."""
        if not reading.stated:
            return [], origin.by
        facts = await self._facts.in_force(origin.owner)
        known = {fact.id: fact.text for fact in facts}
        here = [fact for fact in facts if fact.memory_id == origin.memory_id]
        just_told = {fact.id: fact.text for fact in here if abs(origin.at - fact.valid_from) <= JUST_TOLD}
        stated = in_full(reading.stated, just_told)
        new = [fact.text for fact in stated]
        if reading.decisions is not None and known == reading.known and stated == list(reading.stated):
            return list(reading.decisions), origin.by
        if self._model is not None and self._ask is not None and origin.by != RULE_BASED and known:
            try:
                return await decide_by_model(self._ask, new, nearest(known, new, NEIGHBOURS)), self._model.model
            except ModelError as error:
                log.warning("facts reconciled by rules: %s", error.detail)
        near = nearest(known, new, COMPARED) | {fact.of: known[fact.of] for fact in stated if fact.of is not None}
        texts = texts_of(stated, near)
        readings = dict(zip(texts, await self._reader.read(texts), strict=True))
        return decide_by_rules(stated, near, readings), origin.by if not known else RULE_BASED

    async def keep_corrected(
        self, origin: Origin, stated: Iterable[Stated], stands: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        """Makes a fact of what the user's message before states, where that is corrected and there is none of it: "The
        meeting is at 9." is no fact until "Actually it is at 10." follows. `stands`: whether what corrects it does."""
        corrections = [one.text for one in stated if one.corrects]
        before = await self._message_before(origin) if corrections else None
        if before is None or any(before["id"] in fact.sources for fact in await self._facts.in_force(origin.owner)):
            return
        said, vectors = await self._own_candidates(without_recalled(before["content"]), gist_of(before).said_at)
        texts = [candidate.text for candidate in said if states(candidate, vectors)]
        wrong = [text for text in texts if any(corrected(correction, text) is not None for correction in corrections)]

        async def both_stand() -> bool:
            there = await self._vectors.find_one({"_id": before["_id"], **TOLD}, {"_id": 1})
            return there is not None and (stands is None or await stands())

        await self._facts.apply(origin_of(before, RULE_BASED), [Add(text) for text in wrong[-1:]], both_stand)

    async def _message_before(self, origin: Origin) -> Document | None:
        """The user's message before, in the conversation, where it was said just then."""
        own, places = {"user_id": origin.owner, "session_id": origin.memory_id}, {"$gte": 0}
        if origin.source is not None:
            keys = keys_of(origin.source, origin.owner)
            message = await self._vectors.find_one({**own, "_id": {"$in": keys}}, {"message_index": 1})
            if message is None:
                return None
            places["$lt"] = message["message_index"]
        sought = {**own, "role": "user", "message_index": places, "branch": {"$ne": REPLACED}, **TOLD}
        found = await self._vectors.find(sought).sort("message_index", -1).limit(1).to_list(None)
        return found[0] if found and abs(origin.at - found[0]["timestamp"]) <= JUST_TOLD else None


def origin_of(document: Document, by: str) -> Origin:
    """Where decisions on a message come from."""
    said = document["created_at"]
    return Origin(document["user_id"], document["session_id"], by, document["timestamp"], document["id"], said)
