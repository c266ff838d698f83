"""What a streamed answer consists of."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from agents.chat import Answer, Context

COALESCE = 0.025  # seconds of deltas that go out as one


@dataclass(frozen=True)
class Started:
    """First event of a stream: what is known before the answer."""

    context: Context


@dataclass(frozen=True)
class Delta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True)
class Finished:
    """Last event of a stream: the whole answer, durable by now."""

    context: Context
    answer: Answer


Event = Started | Delta | Finished


async def coalesced(pieces: asyncio.Queue[str | None]) -> AsyncGenerator[str, None]:
    """The texts of a queue up to its None; the first at once, later ones joined over `COALESCE` seconds."""
    first = True
    while (text := await pieces.get()) is not None:
        if not first:
            await asyncio.sleep(COALESCE)
        first = False
        ended = False
        while not pieces.empty() and not ended:
            more = pieces.get_nowait()
            ended = more is None
            text += more or ""
        yield text
        if ended:
            return
