"""What is refused before a route sees it."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from api.http.guard import MAX_BODY, Guard
from api.http.problems import OWN
from tests.checks import problem
from utils import yielding
from utils.yielding import ANSWERING

BIG = b'{"query": "' + b"x" * (20 * 1024 * 1024) + b'"}'
JSON = {"content-type": "application/json"}


async def test_a_request_is_being_answered_until_its_answer_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yielding, "QUIET", 0.0)
    seen: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(ANSWERING.is_quiet)
        with ANSWERING.elsewhere():
            seen.append(ANSWERING.is_quiet)
        seen.append(ANSWERING.is_quiet)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        seen.append(ANSWERING.is_quiet)

    async def ignored(_: Any = None) -> Any: ...

    scope = {"type": "http", "method": "GET", "headers": [(b"host", b"localhost")], "query_string": b"", "path": "/"}
    await Guard(app, only_local=lambda: True)(scope, ignored, ignored)
    assert seen == [False, True, False, True]


def test_a_body_of_20_mb_is_refused(api: httpx.Client, counts: Callable[[], dict[str, int]]) -> None:
    before = counts()
    problem(api.post("/query", content=BIG, headers=JSON), 413)
    assert counts() == before


def test_a_body_of_20_mb_that_does_not_say_its_length_is_refused_too(
    api: httpx.Client, counts: Callable[[], dict[str, int]]
) -> None:
    def chunks() -> Iterator[bytes]:
        for at in range(0, len(BIG), 1 << 16):
            yield BIG[at : at + (1 << 16)]

    before = counts()
    problem(api.post("/query", content=chunks(), headers=JSON), 413)
    assert counts() == before


def test_a_length_alone_is_enough_to_refuse(plain: str) -> None:
    address = urlsplit(plain)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=10) as connection:
        head = f"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {MAX_BODY + 1}\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "localhost.", "0", "10.0.0.1"]
)
def test_a_foreign_host_is_refused_on_loopback(api: httpx.Client, host: str) -> None:
    for path in ("/livez", "/v1/sessions", "/", "/openapi.json", "/nothing"):
        problem(api.get(path, headers={"host": host}), 403)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST:1234", "[::1]", "[::1]:8000", "127.0.0.1:80", "127.0.0.2:8000"]
)
def test_a_local_host_is_served_on_loopback(api: httpx.Client, host: str) -> None:
    assert api.get("/livez", headers={"host": host}).status_code == 200


def test_with_keys_any_host_is_served(serve: Callable[..., str]) -> None:
    address = serve(api_keys="alice:key-of-alice")
    assert httpx.get(f"{address}/livez", headers={"host": "loci.example"}).status_code == 200


def test_other_origins_may_not_read_answers_by_default(api: httpx.Client) -> None:
    origin = {"Origin": "https://evil.example"}
    answer = api.get("/v1/sessions", headers=origin)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    asked = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    problem(api.options("/query", headers=asked), 405)


def test_origins_of_the_settings_may(serve: Callable[..., str]) -> None:
    address = serve(cors_origins="https://app.example, https://other.example")
    answer = httpx.get(f"{address}/v1/sessions", headers={"Origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    exposed = answer.headers["access-control-expose-headers"].split(", ")
    known = (
        "ETag, X-Request-ID, Idempotency-Replayed, Retry-After, X-Loci-Turn-ID, X-Loci-Session, "
        "X-Loci-Turn, X-Loci-Memories, X-Loci-Paused, Mcp-Session-Id"
    )
    assert sorted(exposed) == sorted(known.split(", "))
    answer = httpx.get(f"{address}/v1/sessions", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "text/plain; a=json", "multipart/form-data"]
)
def test_a_page_elsewhere_cannot_send_a_form(api: httpx.Client, kind: str, user: str) -> None:
    """The content types that browsers send without asking first."""
    body = f'{{"query": "hello", "user_id": "{user}"}}'
    problem(api.post("/query", content=body, headers={"content-type": kind}), 415)


def test_every_answer_names_its_request_and_is_not_sniffed(api: httpx.Client) -> None:
    ids = set()
    for path in ("/livez", "/nothing", "/", "/web/chat/main.js"):
        answer = api.get(path)
        ids.add(answer.headers["x-request-id"])
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert len(ids) == 4


@pytest.mark.parametrize("path", ["/v1/memories/%ff", "/v1/memories/%ed%a0%80", "/v1/sessions?user_id=%ff"])
def test_an_address_that_is_not_utf_8_is_refused(api: httpx.Client, path: str) -> None:
    url = api.base_url.join("/").copy_with(raw_path=path.encode())
    problem(api.send(httpx.Request("GET", url)), 400)


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_error(
    api: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        with socket.create_connection((api.base_url.host, api.base_url.port or 80)) as sending:
            sending.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
            sending.sendall(b'Content-Length: 100\r\n\r\n{"query"')
    assert api.get("/livez").status_code == 200
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_request_that_a_stopping_server_cuts_off_is_told_so() -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise asyncio.CancelledError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "headers": [(b"host", b"localhost")], "query_string": b"", "path": "/"}
    await Guard(app, only_local=lambda: True)(scope, send, send)
    assert sent[0]["status"] == 503
    assert json.loads(sent[1]["body"])["title"] == "Server stopping"


@pytest.mark.parametrize(
    "path",
    ["/", "/admin", "/livez", "/readyz", "/health", "/metrics", "/v1/sessions", "/v1/models", "/web/chat/main.js"],
)
def test_head_answers_as_get_does_without_a_body(api: httpx.Client, path: str) -> None:
    got, headed = api.get(path), api.head(path)
    assert (headed.status_code, headed.content) == (got.status_code, b"")
    assert headed.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize(("path", "status"), [("/v1/users/ann/export", 405), ("/mcp", 405), ("/query", 405)])
def test_there_is_no_head_of_a_stream_nor_of_what_has_no_get(api: httpx.Client, path: str, status: int) -> None:
    assert api.head(path).status_code == status


@pytest.mark.parametrize("sent", [{"root_path": "tool/loci/"}, {}], ids=["ROOT_PATH", "X-Forwarded-Prefix"])
def test_paths_are_known_with_the_prefix_and_without(serve: Callable[..., str], sent: dict[str, str]) -> None:
    headers = {} if sent else {"X-Forwarded-Prefix": "/tool/loci"}
    address = serve(**sent)
    with httpx.Client(base_url=address, headers=headers) as api:
        for path in ("/livez", "/tool/loci/livez", "/web/chat/main.js", "/tool/loci/web/chat/main.js"):
            assert api.get(path).status_code == 200, path
        for path in ("/admin/", "/tool/loci/admin/"):
            assert api.get(path).headers["location"] == address + "/tool/loci/admin"
        assert api.get("/tool/loci").headers["location"] == address + "/tool/loci/"
        assert api.get("/tool/loci/v1/sessions/none").headers["content-type"] == "application/problem+json"
        assert api.get("/tool/loci/v1/models/none").json()["error"]["type"] == "not_found_error"
        assert api.get("/openapi.json").json()["servers"] == [{"url": "/tool/loci"}]


@pytest.mark.parametrize("prefix", ["//evil.example", "https://evil.example", "/a b", "", "/"])
def test_a_prefix_that_is_none_is_ignored(plain: str, prefix: str) -> None:
    answer = httpx.get(f"{plain}/admin/", headers={"X-Forwarded-Prefix": prefix})
    assert answer.headers["location"] == f"{plain}/admin"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/query", b'{"query": "Hello"}', 200),
        ("/v1/messages", b'{"session_id": "s", "messages": [{"role": "user", "content": "Hello"}]}', 200),
        ("/v1/search", b'{"query": "Hello"}', 200),
        ("/v1/chat/completions", b'{"model": "m", "messages": [{"role": "user", "content": "Hello"}]}', 200),
        ("/v1/embeddings", b'{"input": "Hello"}', 200),
        ("/mcp", b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', 400),  # for want of a session, not of JSON
        ("/v1/users/marked/import", b'{"kind": "export"}', 400),  # no header of Loci's
    ],
)
def test_a_mark_of_byte_order_may_stand_before_any_body(api: httpx.Client, path: str, body: bytes, status: int) -> None:
    kind = "application/x-ndjson" if path.endswith("/import") else "application/json"
    headers = {"content-type": kind, "accept": "application/json, text/event-stream"}
    bare, marked = (api.post(path, content=mark + body, headers=headers) for mark in (b"", b"\xef\xbb\xbf"))
    assert marked.status_code == bare.status_code == status, marked.text
    assert "JSON in UTF-8" not in marked.text


@pytest.mark.parametrize("path", ["/v1", "/v1/completions/c1", "/v1/files/f1", "/v1/chat/nothing", "/v1/moderations"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_what_is_not_served_of_openais_api_is_told_as_openai_does(api: httpx.Client, path: str, method: str) -> None:
    answer = api.request(method, path)
    assert answer.status_code == 404
    assert answer.json()["error"].keys() == {"message", "type", "param", "code"}


def test_locis_own_routes_are_known(api: httpx.Client) -> None:
    paths = api.get("/openapi.json").json()["paths"].items()
    served = {
        (path.split("/")[2], operation["tags"] == ["openai"])
        for path, operations in paths
        for operation in operations.values()
        if path.startswith("/v1/")
    }
    assert {name for name, is_openais in served if not is_openais} <= OWN
    assert not {name for name, is_openais in served if is_openais} & OWN
