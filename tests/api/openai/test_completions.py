"""OpenAI's completions of a prompt, by a provider that has them, by one that chats alone, and by rules."""

from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.openai_chat import PARROT, QUESTION, stored
from tests.scripted_model import ScriptedModel, answer, status

FLAT = "system: Be brief.\nuser: Ahoy.\nassistant: Ahoy, sailor.\nuser: {}\nassistant: "  # as LlamaIndex writes it


@pytest.fixture(params=["completes", "chats"])
def provider(request: pytest.FixtureRequest, model: ScriptedModel) -> Iterator[ScriptedModel]:
    """One that completes prompts, and one that chats alone."""
    model.completes = request.param == "completes"
    yield model
    model.completes = False


@pytest.fixture
def completing(model: ScriptedModel) -> Iterator[ScriptedModel]:
    model.completes = True
    yield model
    model.completes = False


def name_of(provider: ScriptedModel) -> str:
    """A model that is known to chat is not asked to complete again."""
    return "instruct" if provider.completes else "chatting"


def sent(provider: ScriptedModel) -> str:
    """What the provider was asked last."""
    kind = "completions" if provider.completes else "chat"
    body = provider.asked(kind)[-1]
    return str(body["prompt"] if provider.completes else body["messages"][-1]["content"])


def complete(client: OpenAI, provider: ScriptedModel, prompt: Any, said: str, **more: Any) -> Any:
    provider.script(answer(said), on="completions" if provider.completes else "chat")
    return client.completions.create(model=name_of(provider), prompt=prompt, **more)


def test_a_prompt_is_answered_with_what_was_said_before(
    client: OpenAI, provider: ScriptedModel, chat: httpx.Client, user: str
) -> None:
    first = complete(client, provider, PARROT, "A learned bird.", extra_body={"memory_id": user})
    assert (first.object, first.choices[0].text, first.choices[0].finish_reason) == (
        "text_completion",
        "A learned bird.",
        "stop",
    )
    found = complete(client, provider, FLAT.format(QUESTION), "Archimedes.", extra_body={"memory_id": "elsewhere"})
    assert PARROT in str(found.model_extra["memory_hits"]) and PARROT in sent(provider)
    assert stored(chat, user) == [("user", PARROT), ("assistant", "A learned bird.")]
    assert ("user", QUESTION) in stored(chat, "elsewhere") and ("assistant", "Archimedes.") in stored(chat, "elsewhere")


def test_memory_stands_before_the_users_last_part_and_all_else_as_it_was(
    client: OpenAI, completing: ScriptedModel, user: str
) -> None:
    complete(client, completing, PARROT, "A learned bird.")
    complete(client, completing, FLAT.format(QUESTION), "Archimedes.")
    prompt = sent(completing)
    assert prompt.startswith("system: Be brief.\nuser: Ahoy.\nassistant: Ahoy, sailor.\nuser: <memory")
    assert prompt.endswith(f"</memory>\n\n{QUESTION}\nassistant: ")


def test_a_stream_comes_in_texts_and_is_kept(
    client: OpenAI, provider: ScriptedModel, chat: httpx.Client, user: str
) -> None:
    more: dict[str, Any] = {"extra_body": {"memory_id": user}, "stream_options": {"include_usage": True}}
    chunks = list(complete(client, provider, PARROT, "A most learned bird.", stream=True, **more))
    assert "".join(choice.text for one in chunks for choice in one.choices) == "A most learned bird."
    assert [choice.finish_reason for one in chunks for choice in one.choices if choice.finish_reason] == ["stop"]
    assert {one.object for one in chunks} == {"text_completion"}
    assert chunks[-1].model_extra["memory_hits"] == [] and any(one.usage for one in chunks)
    assert stored(chat, user) == [("user", PARROT), ("assistant", "A most learned bird.")]


def test_a_flat_transcript_is_one_conversation(client: OpenAI, provider: ScriptedModel, chat: httpx.Client) -> None:
    prompt = "user: My barge is called Nixe.\nassistant: "
    asking = client.completions.with_raw_response
    sessions = set()
    for said in ("A fine name.", "So she is."):
        provider.script(answer(said), on="completions" if provider.completes else "chat")
        found = asking.create(model=name_of(provider), prompt=prompt)
        sessions.add(found.headers["x-loci-session"])
        prompt += f"{said}\nuser: She is red.\nassistant: "
    [session] = sessions
    assert stored(chat, session) == [
        ("user", "My barge is called Nixe."),
        ("assistant", "A fine name."),
        ("user", "She is red."),
        ("assistant", "So she is."),
    ]


