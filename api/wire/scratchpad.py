"""Wire shapes of a scratchpad's entries."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from api.wire.base import OwnedRequest
from api.wire.fields import Wire
from memory.observations import LONGEST_TTL, LONGEST_VALUE, Entry


class EntryOut(Wire):
    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None

    @classmethod
    def of(cls, entry: Entry) -> "EntryOut":
        return cls(
            key=entry.key,
            value=entry.value,
            created_at=entry.created_at,
            updated_at=entry.updated_at,
            expires_at=entry.expires_at,
        )


class EntryPut(OwnedRequest):
    """`ttl_seconds`: for so long; else until it is replaced."""

    value: Annotated[str, StringConstraints(max_length=LONGEST_VALUE)]
    ttl_seconds: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None


class EntryPage(Wire):
    items: list[EntryOut]
    next_cursor: str | None
