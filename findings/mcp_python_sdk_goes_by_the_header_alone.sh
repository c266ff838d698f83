#!/bin/sh
# MCP's Python SDK tells the revision of a request by its header `MCP-Protocol-Version` alone. A request that says in its
# `_meta` that it is of 2026-07-28, without the header, is told "Missing session ID" (-32600) and not, as that revision
# has it, that the header is missing (-32020); a client that could be of either then takes the server for an old one.
# Needs python3 and a way to PyPI. Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import sys
from importlib.metadata import version

import httpx2
import mcp_types as types
from mcp.server.lowlevel import Server


async def tools(*_):
    return types.ListToolsResult(tools=[])


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
BODY = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
HEADERS = {"accept": "application/json, text/event-stream", "mcp-method": "tools/list"}


async def codes():
    app = Server("any", on_list_tools=tools).streamable_http_app()
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            for header in ({"mcp-protocol-version": "2026-07-28"}, {}, {"mcp-protocol-version": "2025-11-25"}):
                answer = await client.post("/mcp", json=BODY, headers=HEADERS | header)
                told = answer.json().get("error", {})
                print(header or "no header", answer.status_code, told.get("code"), told.get("message"))
                yield told.get("code")


async def main():
    return [code async for code in codes()]


print("mcp", version("mcp"))
sys.exit(0 if asyncio.run(main()) == [None, -32600, -32600] else 1)
PYTHON
