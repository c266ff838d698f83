"""What tests of routes say beforehand, and how they read whole lists."""

from typing import Any

import httpx


def say(api: httpx.Client, user: str, session: str, *texts: str, wait: bool = True, two: bool = False) -> list[str]:
    """The ids of messages of a user, or of `two` who take turns. `wait`: until they are embedded."""
    roles = ("user", "assistant" if two else "user")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    body = {"user_id": user, "session_id": session, "messages": messages, "wait": wait}
    answer = api.post("/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    ids: list[str] = answer.json()["ids"]
    return ids


def search(api: httpx.Client, user: str, query: str, **more: Any) -> list[dict[str, Any]]:
    """What a search finds."""
    answer = api.post("/v1/search", json={"user_id": user, "query": query, **more})
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"items", "took_ms"}
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def pages(api: httpx.Client, path: str, **parameters: Any) -> list[list[dict[str, Any]]]:
    """Every page of a list, of which all but the last are full."""
    found: list[list[dict[str, Any]]] = []
    cursor: str | None = None
    while not found or cursor:
        answer = api.get(path, params=parameters | ({"cursor": cursor} if cursor else {}))
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body.keys() == {"items", "next_cursor"}
        found.append(body["items"])
        cursor = body["next_cursor"]
    limit = parameters.get("limit", 50)
    assert all(len(page) == limit for page in found[:-1]) and len(found[-1]) <= limit
    return found


def every(api: httpx.Client, path: str, limit: int, **parameters: Any) -> list[dict[str, Any]]:
    """All items of a list, page by page."""
    return [item for page in pages(api, path, limit=limit, **parameters) for item in page]
