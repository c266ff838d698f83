"""A user who pauses remembering: nothing of what is said is kept by any door, and each says so."""

from typing import Any

import httpx
import pytest

from tests.api.queries import ask, embedded, stream
from tests.checks import problem
from tests.scripted_model import ScriptedModel

SECRET = "My locker is number 4711."


def pause(api: httpx.Client, user: str, *, paused: bool = True) -> None:
    changed = api.patch("/v1/profile", json={"user_id": user, "paused": paused})
    assert changed.json().get("paused", False) is paused, changed.text
    assert api.get("/v1/profile", params={"user_id": user}).json().get("paused", False) is paused


def kept(api: httpx.Client, user: str) -> str:
    """All that is kept of a user, wherever its facts are made meanwhile."""
    return whole(api, user).partition("\n")[2].replace('"facts":"pending"', '"facts":"done"')


def whole(api: httpx.Client, user: str) -> str:
    return api.get(f"/v1/users/{user}/export").text


def chat_completion(api: httpx.Client, user: str) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": SECRET}], "memory_id": "s", "user_id": user}
    return api.post("/v1/chat/completions", json=body)


def message(api: httpx.Client, user: str) -> httpx.Response:
    body = {"model": "m", "max_tokens": 20, "messages": [{"role": "user", "content": SECRET}]}
    return api.post("/anthropic/v1/messages", json=body, headers={"x-loci-user": user, "x-loci-session": "s"})


def response(api: httpx.Client, user: str) -> httpx.Response:
    return api.post("/v1/responses", json={"model": "m", "input": SECRET}, headers={"x-loci-user": user})


DOORS = [chat_completion, message, response]


def test_nothing_that_is_said_at_query_is_kept_until_it_is_resumed(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    embedded(chat, user, "My dog is called Biscuit.")
    pause(chat, user)
    before = kept(chat, user)
    body = {"query": SECRET, "user_id": user, "session_id": "s"}
    told = chat.post("/query", json=body, headers={"idempotency-key": "once"}).json()
    assert told["paused"] is True
    with stream(chat, user, "What is my dog called?", session_id="before") as events:
        named = dict(events)
    assert named["meta"]["paused"] is True
    assert "Biscuit" in str(model.asked("chat")[-1]["messages"])
    assert kept(chat, user) == before
    assert chat.get("/v1/sessions/s", params={"user_id": user}).status_code == 404
    ask(chat, user, "Remember that my gate is 12")
    assert "Remembering is paused" in str(model.asked("chat")[-1]["messages"])
    assert kept(chat, user) == before
    pause(chat, user, paused=False)
    assert ask(chat, user, SECRET, session_id="s").get("paused") is None
    assert SECRET in kept(chat, user)


@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_kept_by_other_doors_and_a_header_says_so(chat: httpx.Client, user: str, door: Any) -> None:
    pause(chat, user)
    before = kept(chat, user)
    answer = door(chat, user)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-loci-paused"] == "true"
    assert kept(chat, user) == before
    pause(chat, user, paused=False)
    assert "x-loci-paused" not in door(chat, user).headers
    assert SECRET in kept(chat, user)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/messages", {"session_id": "s", "messages": [{"role": "user", "content": SECRET}]}),
        ("/v1/facts", {"text": SECRET}),
    ],
)
def test_what_is_told_to_be_remembered_is_refused(
    api: httpx.Client, user: str, path: str, body: dict[str, Any]
) -> None:
    pause(api, user)
    assert "paused" in problem(api.post(path, json={"user_id": user, **body}), 409)["detail"]
    assert SECRET not in kept(api, user)


def test_a_pause_is_exported_and_imported(api: httpx.Client, user: str, other: str) -> None:
    pause(api, user)
    exported = whole(api, user)
    headers = {"content-type": "application/x-ndjson"}
    assert api.post(f"/v1/users/{other}/import", content=exported, headers=headers).status_code == 200
    assert api.get("/v1/profile", params={"user_id": other}).json()["paused"] is True
