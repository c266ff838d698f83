"""The MCP server: tools, resources and a prompt over one memory, the same on every transport."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from typing import Any, TypeVar

import mcp_types as types
import orjson
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
from api.wire.fields import Wire
from api.wire.reasons import wrong
from api.wire.strict import check
from memory.banks import Banks
from utils.errors import InvalidInput, LociError, NotFound
from utils.mongo import StoreError, foreseen

INSTRUCTIONS = (
    "Loci remembers. Call `activate` at the start of a conversation, and `update` with what is worth knowing next "
    "time; `recall` searches all that is remembered, `remember` keeps what the user states."
)

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
            get_tool_input_schema=lambda name: BY_NAME[name].tool.input_schema if name in BY_NAME else None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        server.middleware.append(_without_input)
        return server

    async def _list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[offer.tool for offer in OFFERS])

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        offer = BY_NAME.get(params.name)
        if offer is None:
            raise MCPError(types.INVALID_PARAMS, "Unknown tool")
        arguments, call = params.arguments or {}, None
        try:
            call = await self._caller(context)
            result = await offer.run(call, _read(offer.takes, arguments))
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

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        return await self._serve(context, lambda call: resources.list_resources(call, cursor))

    async def _list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self._serve(context, lambda call: resources.read_resource(call, params.uri))

    async def _list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=resources.PROMPTS)

    async def _get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        arguments = params.arguments or {}
        return await self._serve(context, lambda call: resources.get_prompt(call, params.name, arguments))

    async def _listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await self._serve(context, lambda call: self.subscriptions.listen(call.owner, context, params))

    async def _subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        async def subscribe(call: Call) -> types.EmptyResult:
            await resources.read_resource(call, params.uri)
            session = call.client.session or ""
            await self.subscriptions.add(call.owner, session, context.session, params.uri)
            await call.memory.engine.library.connections.listen(call.owner, session, params.uri)
            return types.EmptyResult()

        return await self._serve(context, subscribe)

    async def _unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        async def unsubscribe(call: Call) -> types.EmptyResult:
            session = call.client.session or ""
            self.subscriptions.drop(call.owner, session, params.uri)
            await call.memory.engine.library.connections.leave(call.owner, session, params.uri)
            return types.EmptyResult()

        return await self._serve(context, unsubscribe)

    async def resubscribe(self, owner: str, session: str, told: ServerSession, addresses: tuple[str, ...]) -> None:
        """Tells a session again of what it had subscribed to, as far as there is room."""
        for address in addresses:
            with suppress(InvalidInput):
                await self.subscriptions.add(owner, session, told, address)

    async def _serve(self, context: Context, work: Callable[[Call], Awaitable[T]]) -> T:
        """What some work gives a caller; errors that are foreseen as the protocol has them."""
        try:
            return await work(await self._caller(context))
        except (LociError, StoreError) as error:
            known = foreseen(error)
            asked = isinstance(known, NotFound | InvalidInput)
            raise MCPError(types.INVALID_PARAMS if asked else types.INTERNAL_ERROR, known.detail) from None

    async def _tell(self, call: Call, result: Wire) -> None:
        """Tells those who asked for it what a tool changed."""
        if isinstance(result, ActivationResult):
            await self.subscriptions.listed(call.owner)
        if isinstance(result, UpdateResult):
            self.subscriptions.changed()
            if result.created or any(change.operation_type == "create" for change in result.changes):
                await self.subscriptions.listed(call.owner)


async def _without_input(ctx: Context, call_next: CallNext) -> HandlerResult:
    """What a request gives. That a method is unknown is told without its name, which the SDK would repeat."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.error.code == types.METHOD_NOT_FOUND:
            raise MCPError(types.METHOD_NOT_FOUND, "Method not found") from None
        raise


def _read(kind: type[Wire], arguments: dict[str, Any]) -> Wire:
    """A tool's arguments, by the rules of a body over HTTP. Raises `InvalidInput`."""
    check(arguments, control_characters=kind is Update)  # somebody's terminal may have coloured it
    try:
        return kind.model_validate(arguments)
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
