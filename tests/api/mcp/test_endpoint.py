"""Is whoever asks answered where MCP cannot be served?"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from api.mcp import streamable
from tests.mcp_clients import client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_it_is_served_with_a_slash_at_the_end_and_without(
    serve: Callable[..., str], path: str, mode: str
) -> None:
    address = serve()
    async with client(address, mode, path=path) as connected:
        assert (await connected.list_tools()).tools
    async with httpx.AsyncClient(base_url=address, timeout=20, follow_redirects=False) as plain:
        for method, status in (("POST", 400), ("PUT", 405)):
            answer = await plain.request(method, path, json={})
            assert (answer.status_code, "location" in answer.headers) == (status, False)


@pytest.mark.parametrize("step", ["__init__", "running"])
async def test_a_service_that_cannot_begin_is_told_of_and_tried_again(
    serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("not today")

    @asynccontextmanager
    async def never(_: Any) -> AsyncIterator[None]:
        refuse()
        yield

    address = serve()
    with monkeypatch.context() as patched:
        patched.setattr(streamable.StreamableHTTP, step, refuse if step == "__init__" else never)
        for _ in range(2):
            async with httpx.AsyncClient(base_url=address, timeout=20) as plain:
                assert (await plain.post("/mcp", json={})).status_code == 500
    async with client(address) as connected:
        assert (await connected.list_tools()).tools
