"""A server is asked as its contract has it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import pytest

from bench.recall.corpus import Message
from bench.recall.over_http import OverHttp, ServerRefused
from bench.recall.system import Found

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)

Answer = Callable[[httpx.Request], httpx.Response]


def asking(answer: Answer) -> OverHttp:
    return OverHttp(httpx.AsyncClient(base_url="http://127.0.0.1:8000", transport=httpx.MockTransport(answer)))


async def test_messages_go_in_calls_of_five_hundred_with_speaker_and_time() -> None:
    bodies: list[dict[str, object]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert (request.method, request.url.path) == ("POST", "/v1/messages")
        bodies.append(json.loads(request.content))
        return httpx.Response(200, json={})

    said = [Message(f"ann/{n}", "s", "user", "hi", NOON, "Ann" if n else None) for n in range(501)]
    await asking(answer).add("ann", "ann-s", said)
    first, second = bodies
    assert (first["user_id"], first["session_id"], first["wait"]) == ("ann", "ann-s", True)
    assert isinstance(first["messages"], list)
    assert len(first["messages"]) == 500
    unnamed = {"id": "ann/0", "role": "user", "content": "hi", "timestamp": "2025-03-01T12:00:00+00:00"}
    assert first["messages"][0] == unnamed
    assert second["messages"] == [unnamed | {"id": "ann/500", "name": "Ann"}]


async def test_only_messages_are_searched() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert (request.method, request.url.path) == ("POST", "/v1/search")
        assert json.loads(request.content) == {"user_id": "ann", "query": "bees", "top_k": 20, "kinds": ["turn"]}
        return httpx.Response(200, json={"items": [{"id": "ann/1", "score": 0.5, "kind": "turn"}], "took_ms": 1.0})

    assert await asking(answer).search("ann", "bees", 20) == [Found("ann/1", 0.5)]


async def test_an_owner_is_deleted() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert (request.method, request.url.path) == ("DELETE", "/v1/users/ann")
        return httpx.Response(200, json={"deleted": {}})

    await asking(answer).forget("ann")


async def test_an_error_is_told_with_the_answer() -> None:
    with pytest.raises(ServerRefused, match="POST /v1/search: 422 not this"):
        await asking(lambda request: httpx.Response(422, text="not this")).search("ann", " ", 20)
