"""MCP over HTTP, under the same keys and for the same hosts as the rest of the API."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER, InboundLadderRejection, classify_inbound_request
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    jsonrpc_message_adapter,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message as Sent
from starlette.types import Receive, Scope, Send

from agents.memory import Memory
from agents.proxy import identity_of
from api.auth import caller, named_beside_body, project_in_header
from api.http.guard import MAX_BODY, check_origin
from api.mcp.calling import SESSION, Call, Context, client_of
from api.mcp.server import BankServer
from api.mcp.sessions import IDLE_SECONDS, Sessions
from utils.mongo import persistently

OWNER, PROJECT = "loci_owner", "loci_project"  # in a request's scope, once they are known


@dataclass(frozen=True)
class Message:
    """One of JSON-RPC. `method`: of a request or a notification; `params`: as they came."""

    method: str | None
    params: dict[str, Any]


class NoMessage(Exception):
    """A body that is none. `code`: JSON-RPC's; `request_id`: None where it cannot be told."""

    def __init__(self, code: int, told: str, request_id: str | int | None = None, data: Any = None) -> None:
        super().__init__(told)
        self.code = code
        self.told = told
        self.request_id = request_id
        self.data = data

    @property
    def response(self) -> Response:
        error = {"code": self.code, "message": self.told} | ({"data": self.data} if self.data is not None else {})
        body = {"jsonrpc": "2.0", "id": self.request_id, "error": error}
        return Response(orjson.dumps(body), status_code=400, media_type="application/json")


def read_message(body: bytes, headers: Headers) -> Message:
    """Checked before the SDK sees it, whose errors would repeat the body. A request that says in its body that it is of
    2026, where its headers do not, is none: the SDK goes by the headers alone. Raises `NoMessage`."""
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise NoMessage(PARSE_ERROR, "The body is not valid JSON in UTF-8") from None
    if not isinstance(parsed, dict):
        raise NoMessage(INVALID_REQUEST, "The body is not one message of JSON-RPC")
    given = parsed.get("id")
    request_id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
    if not isinstance(parsed.get("params", {}), dict | None):
        raise NoMessage(INVALID_PARAMS, "params: must be an object", request_id)
    if "id" in parsed and "method" in parsed and request_id is None:
        raise NoMessage(INVALID_REQUEST, "id: must be a string or an integer")
    try:
        jsonrpc_message_adapter.validate_python(parsed, by_name=False)
    except (ValidationError, RecursionError):
        told = "The body is no request, notification or response of JSON-RPC"
        raise NoMessage(INVALID_REQUEST, told, request_id) from None
    method, params = parsed.get("method"), parsed.get("params") or {}
    meta = params.get("_meta")
    if isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta and SESSION not in headers:
        verdict = classify_inbound_request(parsed, headers=headers)
        if isinstance(verdict, InboundLadderRejection) and request_id is not None:
            raise NoMessage(verdict.code, verdict.message, request_id, verdict.data)
    return Message(method if isinstance(method, str) else None, params)


