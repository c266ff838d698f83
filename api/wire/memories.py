"""Wire shapes of a user's key/value facts."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.wire.base import OwnedRequest, Page, Shown
from api.wire.fields import Content, Wire


class MemoryOut(Shown):
    key: str
    value: str
    updated_at: datetime
    tokenCount: int = Field(validation_alias="token_count")


class MemoryPut(OwnedRequest):
    value: Annotated[Content, Field(max_length=20_000)]


class MemoryPage(Page[MemoryOut]): ...


class MemoryHistory(Wire):
    items: list[MemoryOut]
