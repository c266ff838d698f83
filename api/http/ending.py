"""How streams end where a server is told to stop: with an event that says so, before they are cut off."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from fastapi import Request

from utils.errors import ServerStopping

SECONDS = 8.0  # that streams have to come to their end; Docker kills after ten


class Ending:
    """The streams of a server that are under way."""

    def __init__(self) -> None:
        self._over = False
        self._streaming: set[asyncio.Task[object]] = set()

    def begin(self) -> None:
        """The server was told to stop: what still streams in `SECONDS` is ended."""
        asyncio.get_running_loop().call_later(SECONDS, self._end)

    def _end(self) -> None:
        self._over = True
        for streaming in self._streaming:
            streaming.cancel()

    async def pass_on(
        self, stream: AsyncGenerator[bytes, None], error_event: Callable[[Exception], bytes]
    ) -> AsyncIterator[bytes]:
        """A stream as it comes, to its end or the server's."""
        streaming = asyncio.current_task()
        assert streaming is not None  # noqa: S101
        self._streaming.add(streaming)
        try:
            async with aclosing(stream):
                async for chunk in stream:
                    yield chunk
        except asyncio.CancelledError:
            if not self._over:
                raise
            yield error_event(ServerStopping("The server is being stopped; what came so far is kept"))
        finally:
            self._streaming.discard(streaming)


def until_the_end(
    request: Request, stream: AsyncGenerator[bytes, None], error_event: Callable[[Exception], bytes]
) -> AsyncIterator[bytes]:
    """A stream of an answer, which ends with an event of its error where the server stops meanwhile."""
    ending: Ending = request.app.state.ending
    return ending.pass_on(stream, error_event)
