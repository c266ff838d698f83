"""What does a language model make of a message: which facts it states, and what becomes of those in force?"""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from config.prompts import prompt
from memory.fact_decisions import Add, Decision, Delete, Keep, Known, Update
from memory.fact_rules import LONGEST, MOST
from utils.errors import ModelGarbage
from utils.llm import ChatModel, Message

TRIES = 2
MESSAGE_CHARACTERS = 8_000
_FENCE = re.compile(r"^\s*```(?:json)?\s*|\s*```\s*$")

T = TypeVar("T")

FactText = Annotated[str, Field(min_length=1, max_length=2 * LONGEST)]


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Extracted(_Answer):
    facts: list[FactText]


class _Added(_Answer):
    event: Literal["ADD"]
    fact: int


class _Updated(_Answer):
    event: Literal["UPDATE"]
    fact: int
    id: int
    text: FactText


class _Deleted(_Answer):
    event: Literal["DELETE"]
    id: int


class _Kept(_Answer):
    event: Literal["NONE"]
    fact: int
    id: int


class _Reconciled(_Answer):
    decisions: list[Annotated[_Added | _Updated | _Deleted | _Kept, Field(discriminator="event")]]


async def extract_by_model(model: ChatModel, message: str) -> list[str]:
    """The facts that a user's message states.

    Raises `ModelError`; `ModelGarbage` where the model gives no list of sentences twice.
    """
    quoted = orjson.dumps({"message": message[:MESSAGE_CHARACTERS]}).decode()
    facts = await _asked(model, "facts", quoted, lambda raw: _Extracted.model_validate_json(raw).facts)
    return list(dict.fromkeys(" ".join(fact.split()) for fact in facts if fact.strip()))[:MOST]


async def decide_by_model(model: ChatModel, new: Sequence[str], known: Sequence[Known]) -> list[Decision]:
    """What becomes of each new fact beside those in force. One that the model says nothing of is added, so that none
    is lost. Raises as `extract_by_model`."""
    listed = {
        "in_force": [{"id": number, "text": one.text} for number, one in enumerate(known)],
        "new": [{"fact": number, "text": text} for number, text in enumerate(new)],
    }

    def read(raw: str) -> list[Decision]:
        return _decisions(_Reconciled.model_validate_json(raw), new, known)

    return await _asked(model, "reconcile", orjson.dumps(listed).decode(), read)


def _decisions(answer: _Reconciled, new: Sequence[str], known: Sequence[Known]) -> list[Decision]:
    """Raises `ValueError` where a number names nothing, or two decisions are of one fact."""
    settled: dict[int, Decision] = {}
    deleted: list[Decision] = []
    for one in answer.decisions:
        if not isinstance(one, _Deleted) and (one.fact not in range(len(new)) or one.fact in settled):
            raise ValueError("a decision is of no new fact")
        if not isinstance(one, _Added) and one.id not in range(len(known)):
            raise ValueError("a decision is of no fact in force")
        match one:
            case _Added():
                settled[one.fact] = Add(new[one.fact])
            case _Updated():
                settled[one.fact] = Update(known[one.id].id, " ".join(one.text.split()))
            case _Kept():
                settled[one.fact] = Keep(known[one.id].id)
            case _Deleted():
                deleted.append(Delete(known[one.id].id))
    touched = [one.id for one in (*settled.values(), *deleted) if isinstance(one, Update | Delete)]
    if len(set(touched)) < len(touched):
        raise ValueError("a fact in force is replaced twice")
    return [*(settled.get(number, Add(text)) for number, text in enumerate(new)), *deleted]


async def _asked(model: ChatModel, name: str, data: str, read: Callable[[str], T]) -> T:
    """What `read` makes of the model's answer; asked once more where it raises `ValueError`."""
    messages: list[Message] = [
        {"role": "system", "content": prompt(name).substitute()},
        {"role": "user", "content": data},
    ]
    for _ in range(TRIES):
        answer = await model.complete(messages, temperature=0.0)
        try:
            return read(_FENCE.sub("", answer.text))
        except (ValidationError, ValueError):
            continue
    raise ModelGarbage("The model's decisions on facts cannot be read")
