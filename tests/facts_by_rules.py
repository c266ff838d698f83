"""Conversations of one user, and what is in force after them without a store."""

from collections.abc import Sequence
from datetime import UTC, datetime

from memory.facts.rules.extract import candidates, facts_of
from memory.facts.rules.lasting import lasting
from memory.facts.rules.reconcile import Add, Decision, Delete, Known, Update, decide_by_rules, reconciled
from utils.encoder import Encoder

SAID_AT = datetime(2025, 7, 16, 10, tzinfo=UTC)  # a Wednesday


def extracted(encoder: Encoder, message: str, at: datetime = SAID_AT) -> dict[str, str]:
    """The facts of a message, each with the sentence that says it."""
    found = candidates(message, at)
    if not found:
        return {}
    vectors = encoder.encode([one.spoken for one in found])
    return facts_of(found, vectors, lasting(vectors))


def decided(encoder: Encoder, message: str, known: Sequence[Known]) -> list[Decision]:
    """What a message does to facts in force."""
    new = extracted(encoder, message)
    texts = list(dict.fromkeys([*new, *new.values(), *(one.text for one in known)]))
    readings = dict(zip(texts, encoder.read(texts), strict=True))
    return decide_by_rules(reconciled(new, readings), known, readings)


def in_force(encoder: Encoder, *messages: str) -> list[str]:
    """What is in force after some messages."""
    known: list[Known] = []
    for place, message in enumerate(messages):
        for number, decision in enumerate(decided(encoder, message, known)):
            if isinstance(decision, Update | Delete):
                known = [one for one in known if one.id != decision.id]
            if isinstance(decision, Add | Update):
                known.append(Known(f"{place}-{number}", decision.text))
    return [one.text for one in known]
