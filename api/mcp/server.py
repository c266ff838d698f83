"""The MCP server: tools, resources and a prompt over one memory, the same on every transport."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from typing import Any, TypeVar

import mcp_types as types
import orjson
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from api.mcp import resources
from api.mcp.calling import Call, Caller, Context
from api.mcp.subscriptions import Subscriptions
from api.mcp.tools import BY_NAME, OFFERS, Offer
from api.wire.banks import ActivationResult, BankErrorOut, Update, UpdateResult
from api.wire.reasons import wrong
from api.wire.strict import check
from memory.banks import Banks
from utils.errors import InvalidInput, LociError, NotFound
from utils.fields import Wire
from utils.mongo import StoreError, foreseen, persistently

INSTRUCTIONS = (
    "Loci remembers across conversations. Call `activate` at the start of one, and `update` with what is worth knowing "
    "next time. `recall` searches all that is remembered: call it where something said or done before may matter, and "
    "before you ask the user for it again. `remember` keeps what the user states of themselves."
)

# What stays as it is until another version is served may be kept by a client for five minutes.
STABLE: tuple[CacheableMethod, ...] = ("server/discover", "tools/list", "prompts/list", "resources/templates/list")
CACHED = dict.fromkeys(STABLE, CacheHint(ttl_ms=300_000))

log = logging.getLogger(__name__)

T = TypeVar("T")


class BankServer:
    """The handlers of the protocol. `caller`: says of each request whose it is."""

    def __init__(self, caller: Caller, banks: Callable[[], Banks]) -> None:
        self._caller = caller
        self.subscriptions = Subscriptions(banks)

    def server(self) -> Server[Any]:
        server: Server[Any] = Server(
            "loci",
            version=version("loci"),
            title="Loci",
            instructions=INSTRUCTIONS,
            cache_hints=CACHED,
            get_tool_input_schema=lambda name: BY_NAME[name].tool.input_schema if name in BY_NAME else None,
            on_list_tools=_always(types.ListToolsResult(tools=[offer.tool for offer in OFFERS])),
            on_call_tool=self._call_tool,
            on_list_resources=self._served(
                lambda call, _, params: resources.list_resources(call, params.cursor if params is not None else None)
            ),
            on_list_resource_templates=_always(
                types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)
            ),
            on_read_resource=self._served(lambda call, _, params: resources.read_resource(call, params.uri)),
            on_subscribe_resource=self._served(self._subscribe),
            on_unsubscribe_resource=self._served(self._unsubscribe),
            on_subscriptions_listen=self._served(
                lambda call, context, params: self.subscriptions.listen(call.owner, context, params)
            ),
            on_list_prompts=_always(types.ListPromptsResult(prompts=resources.PROMPTS)),
            on_get_prompt=self._served(
                lambda call, _, params: resources.get_prompt(call, params.name, params.arguments or {})
            ),
        )
        server.middleware.append(_without_input)
        return server

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        offer = BY_NAME.get(params.name)
        if offer is None:
            raise MCPError(types.INVALID_PARAMS, "Unknown tool")
        arguments, call = params.arguments or {}, None
        try:
            call = caller = await self._caller(context)
            asked = _read(offer.takes, arguments)
            result = await persistently(lambda again: offer.run(replace(caller, may_be_done=again), asked))
        except (LociError, StoreError) as error:
            return await _failed(foreseen(error).detail, offer, arguments, call)
        except Exception:
            log.exception("the tool %s failed", params.name)
            return await _failed("An error that was not foreseen; the server's log has more", offer, arguments, call)
        await self._tell(call, result)
        return types.CallToolResult(
            content=[types.TextContent(text=result.model_dump_json())],
            structured_content=result.model_dump(mode="json"),
        )

    async def _subscribe(self, call: Call, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        await resources.read_resource(call, params.uri)
        session = call.client.session or ""
        await self.subscriptions.add(call.owner, session, context.session, params.uri)
        await call.memory.engine.library.connections.listen(call.owner, session, params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, call: Call, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        session = call.client.session or ""
        self.subscriptions.drop(call.owner, session, params.uri)
        await call.memory.engine.library.connections.leave(call.owner, session, params.uri)
        return types.EmptyResult()

    async def resubscribe(self, owner: str, session: str, told: ServerSession, addresses: tuple[str, ...]) -> None:
        """Tells a session again of what it had subscribed to, as far as there is room."""
        for address in addresses:
            with suppress(InvalidInput):
                await self.subscriptions.add(owner, session, told, address)

    def _served(self, work: Callable[[Call, Context, Any], Awaitable[T]]) -> Callable[[Context, Any], Awaitable[T]]:
        """A handler that gives a caller what some work gives; errors that are foreseen as the protocol has them."""

        async def handle(context: Context, params: Any) -> T:
            try:
                call = await self._caller(context)
                return await persistently(lambda _: work(call, context, params))
            except (LociError, StoreError) as error:
                known = foreseen(error)
                asked = isinstance(known, NotFound | InvalidInput)
                raise MCPError(types.INVALID_PARAMS if asked else types.INTERNAL_ERROR, known.detail) from None

        return handle

    async def _tell(self, call: Call, result: Wire) -> None:
        """Tells those who asked for it what a tool changed."""
        if isinstance(result, ActivationResult):
            await self.subscriptions.listed(call.owner)
        if isinstance(result, UpdateResult):
            self.subscriptions.changed()
            if result.created or any(change.operation_type == "create" for change in result.changes):
                await self.subscriptions.listed(call.owner)


def _always(result: T) -> Callable[[Context, Any], Awaitable[T]]:
    async def handle(context: Context, params: Any) -> T:
        return result

    return handle


async def _without_input(ctx: Context, call_next: CallNext) -> HandlerResult:
    """What a request gives. That a method is unknown is told without its name, which the SDK would repeat."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.error.code == types.METHOD_NOT_FOUND:
            raise MCPError(types.METHOD_NOT_FOUND, "Method not found") from None
        raise


def _read(kind: type[Wire], arguments: dict[str, Any]) -> Wire:
    """A tool's arguments, by the rules of a body over HTTP, but that models write numbers as strings, and null for what
    they leave out. Raises `InvalidInput`."""
    check(arguments, control_characters=kind is Update)  # somebody's terminal may have coloured it
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return kind.model_validate(given, strict=False)
    except ValidationError as error:
        raise InvalidInput(wrong(error)) from None


async def _failed(detail: str, offer: Offer, arguments: dict[str, Any], call: Call | None) -> types.CallToolResult:
    """The error, as a model reads it, with the errors of before where it is known of which bank."""
    previous: list[dict[str, Any]] = []
    named = arguments.get("conversation_id")
    if call is not None and "conversation_id" in offer.takes.model_fields and isinstance(named, str | None):
        with suppress(LociError, StoreError):
            bank = await call.bank(named)
            info = await call.memory.engine.library.banks.info(call.owner, bank.type, bank.id)
            previous = [BankErrorOut.of(error).model_dump(mode="json") for error in info.errors]
    told = {"status": "error", "error": detail, "previous_errors": previous}
    return types.CallToolResult(content=[types.TextContent(text=orjson.dumps(told).decode())], is_error=True)
