"""Streams through OpenAI's API, of sound and of odd providers."""

import json
import threading
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.checks import eventually
from tests.openai_chat import PARROT, QUESTION, ask, chunk, events, said, sent, stored, streamed, text_of
from tests.scripted_model import Behaviour, Body, ScriptedModel, cut


def test_a_stream_goes_through_and_ends_with_what_memory_knew(
    chat: httpx.Client, client: OpenAI, model: ScriptedModel, user: str
) -> None:
    ask(client, user, PARROT)
    model.script(Behaviour(pieces=("Archi", "medes", "!")))
    *chunks, done = events(chat, user, QUESTION)
    assert done == "[DONE]"
    assert {chunk["id"] for chunk in chunks} == {"chatcmpl-scripted"}
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    assert [chunk["choices"][0]["delta"].get("content") for chunk in chunks[1:-1]] == ["Archi", "medes", "!"]
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert next(hit["content"] for hit in chunks[-1]["memory_hits"]) == PARROT
    assert not any("memory_hits" in chunk or chunk.get("usage") for chunk in chunks[:-1])
    assert stored(chat, user)[-1] == ("assistant", "Archimedes!")


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<think>\nThey own {one: parrot}.\n</think>\n\nA learned bird.", "A learned bird."),
        ("Hm.\n<think>They wonder", "Hm."),
        ("<think>They own a parrot and", None),
    ],
)
def test_thoughts_go_through_and_are_not_remembered(
    chat: httpx.Client, client: OpenAI, model: ScriptedModel, user: str, streaming: bool, text: str, kept: str | None
) -> None:
    model.script(Behaviour(text=text, pieces=tuple(text[at : at + 3] for at in range(0, len(text), 3))))
    if streaming:
        assert text_of(list(ask(client, user, PARROT, stream=True))) == text
    else:
        assert ask(client, user, PARROT).choices[0].message.content == text
    assert stored(chat, user) == [("user", PARROT), *([("assistant", kept)] if kept else [])]
    found = chat.post("/v1/search", json={"query": "Who wonders, and who owns one parrot?"}).json()["items"]
    assert not any("They" in item["content"] for item in found)


