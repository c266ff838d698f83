"""A benchmark: conversations, and questions about them with the messages that answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from memory.domain import Role

ADVERSARIAL = "adversarial"  # asks of one person what was said of another
ABSTENTION = "abstention"  # asks what was never said
SMALL_TALK = "small_talk"  # asks nothing
UNANSWERABLE = frozenset({ADVERSARIAL, ABSTENTION, SMALL_TALK})

T = TypeVar("T")


class UnreadableCorpus(Exception):
    """A file that is none of the known formats, or contradicts its own."""


@dataclass(frozen=True)
class Message:
    """One message. `id`: unique in its conversation. `speaker`: None where there is no more to say than the role."""

    id: str
    session: str
    role: Role
    text: str
    timestamp: datetime
    speaker: str | None = None


@dataclass(frozen=True)
class Question:
    """A question and the ids of the messages that answer it. `id`: unique in its conversation."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...] = ()
    answer: str = ""  # where the file has one in words

    @property
    def counts(self) -> bool:
        """Whether anything can be learnt from it: one without evidence must be of a category that has none."""
        return bool(self.evidence) or self.category in UNANSWERABLE


@dataclass(frozen=True)
class Conversation:
    """Messages in time order, one session after the other."""

    id: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Corpus:
    name: str
    conversations: tuple[Conversation, ...]


def spread(items: Sequence[T], most: int | None) -> tuple[T, ...]:
    """At most so many of the items, spread evenly over them, for benchmarks list one category after the other."""
    if most is None or most >= len(items):
        return tuple(items)
    return tuple(items[place * len(items) // most] for place in range(most))