class StreamableHTTP:
    """The ASGI application. `origins`: those whose pages may call, beside the server's own."""

    def __init__(self, memory: Callable[[], Memory], origins: frozenset[str]) -> None:
        self._memory = memory
        self._origins = origins
        self._server = BankServer(self._call, lambda: memory().engine.library.banks)
        self._sdk = self._server.server()
        self._sessions = Sessions(self._sdk, lambda: memory().engine.library.connections, self._server.resubscribe)
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves for the while."""
        self._manager = StreamableHTTPSessionManager(
            self._sdk, max_request_body_size=MAX_BODY, session_idle_timeout=IDLE_SECONDS
        )
        try:
            async with self._manager.run(), self._sessions.running():
                yield
        finally:
            await self._server.subscriptions.end_all()
            self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `Forbidden` for a page of another origin or another's key, `Unauthorized` where a key is needed, and
        `RequestValidationError` where the address has other parameters than `user_id`."""
        # The HTTP parser leaves white space behind a value, which is no part of it (RFC 9110, 5.5).
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        request = Request(scope, receive)
        check_origin(request.headers, self._origins)
        calling = await caller(request)
        told = identity_of(request.headers, {}).user if calling.user is None else None
        owner = scope[OWNER] = calling.owner(named_beside_body(request) or told)
        scope[PROJECT] = project_in_header(request)
        # A session belongs to whoever opened it.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=[], subject=owner))
        version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._serve_session(request, owner, send)
        else:
            assert self._manager is not None  # noqa: S101
            await self._manager.handle_request(scope, receive, send)

    async def _serve_session(self, request: Request, owner: str, send: Send) -> None:
        """A request of a protocol before 2026."""
        assert self._manager is not None  # noqa: S101
        message: Message | None = None
        if request.method == "POST":
            try:
                message = read_message(await request.body(), request.headers)
            except NoMessage as refused:
                await refused.response(request.scope, request.receive, send)
                return
        session = request.headers.get(SESSION)
        receive = await _replayed(request)
        transport: StreamableHTTPServerTransport | None = None
        if session is not None:
            await self._sessions.used(owner, session)
            transport = self._sessions.here(owner, session)
        if transport is None:
            answer = _Answer(send, self._noting(request, owner, message), holds=session is not None)
            await self._manager.handle_request(request.scope, receive, answer)
            if session is not None and answer.held:
                transport = await persistently(lambda _: self._sessions.again(owner, session))
                if transport is None:
                    await answer.let_go()
                receive = await _replayed(request)
        if transport is not None:
            answer = _Answer(send, self._noting(request, owner, message))
            await transport.handle_request(request.scope, receive, answer)

    def _noting(self, request: Request, owner: str, message: Message | None) -> Callable[[str], Awaitable[None]] | None:
        """What is noted where a request begins or ends a session, whose id it takes."""
        if request.method == "DELETE":
            session = request.headers.get(SESSION, "")
            return lambda _: persistently(lambda _: self._sessions.ended(owner, session))
        if message is None or message.method != "initialize":
            return None
        params = message.params
        return lambda session: self._sessions.begun(owner, session, params)

    def end_streams(self) -> None:
        """Ends what has no end of its own, so that a server that is told to stop need not wait for it. The streams of
        sessions see by themselves that it is."""
        self._server.subscriptions.close()

    async def _call(self, context: Context) -> Call:
        request = context.request
        assert isinstance(request, Request)  # noqa: S101
        memory, user, project = self._memory(), str(request.scope[OWNER]), request.scope[PROJECT]
        owner = user if project is None else (await memory.within(user, project)).owner
        return Call(memory, owner, client_of(context), user, project)


class _Answer:
    """Passes an answer on. `noting`: is told of one that all is well, before the client is, with the session that the
    answer names. `holds`: one that knows no such session is held back."""

    def __init__(self, send: Send, noting: Callable[[str], Awaitable[None]] | None, *, holds: bool = False) -> None:
        self._send = send
        self._noting = noting
        self._holds = holds
        self._kept: list[Sent] = []
        self._status = 0

    @property
    def held(self) -> bool:
        return bool(self._kept)

    async def __call__(self, message: Sent) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            if self._noting is not None and self._status == HTTPStatus.OK:
                await self._noting(Headers(raw=message["headers"]).get(SESSION, ""))
        if self._kept or (self._holds and self._status == HTTPStatus.NOT_FOUND):
            self._kept.append(message)
        else:
            await self._send(message)

    async def let_go(self) -> None:
        """Passes on what was held back."""
        for message in self._kept:
            await self._send(message)


async def _replayed(request: Request) -> Receive:
    """The request's body once more, and then what comes after it."""
    messages: list[Sent] = []
    if request.method == "POST":
        messages.append({"type": "http.request", "body": await request.body(), "more_body": False})

    async def receive() -> Sent:
        return messages.pop() if messages else await request.receive()

    return receive
