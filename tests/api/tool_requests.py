"""What tests ask of the tool memory over HTTP."""

from typing import Any

import httpx

from tests.tool_calls import BOOK, Message, steps, user

PATH = "/v1/tool-memory"
HISTORY = [user(BOOK), *steps(4)]


def compress(api: httpx.Client, owner: str, messages: list[Message], task: str = "t", **more: Any) -> dict[str, Any]:
    found = api.post(f"{PATH}/compress", json={"user_id": owner, "task_id": task, "messages": messages, **more})
    assert found.status_code == 200, found.text
    body: dict[str, Any] = found.json()
    assert body.keys() == {"messages", "trace_ids", "stats"}
    assert body["stats"].keys() == {"tokens_before", "tokens_after"}
    return body


def add(api: httpx.Client, owner: str, output: Any = None, task: str = "t", **more: Any) -> dict[str, Any]:
    body = {"user_id": owner, "task_id": task, "tool_name": "find", "raw_output": output, **more}
    found = api.post(f"{PATH}/records", json=body)
    assert found.status_code == 201, found.text
    made: dict[str, Any] = found.json()
    return made


def listed(api: httpx.Client, owner: str, **query: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        found = api.get(f"{PATH}/records", params={"user_id": owner, **query, **more})
        assert found.status_code == 200, found.text
        items += found.json()["items"]
        cursor = found.json()["next_cursor"]
        if cursor is None:
            return items
