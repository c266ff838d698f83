"""An observation: a finding, an insight or a lesson, and where it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memory.domain import Candidate, Parts
from memory.ids import derived_id
from utils.errors import InvalidInput
from utils.text import is_text

Category = Literal["finding", "insight", "lesson"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
LONGEST = 16_000  # characters of an observation, all of which words find
LONGEST_SOURCE = 400
SESSION = "session:"  # how the source begins of what came of a session


@dataclass(frozen=True)
class Observed:
    """Something to be remembered. `messages`: ids of the messages that say so, where it comes from some."""

    category: Category
    content: str
    messages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observation:
    """What is remembered. `source`: where it comes from, such as "GOAL:deploy" or "session:monday". `model`: who found
    it in a text, "rule_based" or a model's name; None for what was handed over as it is."""

    id: str
    category: Category
    content: str
    source: str
    created_at: datetime
    model: str | None = None

    @property
    def updated_at(self) -> datetime:
        """It never changes."""
        return self.created_at


@dataclass(frozen=True)
class Recalled:
    """An observation that suits a query. `score`: s / (1 + s) of its BM25 score s."""

    observation: Observation
    score: float

    def as_candidate(self) -> Candidate:
        """As a receipt tells it."""
        return Candidate(self.observation.id, Parts(0.0, self.score, bm25=self.score))


@dataclass(frozen=True)
class FIL:
    """Findings, insights and lessons that suit a query, each best first."""

    findings: tuple[Recalled, ...] = ()
    insights: tuple[Recalled, ...] = ()
    lessons: tuple[Recalled, ...] = ()


def observed(
    findings: Sequence[str] = (), insights: Sequence[str] = (), lessons: Sequence[str] = ()
) -> tuple[Observed, ...]:
    """Texts by category, in the order of the categories."""
    texts = zip(CATEGORIES, (findings, insights, lessons), strict=True)
    return tuple(Observed(category, text) for category, every in texts for text in every)


def observation_id(owner: str, note: Observed, source: str) -> str:
    """The same for the same content of the same category and source, so that it is remembered once; blanks around it
    and between its words make no other one."""
    return derived_id("observation", owner, note.category, " ".join(note.content.split()), source)


def source_of_session(session_id: str) -> str:
    return SESSION + session_id


def check(note: Observed, source: str) -> None:
    """Raises `InvalidInput` for what cannot be remembered."""
    if note.category not in CATEGORIES:
        raise InvalidInput(f"A category is one of {', '.join(CATEGORIES)}")
    if not note.content.strip() or len(note.content) > LONGEST:
        raise InvalidInput(f"An observation has 1 to {LONGEST} characters, not all of them blank")
    if not is_text(note.content) or not is_text(source):
        raise InvalidInput("An observation has lone surrogates")
    if not source.strip() or len(source) > LONGEST_SOURCE:
        raise InvalidInput(f"A source has 1 to {LONGEST_SOURCE} characters, not all of them blank")
