"""OpenAI's API without a provider: rules answer, the local encoder embeds."""

from typing import Any

import httpx
import numpy as np
import pytest
from openai import OpenAI

from tests.openai_chat import PARROT, QUESTION, ask, events, said, stored
from tests.scripted_model import Body


@pytest.mark.parametrize(
    "fields",
    [
        {"n": 3},
        {"n": True},
        {"n": 1.5},
        {"stream": "yes"},
        {"stream": 1},
        {"model": 3},
        {"temperature": 9},
        {"temperature": "0.5"},
        {"top_p": -0.1},
        {"frequency_penalty": 2.5},
        {"max_tokens": -1},
        {"max_completion_tokens": 0},
        {"tool_choice": "required"},
        {"response_format": {"type": "json_object"}},
    ],
    ids=str,
)
def test_rules_say_what_they_cannot_do(api: httpx.Client, user: str, fields: Body) -> None:
    found = api.post("/v1/chat/completions", json={"messages": said("Hi"), "memory_id": user, **fields})
    assert found.status_code == 400 and found.json()["error"]["param"] == next(iter(fields))
    assert stored(api, user) == []


def test_rules_take_whatever_a_model_would(api: httpx.Client, user: str) -> None:
    fields = {"temperature": 1, "top_p": 1, "presence_penalty": -2, "max_tokens": 1, "max_completion_tokens": None}
    asked = {"messages": said("Hi"), "memory_id": user, **fields}
    assert api.post("/v1/chat/completions", json=asked).status_code == 200


@pytest.mark.parametrize(
    ("path", "asked", "name"),
    [
        ("/v1/responses", {"input": "Hi", "max_output_tokens": -1}, "max_output_tokens"),
        ("/v1/responses", {"input": "Hi", "temperature": 9}, "temperature"),
        ("/v1/completions", {"prompt": "Hi", "max_tokens": -1}, "max_tokens"),
        ("/anthropic/v1/messages", {"messages": said("Hi"), "max_tokens": -1}, "max_tokens"),
    ],
)
def test_every_door_calls_what_is_out_of_range_by_its_own_name(
    api: httpx.Client, user: str, path: str, asked: Body, name: str
) -> None:
    found = api.post(path, json=asked | {"memory_id": user, "model": "x"})
    assert found.status_code == 400 and found.json()["error"]["message"].startswith(f"{name}: ")
    assert stored(api, user) == []


@pytest.mark.parametrize("role", ["boss", "", None, 7, ["user"]])
def test_a_role_that_is_none_is_named(api: httpx.Client, user: str, role: object) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": role, "content": "Hi"}]
    answer = api.post("/v1/chat/completions", json={"model": "x", "memory_id": user, "messages": messages})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("messages[1].role: must be one of system")


def test_without_a_provider_rules_answer_from_all_conversations(plain_client: OpenAI, user: str, other: str) -> None:
    ask(plain_client, user, PARROT)
    found = ask(plain_client, user, QUESTION)
    assert "Archimedes" in found.choices[0].message.content
    assert found.model == "rule_based" and found.choices[0].finish_reason == "stop"
    assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens
    assert PARROT in [hit["content"] for hit in found.model_extra["memory_hits"]]
    assert "Archimedes" in ask(plain_client, other, QUESTION).choices[0].message.content


def test_without_a_provider_memories_have_the_proxys_floor(plain_client: OpenAI, user: str) -> None:
    ask(plain_client, user, PARROT)
    ask(plain_client, user, "The kettle is broken again.")
    for floor, least in ((0.0, 2), (0.35, 1)):
        found = ask(plain_client, user, QUESTION, fields={"memory_score_threshold": floor})
        scores = [hit["score"] for hit in found.model_extra["memory_hits"]]
        assert len(scores) >= least and min(scores) >= floor
    assert ask(plain_client, user, QUESTION, fields={"memory_score_threshold": 1.0}).model_extra["memory_hits"] == []


def test_what_is_to_be_remembered_is_known_in_every_conversation_and_at_query(
    plain_client: OpenAI, api: httpx.Client, user: str, other: str
) -> None:
    ask(plain_client, user, "Remember that my shed key is under the mat.")
    assert "under the mat" in ask(plain_client, other, "Where is my shed key?").choices[0].message.content
    assert api.get("/v1/memories/shed%20key").json()["value"] == "under the mat"


