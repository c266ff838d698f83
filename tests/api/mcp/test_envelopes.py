"""Errors of the protocol keep to themselves what came in."""

import json
from typing import Any

import httpx
import pytest

from tests.mcp_clients import ACCEPT, INITIALIZE

MARK = "xyzzy-the-input"
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


def told(answer: httpx.Response) -> Any:
    """The error in an answer, be it a stream."""
    lines = answer.text.splitlines()
    data = next((line.removeprefix("data: ") for line in lines if line.startswith("data: {")), answer.text)
    return json.loads(data)


@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        ({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": [MARK]}, -32602, 5),
        ({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": MARK}, -32602, "a"),
        ({"jsonrpc": "1.0", "id": 5, "method": MARK}, -32600, 5),
        ({"jsonrpc": "2.0", "id": [MARK], "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 5, "method": {"a": MARK}}, -32600, 5),
        ([{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {"a": MARK}}], -32600, None),
        (MARK, -32600, None),
        (b'{"xyzzy-the-input', -32700, None),
    ],
)
def test_what_is_no_message_is_refused_without_being_repeated(
    plain: str, body: Any, code: int, request_id: str | int | None
) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with httpx.Client(base_url=plain) as http:
        session = http.post("/mcp", json=INITIALIZE, headers=ACCEPT).headers["mcp-session-id"]
        for headers in (ACCEPT, ACCEPT | {"mcp-session-id": session}):
            answer = http.post("/mcp", content=content, headers=headers)
            assert answer.status_code == 400
            assert MARK not in answer.text and "pydantic" not in answer.text
            assert answer.json().keys() == {"jsonrpc", "id", "error"}
            assert (answer.json()["error"]["code"], answer.json()["id"]) == (code, request_id)


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        (MARK, {}),
        ("tools/call", {"name": MARK}),
        ("tools/call", {"name": [MARK]}),
        ("tools/call", {"name": "recall", "arguments": [MARK]}),
        ("tools/call", {"name": "recall", "arguments": {"query": 5, "more": MARK}}),
        ("resources/read", {"uri": MARK}),
        ("resources/read", {"uri": [MARK]}),
        ("resources/list", {"cursor": MARK}),
        ("prompts/get", {"name": MARK}),
    ],
)
def test_no_error_repeats_what_was_asked(plain: str, modern: bool, method: str, params: dict[str, Any]) -> None:
    with httpx.Client(base_url=plain) as http:
        if modern:
            params = params | {"_meta": MODERN}
            named = params.get("name", params.get("uri"))
            headers = ACCEPT | {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
            headers |= {"mcp-name": named} if isinstance(named, str) else {}
        else:
            session = http.post("/mcp", json=INITIALIZE, headers=ACCEPT).headers["mcp-session-id"]
            headers = ACCEPT | {"mcp-session-id": session}
        answer = http.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 2, "method": method, "params": params}, headers=headers
        )
        found = told(answer)
        assert found.get("error") or found["result"]["isError"]
        assert MARK not in answer.text and "pydantic" not in answer.text and "input_value" not in answer.text
