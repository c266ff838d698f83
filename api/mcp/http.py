"""Where MCP is served: at `/mcp`, from the first request on, since its SDK takes half a second and 20 MB to import."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from agents.memory import Memory

if TYPE_CHECKING:
    from api.mcp.streamable import StreamableHTTP

PATH = "/mcp"

log = logging.getLogger(__name__)


class Endpoint:
    """The ASGI application. `origins`: those whose pages may call, beside the server's own."""

    def __init__(self, memory: Callable[[], Memory], origins: frozenset[str]) -> None:
        self._memory = memory
        self._origins = origins
        self._serving: asyncio.Task[None] | None = None
        self._service: asyncio.Future[StreamableHTTP] | None = None
        self._over = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves for the while."""
        try:
            yield
        finally:
            self._over.set()
            if self._serving is not None:
                await asyncio.wait([self._serving])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._service is None:
            self._service = asyncio.get_running_loop().create_future()
            self._serving = asyncio.create_task(self._serve(self._service))
        service = await asyncio.shield(self._service)
        await service(scope, receive, send)

    def end_streams(self) -> None:
        """Ends what has no end of its own, so that a server that is told to stop need not wait for it."""
        if self._service is not None and self._service.done() and not self._service.exception():
            self._service.result().end_streams()

    async def _serve(self, service: "asyncio.Future[StreamableHTTP]") -> None:
        """One task begins and ends the sessions, as their task group asks."""
        try:
            kind = await asyncio.to_thread(_loaded)
            opened = kind(self._memory, self._origins)
            async with opened.running():
                service.set_result(opened)
                await self._over.wait()
        except Exception as error:
            if service.done():
                log.exception("MCP did not end well")
                return
            self._service = None  # the next request tries again
            service.set_exception(error)


def _loaded() -> "type[StreamableHTTP]":
    from api.mcp.streamable import StreamableHTTP

    return StreamableHTTP


def install(app: FastAPI, origins: frozenset[str]) -> Endpoint:
    """Adds the route, with a slash at its end, too. Routes rather than a mounted application, which would answer
    `/mcp` with a redirect."""
    endpoint = Endpoint(lambda: app.state.memory, origins)
    for path in (PATH, f"{PATH}/"):
        route = Route(path, endpoint=endpoint, methods=["GET", "POST", "DELETE"], include_in_schema=False)
        app.router.routes.append(route)
    return endpoint
