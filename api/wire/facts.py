"""Wire shapes of facts."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.wire.base import OwnedRequest
from api.wire.fields import Content, Identifier, Wire
from memory.facts import Decided, Event, Fact, FactEvent

LONGEST = 20_000  # characters of a text that facts are made of
LONGEST_FACT = 600


class FactOut(Wire):
    id: str
    memory_id: str
    text: str
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: str | None
    may_replace: str | None = None
    sources: list[str]
    decided_by: str
    updated_at: datetime

    @classmethod
    def of(cls, fact: Fact) -> "FactOut":
        return cls(
            id=fact.id,
            memory_id=fact.memory_id,
            text=fact.text,
            valid_from=fact.valid_from,
            valid_to=fact.valid_to,
            superseded_by=fact.superseded_by,
            may_replace=fact.may_replace,
            sources=list(fact.sources),
            decided_by=fact.decided_by,
            updated_at=fact.updated_at,
        )


class FactPage(Wire):
    items: list[FactOut]
    next_cursor: str | None


class FactEventOut(Wire):
    event: Event
    at: datetime
    by: str
    source: str | None
    other: str | None

    @classmethod
    def of(cls, event: FactEvent) -> "FactEventOut":
        return cls(event=event.event, at=event.at, by=event.by, source=event.source, other=event.other)


class FactHistory(Wire):
    items: list[FactEventOut]


class FactsRequest(OwnedRequest):
    text: Annotated[Content, Field(max_length=LONGEST)]
    memory_id: Identifier = "default"


class FactPatch(OwnedRequest):
    text: Annotated[Content, Field(max_length=LONGEST_FACT)]


class DecisionOut(Wire):
    event: Event
    id: str
    text: str
    old: str | None = None

    @classmethod
    def of(cls, decided: Decided) -> "DecisionOut":
        return cls(event=decided.event, id=decided.id, text=decided.text, old=decided.old)


class FactsResponse(Wire):
    decisions: list[DecisionOut]
