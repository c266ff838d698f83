"""What is forgotten, corrected and deleted of what clients of OpenAI's API send, again and again."""

from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.openai_chat import ask, passed_on, said, stored
from tests.scripted_model import ScriptedModel, status


def test_what_was_asked_to_be_remembered_is_corrected_and_forgotten_in_the_conversation(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    transcript: list[Any] = []
    passed_on(client, model, user, transcript, "Remember that my locker is 12.")
    corrected = passed_on(client, model, user, transcript, "No, it's 14.")
    assert "I'll remember: locker: 14 (before: 12)." in corrected and corrected.count("locker") == 1
    assert chat.get("/v1/memories/locker").json()["value"] == "14"
    block = passed_on(client, model, user, transcript, "Forget my locker")
    assert "## Done just now, upon my message\nI have forgotten “locker”" in block and "14" not in block
    assert chat.get("/v1/memories/locker").status_code == 404
    passed_on(client, model, user, transcript, "I row on Tuesdays.")
    assert [text for _, text in stored(chat, user)] == ["I row on Tuesdays.", transcript[-1]["content"]]


def test_what_is_forgotten_is_forgotten_once_however_often_the_model_goes_on(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    for key, value in (("wife", "Ann"), ("wife's job", "nurse")):
        chat.put(f"/v1/memories/{key}", json={"value": value}).raise_for_status()
    asked = said("Forget my wife")
    model.script(status(500))
    with pytest.raises(openai.InternalServerError):
        client.with_options(max_retries=0).chat.completions.create(
            model="gpt-test", messages=asked, extra_body={"memory_id": user}
        )
    again = {"x-stainless-retry-count": "1"}
    client.chat.completions.create(
        model="gpt-test", messages=asked, extra_body={"memory_id": user}, extra_headers=again
    )
    first = model.asked("chat")[-1]["messages"][-1]["content"]
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    used = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": "Nothing."}]
    rounds: list[Any] = [*asked, *used]
    client.chat.completions.create(model="gpt-test", messages=rounds, extra_body={"memory_id": user})
    assert model.asked("chat")[-1]["messages"][0]["content"] == first and "I have forgotten “wife”" in first
    assert chat.get("/v1/memories/wife's job").json()["value"] == "nurse"
    assert stored(chat, user) == []


def test_what_is_forgotten_in_a_stream_leaves_nothing(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    chat.put("/v1/memories/locker", json={"value": "12"}).raise_for_status()
    pieces = list(ask(client, user, "Forget my locker", stream=True))
    assert pieces[-1].choices[0].finish_reason == "stop"
    assert "I have forgotten “locker”" in model.asked("chat")[-1]["messages"][-1]["content"]
    assert stored(chat, user) == []
    assert chat.get("/v1/memories/locker").status_code == 404


def test_what_a_crash_left_undone_is_forgotten_when_the_client_asks_again(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    chat.post("/v1/messages", json={"session_id": user, "messages": said("Forget my locker")}).raise_for_status()
    chat.put("/v1/memories/locker", json={"value": "12"}).raise_for_status()
    passed_on(client, model, user, [], "Forget my locker")
    assert chat.get("/v1/memories/locker").status_code == 404


def test_what_may_be_said_of_a_text_deletes_nothing(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    chat.put("/v1/memories/phone number", json={"value": "555-1234"}).raise_for_status()
    assert "555-1234" in passed_on(client, model, user, [], "Remove my phone number.")
    assert chat.get("/v1/memories/phone number").json()["value"] == "555-1234"


@pytest.mark.parametrize(
    ("text", "done"),
    [("Forget my locker", "so nothing was deleted."), ("Vergiss, dass ich in Köln wohne.", "I deleted nothing.")],
)
def test_the_model_is_told_where_nothing_was_forgotten(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str, text: str, done: str
) -> None:
    ask(client, user, "I row on Tuesdays.")
    ask(client, "elsewhere", text)
    assert done in model.asked("chat")[-1]["messages"][-1]["content"]
    assert ("user", "I row on Tuesdays.") in stored(chat, user)


@pytest.mark.parametrize(("deleted", "left"), [(slice(2), 1), (slice(2, 4), 0), (slice(4), None)])
def test_a_transcript_brings_nothing_back_that_was_deleted(
    client: OpenAI, chat: httpx.Client, user: str, deleted: slice, left: int | None
) -> None:
    told = ["The gate code is 9043.", "I row on Tuesdays."]
    transcript: list[Any] = []
    for text in told:
        transcript += said(text)
        given = client.chat.completions.create(model="gpt-test", messages=transcript, extra_body={"memory_id": user})
        transcript.append({"role": "assistant", "content": given.choices[0].message.content})
    for item in chat.get(f"/v1/sessions/{user}/messages").json()["items"][deleted]:
        chat.delete(f"/v1/sessions/{user}/messages/{item['id']}").raise_for_status()
    transcript += said("What do you know?")
    client.chat.completions.create(model="gpt-test", messages=transcript, extra_body={"memory_id": user})
    own = [text for role, text in stored(chat, user) if role == "user"]
    assert own == [*(told[left : left + 1] if left is not None else ()), "What do you know?"]


@pytest.mark.parametrize("way", ["forget", "session"])
def test_a_transcript_of_which_nothing_is_left_brings_nothing_back(
    client: OpenAI, chat: httpx.Client, user: str, way: str
) -> None:
    transcript = said("My locker is number 12.")
    given = client.chat.completions.with_raw_response.create(model="gpt-test", messages=transcript)
    if way == "forget":
        chat.post("/query", json={"query": "Forget my locker."}).raise_for_status()
    else:
        chat.delete(f"/v1/sessions/{given.headers['x-loci-session']}").raise_for_status()
    transcript += [{"role": "assistant", "content": given.parse().choices[0].message.content}, *said("My cat is Miso.")]
    client.chat.completions.create(model="gpt-test", messages=transcript)
    sessions = [item["id"] for item in chat.get("/v1/sessions").json()["items"]]
    assert [text for one in sessions for role, text in stored(chat, one) if role == "user" and "cat" in text]
    assert not any("locker is" in text for one in sessions for _, text in stored(chat, one))
