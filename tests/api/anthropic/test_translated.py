"""Anthropic's Messages where the provider answers chat completions."""

from typing import Any

import anthropic
import httpx
import pytest
from anthropic import Anthropic, beta_tool

from tests.api.anthropic.messages_client import TOOL, ask, kinds, last_asked
from tests.checks import eventually
from tests.openai_chat import PARROT, QUESTION, stored
from tests.scripted_model import Behaviour, ScriptedModel, answer, calling, cut, edited, models, stalled, status

STREAMED = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
]


def test_a_message_has_what_the_clients_shapes_want(translated_client: Anthropic, model: ScriptedModel) -> None:
    model.script(answer("Noted."))
    made = ask(
        translated_client,
        [{"type": "text", "text": PARROT, "cache_control": {"type": "ephemeral"}}],
        system=[{"type": "text", "text": "Be brief."}],
        stop_sequences=["END"],
        extra_body={"temperature": 0.5, "top_k": 4},
        thinking={"type": "adaptive"},
        service_tier="auto",
    )
    assert (made.type, made.role, made.content[0].text, made.stop_reason) == (
        "message",
        "assistant",
        "Noted.",
        "end_turn",
    )
    assert made.id.startswith("msg_") and made.usage.input_tokens > 0 < made.usage.output_tokens
    body = last_asked(model)
    assert body == {
        "model": body["model"],
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PARROT}],
        "max_tokens": 100,
        "temperature": 0.5,
        "stop": ["END"],
    }


def test_what_is_told_in_one_conversation_is_known_in_another(
    translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(answer("Noted."), answer("Archimedes."))
    ask(translated_client, PARROT)
    raw = translated_client.messages.with_raw_response.create(
        model="claude-test", max_tokens=10, messages=[{"role": "user", "content": QUESTION}]
    )
    assert PARROT in last_asked(model)["messages"][-1]["content"]
    turn, session = raw.headers["X-Loci-Turn"], raw.headers["X-Loci-Session"]
    assert raw.headers["X-Loci-Memories"].split(",")[0].endswith(".prompt")
    assert chat.get(f"/v1/receipts/{turn}").json()["session_id"] == session
    assert stored(chat, session) == [("user", QUESTION), ("assistant", "Archimedes.")]
    assert raw.headers["request-id"] and raw.parse().content[0].text == "Archimedes."


def test_a_stream_has_every_event_in_order(translated_client: Anthropic, model: ScriptedModel) -> None:
    model.script(answer("That is a fine name."))
    said = [{"role": "user", "content": PARROT}]
    with translated_client.messages.stream(model="claude-test", max_tokens=100, messages=said) as stream:  # type: ignore[arg-type]
        events = list(stream)
        final = stream.get_final_message()
    assert kinds(events) == STREAMED
    assert (final.content[0].text, final.stop_reason) == ("That is a fine name.", "end_turn")
    assert final.usage.input_tokens > 0 < final.usage.output_tokens


@pytest.mark.parametrize("streamed", [True, False])
def test_a_tool_loop_is_one_turn(
    translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel, streamed: bool
) -> None:
    both = (("weather", '{"city": "Turin"}'), ("weather", '{"city": "Oslo"}'))
    model.script(Behaviour(text="Let me see.", calls=both, finish_reason="tool_calls"), answer("It rains."))
    question = "How is the weather in Turin and in Oslo?"
    before: Any = [{"role": "user", "content": question}]
    asked: Any = {"model": "claude-test", "max_tokens": 100, "messages": before, "tools": [TOOL]}
    asked["tool_choice"] = {"type": "any", "disable_parallel_tool_use": True}
    if streamed:
        with translated_client.messages.stream(**asked) as stream:
            events = list(stream)
            first: Any = stream.get_final_message()
        assert kinds(events)[:4] == STREAMED[:4] and kinds(events)[4:7] == STREAMED[1:4]
    else:
        first = translated_client.messages.create(**asked)
    sent = last_asked(model)
    assert (sent["tool_choice"], sent["parallel_tool_calls"]) == ("required", False)
    assert sent["tools"][0]["function"]["parameters"] == TOOL["input_schema"] and len(sent["tools"]) == 1
    assert first.stop_reason == "tool_use" and first.content[0].text == "Let me see."
    assert [block.input for block in first.content[1:]] == [{"city": "Turin"}, {"city": "Oslo"}]
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": [{"type": "text", "text": f"rain {at}"}]}
        for at, block in enumerate(first.content[1:])
    ]
    reminder = {"type": "text", "text": "<system-reminder>\nBe kind.\n</system-reminder>"}
    before.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]})
    second = ask(translated_client, [*results, reminder], before, tools=[TOOL])
    assert second.content[0].text == "It rains."
    roles = [(one["role"], one.get("tool_call_id")) for one in last_asked(model)["messages"]]
    ids = [block.id for block in first.content[1:]]
    assert roles == [("user", None), ("assistant", None), ("tool", ids[0]), ("tool", ids[1]), ("user", None)]
    session = chat.get("/v1/sessions").json()["items"][0]["id"]
    assert stored(chat, session) == [("user", question), ("assistant", "It rains.")]


