"""The Responses API where the provider has it, too: requests pass through, with memory and what came before."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.api.openai.responses_client import KNOWN, TOOL, kinds, last_asked, output_output, respond
from tests.conftest import before_a_model
from tests.openai_chat import PARROT, QUESTION, stored
from tests.scripted_model import ScriptedModel, answer, calling, cut, edited, html, models, status


@pytest.fixture(scope="module")
def passing(store_uri: str, home: Path) -> Iterator[tuple[ScriptedModel, str]]:
    """A provider that has the Responses API, and Loci in front of it."""

    def provider(url: str) -> dict[str, str]:
        return {"openai_base_url": url, "openai_api_key": "sk-test", "openai_responses": "true"}

    with before_a_model(store_uri, home, "passing", provider) as both:
        yield both


@pytest.fixture
def model(passing: tuple[ScriptedModel, str]) -> Iterator[ScriptedModel]:
    passing[0].requests.clear()
    yield passing[0]
    passing[0].forget_script()


@pytest.fixture
def chat(model: ScriptedModel, passing: tuple[ScriptedModel, str], user: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=passing[1], timeout=30, params={"user_id": user}) as made:
        yield made


def test_a_request_passes_through_with_memory(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    respond(client, PARROT)
    odd = {"odd": {"a": [1]}, "prompt_cache_key": "k", "memory_top_k": 3}
    hosted: Any = [{"type": "web_search", "user_location": {"type": "approximate", "city": "Turin"}}, TOOL]
    raw = client.responses.with_raw_response.create(
        model="gpt-test", input=QUESTION, instructions="Be brief.", tools=hosted, extra_body=odd
    )
    made = raw.parse()
    body = last_asked(model, "responses")
    text = body.pop("input")[0]["content"]
    assert PARROT in text and text.endswith(QUESTION)
    assert body == {
        "model": "gpt-test",
        "instructions": "Be brief.",
        "tools": hosted,
        "odd": {"a": [1]},
        "prompt_cache_key": "k",
        "store": False,
    }
    assert made.model_extra["odd"] == {"kept": True} and made.store is True and made.id.startswith("resp_")
    assert [hit["content"] for hit in made.model_extra["memory_hits"]] == [PARROT]
    assert raw.headers["X-Loci-Memories"] and made.usage.total_tokens == 12
    assert [role for role, _ in stored(chat, made.id)] == ["user", "assistant"]
    again = client.responses.retrieve(made.id)
    assert again.output_text == made.output_text and again.model_extra["odd"] == {"kept": True}


def test_a_stream_passes_through_and_is_stored(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(answer("That is a fine name."), on="responses")
    with client.responses.stream(model="gpt-test", input=PARROT) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert kinds(events) == KNOWN["text"]
    assert {event.response.id for event in events if hasattr(event, "response")} == {final.id}
    assert client.responses.retrieve(final.id).output_text == "That is a fine name."
    assert stored(chat, final.id) == [("user", PARROT), ("assistant", "That is a fine name.")]


def test_the_provider_is_told_what_came_before(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(calling("weather", city="Turin"), answer("It rains."), on="responses")
    asked = "How is the weather in Turin?"
    first = respond(client, asked, tools=[TOOL], reasoning={"effort": "low"})
    assert last_asked(model, "responses")["include"] == ["reasoning.encrypted_content"]
    second = respond(client, [output_output(first.output[0], "rain")], previous_response_id=first.id)
    body = last_asked(model, "responses")
    assert "previous_response_id" not in body and second.previous_response_id == first.id
    assert [item["type"] for item in body["input"]] == ["message", "function_call", "function_call_output"]
    assert body["input"][1] == {
        "type": "function_call",
        "call_id": "call-0",
        "name": "weather",
        "arguments": '{"city": "Turin"}',
    }
    assert stored(chat, first.id) == [("user", asked), ("assistant", "It rains.")]


def test_errors_come_in_their_shapes(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(status(400, message="no such model", param="model"), html(), on="responses")
    with pytest.raises(openai.BadRequestError, match="no such model"):
        respond(client, PARROT)
    with pytest.raises(openai.InternalServerError):
        respond(client, PARROT)
    model.script(cut(6), on="responses")
    with client.responses.stream(model="gpt-test", input="I like tea very much indeed.") as stream:
        events = list(stream)
    assert events[-1].type == "response.failed" and "broke off" in events[-1].response.error.message
    assert events[-1].response.id == events[0].response.id

    def failing(event: Any) -> Any:
        return {**event, "type": "response.failed"} if event["type"] == "response.completed" else event

    model.script(edited(failing), on="responses")
    with client.responses.stream(model="gpt-test", input="I like tea.") as stream:
        assert list(stream)[-1].type == "response.failed"


def test_agents_histories_are_packed_by_chat_completions(client: OpenAI, model: ScriptedModel) -> None:
    respond(client, "Go on.", extra_body={"memory_strategy": "tool_memory"})
    assert model.asked("responses") == [] and len(model.asked("chat")) == 1


@pytest.mark.parametrize(
    ("names", "asked"),
    [(["gpt-4o-mini"], "gpt-4o-mini"), (["gpt-9:latest", "gpt-4o-mini"], "gpt-9"), (["llama"], "gpt-9")],
)
def test_a_model_that_the_provider_does_not_list_is_the_one_of_the_settings(
    serve: Callable[..., str], scripted_model: ScriptedModel, names: list[str], asked: str
) -> None:
    scripted_model.always(models(*names), on="models")
    address = serve(openai_base_url=scripted_model.url)
    with OpenAI(base_url=f"{address}/v1", api_key="loci", max_retries=0) as client:
        client.responses.create(model="gpt-9", input=PARROT)
    assert last_asked(scripted_model)["model"] == asked


def test_a_list_of_models_that_a_key_may_not_see_is_none_for_others_and_asked_for_again(
    serve: Callable[..., str], scripted_model: ScriptedModel
) -> None:
    scripted_model.always(models("gpt-4o-mini"), on="models")
    address = serve(openai_base_url=scripted_model.url)

    def asked(key: str) -> object:
        with OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as client:
            client.responses.create(model="gpt-9", input=PARROT)
        return last_asked(scripted_model)["model"]

    scripted_model.script(status(401), on="models")
    assert [asked("wrong"), asked("right")] == ["gpt-9", "gpt-4o-mini"]
    scripted_model.script(status(503), on="models")
    assert [asked("third"), asked("third")] == ["gpt-9", "gpt-4o-mini"]
    before = len(scripted_model.asked("models"))
    assert asked("right") == "gpt-4o-mini"
    assert len(scripted_model.asked("models")) == before
