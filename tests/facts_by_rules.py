"""Conversations of one user, and what is in force after them without a store."""

from collections.abc import Mapping
from datetime import UTC, datetime

from memory.facts.rules.corrections import in_full
from memory.facts.rules.extract import candidates, stated_by
from memory.facts.rules.leads import leads_of
from memory.facts.rules.reconcile import Add, Decision, Delete, Stated, Update, decide_by_rules, texts_of
from utils.encoder import Encoder

SAID_AT = datetime(2025, 7, 16, 10, tzinfo=UTC)  # a Wednesday


def stated(encoder: Encoder, message: str, at: datetime = SAID_AT) -> list[Stated]:
    """What a message states: facts, and what only ends some."""
    found = candidates(message, at)
    if not found:
        return []
    texts = [*(text for one in found for text in one.read), *leads_of(one.said for one in found)]
    vectors = {text: reading.sentence for text, reading in zip(texts, encoder.read(texts), strict=True)}
    return stated_by([one for one in found if one.said.is_own(vectors, foreign=one.foreign)], vectors)


def extracted(encoder: Encoder, message: str, at: datetime = SAID_AT) -> list[str]:
    """The facts of a message."""
    return [one.text for one in in_full(stated(encoder, message, at), {}) if one.lasts]


def decided(encoder: Encoder, message: str, known: Mapping[str, str]) -> list[Decision]:
    """What a message does to facts in force."""
    new = in_full(stated(encoder, message), known)
    texts = texts_of(new, known)
    return decide_by_rules(new, known, dict(zip(texts, encoder.read(texts), strict=True)))


def in_force(encoder: Encoder, *messages: str) -> list[str]:
    """What is in force after some messages."""
    known: dict[str, str] = {}
    for place, message in enumerate(messages):
        for number, decision in enumerate(decided(encoder, message, known)):
            if isinstance(decision, Update | Delete):
                known.pop(decision.id)
            if isinstance(decision, Add | Update):
                known[f"{place}-{number}"] = decision.text
    return list(known.values())