def test_the_tool_runner_sends_whole_conversations_as_threads_are_refused(
    translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel
) -> None:
    @beta_tool
    def weather(city: str) -> str:
        """The weather of a city.

        Args:
            city: its name
        """
        return f"rain in {city}"

    model.script(Behaviour(calls=(("weather", '{"city": "Oslo"}'),), finish_reason="tool_calls"), answer("It rains."))
    question: Any = [{"role": "user", "content": "How is the weather in Oslo?"}]
    runner = translated_client.beta.messages.tool_runner(
        model="claude-test", max_tokens=100, messages=question, tools=[weather]
    )
    final: Any = runner.until_done()
    assert final.content[0].text == "It rains."
    roles = [one["role"] for one in last_asked(model)["messages"]]
    assert roles == ["user", "assistant", "tool"]
    session = chat.get("/v1/sessions").json()["items"][0]["id"]
    assert stored(chat, session) == [("user", "How is the weather in Oslo?"), ("assistant", "It rains.")]
    with pytest.raises(anthropic.BadRequestError, match="send all messages"):
        ask(translated_client, "Hi.", extra_body={"thread": {"type": "create"}})


def test_a_transcript_goes_on_where_it_began(
    translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(answer("Hello."), answer("Yes."))
    first = ask(translated_client, "I keep bees on the roof.")
    before = [{"role": "user", "content": "I keep bees on the roof."}, {"role": "assistant", "content": first.content}]
    ask(translated_client, "Do they sting?", before)
    [session] = chat.get("/v1/sessions").json()["items"]
    assert [text for _, text in stored(chat, session["id"])] == [
        "I keep bees on the roof.",
        "Hello.",
        "Do they sting?",
        "Yes.",
    ]


def test_images_and_documents_go_on(translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel) -> None:
    data = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    content = [
        {"type": "image", "source": data},
        {"type": "image", "source": {"type": "url", "url": "https://pics.example/a.png"}},
        {"type": "document", "source": pdf, "title": "a.pdf"},
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "I live in Paris."},
            "title": '<"a">',
        },
        {"type": "text", "text": "What is it?"},
    ]
    ask(translated_client, content)
    parts = last_asked(model)["messages"][-1]["content"]
    assert parts[:3] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url", "image_url": {"url": "https://pics.example/a.png"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
    ]
    text = "<file_content path=\"''a''\">\nI live in Paris.\n</file_content>"
    assert [part["text"] for part in parts[3:]] == [text, "What is it?"]
    [session] = chat.get("/v1/sessions").json()["items"]
    [said, _] = chat.get(f"/v1/sessions/{session['id']}/messages").json()["items"]
    assert "Paris" not in said["content"] and "What is it?" in said["content"]