def test_the_usage_of_a_stream_comes_last_where_it_is_asked_for(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    *_, finished, last, done = events(chat, user, QUESTION, stream_options={"include_usage": True})
    assert done == "[DONE]"
    assert finished["choices"][0]["finish_reason"] == "stop" and "memory_hits" not in finished
    assert last["choices"] == [] and last["usage"]["total_tokens"] > 0 and last["memory_hits"] == []
    assert model.asked("chat")[-1]["stream_options"] == {"include_usage": True}


async def test_the_asynchronous_client_streams(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(Behaviour(pieces=("One ", "two ", "three.")))
    async with AsyncOpenAI(base_url=f"{chat.base_url}/v1", api_key="sk-mine", max_retries=0) as client:
        stream = await client.chat.completions.create(
            model="gpt-test", messages=said("Count to three."), stream=True, extra_body={"memory_id": user}
        )
        pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(pieces) == "One two three."


def test_a_stream_that_breaks_off_is_told_and_kept_as_interrupted(
    chat: httpx.Client, client: OpenAI, model: ScriptedModel, user: str
) -> None:
    model.script(cut(after=3))
    model.reply = lambda body: "one two three four five"
    stream = ask(client, user, "Count.", stream=True)
    with pytest.raises(openai.APIError):
        list(stream)
    eventually(lambda: len(stored(chat, user)) == 2)
    items = chat.get(f"/v1/sessions/{user}/messages").json()["items"]
    assert items[1]["content"] == "one two " and items[1]["interrupted"] is True


def test_a_client_that_leaves_leaves_what_it_had_seen(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(Behaviour(pieces=("Once ", "upon ", "a time"), hang_after=3))
    body = {"model": "gpt-test", "messages": said("Tell me a story."), "stream": True, "memory_id": user}
    with chat.stream("POST", "/v1/chat/completions", json=body) as answered:
        lines = answered.iter_lines()
        while "upon" not in next(lines):
            pass
    eventually(lambda: len(stored(chat, user)) == 2)
    items = chat.get(f"/v1/sessions/{user}/messages").json()["items"]
    assert items[1]["content"] == "Once upon " and items[1]["interrupted"] is True


def test_tokens_arrive_as_the_provider_sends_them(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    """The second piece is sent only after the first has arrived."""
    arrived = threading.Event()

    def waiting(body: Body) -> Body:
        if body["choices"][0]["delta"].get("content") == "second":
            assert arrived.wait(10), "the first piece was held back"
        return body

    model.script(Behaviour(pieces=("first", "second"), edit=waiting))
    body = {"model": "gpt-test", "messages": said("Go."), "stream": True, "memory_id": user}
    with chat.stream("POST", "/v1/chat/completions", json=body) as answered:
        for line in answered.iter_lines():
            if "first" in line:
                arrived.set()
    assert arrived.is_set()


def test_a_provider_that_does_not_mark_the_end_of_its_stream_is_made_up_for(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(Behaviour(done=False))
    assert events(chat, user, "Hello there")[-1] == "[DONE]"


@pytest.mark.parametrize(
    "pieces",
    [
        (chunk("whole", error=None), chunk(None, "stop", error=None)),
        (": keep-alive\n\n", chunk("who"), ": keep-alive\n\n", chunk("le", "stop"), ": keep-alive\n\n"),
        (chunk("whole"), chunk(None, "stop"), "data: [DONE] \n\n"),
        (chunk("whole").replace("\n", "\r\n"), chunk(None, "stop").replace("\n", "\r")),
        (chunk("who"), chunk("le")),
        (chunk("whole", "stop"), chunk(None, None)),
    ],
    ids=["null errors", "comments", "a blank after the mark", "line ends", "no finish reason", "a chunk after the end"],
)
def test_odd_streams_come_out_whole_and_once(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str, pieces: tuple[str, ...]
) -> None:
    sent(model, *pieces)
    chunks = streamed(client, user)
    assert text_of(chunks) == "whole"
    assert sum(choice.finish_reason == "stop" for one in chunks for choice in one.choices) <= 1
    assert chunks[-1].model_extra["memory_hits"] == []
    assert stored(chat, user)[-1] == ("assistant", "whole")


def test_text_in_the_chunk_that_ends_an_answer_is_not_held_back(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    sent(model, chunk("whole", "stop"))
    *_, saying, ending, done = events(chat, user, "Go on.")
    assert saying["choices"][0] == {"index": 0, "delta": {"content": "whole"}, "finish_reason": None}
    assert ending["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert done == "[DONE]"


@pytest.mark.parametrize(
    "pieces",
    [
        (chunk("who"), 'data:{"object": "error", "error": {"message": "overloaded"}}\n\n'),
        (chunk("whole", "stop"), 'data: {"error": {"message": "late"}}\n\n'),
        (chunk("one", "stop"), chunk("tw", number=1)),
    ],
    ids=["in the middle", "after the end", "in another choice"],
)
def test_a_stream_that_fails_is_no_success(
    client: OpenAI, model: ScriptedModel, user: str, pieces: tuple[str, ...]
) -> None:
    for _ in range(2):  # nor is it given again
        sent(model, *pieces, done="")
        with pytest.raises(openai.APIError):
            streamed(client, user, extra_headers={"Idempotency-Key": f"odd-{user}"})
    assert len(model.asked("chat")) == 2


def test_halves_of_a_character_are_joined_in_what_is_stored(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    sent(model, chunk("A dog: \ud83d"), chunk("\udc36!"), chunk(None, "stop", usage={"score": float("nan")}))
    streamed(client, user)
    assert stored(chat, user)[-1] == ("assistant", "A dog: \U0001f436!")


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("streamed", [False, True])
def test_half_a_character_in_any_field_breaks_no_answer_and_is_kept_whole(
    chat: httpx.Client, model: ScriptedModel, user: str, streamed: bool
) -> None:
    odd: list[Any] = [
        {"model": "odd \ud800"},
        {"user": "\ud800"},
        {"metadata": {"\ud800": "\udfff"}},
        {"messages": [{"role": "user", "name": "\ud800", "content": "Hello \ud800"}]},
    ]
    model.always(Behaviour(text="Fine", edit=lambda answer: answer | {"model": "odd \ud800", "id": "\udfff"}))
    for number, fields in enumerate(odd):
        body = {"model": "m", "messages": said(f"Hello {number}"), "memory_id": user, "stream": streamed, **fields}
        answer = chat.post("/v1/chat/completions", content=json.dumps(body), headers=JSON)
        assert answer.status_code == 200, answer.text
        assert answer.text.endswith("data: [DONE]\n\n") == streamed
        assert '"error"' not in answer.text
    kept = chat.get(f"/v1/sessions/{user}/messages").json()["items"]
    assert [one["content"] for one in kept if one["role"] == "assistant"] == ["Fine"] * len(odd)
    assert {one["model"] for one in kept if one["role"] == "assistant"} == {"odd \ufffd"}
