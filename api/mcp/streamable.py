"""How is MCP served over HTTP, under the same keys and to the same hosts as the rest of the API?"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from agents.memory import Memory
from api.auth import caller
from api.guard import MAX_BODY
from api.mcp.calling import Call, Context, client_of
from api.mcp.server import BankServer
from utils.errors import Forbidden

OWNER = "loci_owner"  # in a request's scope, once it is known
IDLE_SECONDS = 6 * 3600  # after which a session that nobody uses ends


class StreamableHTTP:
    """The ASGI application. `origins`: those whose pages may call, beside the server's own."""

    def __init__(self, memory: Callable[[], Memory], origins: frozenset[str]) -> None:
        self._memory = memory
        self._origins = origins
        self._server = BankServer(self._call, lambda: memory().engine.banks)
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves for the while."""
        self._manager = StreamableHTTPSessionManager(
            self._server.server(), max_request_body_size=MAX_BODY, session_idle_timeout=IDLE_SECONDS
        )
        try:
            async with self._manager.run():
                yield
        finally:
            await self._server.subscriptions.end_all()
            self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `Forbidden` for a page of another origin, and `Unauthorized` where a key is needed."""
        # The HTTP parser leaves white space behind a value, which is no part of it (RFC 9110, 5.5).
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        request = Request(scope, receive)
        self._check_origin(request)
        calling = await caller(request)
        owner = scope[OWNER] = calling.owner(None)
        # A session belongs to whoever opened it.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=[], subject=owner))
        assert self._manager is not None  # noqa: S101
        await self._manager.handle_request(scope, receive, send)

    def end_streams(self) -> None:
        """Ends what has no end of its own, so that a server that is told to stop need not wait for it. The streams of
        sessions see by themselves that it is."""
        self._server.subscriptions.close()

    def _check_origin(self, request: Request) -> None:
        origin = request.headers.get("origin")
        if origin is None or origin in self._origins:
            return
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or parts.netloc.lower() != request.headers.get("host", "").lower():
            raise Forbidden("Pages of this origin may not call: CORS_ORIGINS names those that may")

    async def _call(self, context: Context) -> Call:
        request = context.request
        assert isinstance(request, Request)  # noqa: S101
        return Call(self._memory(), str(request.scope[OWNER]), client_of(context))
