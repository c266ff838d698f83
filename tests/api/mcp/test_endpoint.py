"""MCP's endpoint answers whoever asks, also where MCP cannot be served."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from api.mcp import streamable
from tests.mcp_clients import client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_it_is_served_with_a_slash_at_the_end_and_without(plain: str, path: str, mode: str) -> None:
    async with client(plain, mode, path=path) as connected:
        assert (await connected.list_tools()).tools
    async with httpx.AsyncClient(base_url=plain, timeout=20, follow_redirects=False) as http:
        for method, status in (("POST", 400), ("PUT", 405)):
            answer = await http.request(method, path, json={})
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


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/mcp?user_id=ann", {}),
        ("/mcp", {"X-Loci-User": "ann"}),
        ("/mcp", {"X-OpenWebUI-User-Id": "ann"}),
        ("/mcp", {"X-Loci-User": "ann", "X-OpenWebUI-User-Id": "bob"}),
        ("/mcp?user_id=ann", {"X-Loci-User": "ann"}),
    ],
)
async def test_without_keys_the_address_or_a_header_says_whose_memory_it_is(
    serve: Callable[..., str], path: str, headers: dict[str, str]
) -> None:
    address = serve()
    for mode in ("legacy", "auto"):
        async with client(address, mode, path=path, **headers) as connected:
            assert not (await connected.call_tool("remember", {"text": "My sister is called Tulip."})).is_error
    async with httpx.AsyncClient(base_url=address, timeout=20) as plain:
        facts = {user: (await plain.get("/v1/facts", params={"user_id": user})).json() for user in ("ann", "default")}
        assert (len(facts["ann"]["items"]), facts["default"]["items"]) == (1, [])


async def test_a_user_that_is_none_or_anothers_is_refused(address: str, serve: Callable[..., str]) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx.AsyncClient(base_url=address, timeout=20) as plain:
        for query, place in (("bogus=1", "bogus"), ("user_id=ann&user_id=bob", "user_id"), ("user_id=", "user_id")):
            refused = await plain.post(f"/mcp?{query}", json=asked)
            assert refused.status_code == 422
            assert refused.json()["errors"][0]["loc"] == ["query", place]
        refused = await plain.post("/mcp?user_id=ann", json=asked, headers={"X-Loci-User": "bob"})
        assert refused.status_code == 422
    keyed = serve(api_keys="ann:key-of-ann-0123456789")
    async with httpx.AsyncClient(base_url=keyed, timeout=20, headers={"X-API-Key": "key-of-ann-0123456789"}) as plain:
        assert (await plain.post("/mcp?user_id=bob", json={})).status_code == 403
        assert (await plain.post("/mcp", json={}, headers={"X-Loci-User": "bob"})).status_code == 403
        assert (await plain.post("/mcp", json={}, headers={"X-OpenWebUI-User-Id": "bob"})).status_code == 400
