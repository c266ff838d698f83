"""Wire shapes of what is known of a user: facts, and values under keys."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from api.wire.base import OwnedRequest, Shown
from memory.facts import Event
from utils.fields import Identifier, Timezone, Wire, not_blank

LONGEST = 20_000  # characters of a text that facts are made of
LONGEST_FACT = 600


class FactOut(Shown):
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


class FactEventOut(Shown):
    event: Event
    at: datetime
    by: str
    source: str | None
    other: str | None


class FactHistory(Wire):
    items: list[FactEventOut]


class FactsRequest(OwnedRequest):
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST), AfterValidator(not_blank)]
    memory_id: Identifier = "default"
    timezone: Timezone | None = None


class FactPatch(OwnedRequest):
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_FACT), AfterValidator(not_blank)]


class DecisionOut(Shown):
    event: Event
    id: str
    text: str
    old: str | None = None


class FactsResponse(Wire):
    decisions: list[DecisionOut]


class MemoryOut(Shown):
    key: str
    value: str
    updated_at: datetime
    tokenCount: int = Field(validation_alias="token_count")


class MemoryPut(OwnedRequest):
    value: Annotated[str, StringConstraints(min_length=1, max_length=20_000), AfterValidator(not_blank)]


class MemoryHistory(Wire):
    items: list[MemoryOut]
