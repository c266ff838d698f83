"""What routes get from the running application."""

from typing import Annotated, cast

from fastapi import Depends, Request

from agents.memory import Memory
from config.settings import Settings


async def _memory(request: Request) -> Memory:
    return cast(Memory, request.app.state.memory)


async def _settings(request: Request) -> Settings:
    return cast(Settings, request.app.state.settings)


TheMemory = Annotated[Memory, Depends(_memory)]
TheSettings = Annotated[Settings, Depends(_settings)]
