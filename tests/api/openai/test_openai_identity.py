"""Whose request it is, and in which conversation, where a client does not say it in Loci's own fields."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pymongo import MongoClient

from config.settings import Settings
from memory.store.api_keys import hashed
from tests.openai_chat import said, stored
from tests.scripted_model import Body, ScriptedModel, answer, status

SESSION = "X-Loci-Session"


def ask(chat: httpx.Client, messages: list[Body], headers: dict[str, str] | None = None, **fields: Any) -> str:
    """The conversation of a request."""
    body = {"model": "gpt-test", "messages": messages, **fields}
    answered = chat.post("/v1/chat/completions", json=body, headers=headers)
    assert answered.is_success, answered.text
    return answered.headers[SESSION]


def then(messages: list[Body], reply: str, text: str) -> list[Body]:
    return [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": text}]


def test_a_transcript_goes_on_with_its_own_conversation(chat: httpx.Client, model: ScriptedModel) -> None:
    sessions = []
    for reply in ("About what?", "What shall it be?"):
        model.script(answer(reply))
        sessions.append(ask(chat, said("Hello there")))
    first, second = sessions
    assert first != second
    for session, reply in ((first, "About what?"), (second, "What shall it be?"), (first, "About what?")):
        assert ask(chat, then(said("Hello there"), reply, "The weather.")) == session
    assert [text for _, text in stored(chat, second)][:2] == ["Hello there", "What shall it be?"]


def test_a_cut_or_compacted_transcript_is_the_same_conversation(chat: httpx.Client, model: ScriptedModel) -> None:
    messages = said("Let us plan the garden.")
    for number in range(4):
        model.script(answer(f"Bed {number} gets beans."))
        session = ask(chat, messages)
        messages = then(messages, f"Bed {number} gets beans.", f"And then bed {number + 1}?")
    summary = {"role": "system", "content": "Earlier: the beds were planned."}
    assert ask(chat, [summary, *messages[-3:]]) == session
    streamed = ask(chat, messages[-1:])
    assert streamed != session


def test_a_first_message_whose_answer_never_came_is_asked_again(chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(status(500))
    refused = chat.post("/v1/chat/completions", json={"model": "x", "messages": said("Is it raining?")})
    assert refused.status_code == 500
    session = ask(chat, said("Is it raining?"))
    assert session == refused.headers[SESSION]
    assert [role for role, _ in stored(chat, session)] == ["user", "assistant"]
    assert ask(chat, said("Is it raining?"), {"x-stainless-retry-count": "1"}) == session
    assert ask(chat, said("Is it raining?")) != session


def test_a_round_of_tools_stays_in_its_conversation(chat: httpx.Client) -> None:
    opening = said("How warm is it in Bergen?")
    session = ask(chat, opening)
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    tools = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "7"},
    ]
    assert ask(chat, opening + tools) == session


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ({"X-Loci-User": "{user}", SESSION: "{user}-1"}, {}),
        ({"X-OpenWebUI-User-Id": "{user}", "X-OpenWebUI-Chat-Id": "{user}-1"}, {}),
        ({"X-OpenWebUI-User-Jwt": "{token}", "X-OpenWebUI-Chat-Id": "{user}-1"}, {}),
        ({}, {"user": "{user}", "prompt_cache_key": "{user}-1"}),
        ({}, {"safety_identifier": "{user}", "metadata": {"thread_id": "{user}-1"}}),
    ],
    ids=["own headers", "Open WebUI", "Open WebUI, signed", "OpenAI's fields", "metadata"],
)
@pytest.mark.parametrize("door", ["chat", "api"])
def test_what_a_client_says_of_itself_counts(
    request: pytest.FixtureRequest, door: str, other: str, headers: dict[str, str], fields: Body
) -> None:
    client: httpx.Client = request.getfixturevalue(door)
    client.params = httpx.QueryParams()

    def filled(said: Any) -> Any:
        if isinstance(said, str):
            claims = urlsafe_b64encode(json.dumps({"sub": other}).encode()).decode().rstrip("=")
            return said.replace("{user}", other).replace("{token}", f"header.{claims}.signature")
        return {name: filled(value) for name, value in said.items()}

    assert ask(client, said("I keep bees."), filled(headers), **filled(fields)) == f"{other}-1"
    client.params = httpx.QueryParams(user_id=other)
    assert ("user", "I keep bees.") in stored(client, f"{other}-1")


def test_one_key_of_a_whole_app_is_no_conversation(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    key, sessions = {"prompt_cache_key": f"{user}-app"}, []
    for opening in ("I keep bees.", "My car is red."):
        model.script(answer(f"Noted: {opening}"))
        sessions.append(ask(chat, said(opening), **key))
    assert sessions[0] != sessions[1]
    bees, car = (then(said(opening), f"Noted: {opening}", "Go on.") for opening in ("I keep bees.", "My car is red."))
    assert [ask(chat, bees, **key), ask(chat, car, **key)] == sessions
    headers = {"X-Loci-Project": "garage"}  # in which nothing of this was said
    assert ask(chat, car, headers, **key) not in sessions
    assert ask(chat, said("A bike, too."), headers, **key) not in sessions


def test_a_key_names_the_conversation_of_a_transcript_that_nobody_knows(chat: httpx.Client, user: str) -> None:
    key = {"prompt_cache_key": f"{user}-1"}
    assert ask(chat, said("I keep bees."), **key) == f"{user}-1"
    compacted = then(said("Summary: there are bees."), "I see.", "Do they sting?")
    assert ask(chat, compacted, **key) == f"{user}-1"


@pytest.mark.parametrize("name", ["a/b", "x" * 300])
def test_an_id_that_cannot_be_lociss_still_tells_users_apart(chat: httpx.Client, name: str) -> None:
    session = ask(chat, said("I keep bees."), metadata={"chat_id": name})
    assert session == ask(chat, said("They swarm."), metadata={"chat_id": name})
    assert session != ask(chat, said("They swarm."), metadata={"chat_id": f"{name}."})


def test_names_that_differ_are_refused(chat: httpx.Client, user: str, other: str) -> None:
    for headers, fields in (
        ({"X-Loci-User": other}, {}),
        ({SESSION: "one"}, {"memory_id": "two"}),
    ):
        body = {"model": "x", "messages": said("Hello"), **fields}
        refused = chat.post("/v1/chat/completions", json=body, headers=headers)
        assert refused.status_code == 400
        assert "different" in refused.json()["error"]["message"]


def test_where_there_are_keys_only_they_say_whose_memory_it_is(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="ann:key-of-ann"), headers={"X-API-Key": "key-of-ann"}) as ann:
        for headers, fields in (({"X-OpenWebUI-User-Id": "bob"}, {}), ({}, {"user": "bob"})):
            session = ask(ann, said("I keep bees."), headers, **fields)
            assert stored(ann, session)[0] == ("user", "I keep bees.")
        body = {"model": "x", "messages": said("Hello")}
        assert ann.post("/v1/chat/completions", json=body, headers={"X-Loci-User": "bob"}).status_code == 403


def test_a_key_that_acts_for_users_goes_by_what_a_front_says_of_them(
    serve: Callable[..., str], make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]]
) -> None:
    server[make_settings().mongodb_db].api_keys.insert_one({"_id": hashed("front"), "acts_for_users": True})
    with httpx.Client(base_url=serve(), headers={"X-API-Key": "front"}) as front:
        for headers, fields in (({"X-OpenWebUI-User-Id": "bob"}, {}), ({}, {"user": "bob"})):
            session = ask(front, said("I keep bees."), headers, **fields)
            kept = front.get(f"/v1/sessions/{session}/messages", headers={"X-Loci-User": "bob"})
            assert kept.json()["items"][0]["content"] == "I keep bees."
            assert front.get(f"/v1/sessions/{session}", params={"user_id": "ann"}).status_code == 404
        body = {"model": "x", "messages": said("Hello")}
        nobody = front.post("/v1/chat/completions", json=body)
        assert nobody.status_code == 400 and "X-Loci-User" in nobody.json()["error"]["message"]


@pytest.mark.parametrize("named", [{"metadata": {"user_id": "{user}"}}, {"user_id": "{user}"}], ids=str)
def test_a_conversation_is_its_users_however_the_user_was_named(api: httpx.Client, other: str, named: Body) -> None:
    api.params = httpx.QueryParams()
    named = json.loads(json.dumps(named).replace("{user}", other))
    begun = api.post("/v1/conversations", json=named).json()["id"]
    made = api.post("/v1/responses", json={"input": "I keep bees.", "conversation": begun, "user": other})
    assert made.status_code == 200, made.text
    paths = (f"/v1/responses/{made.json()['id']}", f"/v1/conversations/{begun}", f"/v1/sessions/{begun}/messages")
    for path in paths:
        assert api.get(path).status_code == 404
        assert api.get(path, headers={"X-Loci-User": other}).status_code == 200, path
        assert api.get(path, params={"user_id": other}, headers={"X-Loci-User": f"{other}-2"}).status_code in (400, 422)


def test_a_conversation_begins_in_a_project(api: httpx.Client) -> None:
    api.put("/v1/projects/novel", json={"isolated": True})
    named = {"project": "novel"}
    begun = api.post("/v1/conversations", json=named).json()["id"]
    assert api.get(f"/v1/conversations/{begun}", headers={"X-Loci-Project": "other"}).status_code == 404
    for headers in ({}, {"X-Loci-Project": "novel"}):
        assert api.get(f"/v1/conversations/{begun}", headers=headers).json()["id"] == begun
    assert api.post(f"/v1/conversations/{begun}", json=named | {"metadata": {"a": "b"}}).json()["metadata"] == {
        "a": "b"
    }
