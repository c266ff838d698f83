"""Facts by a language model: which a message states, and what becomes of those in force."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from config.prompts import prompt
from memory.facts.rules.extract import LONGEST, MOST
from memory.facts.rules.reconcile import Add, Decision, Delete, Keep, Update
from utils.chat import ChatModel, Shape
from utils.model_json import ask_for_json, shape_of
from utils.sentences import SENTENCE_END
from utils.text import shown

PIECE_CHARACTERS = 8_000  # of a message that the model is shown at a time
PIECES = 4  # of a message that are read

log = logging.getLogger(__name__)

T = TypeVar("T")

FactText = Annotated[str, Field(min_length=1, max_length=2 * LONGEST)]


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Extracted(_Answer):
    facts: list[FactText]


class _Decided(_Answer):
    """What becomes of a new fact, of one in force, or of the former beside the latter, by their numbers."""

    event: Literal["ADD", "UPDATE", "DELETE", "NONE"]
    fact: int = Field(-1, description="Number of the new fact; -1 for DELETE")
    id: int = Field(-1, description="Id of the fact in force; -1 for ADD")
    text: FactText | None = Field(None, description="For UPDATE: the sentence that holds now")


class _Reconciled(_Answer):
    decisions: list[_Decided]


EXTRACTED, RECONCILED = shape_of(_Extracted), shape_of(_Reconciled)


async def extract_by_model(model: ChatModel, message: str, at: datetime) -> list[str]:
    """The facts that a user's message states, said at a time; of a long one, each of its first `PIECES` is read by
    itself.

    Raises `ModelError`; `ModelGarbage` where the model gives no list of sentences twice.
    """
    read, facts = pieces(message), dict[str, None]()
    if sum(map(len, read)) < len(message.strip()):
        log.warning("of a message of %d characters, facts are made of the first %d pieces", len(message), len(read))
    for piece in read:
        quoted = {"said_on": f"{at:%A, %Y-%m-%d}", "message": piece}
        found = await _asked(model, "facts", quoted, EXTRACTED, lambda raw: _Extracted.model_validate_json(raw).facts)
        facts |= dict.fromkeys([text for fact in found if (text := shown(fact))][:MOST])
    return list(facts)


def pieces(message: str) -> list[str]:
    """A message in at most `PIECES` of at most `PIECE_CHARACTERS`, cut where a sentence ends, or else a word."""
    cut: list[str] = []
    left = message
    while left.strip() and len(cut) < PIECES:
        if len(left) <= PIECE_CHARACTERS:
            return [*cut, left]
        head = left[:PIECE_CHARACTERS]
        ends = [found.end() for found in SENTENCE_END.finditer(head)]
        end = ends[-1] if ends else max(head.rfind(" ") + 1, 0) or PIECE_CHARACTERS
        cut.append(head[:end])
        left = left[end:]
    return cut


async def decide_by_model(model: ChatModel, new: Sequence[str], known: Mapping[str, str]) -> list[Decision]:
    """What becomes of each new fact beside those in force, which are `known` by their ids, in order, and then which of
    those hold no longer. A new one that the model says nothing of is added, so that none is lost.

    Raises `ModelError`; `ModelGarbage` where the model twice gives no such decisions, or some that contradict each
    other.
    """
    listed = {
        "in_force": [{"id": number, "text": text} for number, text in enumerate(known.values())],
        "new": [{"fact": number, "text": text} for number, text in enumerate(new)],
    }

    def read(raw: str) -> list[Decision]:
        return _decisions(_Reconciled.model_validate_json(raw), new, list(known))

    return await _asked(model, "reconcile", listed, RECONCILED, read)


def _decisions(answer: _Reconciled, new: Sequence[str], known: Sequence[str]) -> list[Decision]:
    """`known`: ids of the facts in force. Raises `ValueError` where a number names nothing, a text says nothing, or two
    decisions are of one fact; several new ones may be said already by the same one in force."""
    settled: dict[int, Decision] = {}
    deleted: list[Decision] = []
    for decided in answer.decisions:
        if decided.event != "DELETE" and (decided.fact not in range(len(new)) or decided.fact in settled):
            raise ValueError("a decision is of no new fact")
        if decided.event != "ADD" and decided.id not in range(len(known)):
            raise ValueError("a decision is of no fact in force")
        match decided.event:
            case "ADD":
                settled[decided.fact] = Add(new[decided.fact])
            case "UPDATE":
                if not (text := shown(decided.text or "")):
                    raise ValueError("a fact is replaced by nothing")
                settled[decided.fact] = Update(known[decided.id], text)
            case "NONE":
                settled[decided.fact] = Keep(known[decided.id])
            case "DELETE":
                deleted.append(Delete(known[decided.id]))
    made = (*settled.values(), *deleted)
    changed = [decided.id for decided in made if isinstance(decided, Update | Delete)]
    if len(set(changed)) < len(changed):
        raise ValueError("a fact in force is replaced twice")
    if not {decided.id for decided in made if isinstance(decided, Keep)}.isdisjoint(changed):
        raise ValueError("a fact in force holds and does not")
    return [*(settled.get(number, Add(text)) for number, text in enumerate(new)), *deleted]


async def _asked(model: ChatModel, name: str, data: object, shape: Shape, read: Callable[[str], T]) -> T:
    """What `read` makes of the model's answer; asked once more where it raises `ValueError`."""
    unreadable = "The model's decisions on facts cannot be read"
    asked = prompt(name).substitute()
    return await ask_for_json(
        model, asked, data, read, garbage=unreadable, options={"purpose": "facts", "shape": shape}
    )
