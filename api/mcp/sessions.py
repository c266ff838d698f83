"""Sessions of protocols before 2026, which go on with another process than the one that began them.

The SDK keeps sessions in its process and answers 404 to others. What a client said when it began stands in the store;
of that its session is made again, under its id, with what it had subscribed to.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, cast

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_connection
from mcp.server.session import ServerSession
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp_types import InitializeRequestParams
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION
from pydantic import ValidationError

from memory.banks import Begun, Connections
from utils.mongo import StoreError

IDLE_SECONDS = 6 * 3600  # after which a session that nobody uses ends; its next request makes it again
USED_SECONDS = 3600.0  # between two notes that a session is used
MOST = 10_000  # sessions that are made again in a process; more begin anew
LONGEST = 64_000  # characters of what a client says of itself, above which its session ends with the process

log = logging.getLogger(__name__)

Session = tuple[str, str]  # whose, and its id
# Tells a session of what it subscribed to: whose it is, its id, where it is told, and the addresses.
Resubscribe = Callable[[str, str, ServerSession, tuple[str, ...]], Awaitable[None]]


class Sessions:
    """Sessions that this process made again. `server`: serves them; `connections`: what is stored of them."""

    def __init__(self, server: Server[Any], connections: Callable[[], Connections], resubscribe: Resubscribe) -> None:
        self._server = server
        self._connections = connections
        self._resubscribe = resubscribe
        self._here: dict[Session, StreamableHTTPServerTransport] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._used: OrderedDict[Session, float] = OrderedDict()
        self._making = asyncio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves for the while."""
        try:
            yield
        finally:
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)

    async def begun(self, owner: str, session: str, params: dict[str, Any]) -> None:
        """Notes what a client said as it began a session. Where it cannot be noted, the session ends with the
        process."""
        try:
            said = InitializeRequestParams.model_validate(params, by_name=False).model_dump_json(
                by_alias=True, exclude_none=True
            )
            if len(said) <= LONGEST:
                await self._connections().begin(owner, session, said)
        except (StoreError, ValidationError) as error:
            log.warning("a session of MCP ends with this process: %s", type(error).__name__)
        self._note((owner, session))

    async def used(self, owner: str, session: str) -> None:
        """Notes from time to time that a session is used, so that it is kept."""
        if monotonic() - self._used.get((owner, session), -USED_SECONDS) < USED_SECONDS:
            return
        self._note((owner, session))
        try:
            await self._connections().use(owner, session)
        except StoreError as error:
            log.warning("the store does not keep a session of MCP: %s", type(error).__name__)

    async def ended(self, owner: str, session: str) -> None:
        """Forgets a session that its client ended."""
        await self._connections().end(owner, session)

    def here(self, owner: str, session: str) -> StreamableHTTPServerTransport | None:
        """A session that this process made again."""
        return self._here.get((owner, session))

    async def again(self, owner: str, session: str) -> StreamableHTTPServerTransport | None:
        """A session that was begun with another process, made again; None where there is none. Raises what the store
        raises."""
        async with self._making:
            if (there := self.here(owner, session)) is not None:
                return there
            if len(self._here) >= MOST or (begun := await self._connections().find(owner, session)) is None:
                return None
            transport = StreamableHTTPServerTransport(session, idle_timeout=IDLE_SECONDS)
            ready = asyncio.Event()
            task = asyncio.create_task(self._serve(owner, session, begun, transport, ready))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if not ready.is_set():
                return None
            log.info("a session of MCP that was begun with another process goes on")
            return transport

    async def _serve(
        self, owner: str, session: str, begun: Begun, transport: StreamableHTTPServerTransport, ready: asyncio.Event
    ) -> None:
        """Serves a session until it ends, as the SDK's manager does, but from behind its handshake."""
        try:
            params = InitializeRequestParams.model_validate_json(begun.params, by_name=False)
            asked = params.protocol_version
            async with self._server.lifespan(self._server) as state, transport.connect() as (reading, writing):
                dispatcher: JSONRPCDispatcher[TransportContext] = JSONRPCDispatcher(
                    reading, writing, inline_methods=frozenset({"initialize"})
                )
                connection = Connection.for_loop(dispatcher, session_id=session)
                connection.client_params = params
                connection.protocol_version = (
                    asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
                )
                connection.initialized.set()
                told = ServerSession(cast(Any, dispatcher), connection)  # by the stream that no request has opened
                await self._resubscribe(owner, session, told, begun.addresses)
                self._here[owner, session] = transport
                ready.set()
                with transport.idle_scope or anyio.CancelScope():
                    await serve_connection(self._server, dispatcher, connection=connection, lifespan_state=state)
        except Exception:
            log.exception("a session of MCP that was made again failed")
        finally:
            self._here.pop((owner, session), None)
            if not transport.is_terminated:
                with anyio.CancelScope(shield=True):
                    await transport.terminate()

    def _note(self, session: Session) -> None:
        self._used[session] = monotonic()
        self._used.move_to_end(session)
        while len(self._used) > MOST:
            self._used.popitem(last=False)
