"""Observations that tests over HTTP have remembered, and what they see of them."""

from typing import Any

import httpx

GOAL = "GOAL:api-analysis"


def remember(api: httpx.Client, user: str, source: str = GOAL, **body: Any) -> list[str]:
    found = api.post("/v1/observations", json={"user_id": user, "source": source, **body})
    assert found.status_code == 200, found.text
    ids: list[str] = found.json()["ids"]
    return ids


def recalled(api: httpx.Client, user: str, query: str, **more: Any) -> list[dict[str, Any]]:
    found = api.post("/v1/observations/recall", json={"user_id": user, "query": query, **more})
    assert found.status_code == 200, found.text
    items: list[dict[str, Any]] = found.json()["items"]
    return items


def texts(items: list[dict[str, Any]]) -> list[str]:
    return [item["content"] for item in items]


def listed(api: httpx.Client, user: str, **query: Any) -> list[dict[str, Any]]:
    found = api.get("/v1/observations", params={"user_id": user, **query})
    assert found.status_code == 200, found.text
    items: list[dict[str, Any]] = found.json()["items"]
    return items
