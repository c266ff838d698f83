"""Wire shapes of a user's key/value facts."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.wire.base import OwnedRequest
from api.wire.fields import Content, Wire
from memory.domain import KeyValue


class MemoryOut(Wire):
    key: str
    value: str
    updated_at: datetime
    tokenCount: int

    @classmethod
    def of(cls, fact: KeyValue) -> "MemoryOut":
        return cls(key=fact.key, value=fact.value, updated_at=fact.updated_at, tokenCount=fact.token_count)


class MemoryPut(OwnedRequest):
    value: Annotated[Content, Field(max_length=20_000)]


class MemoryPage(Wire):
    items: list[MemoryOut]
    next_cursor: str | None


class MemoryHistory(Wire):
    items: list[MemoryOut]
