"""The observer: notes what is worth keeping of a step's output, or of a session, by a model or by rules."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ValidationError

from config.prompts import prompt
from memory import metrics
from memory.domain import RULE_BASED
from memory.ids import keys_of
from memory.observations.consolidation import SessionMessage, consolidate, summary_of
from memory.observations.notes import observe_by_rules, output_for_model
from memory.observations.observation import Observation, Observed, observation_id, observed, source_of_session
from memory.observations.observations import Observations
from memory.store import Collections
from memory.turns import Places, Turns
from utils.chat import ChatModel, ChatOptions
from utils.errors import HAS_CONTROL_CHARACTERS, Conflict, InvalidInput, ModelError, NotFound
from utils.model_json import ask, shape_of, values_in
from utils.text import CONTROL_CHARACTERS, cut_at_word, off_a_terminal, shown

SHORTEST = 50  # characters of an output; the observations' document skips shorter ones
AT_ONCE = 250  # messages of a session that are read at a time
CHECKED_AT_ONCE = 1_000  # messages
MOST = 20  # notes of a model's kept of a category
NOTE_CHARACTERS = 1_000


Outcome = Literal["observed", "skipped", "failed"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extracted:
    """What became of a step's output. `skipped`: it was too short. `failed`: the model gave nothing that can be read.
    `model`: who read it; None where nobody did."""

    outcome: Outcome
    model: str | None
    observations: tuple[Observation, ...] = ()


@dataclass(frozen=True)
class Consolidated:
    """What a session left. `summary`: None where no message sums it up. `added`: how many of all are new."""

    observations: tuple[Observation, ...]
    summary: Observation | None
    added: int


class Observer:
    """`model`: who reads outputs; None for rules."""

    def __init__(
        self,
        collections: Collections,
        observations: Observations,
        turns: Turns,
        places: Places,
        model: ChatModel | None,
    ) -> None:
        self._vectors = collections.vectors
        self._observations = observations
        self._turns = turns
        self._places = places
        self._model = model

    async def extract(self, owner: str, step_name: str, step_type: str, output: str) -> Extracted:
        """Remembers what a step's output tells, under the source "STEP_TYPE:step_name". A model that fails gives
        nothing, which is logged and counted. Raises `InvalidInput` for control characters other than a terminal's."""
        output = await asyncio.to_thread(off_a_terminal, output)
        if CONTROL_CHARACTERS.search(output):
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("output"))
        if len(output.strip()) < SHORTEST:
            return Extracted("skipped", None)
        try:
            found, by = await self._read(step_name, step_type, output)
        except ModelError as error:
            log.warning("no observations of a step's output: %s", error.detail)
            metrics.UNOBSERVED.inc()
            return Extracted("failed", self._model.model if self._model else None)
        kept, _ = await self._observations.remember(owner, found, f"{step_type}:{step_name}", model=by)
        return Extracted("observed", by, tuple(dict.fromkeys(kept)))

    async def _read(self, step_name: str, step_type: str, output: str) -> tuple[tuple[Observed, ...], str]:
        if self._model is None:
            return await asyncio.to_thread(observe_by_rules, output), RULE_BASED
        read = await asyncio.to_thread(output_for_model, output)
        return await observe_by_model(self._model, step_name, step_type, read), self._model.model

    async def consolidate(
        self, owner: str, session_id: str, messages: Sequence[SessionMessage] | None = None
    ) -> Consolidated:
        """Remembers what a session decided and learned, and what sums it up, under the source "session:…". Again, or
        twice at once, it adds nothing. `messages`: of the session; not given, all that are kept of it.

        Raises `InvalidInput` for messages with control characters; `NotFound` where the session's own messages are
        asked for and there is none; `Conflict` where it is deleted meanwhile, and nothing is left behind.
        """
        if any(CONTROL_CHARACTERS.search(said.content) for said in messages or ()):
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("messages"))
        place = await self._places.place(owner, session_id)
        if place is None and messages is None:
            raise NotFound("No such session")
        notes: list[Observed] = []
        summary: Observed | None = None
        read: dict[str, str] = {}
        async for part in self._kept(owner, session_id) if messages is None else _given(messages):
            new = await asyncio.to_thread(consolidate, part)
            notes += new
            last = summary_of(part)
            summary = last or summary
            telling = {message for one in (*new, *filter(None, [last])) for message in one.messages}
            read |= {said.id: said.content for said in part if said.id in telling}
        every = [*notes, *([summary] if summary is not None else [])]
        source = source_of_session(session_id)
        kept, added = await self._observations.remember(owner, every, source, model=RULE_BASED)
        if place is not None and not await self._places.is_there(place):
            await self._observations.take_back(owner, [observation_id(owner, one, source) for one in every])
            raise Conflict("The session was deleted meanwhile")
        await self._drop_forgotten(owner, every, read)
        summed_up = kept.pop() if summary is not None else None
        return Consolidated(tuple(dict.fromkeys(kept)), summed_up, added)

    async def _kept(self, owner: str, session_id: str) -> AsyncIterator[list[SessionMessage]]:
        """The messages of a session, in order, some at a time."""
        after = -1
        while turns := await self._turns.page(owner, session_id, after=after, limit=AT_ONCE):
            yield [SessionMessage(turn.role, turn.content, turn.id, turn.model) for turn in turns]
            after = turns[-1].index or 0

    async def _drop_forgotten(self, owner: str, every: Sequence[Observed], read: Mapping[str, str]) -> None:
        """Takes back what came of messages that were deleted meanwhile, or do not say any more what was read."""
        ids = list(dict.fromkeys(message for one in every for message in one.messages))
        for begin in range(0, len(ids), CHECKED_AT_ONCE):
            part = ids[begin : begin + CHECKED_AT_ONCE]
            keys = [key for identifier in part for key in keys_of(identifier, owner)]
            own = {"_id": {"$in": keys}, "user_id": owner, "forgotten": {"$exists": False}}
            found = await self._vectors.find(own, {"id": 1, "content": 1}).to_list(None)
            there = {one["id"]: one["content"] for one in found}
            for gone in (identifier for identifier in part if there.get(identifier) != read[identifier]):
                await self._observations.forget_message(owner, gone)