@pytest.mark.parametrize("streamed", [False, True])
def test_several_prompts_are_answered_each_with_memory(
    client: OpenAI, provider: ScriptedModel, chat: httpx.Client, user: str, *, streamed: bool
) -> None:
    on = "completions" if provider.completes else "chat"
    provider.script(answer("One."), answer("Two."), on=on)
    texts = ["My cat is called Luna.", "My dog is called Biscuit."]
    given: Any = client.completions.create(
        model=name_of(provider), prompt=texts, extra_body={"memory_id": user}, stream=streamed
    )
    choices = [choice for one in (given if streamed else [given]) for choice in one.choices]
    assert [(one.index, one.text) for one in choices if one.text] == [(0, "One."), (1, "Two.")]
    assert stored(chat, user) == [
        ("user", texts[0]),
        ("assistant", "One."),
        ("user", texts[1]),
        ("assistant", "Two."),
    ]


def test_what_the_provider_alone_knows_passes_through(
    client: OpenAI, completing: ScriptedModel, chat: httpx.Client, user: str
) -> None:
    more: Any = {"n": 2, "echo": True, "logprobs": 1, "extra_body": {"memory_id": user, "odd": [1]}}
    found = complete(client, completing, PARROT, " A bird.", **more)
    assert [one.text for one in found.choices] == [f"{PARROT} A bird."] * 2 and found.choices[0].logprobs.tokens
    assert completing.asked("completions")[-1] == {
        "model": "instruct",
        "prompt": PARROT,
        "n": 2,
        "echo": True,
        "logprobs": 1,
        "odd": [1],
    }
    assert [text.strip() for _, text in stored(chat, user)] == [PARROT, "A bird."]


def test_tokens_pass_through_and_nothing_is_kept_of_them(
    client: OpenAI, completing: ScriptedModel, chat: httpx.Client, user: str
) -> None:
    complete(client, completing, [1, 2, 3], "Four.", extra_body={"memory_id": user})
    assert completing.asked("completions")[-1]["prompt"] == [1, 2, 3]
    assert stored(chat, user) == []


def test_what_an_editor_has_filled_in_is_not_remembered(
    client: OpenAI, completing: ScriptedModel, chat: httpx.Client, user: str
) -> None:
    complete(client, completing, "def boat():", "pass", suffix="return 1", extra_body={"memory_id": user})
    complete(client, completing, "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>", "c", extra_body={"memory_id": user})
    assert stored(chat, user) == []


def test_rules_complete_a_prompt(plain_client: OpenAI, api: httpx.Client, user: str) -> None:
    of: Any = {"extra_body": {"memory_id": user}}
    plain_client.completions.create(model="x", prompt=PARROT, **of)
    found = plain_client.completions.create(model="x", prompt=[FLAT.format(QUESTION), QUESTION], **of)
    assert [one.index for one in found.choices] == [0, 1]
    assert all("Archimedes" in one.text for one in found.choices)
    chunks = list(plain_client.completions.create(model="x", prompt=QUESTION, stream=True, **of))
    assert "Archimedes" in "".join(choice.text for one in chunks for choice in one.choices)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"prompt": [1, 2]}, "prompt"),
        ({"prompt": [[1], [2]]}, "prompt"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": []}, "prompt"),
        ({"prompt": {"text": "Hi"}}, "prompt"),
        ({}, "prompt"),
        ({"prompt": "Hi", "echo": True}, "echo"),
        ({"prompt": "Hi", "n": 2}, "n"),
        ({"prompt": "Hi", "logprobs": 0}, "logprobs"),
        ({"prompt": "Hi", "suffix": "there"}, "suffix"),
        ({"prompt": "Hi", "best_of": 2}, "best_of"),
    ],
)
def test_what_rules_cannot_do_is_refused_in_words(
    api: httpx.Client, user: str, fields: dict[str, Any], param: str
) -> None:
    found = api.post("/v1/completions", json={"model": "x", "memory_id": user, **fields})
    error = found.json()["error"]
    assert (found.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param), error
    assert error["message"].startswith(f"{param}: ")
    assert stored(api, user) == []


def test_an_error_of_the_provider_comes_back_as_it_came(client: OpenAI, completing: ScriptedModel) -> None:
    completing.script(status(429, message="Slow down."), on="completions")
    with pytest.raises(openai.RateLimitError, match=r"Slow down\."):
        client.completions.create(model="instruct", prompt=PARROT)
