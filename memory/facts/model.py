"""Facts by a language model: which a message states, and what becomes of those in force."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from config.prompts import prompt
from memory.facts.rules.extract import LONGEST, MOST
from memory.facts.rules.reconcile import Add, Decision, Delete, Keep, Update
from utils.model_json import Ask, Part
from utils.sentences import SENTENCE_END
from utils.text import shown, unfenced

PIECE_CHARACTERS = 8_000  # of a message that the model is shown at a time
PIECES = 4  # of a message that are read

log = logging.getLogger(__name__)

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


class _Learnt(_Extracted, _Reconciled):
    pass


async def extract_by_model(
    ask: Ask, message: str, at: datetime, known: Mapping[str, str]
) -> tuple[list[str], list[Decision] | None]:
    """The facts that a user's message states, said at a time; of a long one, each of its first `PIECES` is read by
    itself. And what becomes of them beside those in force, which are `known` by their ids; None where that is still to
    be decided.

    Raises `ModelError`; `ModelGarbage` where the model gives no list of sentences twice.
    """
    read, facts = pieces(message), dict[str, None]()
    decisions: list[Decision] | None = None
    if sum(map(len, read)) < len(message.strip()):
        log.warning("of a message of %d characters, facts are made of the first %d pieces", len(message), len(read))
    for piece in read:
        quoted = {"said_on": f"{at:%A, %Y-%m-%d}", "message": piece}
        is_whole = len(read) == 1 and bool(known)
        (found, decisions), _ = await ask(_learning(quoted, known) if is_whole else _extracting(quoted))
        facts |= dict.fromkeys(found)
    return list(facts), decisions


Learnt = tuple[list[str], list[Decision] | None]


def _extracting(quoted: Mapping[str, object]) -> Part[Learnt]:
    def read(raw: str) -> Learnt:
        return _tidy(_Extracted.model_validate_json(unfenced(raw)).facts), None

    return Part("facts", "facts", prompt("facts").substitute(), quoted, _Extracted, read)


def _learning(quoted: Mapping[str, object], known: Mapping[str, str]) -> Part[Learnt]:
    """The facts of a message, and what becomes of them. Decisions that cannot be read leave the facts as they are."""

    def read(raw: str) -> Learnt:
        inner = unfenced(raw)
        stated = _Extracted.model_validate_json(inner).facts
        facts = _tidy(stated)
        if len(facts) < len(stated):  # whose numbers are others then
            return facts, None
        try:
            return facts, _decisions(_Reconciled.model_validate_json(inner), facts, list(known))
        except ValueError:
            return facts, None

    extracting = prompt("facts").substitute().rpartition("\n\n")[0]  # without how to answer
    deciding = prompt("reconcile").substitute(
        new='your "facts", numbered from 0 on', facts='"facts": ["The user lives in Berlin.", "The user loves figs."], '
    )
    told = {**quoted, "in_force": _numbered(known)}
    return Part("facts", "facts", f"{extracting}\n\n{deciding}", told, _Learnt, read)


def _tidy(stated: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([text for fact in stated if (text := shown(fact))][:MOST]))


def _numbered(known: Mapping[str, str]) -> list[dict[str, object]]:
    return [{"id": number, "text": text} for number, text in enumerate(known.values())]


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


async def decide_by_model(ask: Ask, new: Sequence[str], known: Mapping[str, str]) -> list[Decision]:
    """What becomes of each new fact beside those in force, which are `known` by their ids, in order, and then which of
    those hold no longer. A new one that the model says nothing of is added, so that none is lost.

    Raises `ModelError`; `ModelGarbage` where the model twice gives no such decisions, or some that contradict each
    other.
    """
    listed = {
        "in_force": _numbered(known),
        "new": [{"fact": number, "text": text} for number, text in enumerate(new)],
    }

    def read(raw: str) -> list[Decision]:
        return _decisions(_Reconciled.model_validate_json(unfenced(raw)), new, list(known))

    asked = prompt("reconcile").substitute(new='in "new", each with a number "fact"', facts="")
    return (await ask(Part("decisions", "facts", asked, listed, _Reconciled, read)))[0]


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