async def _given(messages: Sequence[SessionMessage]) -> AsyncIterator[Sequence[SessionMessage]]:
    yield messages


class _Notes(BaseModel):
    findings: list[str] | None = None
    insights: list[str] | None = None
    lessons: list[str] | None = None


NOTES = shape_of(_Notes)


async def observe_by_model(model: ChatModel, step_name: str, step_type: str, output: str) -> tuple[Observed, ...]:
    """What the model notes of an output. Raises `ModelError`; `ModelGarbage` where its answers are no such notes."""
    step = {"step_name": step_name, "step_type": step_type, "output": output}
    garbage = "The model's observations cannot be read"
    asked = prompt("observations").substitute()
    options: ChatOptions = {"purpose": "observation", "shape": NOTES}
    return await ask(model, asked, step, read_notes, garbage=garbage, options=options)


def read_notes(text: str) -> tuple[Observed, ...]:
    """The notes in a model's answer: an object with lists of texts under `findings`, `insights` or `lessons`, whatever
    stands around it. Raises `ValueError` where there is none, so that nobody takes an answer that was lost for one that
    said nothing."""
    for value in values_in(text):
        try:
            notes = _Notes.model_validate(value)
        except ValidationError:
            continue
        if notes.model_fields_set:
            return observed(*map(_tidy, (notes.findings, notes.insights, notes.lessons)))
    raise ValueError("there are no findings, insights or lessons in them")


def _tidy(notes: Iterable[str] | None) -> list[str]:
    """Each once, on one line, without what cannot be seen."""
    return list(dict.fromkeys(cut_at_word(text, NOTE_CHARACTERS) for note in notes or () if (text := shown(note))))[
        :MOST
    ]
