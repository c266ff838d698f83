"""`/query` as tests ask it, and what its answers must have."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any

import httpx

Event = tuple[str, Any]


def ask(api: httpx.Client, user: str, query: str, **more: Any) -> dict[str, Any]:
    found = api.post("/query", json={"query": query, "user_id": user, **more})
    assert found.status_code == 200, found.text
    body: dict[str, Any] = found.json()
    return body


@contextmanager
def stream(api: httpx.Client, user: str, query: str, **more: Any) -> Iterator[Iterator[Event]]:
    """The events of an answer as they come."""
    body = {"query": query, "user_id": user, "stream": True, **more}
    with events_of(api.stream("POST", "/query", json=body)) as events:
        yield events


@contextmanager
def events_of(streaming: AbstractContextManager[httpx.Response]) -> Iterator[Iterator[Event]]:
    with streaming as found:
        assert found.status_code == 200
        assert found.headers["content-type"].startswith("text/event-stream")

        def events() -> Iterator[Event]:
            lines = found.iter_lines()
            for line in lines:
                assert line.startswith("event: "), line
                data = next(lines)
                assert data.startswith("data: "), data
                assert next(lines) == ""
                yield line.removeprefix("event: "), json.loads(data.removeprefix("data: "))

        yield events()


def embedded(api: httpx.Client, user: str, *contents: str, session: str = "before") -> list[str]:
    """Imports what the user said; returns the ids once all have their embeddings."""
    messages = [{"role": "user", "content": content} for content in contents]
    body = {"user_id": user, "session_id": session, "messages": messages, "wait": True}
    ids: list[str] = api.post("/v1/messages", json=body).json()["ids"]
    return ids


def messages_of(api: httpx.Client, user: str, session: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.get(f"/v1/sessions/{session}/messages", params={"user_id": user}).json()["items"]
    return items


def is_time(text: str) -> bool:
    return datetime.fromisoformat(text).utcoffset() is not None and text.endswith("Z")


def check_shape(body: dict[str, Any]) -> None:
    """Every field that the contract names, by its type, and no other."""
    context = body["memory_context"]
    assert {name: type(value) for name, value in body.items() if name != "memory_context"} == {
        "response": str,
        "citations": list,
        "intent": str,
        "agents_used": list,
        "need_memory": bool,
        "memory_reason": str,
        "session_id": str,
        "turn_id": str,
        "model": str,
        "fallback": str if body["fallback"] is not None else type(None),
        "usage": dict,
    }
    assert body["usage"].keys() == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    for citation in body["citations"]:
        assert citation.keys() == {"n", "id", "kind", "session_id", "role", "content", "timestamp", "score"}
        assert is_time(citation["timestamp"])
    if context is None:
        return
    assert {name: type(value) for name, value in context.items()} == {
        "context": list,
        "recent_messages": list,
        "summaries": list,
        "memories": list,
        "query_embedding_dim": int,
    }
    for item in context["context"]:
        assert item.keys() == {"id", "role", "content", "similarity", "timestamp", "session_id"}
        assert 0 <= item["similarity"] <= 1
        assert is_time(item["timestamp"])
    for item in context["recent_messages"]:
        assert item.keys() == {"role", "content", "timestamp"}
    for item in context["summaries"]:
        assert item.keys() == {"session_id", "summary", "message_count", "model", "timestamp"}
    for item in context["memories"]:
        assert item.keys() == {"key", "value", "updated_at", "tokenCount"}
        assert is_time(item["updated_at"])
