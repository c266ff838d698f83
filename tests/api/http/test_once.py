"""A write under an Idempotency-Key happens once, however often it is sent."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from memory.ids import derived_id
from memory.store import idempotency
from memory.store.idempotency import IN_PROGRESS
from tests.checks import at_once, eventually, problem
from tests.scripted_model import Behaviour, ScriptedModel, slow, status
from utils.clock import now

Documents = Database[dict[str, Any]]


@pytest.fixture
def scripted(server: Any) -> Documents:
    """What the API with the model has stored."""
    found: Documents = server["scripted"]
    return found


def key(name: str) -> dict[str, str]:
    return {"Idempotency-Key": name}


def session_of(api: httpx.Client, user: str, session: str) -> list[str]:
    found = api.get(f"/v1/sessions/{session}/messages", params={"user_id": user}).json()["items"]
    return [item["content"] for item in found]


def test_an_answer_is_replayed_word_for_word(api: httpx.Client, user: str) -> None:
    body = {"query": "The heron nests by the mill.", "user_id": user}
    first = api.post("/query", json=body, headers=key("a"))
    again = api.post("/query", json=body, headers=key("a"))
    assert again.content == first.content
    assert (again.status_code, again.headers["content-type"]) == (200, "application/json")
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert len(session_of(api, user, first.json()["session_id"])) == 2  # a new one, made once


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/messages", {"session_id": "s", "messages": [{"role": "user", "content": "Hello"}]}),
        ("POST", "/v1/search", {"query": "hello"}),
        ("PUT", "/v1/memories/dog", {"value": "Biscuit"}),
        ("DELETE", "/v1/memories/cat", None),
        ("PATCH", "/v1/sessions/old", {"title": "New"}),
        ("DELETE", "/v1/sessions/old", None),
    ],
)
def test_every_write_is_replayed(
    api: httpx.Client, user: str, method: str, path: str, body: dict[str, Any] | None
) -> None:
    old = {"user_id": user, "session_id": "old", "messages": [{"role": "user", "content": "Old"}]}
    api.post("/v1/messages", json=old)
    api.put("/v1/memories/cat", params={"user_id": user}, json={"value": "Ada"})
    in_body = body is not None and path in ("/v1/messages", "/v1/search")
    sent = {**body, "user_id": user} if body is not None and in_body else body
    params = {} if in_body else {"user_id": user}
    first = api.request(method, path, params=params, json=sent, headers=key("a"))
    assert first.status_code in (200, 201)
    again = api.request(method, path, params=params, json=sent, headers=key("a"))
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["idempotency-replayed"] == "true"


def test_messages_without_ids_are_imported_once(api: httpx.Client, user: str) -> None:
    messages = [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Hello"}]
    body = {"user_id": user, "session_id": "s", "messages": messages}
    for _ in range(2):
        assert api.post("/v1/messages", json=body, headers=key("a")).json()["accepted"] == 2
    assert session_of(api, user, "s") == ["Hello", "Hello"]


def test_another_body_under_the_same_key_is_refused(api: httpx.Client, user: str) -> None:
    body = {"query": "hello", "user_id": user, "session_id": "s"}
    api.post("/query", json=body, headers=key("a"))
    problem(api.post("/query", json={**body, "query": "good evening"}, headers=key("a")), 422)
    problem(api.post("/v1/search", json={"query": "hello", "user_id": user}, headers=key("a")), 422)
    assert len(session_of(api, user, "s")) == 2


def test_the_key_of_another_user_is_another_key(api: httpx.Client, user: str, other: str) -> None:
    for owner in (user, other):
        body = {"query": "hello", "user_id": owner, "session_id": "s"}
        answer = api.post("/query", json=body, headers=key("a"))
        assert "idempotency-replayed" not in answer.headers
        assert len(session_of(api, owner, "s")) == 2


@pytest.mark.parametrize("name", ["", "x" * 256])
def test_a_key_that_is_none_is_refused(api: httpx.Client, user: str, name: str) -> None:
    problem(api.post("/query", json={"query": "hello", "user_id": user}, headers=key(name)), 400)


def test_a_request_in_progress_is_not_made_twice(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(slow(1.0))
    body = {"query": "Take your time", "user_id": user, "session_id": "s"}
    with ThreadPoolExecutor() as beside:
        first = beside.submit(chat.post, "/query", json=body, headers=key("a"))
        eventually(lambda: model.asked("chat"))
        refused = chat.post("/query", json=body, headers=key("a"))
    problem(refused, 409)
    assert int(refused.headers["retry-after"]) >= 1
    assert first.result().status_code == 200
    assert chat.post("/query", json=body, headers=key("a")).content == first.result().content
    assert len(session_of(chat, user, "s")) == 2


def test_of_many_at_once_one_is_made(api: httpx.Client, user: str) -> None:
    body = {"query": "hello", "user_id": user, "session_id": "s"}
    answers = at_once(lambda _: api.post("/query", json=body, headers=key("a")), 12)
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({answer.content for answer in answers if answer.status_code == 200}) == 1
    assert len(session_of(api, user, "s")) == 2


def test_a_refused_request_may_be_made_again(api: httpx.Client, user: str) -> None:
    body = {"query": " ", "user_id": user, "session_id": "s"}
    problem(api.post("/query", json=body, headers=key("a")), 422)
    answer = api.post("/query", json={**body, "query": "hello"}, headers=key("a"))
    assert answer.status_code == 200
    problem(api.delete("/v1/sessions/none", params={"user_id": user}, headers=key("b")), 404)
    problem(api.delete("/v1/sessions/none", params={"user_id": user}, headers=key("b")), 404)


def test_a_request_that_failed_may_be_made_again(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    message = {"role": "user", "content": "The heron nests by the mill."}
    chat.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": [message], "wait": True})
    body = {"query": f"narwhals of {user}", "user_id": user}
    model.always(status(400), on="embeddings")
    problem(chat.post("/v1/search", json=body, headers=key("a")), 502)
    model.always(None, on="embeddings")
    again = chat.post("/v1/search", json=body, headers=key("a"))
    assert again.status_code == 200
    assert "idempotency-replayed" not in again.headers


def test_a_stream_is_replayed_as_a_stream(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    body = {"query": "Count to three", "user_id": user, "session_id": "s", "stream": True}
    first = chat.post("/query", json=body, headers=key("a"))
    asked = len(model.asked("chat"))
    again = chat.post("/query", json=body, headers=key("a"))
    assert again.content == first.content
    assert again.headers["content-type"] == first.headers["content-type"]
    assert again.headers["idempotency-replayed"] == "true"
    assert len(model.asked("chat")) == asked
    assert len(session_of(chat, user, "s")) == 2


def test_a_stream_that_broke_off_may_be_made_again(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    body = {"query": "Go on", "user_id": user, "session_id": "s", "stream": True}
    model.script(Behaviour(text="This will not be whole", cut_after=3), Behaviour(text="This is whole."))
    first = chat.post("/query", json=body, headers=key("a"))
    assert "event: error" in first.text
    again = chat.post("/query", json=body, headers=key("a"))
    assert "event: done" in again.text
    assert session_of(chat, user, "s") == ["Go on", "This is whole."]
    found = chat.get("/v1/sessions/s/messages", params={"user_id": user}).json()["items"]
    assert found[1]["interrupted"] is False


def test_a_stream_whose_client_left_may_be_made_again(
    chat: httpx.Client, model: ScriptedModel, user: str, scripted: Documents
) -> None:
    body = {"query": "Go on", "user_id": user, "session_id": "s", "stream": True}
    model.script(Behaviour(text="I was about to say", hang_after=3), Behaviour(text="I say it all."))
    with chat.stream("POST", "/query", json=body, headers=key("a")) as answer:
        for line in answer.iter_lines():
            if "was" in line:
                break
    eventually(lambda: scripted["idempotency"].count_documents({"user_id": user}) == 0)
    eventually(lambda: len(session_of(chat, user, "s")) == 2)
    again = chat.post("/query", json=body, headers=key("a"))
    assert json.loads(again.text.rstrip().rpartition("data: ")[2])["response"] == "I say it all."
    assert session_of(chat, user, "s") == ["Go on", "I say it all."]


def test_a_request_whose_server_crashed_may_be_made_again_later(
    api: httpx.Client, user: str, database: Documents
) -> None:
    """What a crash leaves behind: the key in progress, the prompt, no answer."""
    body = {"query": "hello", "user_id": user, "session_id": "s"}
    first = api.post("/query", json=body, headers=key("a"))
    turn = first.json()["turn_id"]
    assert turn == derived_id(user, "a")
    unanswered = {"$set": {"state": "in_progress", "until": now() + IN_PROGRESS}, "$unset": {"body": "", "status": ""}}
    database["idempotency"].update_one({"user_id": user}, unanswered)
    database["vectors"].delete_one({"_id": f"{turn}.response"})
    database["receipts"].delete_one({"_id": turn})
    problem(api.post("/query", json=body, headers=key("a")), 409)
    database["idempotency"].update_one({"user_id": user}, {"$set": {"until": now() - timedelta(seconds=1)}})
    again = api.post("/query", json=body, headers=key("a"))
    assert (again.status_code, again.json()["turn_id"]) == (200, turn)
    assert session_of(api, user, "s") == ["hello", first.json()["response"]]
    assert api.get(f"/v1/receipts/{turn}", params={"user_id": user}).status_code == 200


def test_a_user_who_deletes_himself_is_told_so_again(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="alice:key"), headers={"X-API-Key": "key"}, timeout=30) as api:
        api.post("/query", json={"query": "hello", "session_id": "s"})
        first = api.delete("/v1/users/alice", headers=key("a"))
        again = api.delete("/v1/users/alice", headers=key("a"))
    assert first.json()["deleted"]["vectors"] == 2
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/v1/sessions/s", None),
        ("DELETE", "/v1/memories/pin", None),
        ("POST", "/query", {"query": "forget my PIN", "session_id": "t"}),
    ],
)
def test_what_is_deleted_stands_in_no_kept_answer(
    api: httpx.Client, user: str, database: Documents, method: str, path: str, body: dict[str, Any] | None
) -> None:
    told = {"query": "Remember that my PIN is 4711", "user_id": user, "session_id": "s"}
    assert "4711" in api.post("/query", json=told, headers=key("told")).text
    assert "4711" in str(database["idempotency"].find_one({"user_id": user}))
    sent = {"json": {**body, "user_id": user}} if body else {"params": {"user_id": user}}
    first = api.request(method, path, headers=key("deleted"), **sent)
    assert first.status_code == 200
    assert "4711" not in str(list(database["idempotency"].find({"user_id": user})))
    again = api.request(method, path, headers=key("deleted"), **sent)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"


def test_an_answer_that_was_in_progress_at_a_deletion_is_not_kept(
    chat: httpx.Client, model: ScriptedModel, user: str, scripted: Documents
) -> None:
    chat.put("/v1/memories/pin", params={"user_id": user}, json={"value": "4711"})
    model.script(slow(1.0))
    body = {"query": "Take your time", "user_id": user, "session_id": "s"}
    with ThreadPoolExecutor() as beside:
        first = beside.submit(chat.post, "/query", json=body, headers=key("a"))
        eventually(lambda: model.asked("chat"))
        assert chat.delete("/v1/memories/pin", params={"user_id": user}, headers=key("b")).status_code == 200
    assert first.result().status_code == 200
    kept = list(scripted["idempotency"].find({"user_id": user}))
    assert [one["_id"] for one in kept] == [derived_id(user, "b")]


def test_a_request_that_takes_long_is_held_while_it_streams(
    chat: httpx.Client, model: ScriptedModel, user: str, scripted: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "IN_PROGRESS", timedelta(seconds=0.6))
    model.script(Behaviour(text="I was about to say", hang_after=3))
    body = {"query": "Go on", "user_id": user, "session_id": "s", "stream": True}
    ends: set[Any] = set()

    def renewed() -> bool:
        ends.add(scripted["idempotency"].find_one({"user_id": user})["until"])
        return len(ends) >= 4

    with chat.stream("POST", "/query", json=body, headers=key("a")) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: meta"
        eventually(renewed)
        problem(chat.post("/query", json=body, headers=key("a")), 409)
    eventually(lambda: scripted["idempotency"].count_documents({"user_id": user}) == 0)


SAID = [{"role": "user", "content": "My PIN is 4711."}]
DOORS = {
    "/query": {"query": "My PIN is 4711."},
    "/v1/chat/completions": {"model": "m", "messages": SAID},
    "/v1/responses": {"model": "m", "input": "My PIN is 4711."},
    "/anthropic/v1/messages": {"model": "m", "max_tokens": 9, "messages": SAID},
}


@pytest.mark.parametrize(
    ("path", "headers", "fields"),
    [
        *((path, {"X-Loci-User": "USER"}, {}) for path in DOORS),
        *((path, {"X-OpenWebUI-User-Id": "USER"}, {}) for path in DOORS if path != "/query"),
        *((path, {}, {"metadata": {"user_id": "USER"}}) for path in DOORS if path != "/query"),
        ("/v1/chat/completions", {}, {"user": "USER"}),
    ],
)
def test_a_key_is_the_users_however_the_user_is_named(
    api: httpx.Client,
    user: str,
    other: str,
    database: Documents,
    path: str,
    headers: dict[str, str],
    fields: dict[str, Any],
) -> None:
    def send(name: str) -> httpx.Response:
        named: Any = [json.loads(json.dumps(one).replace("USER", name)) for one in (headers, fields)]
        return api.post(path, json=DOORS[path] | named[1], headers=named[0] | key("a"))

    first = send(user)
    assert first.status_code == 200
    assert "idempotency-replayed" not in send(other).headers
    again = send(user)
    assert again.content == first.content and again.headers["idempotency-replayed"] == "true"
    told = {name for name in first.headers if name.startswith("x-loci-") or name == "request-id"}
    assert told <= again.headers.keys()
    assert all(again.headers[name] == first.headers[name] for name in told - {"request-id"})
    api.delete(f"/v1/users/{user}", headers=key("gone"))
    assert "4711" not in str(list(database["idempotency"].find({"user_id": user})))
    assert "idempotency-replayed" not in send(user).headers


@pytest.mark.parametrize("header", ["X-Loci-Project", "X-Loci-Session"])
@pytest.mark.parametrize("path", DOORS)
def test_an_answer_is_replayed_where_it_was_given_alone(api: httpx.Client, user: str, path: str, header: str) -> None:
    api.put("/v1/projects/novel", params={"user_id": user}, json={"isolated": True})

    def send(named: dict[str, str]) -> httpx.Response:
        return api.post(path, params={"user_id": user}, json=DOORS[path], headers=named | key("a"))

    assert send({header: "novel"}).status_code == 200
    assert send({}).status_code == 422
    assert send({header: "novel"}).headers["idempotency-replayed"] == "true"


def test_reading_takes_no_key(api: httpx.Client, user: str) -> None:
    for _ in range(2):
        answer = api.get("/v1/sessions", params={"user_id": user}, headers=key("a"))
        assert "idempotency-replayed" not in answer.headers
