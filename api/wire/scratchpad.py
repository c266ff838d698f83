"""Wire shapes of a scratchpad's entries."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from api.wire.base import OwnedRequest, Page, Shown
from memory.observations import LONGEST_TTL, LONGEST_VALUE


class EntryOut(Shown):
    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class EntryPut(OwnedRequest):
    """`ttl_seconds`: for so long; else until it is replaced."""

    value: Annotated[str, StringConstraints(max_length=LONGEST_VALUE)]
    ttl_seconds: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None


class EntryPage(Page[EntryOut]): ...
