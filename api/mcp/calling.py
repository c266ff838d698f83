"""The caller by MCP: its user, the bank it is at work with, and whether it is gone."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from agents.memory import Memory
from memory.banks import Active, Client
from memory.ids import new_id
from utils.errors import NotFound

SESSION = "mcp-session-id"
UNNAMED = "unnamed client"
NAME_CHARACTERS = 100
UNKNOWN = (
    "This conversation_id was not given by Loci, or its memory bank is gone: call `activate` first, and pass the "
    "conversation_id that it returns"
)

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class Call:
    """A request: whose memory it is about, and who makes it. `owner`: the `user`, or the isolated project that the
    header names; `project`: that header, for tools that are told none. `once`: the id that it gives to what it makes,
    however often it is handled; `may_be_done`: whether that may be there already."""

    memory: Memory
    owner: str
    client: Client
    user: str
    project: str | None = None
    once: str = field(default_factory=new_id)
    may_be_done: bool = False

    async def within(self, project: str | None) -> str:
        """Whose memory is meant: the user's, or that of an isolated project."""
        return self.owner if project is None else (await self.memory.within(self.user, project)).owner

    async def bank(self, conversation_id: str | None) -> Active:
        """The bank that an update is for. A conversation id that `activate` gave says it; where there is none, what the
        client activated does. Raises `NotFound`, or `InvalidInput` where that may be one of several; either says what
        to do."""
        if conversation_id is None:
            return await self.memory.engine.library.activations.active(self.owner, self.client)
        active = Active.named(conversation_id)
        if active is None:
            raise NotFound(UNKNOWN)
        try:
            await self.memory.engine.library.banks.info(self.owner, active.type, active.id)
        except NotFound:
            raise NotFound(UNKNOWN) from None
        return active


Caller = Callable[[Context], Awaitable[Call]]


def client_of(context: Context, process: str | None = None) -> Client:
    """Who makes a request. `process`: names the connection where it is a process's only one. By the protocol of 2026 a
    connection is no session: conversations may share it."""
    params = context.session.client_params
    name = params.client_info.name[:NAME_CHARACTERS] if params is not None else UNNAMED
    session = None
    if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        session = context.request.headers.get(SESSION) if isinstance(context.request, Request) else process
    return Client(name or UNNAMED, session)


def when_ended(session: ServerSession, then: Callable[[], object]) -> None:
    """Has something called once the connection ends by which a request came: the session itself is the request's own.
    The SDK's documentation sends handlers to the connection's exit stack, but gives them no public way there."""
    session._connection.exit_stack.callback(then)
