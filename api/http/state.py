"""What routes get: from the running application, and of a request for a page."""

from typing import Annotated, cast

from fastapi import Depends, Query, Request

from agents.memory import Memory
from config.settings import Settings
from utils.fields import Limit


async def _memory(request: Request) -> Memory:
    return cast(Memory, request.app.state.memory)


async def _settings(request: Request) -> Settings:
    return cast(Settings, request.app.state.settings)


TheMemory = Annotated[Memory, Depends(_memory)]
TheSettings = Annotated[Settings, Depends(_settings)]
PageLimit = Annotated[Limit, Query(description="Items a page")]
PageCursor = Annotated[str | None, Query(max_length=2_000, description="`next_cursor` of the page before")]
