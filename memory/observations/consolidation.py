"""Consolidation by rules: what a conversation decided, learned and found, and the message that sums it up."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.domain import RULE_BASED
from memory.observations.notes import (
    NAMED,
    NOTE_CHARACTERS,
    OPEN,
    heading_of,
    item_of,
    labelled_note,
    parts_of,
    plain,
)
from memory.observations.observation import Category, Observed
from utils.sentences import split_sentences
from utils.text import content_stems, cut_at_word, ends_with_question_mark

SUMMARY_OVER = 100  # characters: a longer message of the assistant may sum a conversation up
SUMMARY_CHARACTERS = 4_000

LEARNED = re.compile(r"\blearn(?:ed|t) that\b", re.IGNORECASE)  # makes a lesson; the other words an insight
TRIGGER = re.compile(
    r"\b(?:decided|conclusions?|important|remember|(?:do not|don['’]t|never) forget|note that|key insight|"
    rf"will use|should use|agreed)\b|{LEARNED.pattern}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SessionMessage:
    """A message of a conversation. `id`: None where it is not kept. `model`: what wrote it, where that is known."""

    role: str
    content: str
    id: str | None = None
    model: str | None = None


def consolidate(messages: Sequence[SessionMessage]) -> tuple[Observed, ...]:
    """What a conversation decided, agreed on, found important or learned: each sentence with one of the trigger words
    is an insight, one that tells what was learned a lesson. What is labelled ("Finding: …", or a list under "Lessons:")
    is what its label says. A sentence that says nothing without the one before it comes with that, unless that asks or
    leaves something open. Questions tell nothing, and answers made by rules only quote."""
    notes: list[Observed] = []
    for message in messages:
        if message.role in ("user", "assistant", "tool") and message.model != RULE_BASED:
            notes += _told(message)
    return tuple(notes)


def _told(message: SessionMessage) -> list[Observed]:
    if TRIGGER.search(message.content) is None and NAMED.search(message.content) is None:
        return []
    notes: list[Observed] = []
    unlabelled: list[str] = []
    under: Category | None = None  # the label of the list that a line may belong to
    for line in message.content.splitlines():
        item = item_of(line)
        if (heading := heading_of(line)) is not None:
            under = heading
        elif item is not None and under is not None:
            notes += _labelled(under, plain(item), message)
            continue
        elif line.strip():
            under = None
        unlabelled.append(line)
    return [*_by_trigger("\n".join(unlabelled), message), *notes]


def _labelled(category: Category, text: str, message: SessionMessage) -> list[Observed]:
    return [] if not text or _asks(text) else [Observed(category, text, _ids(message))]


def _by_trigger(content: str, message: SessionMessage) -> Iterator[Observed]:
    """The notes of a text's sentences, by their labels and the words in them."""
    before = ""
    for sentence in parts_of(split_sentences(content)):
        settled = OPEN.sub(" ", sentence)
        if (labelled := labelled_note(sentence)) is not None:
            yield from _labelled(*labelled, message)
        elif TRIGGER.search(settled) and not _asks(sentence):
            alone = bool(content_stems(TRIGGER.sub(" ", sentence)))
            text = sentence if alone else f"{before} {sentence}".strip()
            is_settled = bool(before) and OPEN.search(before) is None and not _asks(before)
            if alone or is_settled:
                category: Category = "lesson" if LEARNED.search(settled) else "insight"
                yield Observed(category, cut_at_word(text, NOTE_CHARACTERS), _ids(message))
        before = sentence


def _asks(sentence: str) -> bool:
    return ends_with_question_mark(sentence.rstrip(" \"')”*_"))


def summary_of(messages: Sequence[SessionMessage]) -> Observed | None:
    """The last message of the assistant that is longer than `SUMMARY_OVER`, as an insight; None where there is none."""
    for message in reversed(messages):
        if message.role == "assistant" and message.model != RULE_BASED and len(message.content) > SUMMARY_OVER:
            return Observed("insight", cut_at_word(message.content, SUMMARY_CHARACTERS), _ids(message))
    return None


def _ids(message: SessionMessage) -> tuple[str, ...]:
    return () if message.id is None else (message.id,)
