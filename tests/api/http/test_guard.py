"""What is refused before a route sees it."""

import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from api.http.guard import MAX_BODY, Guard
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

    scope = {"type": "http", "headers": [(b"host", b"localhost")], "query_string": b"", "path": "/"}
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
    exposed = answer.headers["access-control-expose-headers"]
    assert exposed == "ETag, X-Request-ID, Idempotency-Replayed, Retry-After, X-Loci-Turn-ID, Mcp-Session-Id"
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
    for path in ("/livez", "/nothing", "/", "/web/chat.js"):
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