def test_an_answer_of_a_shape_is_asked_for(translated_client: Anthropic, model: ScriptedModel) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    ask(
        translated_client, QUESTION, extra_body={"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    )
    assert last_asked(model)["response_format"]["json_schema"]["schema"] == schema


def test_thoughts_are_blocks_and_go_back_unless_another_provider_signed_them(
    translated_client: Anthropic, model: ScriptedModel
) -> None:
    def thinking(body: dict[str, Any]) -> dict[str, Any]:
        body["choices"][0]["message"]["reasoning_content"] = "Birds have names."
        return body

    model.script(edited(thinking), answer("Good."))
    made = ask(translated_client, PARROT)
    assert [block.type for block in made.content] == ["thinking", "text"]
    blocks: Any = [block.model_dump(exclude_none=True) for block in made.content]
    signed = {"type": "thinking", "thinking": "Secret.", "signature": "abc"}
    ask(
        translated_client,
        "Go on.",
        [{"role": "user", "content": PARROT}, {"role": "assistant", "content": [signed, *blocks]}],
    )
    assert last_asked(model)["messages"][1]["reasoning_content"] == "Birds have names."


@pytest.mark.parametrize(
    ("reason", "told"), [("length", "max_tokens"), ("content_filter", "refusal"), ("stop", "end_turn")]
)
def test_why_an_answer_ended_is_told(
    translated_client: Anthropic, model: ScriptedModel, reason: str, told: str
) -> None:
    model.script(Behaviour(text="So far.", finish_reason=reason))
    assert ask(translated_client, PARROT).stop_reason == told


def test_a_model_that_the_provider_does_not_list_is_answered_by_another(
    translated_client: Anthropic, model: ScriptedModel
) -> None:
    model.always(models("gpt-4o-mini"), on="models")
    ask(translated_client, PARROT)
    assert last_asked(model)["model"] in ("gpt-4o-mini", "claude-test")  # the list is asked for once in ten minutes
    listed = translated_client.models.list()
    assert [one.id for one in listed] == ["gpt-4o-mini"]
    model.always(None, on="models")


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": []},
        {"messages": [{"role": "boss", "content": "x"}]},
        {"messages": [{"role": "user"}]},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        {"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "file", "file_id": "f"}}]}]},
        {"mcp_servers": [{"name": "x"}]},
        {"memory_top_k": "many"},
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_in_words_and_changes_nothing(
    chat: httpx.Client, model: ScriptedModel, fields: dict[str, Any]
) -> None:
    body = {"model": "gpt-test", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi there."}]}
    found = chat.post("/anthropic/v1/messages", json=body | fields)
    told = found.json()
    assert found.status_code == 400 and told["type"] == "error" and told["request_id"] == found.headers["request-id"]
    assert told["error"]["type"] == "invalid_request_error" and told["error"]["message"]
    assert model.asked("chat") == [] and chat.get("/v1/sessions").json()["items"] == []


def test_a_providers_error_comes_in_anthropics_shape(translated_client: Anthropic, model: ScriptedModel) -> None:
    model.script(status(429, message="slow down"))
    with pytest.raises(anthropic.RateLimitError, match="slow down") as refused:
        ask(translated_client, PARROT)
    assert refused.value.body["error"]["type"] == "rate_limit_error"  # type: ignore[index]


def test_a_stream_that_breaks_off_ends_in_an_error(
    translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(cut(3))
    with pytest.raises(anthropic.APIStatusError, match=r"ended before|broke off"):
        _ = [*ask(translated_client, PARROT, stream=True)]
    [session] = chat.get("/v1/sessions").json()["items"]
    eventually(lambda: len(stored(chat, session["id"])) == 2)  # what had come


def test_what_a_client_heard_before_it_left_is_kept(
    translated_client: Anthropic, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(stalled(4))
    with ask(translated_client, PARROT, stream=True, extra_headers={"X-Loci-Session": "left"}) as stream:
        for event in stream:
            if event.type == "content_block_delta":
                break
    eventually(lambda: len(stored(chat, "left")) == 2)
    assert stored(chat, "left")[1][1].startswith("You")


def test_a_key_of_idempotency_makes_a_message_once(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    for stream in (False, True):
        body = {"model": "m", "max_tokens": 9, "stream": stream, "messages": [{"role": "user", "content": PARROT}]}
        headers = {"Idempotency-Key": f"{user}-{stream}"}
        made = [chat.post("/anthropic/v1/messages", json=body, headers=headers) for _ in "ab"]
        assert made[0].content == made[1].content and made[1].headers["Idempotency-Replayed"] == "true"
    assert len(model.asked("chat")) == 2


def test_no_provider_gets_another_providers_key(chat: httpx.Client, model: ScriptedModel) -> None:
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": PARROT}]}
    for headers in ({"x-api-key": "sk-ant-mine"}, {"authorization": "Bearer sk-ant-mine"}):
        assert chat.post("/anthropic/v1/messages", json=body, headers=headers).is_success
    sent = [str(request.headers) for request in model.requests if request.kind == "chat"]
    assert not any("sk-ant-mine" in one for one in sent) and all("sk-test" in one for one in sent)


def test_tokens_are_estimated(translated_client: Anthropic, model: ScriptedModel) -> None:
    del model
    said: Any = [{"role": "user", "content": PARROT * 10}]
    short = translated_client.messages.count_tokens(model="m", messages=said).input_tokens
    assert 50 < short < translated_client.messages.count_tokens(model="m", messages=said, tools=[TOOL]).input_tokens


def test_calling(translated_client: Anthropic, model: ScriptedModel) -> None:
    model.script(calling("weather", city="Turin"))
    made = ask(translated_client, PARROT, tools=[TOOL])
    assert [block.type for block in made.content] == ["tool_use"] and made.content[0].input == {"city": "Turin"}
