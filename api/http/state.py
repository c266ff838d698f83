"""What routes get: from the running application, and of a request for a page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, cast

from fastapi import Depends, Query, Request

from agents.memory import Memory
from api.wire.paging import index_of, key_of, position_of
from config.settings import Settings
from utils.fields import Limit


async def _memory(request: Request) -> Memory:
    return cast(Memory, request.app.state.memory)


async def _settings(request: Request) -> Settings:
    return cast(Settings, request.app.state.settings)


@dataclass(frozen=True)
class PageRequest:
    """Which page of a list is asked for. After what item it begins, lists say by a time and a key, a place or a key;
    each raises `InvalidInput` for a cursor that is not ours."""

    limit: Annotated[Limit, Query(description="Items a page")] = 50
    cursor: Annotated[str | None, Query(max_length=2_000, description="`next_cursor` of the page before")] = None

    @property
    def sought(self) -> int:
        """Items to look for: one more than the page has, which says whether there is another page."""
        return self.limit + 1

    @property
    def position(self) -> tuple[datetime, str] | None:
        return position_of(self.cursor)

    @property
    def index(self) -> int:
        return index_of(self.cursor)

    @property
    def key(self) -> str:
        return key_of(self.cursor)


TheMemory = Annotated[Memory, Depends(_memory)]
TheSettings = Annotated[Settings, Depends(_settings)]
ThePage = Annotated[PageRequest, Depends()]
