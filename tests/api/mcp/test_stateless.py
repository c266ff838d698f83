"""The protocol of 2026-07-28 by its clauses: each request stands for itself, and is refused as the revision says."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from api.mcp import server
from tests.conversations import until
from tests.mcp_clients import ACCEPT, client

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
META = {
    f"{PREFIX}protocolVersion": VERSION,
    f"{PREFIX}clientCapabilities": {},
    f"{PREFIX}clientInfo": {"name": "test", "version": "1"},
}
RECALL = {"name": "recall", "arguments": {"query": "x"}}
NEVER = {f"{PREFIX}protocolVersion": "1900-01-01"}
BEFORE = {f"{PREFIX}protocolVersion": "2025-11-25"}


def without(*names: str) -> dict[str, None]:
    return dict.fromkeys(names)


def asked(
    address: str,
    method: str,
    params: dict[str, Any] | None = None,
    *,
    meta: dict[str, Any] | None = None,
    headers: dict[str, str | None] | None = None,
    by: str = "POST",
) -> httpx.Response:
    """What is answered to a request of this revision, with what is changed of its `meta` and `headers`; None takes one
    of these away."""
    params = params or {}
    known = META | (meta or {})
    params = params | {"_meta": {name: value for name, value in known.items() if value is not None}}
    sent = {**ACCEPT, "mcp-protocol-version": VERSION, "mcp-method": method, **(headers or {})}
    if (named := params.get("name", params.get("uri"))) is not None:
        sent.setdefault("mcp-name", named)
    kept = {name: value for name, value in sent.items() if value is not None}
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()
    return httpx.request(by, f"{address}/mcp", headers=kept, content=body, timeout=30)


@pytest.mark.parametrize(
    ("method", "params", "changed", "status", "code"),
    [
        ("tools/list", {}, {"headers": without("mcp-method")}, 400, -32020),
        ("tools/list", {}, {"headers": {"mcp-method": "prompts/list"}}, 400, -32020),
        ("tools/call", RECALL, {"headers": without("mcp-name")}, 400, -32020),
        ("tools/call", RECALL, {"headers": {"mcp-name": "update"}}, 400, -32020),
        ("tools/list", {}, {"headers": without("mcp-protocol-version")}, 400, -32020),
        ("tools/list", {}, {"headers": {"mcp-protocol-version": "2025-11-25"}}, 400, -32020),
        ("tools/list", {}, {"meta": BEFORE}, 400, -32020),
        ("tools/list", {}, {"meta": NEVER, "headers": {"mcp-protocol-version": "1900-01-01"}}, 400, -32022),
        ("tools/list", {}, {"meta": BEFORE, "headers": {"mcp-protocol-version": "2025-11-25"}}, 400, -32022),
        ("tools/list", {}, {"meta": without(f"{PREFIX}protocolVersion")}, 400, -32602),
        ("tools/list", {}, {"meta": without(f"{PREFIX}clientCapabilities")}, 400, -32602),
        ("tools/call", {"name": "no_such_tool", "arguments": {}}, {}, 400, -32602),
        ("resources/read", {"uri": "loci://banks/project/none/a.md"}, {}, 400, -32602),
        ("no/such/method", {}, {}, 404, -32601),
        ("ping", {}, {}, 404, -32601),
        ("initialize", {}, {}, 404, -32601),
    ],
)
def test_a_request_is_refused_as_the_revision_says(
    plain: str, method: str, params: dict[str, Any], changed: dict[str, Any], status: int, code: int
) -> None:
    answer = asked(plain, method, params, **changed)
    told = answer.json()
    assert (answer.status_code, told["error"]["code"], told["id"]) == (status, code, 7)
    if code == -32022:
        assert told["error"]["data"]["supported"] == [VERSION]


@pytest.mark.parametrize(
    ("method", "params", "changed"),
    [
        ("tools/list", {}, {"meta": without(f"{PREFIX}clientInfo")}),
        ("tools/list", {}, {"headers": {"mcp-session-id": "of another revision"}}),
        ("tools/call", RECALL, {"headers": {"mcp-name": "=?base64?cmVjYWxs?="}}),
    ],
)
def test_a_request_is_answered_however_little_it_says(
    plain: str, method: str, params: dict[str, Any], changed: dict[str, Any]
) -> None:
    answer = asked(plain, method, params, **changed)
    assert answer.status_code == 200 and "mcp-session-id" not in answer.headers
    assert answer.json()["result"]["resultType"] == "complete"


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example.com"}, {"host": "evil.example.com"}])
def test_a_page_of_another_origin_may_not_call(plain: str, headers: dict[str, str | None]) -> None:
    assert asked(plain, "tools/list", headers=headers).status_code == 403


@pytest.mark.parametrize("by", ["GET", "DELETE"])
def test_there_are_no_sessions_to_listen_to_or_to_end(plain: str, by: str) -> None:
    assert asked(plain, "tools/list", by=by).status_code == 405


@pytest.mark.parametrize(
    ("method", "milliseconds"),
    [
        ("server/discover", 300_000),
        ("tools/list", 300_000),
        ("prompts/list", 300_000),
        ("resources/templates/list", 300_000),
        ("resources/list", 0),
    ],
)
def test_a_list_says_how_long_it_may_be_kept_and_by_whom(plain: str, method: str, milliseconds: int) -> None:
    result = asked(plain, method).json()["result"]
    assert (result["resultType"], result["cacheScope"], result["ttlMs"]) == ("complete", "private", milliseconds)
    assert result["_meta"][f"{PREFIX}serverInfo"]["name"] == "loci"


def test_it_can_be_discovered_and_lists_its_tools_in_one_order(plain: str) -> None:
    known = asked(plain, "server/discover").json()["result"]
    assert known["supportedVersions"] == [VERSION] and known["capabilities"].keys() >= {"tools", "resources", "prompts"}
    lists = [[tool["name"] for tool in asked(plain, "tools/list").json()["result"]["tools"]] for _ in range(3)]
    assert lists == [["activate", "update", "recall", "read_memory", "remember", "list_banks", "tool_record"]] * 3


async def test_who_closes_the_stream_cancels_the_request(
    serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    async def endless(*_: Any) -> Any:
        loop.call_soon_threadsafe(begun.set)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            loop.call_soon_threadsafe(cancelled.set)
            raise

    monkeypatch.setitem(server.BY_NAME, "list_banks", replace(server.BY_NAME["list_banks"], run=endless))
    async with client(serve()) as connected, asyncio.timeout(30):
        calling = asyncio.create_task(connected.call_tool("list_banks", {}))
        await begun.wait()
        calling.cancel()
        await cancelled.wait()


async def test_a_message_that_holds_no_longer_is_recalled_with_what_does(address: str) -> None:
    said = [
        {
            "id": "old",
            "role": "user",
            "content": "I live in Madrid.",
            "timestamp": "2026-01-05T10:00:00Z",
        },
        {"id": "dog", "role": "user", "name": "Ada", "content": "My dog is called Biscuit."},
        {"id": "new", "role": "user", "content": "I moved to Rome.", "timestamp": "2026-03-05T10:00:00Z"},
    ]
    async with httpx.AsyncClient(base_url=address, timeout=30) as plain:
        body = {"session_id": "s", "messages": said, "wait": True, "timezone": "Europe/Rome"}
        (await plain.post("/v1/messages", json=body)).raise_for_status()

    async with client(address) as connected:
        items: dict[str, dict[str, Any]] = {}

        async def replaced() -> bool:
            result = await connected.call_tool("recall", {"query": "Where do I live, and with which dog?"})
            items.update({item["id"]: item for item in (result.structured_content or {})["items"]})
            return "replaced_by" in items["old"]

        await until(replaced, seconds=60)
        assert items["old"] | {"replaced_by": None} == {
            "id": "old",
            "kind": "turn",
            "text": "I live in Madrid.",
            "who": "user",
            "when": "2026-01-05T11:00:00+01:00",
            "replaced_by": None,
        }
        [newer] = items["old"]["replaced_by"]
        assert "Rome" in newer
        assert items["dog"]["who"] == "Ada" and "replaced_by" not in items["dog"]
        read = (await connected.call_tool("read_memory", {"id": "old"})).structured_content or {}
        assert read == items["old"] | {"more": None}
