"""MCP as tests talk it: the official client at a served address, and what tools give it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@asynccontextmanager
async def client(
    address: str,
    mode: str = "auto",
    *,
    name: str = "test",
    path: str = "/mcp",
    hears: Any = None,
    **headers: str,
) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{address}{path}", http_client=http)
        info = Implementation(name=name, version="1")
        async with Client(transport, mode=mode, client_info=info, message_handler=hears) as connected:
            yield connected


class Heard(asyncio.Queue[str]):
    """The addresses of resources of which a client was told that they changed; it `hears` by it."""

    async def __call__(self, message: Any) -> None:
        if (uri := getattr(getattr(message, "params", None), "uri", None)) is not None:
            await self.put(str(uri))


async def call(connected: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool gives. Fails where it gives an error."""
    result = await connected.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    return result.structured_content


async def refusal(connected: Client, tool: str, **arguments: Any) -> str:
    """The error that a tool gives."""
    result = await connected.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error
    told = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert told["status"] == "error"
    return str(told["error"])