def test_without_a_provider_rules_stream_in_the_same_shape(api: httpx.Client, plain_client: OpenAI, user: str) -> None:
    ask(plain_client, user, PARROT)
    *chunks, done = events(api, user, QUESTION, stream_options={"include_usage": True})
    assert done == "[DONE]"
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "Archimedes" in "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[1:-2])
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["choices"] == [] and chunks[-1]["usage"]["total_tokens"] > 0
    assert PARROT in [hit["content"] for hit in chunks[-1]["memory_hits"]]


def test_without_a_provider_the_local_encoder_embeds(plain_client: OpenAI) -> None:
    names = [one.id for one in plain_client.models.list()]
    assert names[0] == "rule_based" and plain_client.models.retrieve(names[1]).id == names[1]
    found = plain_client.embeddings.create(model=names[1], input=["a cat", "a kitten", "tax law"])
    rows = np.array([item.embedding for item in found.data])
    assert rows.shape == (3, 384)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    listed = plain_client.embeddings.create(
        model=names[1],
        input="a cat",
        encoding_format="float",
        extra_body={"user_id": "ann"},
        extra_query={"user_id": "ann"},
    )
    assert np.allclose(listed.data[0].embedding, rows[0], atol=1e-6)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "input: Field required"),
        ({"input": []}, "input: must be a text, or a list of at least one"),
        ({"input": [1, 2]}, "input: the local encoder reads texts, not tokens"),
        ({"input": [[1, 2]]}, "input: the local encoder reads texts, not tokens"),
        ({"input": 7}, "input: must be a text, or a list of texts"),
        ({"input": ["x", None]}, "input: must be a text, or a list of texts"),
        ({"input": ""}, "input: a text must not be empty"),
        ({"input": ["x", ""]}, "input: a text must not be empty"),
        ({"input": ["x"] * 2_049}, "input: at most 2,048 texts at once"),
        ({"input": "x", "dimensions": 7}, "dimensions: the local encoder has 384"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_embeddings_that_the_local_encoder_cannot_make_are_refused_by_what_is_wrong(
    api: httpx.Client, body: Body, message: str
) -> None:
    found = api.post("/v1/embeddings", json={"model": "m", **body})
    assert found.status_code == 400
    assert found.json()["error"] == {
        "message": message,
        "type": "invalid_request_error",
        "param": message.split(":")[0],
        "code": None,
    }


@pytest.mark.parametrize("reads", [True, False])
def test_what_the_request_brings_along_is_known_too(plain_client: OpenAI, user: str, *, reads: bool) -> None:
    answer = plain_client.chat.completions.create(
        model="m",
        messages=[
            {"role": "system", "content": "The vault's number is 99."},
            {"role": "user", "content": [{"type": "text", "text": "My locker number is 418."}]},
            {"role": "assistant", "content": "All right."},
            {"role": "user", "content": "What is my locker number?"},
        ],
        user=user,
        extra_body={"memory_id": "elsewhere"} | ({} if reads else {"memory_strategy": "none"}),
    )
    assert "418" in (answer.choices[0].message.content or "")


def test_without_a_provider_all_that_is_new_in_a_request_is_remembered(
    plain_client: OpenAI, api: httpx.Client, user: str
) -> None:
    messages: list[Any] = [
        {"role": "user", "content": "My canoe is called Silja."},
        {"role": "assistant", "content": "A fine name."},
        {"role": "user", "content": "She is painted yellow."},
        {"role": "system", "content": "Be brief."},
    ]
    for _ in range(2):
        given = plain_client.chat.completions.create(model="m", messages=messages, extra_body={"memory_id": user})
        question = {"role": "user", "content": "What is my canoe called?"}
        messages = [*messages, {"role": "assistant", "content": given.choices[0].message.content}, question]
    own = [text for role, text in stored(api, user) if role == "user"]
    assert own == ["My canoe is called Silja.", "She is painted yellow.", "What is my canoe called?"]


REQUIRED = {"/v1/chat/completions": {"messages": said("Hi")}, "/v1/embeddings": {"input": "Hi"}}
OPTIONAL = {
    "/v1/chat/completions": (
        *("model", "stream", "n", "stop", "temperature", "max_tokens", "max_completion_tokens", "tools", "tool_choice"),
        *("response_format", "stream_options", "seed", "user", "metadata", "logprobs", "top_logprobs", "logit_bias"),
        *("memory_id", "memory_top_k", "memory_recency_weight", "memory_score_threshold", "memory_strategy", "user_id"),
    ),
    "/v1/embeddings": ("model", "encoding_format", "dimensions", "user", "user_id"),
}


@pytest.mark.parametrize("path", REQUIRED)
def test_a_field_that_is_null_is_as_if_left_out(api: httpx.Client, path: str) -> None:
    bare, *given = (
        api.post(path, json=REQUIRED[path] | nulls)
        for nulls in ({}, *({name: None} for name in OPTIONAL[path]), dict.fromkeys(OPTIONAL[path]))
    )
    assert {answer.status_code for answer in given} == {200}
    assert {answer.json()["model"] for answer in given} == {bare.json()["model"]}
    if path == "/v1/embeddings":
        assert {answer.text for answer in given} == {bare.text}


def test_headers_say_which_memories_were_given(plain_client: OpenAI, user: str) -> None:
    told = ask(plain_client, user, PARROT)
    raw = plain_client.chat.completions.with_raw_response.create(
        model="gpt-test", messages=said(QUESTION), extra_body={"memory_id": f"{user}-other"}
    )
    assert raw.headers["X-Loci-Turn"] == raw.headers["X-Loci-Turn-ID"]
    assert raw.headers["X-Loci-Memories"] == f"{told.id.removeprefix('chatcmpl-')}.prompt"


def test_headers_stay_short_whatever_ids_are_called(api: httpx.Client, user: str) -> None:
    names = ["Архимед" * 20 + str(number) for number in range(40)]
    texts = [f"My parrot number {number} is called Archimedes." for number in range(40)]
    messages = [{"id": name, "role": "user", "content": text} for name, text in zip(names, texts, strict=True)]
    api.post("/v1/messages", json={"session_id": "s", "messages": messages, "wait": True})
    body = {"messages": said(QUESTION), "memory_top_k": 40, "memory_id": user, "memory_score_threshold": 0.0}
    answer = api.post("/v1/chat/completions", json=body)
    assert len(answer.json()["memory_hits"]) > 10 and 100 < len(answer.headers["X-Loci-Memories"]) <= 4_000


@pytest.mark.parametrize("asked_first", [True, False])
def test_the_same_question_with_an_image_does_not_come_before_what_answers_it(
    api: httpx.Client, user: str, asked_first: bool
) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    pictured = [{"role": "user", "content": [{"type": "text", "text": QUESTION}, image]}]
    told = {"session_id": user, "messages": said(PARROT), "wait": True}
    asking = ("/v1/chat/completions", {"messages": pictured, "memory_id": user})
    for path, body in (asking, ("/v1/messages", told)) if asked_first else (("/v1/messages", told), asking):
        api.post(path, json=body).raise_for_status()
    assert ("user", f"{QUESTION} [image]") in stored(api, user)
    search = api.post("/v1/search", json={"query": QUESTION}).json()["items"]
    known = api.post("/query", json={"query": QUESTION, "session_id": "third"}).json()
    proxied = api.post("/v1/chat/completions", json={"messages": said(QUESTION), "memory_id": "fourth"}).json()
    for found in (search, known["memory_context"]["context"], proxied["memory_hits"]):
        assert found[0]["content"] == PARROT
    assert known["response"].startswith("You told me") and "Archimedes" in known["response"]


def test_what_was_forgotten_is_quoted_from_no_transcript(plain_client: OpenAI, api: httpx.Client, user: str) -> None:
    transcript: list[Any] = []
    for text in ("My locker is number 12 at the gym.", "Forget my locker.", "What is my locker number?"):
        transcript.append({"role": "user", "content": text})
        given = plain_client.chat.completions.create(model="loci", messages=transcript, extra_body={"memory_id": user})
        transcript.append({"role": "assistant", "content": given.choices[0].message.content})
    assert "12" not in transcript[-1]["content"]
    assert not any("12" in text for _, text in stored(api, user))


def test_what_somebody_else_asks_for_changes_nothing_of_the_users(
    plain_client: OpenAI, api: httpx.Client, user: str
) -> None:
    for name, text in (("Ana", "Remember that my locker is 12."), ("Bob", "Forget my locker"), ("Bob", "No, it's 9.")):
        messages: list[Any] = [{"role": "user", "name": name, "content": text}]
        plain_client.chat.completions.create(model="loci", messages=messages, extra_body={"memory_id": user})
    assert api.get("/v1/memories/locker").json()["value"] == "12"
    assert [text for _, text in stored(api, user)].count("Forget my locker") == 1
