"""A chat model's answer arrives, whatever the provider does."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic import SecretStr

from config.settings import Settings
from tests import scripted_model as say
from tests.scripted_model import Behaviour, ScriptedModel
from utils.answers import joined_calls
from utils.chat import ChatModel, Completion, Message, ToolCall, Usage
from utils.circuit import CircuitBreaker
from utils.errors import CircuitOpen, ConfigurationError, ModelError, ModelGarbage, ModelRefused, ModelUnavailable
from utils.llm import RemoteChatModel
from utils.openai_client import open_client

KEY = "sk-secret-7a81"
HELLO: list[Message] = [{"role": "user", "content": "hello there"}]
REPLY = "You said: hello there"


@pytest.fixture
def breaker() -> CircuitBreaker:
    return CircuitBreaker("chat")


@pytest.fixture
def chat(client: AsyncOpenAI, breaker: CircuitBreaker) -> ChatModel:
    return RemoteChatModel(client, "gpt-4o-mini", deadline=5, breaker=breaker)


@pytest.fixture
def hurried(client: AsyncOpenAI, breaker: CircuitBreaker) -> ChatModel:
    """A model that has 0.3 s for an answer, and 0.2 s between two chunks."""
    return RemoteChatModel(client, "gpt-4o-mini", deadline=0.3, breaker=breaker, stall=0.2)


async def streamed(chat: ChatModel) -> tuple[list[str], Completion | ModelError]:
    """The deltas, and how the stream ended."""
    deltas: list[str] = []
    try:
        async for part in chat.stream(HELLO):
            if isinstance(part, Completion):
                return deltas, part
            deltas.append(part)
    except ModelError as error:
        return deltas, error
    raise AssertionError("a stream ended without a word")


async def test_an_answer_comes_with_its_model_usage_and_reason(chat: ChatModel) -> None:
    answer = await chat.complete(HELLO, temperature=0.2, max_tokens=50)
    assert answer == Completion(REPLY, "gpt-4o-mini", Usage(3, 6), "stop")
    assert answer.usage is not None and answer.usage.total == 9


async def test_what_was_asked_reaches_the_provider(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    await chat.complete(HELLO, model="another", temperature=0.2, max_tokens=50)
    [body] = scripted_model.asked("chat")
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("another", 0.2, 50)
    assert scripted_model.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_images_go_along_as_content_parts(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    image = "data:image/png;base64,AAAA"
    parts: list[Message] = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "what is it"}, {"type": "image_url", "image_url": {"url": image}}],
        }
    ]
    assert (await chat.complete(parts)).text == "You said: what is it (image)"
    assert scripted_model.asked("chat")[0]["messages"] == parts


@pytest.mark.parametrize(
    "failures",
    [
        *([say.status(code)] * 2 for code in (408, 409, 429, 500, 502, 503, 529)),
        *([say.status(429, retry_after=text)] for text in ("soon", "nan", "-5", "Fri, 31 Dec 1999 23:59:59 GMT")),
        [say.cut(0)],
    ],
)
async def test_a_passing_failure_is_tried_again(
    chat: ChatModel, scripted_model: ScriptedModel, failures: list[Behaviour]
) -> None:
    scripted_model.script(*failures)
    assert (await chat.complete(HELLO)).text == REPLY
    assert len(scripted_model.requests) == len(failures) + 1


async def test_after_three_attempts_the_model_is_unavailable(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.always(say.status(503))
    with pytest.raises(ModelUnavailable, match="503"):
        await chat.complete(HELLO)
    assert len(scripted_model.requests) == 3


async def test_retry_after_is_obeyed_and_beyond_the_deadline_the_call_fails_at_once(
    chat: ChatModel, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.status(429, retry_after=0.3))
    started = time.monotonic()
    assert (await chat.complete(HELLO)).text == REPLY
    assert time.monotonic() - started >= 0.3
    scripted_model.script(say.status(429, retry_after=120))
    with pytest.raises(ModelUnavailable) as failed:
        await chat.complete(HELLO)
    assert failed.value.retry_after == 120
    assert len(scripted_model.requests) == 3


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422, 307])
async def test_a_refusal_is_not_tried_again(chat: ChatModel, scripted_model: ScriptedModel, code: int) -> None:
    scripted_model.script(say.status(code))
    with pytest.raises(ModelRefused, match=str(code)):
        await chat.complete(HELLO)
    assert len(scripted_model.asked("chat")) == 1


async def test_one_deadline_covers_all_attempts(hurried: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(say.status(500), say.hang())
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match="in time"):
        await hurried.complete(HELLO)
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    "behaviour",
    [
        say.html(),
        say.garbage(),
        say.garbage(b"null"),
        say.garbage(b"[]"),
        say.garbage(b"\xff\xfe{"),
        say.garbage(b'{"choices": 5}'),
        say.garbage(b'{"choices": [null]}'),
        say.garbage(b'{"choices": [{"message": "hi", "finish_reason": "stop"}]}'),
        say.garbage(b'{"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]}'),
        say.no_choices(),
        say.null_content(),
        say.answer(" \n"),
        say.no_finish_reason(),
    ],
)
async def test_garbage_is_not_taken_for_an_answer(
    chat: ChatModel, scripted_model: ScriptedModel, behaviour: Behaviour
) -> None:
    scripted_model.script(behaviour)
    with pytest.raises(ModelGarbage):
        await chat.complete(HELLO)
    assert len(scripted_model.requests) == 1


async def test_a_models_own_refusal_is_its_answer(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(say.null_content(refusal="I cannot help with that."))
    assert (await chat.complete(HELLO)).text == "I cannot help with that."


async def test_an_answer_that_the_filter_withheld_is_a_refusal(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.always(Behaviour(text="", finish_reason="content_filter"))
    with pytest.raises(ModelRefused, match="filter"):
        await chat.complete(HELLO)
    assert isinstance((await streamed(chat))[1], ModelRefused)


async def test_odd_usage_does_not_cost_the_answer(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(say.edited(lambda body: {**body, "usage": {"prompt_tokens": "many"}, "model": None}))
    assert await chat.complete(HELLO) == Completion(REPLY, "gpt-4o-mini", None, "stop")


async def test_lone_surrogates_are_mended_on_both_ways(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(say.answer("a \ud83d\ude00 b \ud83d c"))
    answer = await chat.complete([{"role": "user", "content": "odd \udc00"}])
    assert answer.text == "a 😀 b � c"
    assert scripted_model.asked("chat")[0]["messages"][0]["content"] == "odd �"


async def test_a_stream_brings_deltas_then_the_whole(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    deltas, end = await streamed(chat)
    assert deltas == ["You ", "said: ", "hello ", "there"]
    assert end == Completion(REPLY, "gpt-4o-mini", Usage(3, 6), "stop")
    assert scripted_model.asked("chat")[0]["stream_options"] == {"include_usage": True}


async def test_a_stream_is_begun_again_only_before_its_first_text(
    chat: ChatModel, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.status(500), say.cut(1))
    assert (await streamed(chat))[0] == ["You ", "said: ", "hello ", "there"]
    scripted_model.script(say.cut(3))
    deltas, end = await streamed(chat)
    assert deltas == ["You ", "said: "]
    assert isinstance(end, ModelUnavailable)
    assert len(scripted_model.requests) == 4


@pytest.mark.parametrize(("chunks", "texts"), [(1, []), (3, ["You ", "said: "])])
async def test_a_stream_that_stalls_ends_and_what_came_stands(
    hurried: ChatModel, scripted_model: ScriptedModel, chunks: int, texts: list[str]
) -> None:
    scripted_model.script(say.stalled(chunks))
    deltas, end = await streamed(hurried)
    assert deltas == texts
    assert isinstance(end, ModelUnavailable)


@pytest.mark.parametrize("done", [True, False])
async def test_a_stream_without_a_finish_reason_is_not_whole(
    chat: ChatModel, scripted_model: ScriptedModel, done: bool
) -> None:
    scripted_model.script(Behaviour(finish_reason=None, done=done))
    deltas, end = await streamed(chat)
    assert "".join(deltas) == REPLY
    assert isinstance(end, ModelGarbage)


@pytest.mark.parametrize("behaviour", [say.no_done(), say.cut(6), say.stalled(6)])
async def test_a_stream_that_said_why_it_ended_is_whole(
    hurried: ChatModel, scripted_model: ScriptedModel, behaviour: Behaviour
) -> None:
    scripted_model.script(behaviour)
    deltas, end = await streamed(hurried)
    assert "".join(deltas) == REPLY
    assert isinstance(end, Completion) and end.text == REPLY


@pytest.mark.parametrize(
    "behaviour",
    [
        say.html(),
        say.garbage(b"data: {broken\n\n"),
        say.garbage(b"data: 5\n\ndata: [DONE]\n\n"),
        say.garbage(b'data: {"choices": [{"delta": {"content": 7}}]}\n\n'),
        say.garbage(b"data: [DONE]\n\n"),
        Behaviour(pieces=()),
    ],
)
async def test_a_stream_of_garbage_is_not_an_answer(
    chat: ChatModel, scripted_model: ScriptedModel, behaviour: Behaviour
) -> None:
    scripted_model.script(behaviour)
    deltas, end = await streamed(chat)
    assert deltas == []
    assert isinstance(end, ModelGarbage)


async def test_an_error_told_inside_a_stream_is_a_failure(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    raw = b'data: {"choices": [{"delta": {"content": "Yes"}}]}\n\ndata: {"error": {"message": "out of memory"}}\n\n'
    scripted_model.script(say.garbage(raw))
    deltas, end = await streamed(chat)
    assert deltas == ["Yes"]
    assert isinstance(end, ModelUnavailable) and "memory" not in end.detail


async def test_a_pair_of_surrogates_torn_between_chunks_is_joined(
    chat: ChatModel, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Behaviour(pieces=("a \ud83d", "\ude00 b", " \ud83d", "c"), text="a"))
    deltas, end = await streamed(chat)
    assert "".join(deltas) == "a 😀 b �c"
    assert isinstance(end, Completion) and end.text == "a 😀 b �c"


async def test_a_provider_without_stream_options_is_asked_without(
    chat: ChatModel, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.status(400))
    deltas, end = await streamed(chat)
    assert "".join(deltas) == REPLY
    assert isinstance(end, Completion) and end.usage is None
    await streamed(chat)
    assert ["stream_options" in body for body in scripted_model.asked("chat")] == [True, False, False]


async def test_a_model_that_refuses_an_option_is_asked_without(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(say.status(400, param="max_tokens"), say.status(400, param="temperature"))
    await chat.complete(HELLO, temperature=0.2, max_tokens=50)
    await chat.complete(HELLO, temperature=0.2, max_tokens=50)
    for body in scripted_model.asked("chat")[2:]:
        assert "max_tokens" not in body and "temperature" not in body
        assert body["max_completion_tokens"] == 50


TOOLS: Any = [{"type": "function", "function": {"name": "look", "description": "Look", "parameters": {}}}]


@pytest.mark.parametrize("text", ["", "Let me look."])
async def test_calls_of_tools_come_whole_and_as_a_stream(
    chat: ChatModel, scripted_model: ScriptedModel, text: str
) -> None:
    scripted_model.script(say.calling("look", text, at="the sky"), say.calling("look", text, at="the sky"))
    whole = await chat.complete(HELLO, tools=TOOLS)
    async with aclosing(chat.stream(HELLO, tools=TOOLS)) as stream:
        *_, last = [piece async for piece in stream]
    assert whole == last
    assert (whole.text, whole.calls) == (text, (ToolCall("call-0", "look", '{"at": "the sky"}'),))
    assert [body["tools"] for body in scripted_model.asked("chat")] == [TOOLS, TOOLS]


@pytest.mark.parametrize("options", [{}, {"tools": TOOLS, "may_call": False}])
async def test_calls_that_nobody_asked_for_are_no_answer(
    chat: ChatModel, scripted_model: ScriptedModel, options: dict[str, Any]
) -> None:
    scripted_model.script(say.calling("look"), say.calling("look"))
    with pytest.raises(ModelGarbage):
        await chat.complete(HELLO, **options)
    with pytest.raises(ModelGarbage):
        async with aclosing(chat.stream(HELLO, **options)) as stream:
            [piece async for piece in stream]


async def test_several_calls_are_told_apart_and_each_has_an_id(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    both = say.Behaviour(text="", calls=(("look", "{}"), ("listen", "")), finish_reason="tool_calls")
    scripted_model.script(both, replace(both, edit=without_ids))
    expected = (ToolCall("call-0", "look", "{}"), ToolCall("call-1", "listen", ""))
    assert (await chat.complete(HELLO, tools=TOOLS)).calls == expected
    unnamed = (await chat.complete(HELLO, tools=TOOLS)).calls
    assert [call.id for call in unnamed] == ["call_0", "call_1"]


def without_ids(body: dict[str, Any]) -> dict[str, Any]:
    for call in body["choices"][0]["message"]["tool_calls"]:
        call["id"] = None
    return body


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c", "type": "function", "function": {"name": "", "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": 7, "arguments": "{}"}},
        {"id": "c", "type": "function"},
    ],
)
async def test_a_call_that_is_none_is_no_answer(
    chat: ChatModel, scripted_model: ScriptedModel, call: dict[str, Any]
) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    scripted_model.script(say.edited(lambda body: {**body, "choices": [choice]}))
    with pytest.raises(ModelGarbage):
        await chat.complete(HELLO, tools=TOOLS)


@pytest.mark.parametrize("param", ["tools", None])
async def test_a_model_that_takes_no_tools_is_asked_without(
    chat: ChatModel, scripted_model: ScriptedModel, param: str | None
) -> None:
    error = {"error": {"message": "llama does not support tools", "param": param}}
    scripted_model.script(say.Behaviour(400, json.dumps(error).encode()))
    for _ in range(2):
        assert (await chat.complete(HELLO, tools=TOOLS)).text == REPLY
    first, *others = scripted_model.asked("chat")
    assert "tools" in first
    assert len(others) == 2
    assert not any("tools" in body or "tool_choice" in body for body in others)


async def test_a_refusal_that_speaks_of_tools_by_the_way_is_no_refusal_of_tools(
    chat: ChatModel, scripted_model: ScriptedModel
) -> None:
    error = {"error": {"message": "Too long: you asked about a hammer and other tools", "param": None}}
    scripted_model.script(say.Behaviour(400, json.dumps(error).encode()))
    with pytest.raises(ModelError):
        await chat.complete(HELLO, tools=TOOLS)
    await chat.complete(HELLO, tools=TOOLS)
    assert ["tools" in body for body in scripted_model.asked("chat")] == [True, True]


def test_pieces_of_calls_are_joined_by_their_places() -> None:
    pieces = [(1, "b", "listen", ""), (0, "a", "look", '{"at"'), (1, "", "", "{}"), (0, "", "", ": 1}")]
    joined = joined_calls([(at, ToolCall(*rest)) for at, *rest in pieces])
    assert joined == (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "listen", "{}"))


async def test_five_failed_calls_open_the_circuit(
    chat: ChatModel, scripted_model: ScriptedModel, breaker: CircuitBreaker
) -> None:
    scripted_model.always(say.html())
    for _ in range(5):
        with pytest.raises(ModelGarbage):
            await chat.complete(HELLO)
    with pytest.raises(CircuitOpen):
        await chat.complete(HELLO)
    assert isinstance((await streamed(chat))[1], CircuitOpen)
    assert len(scripted_model.requests) == 5


async def test_a_cancelled_call_hangs_up_at_once(
    chat: ChatModel,
    scripted_model: ScriptedModel,
    breaker: CircuitBreaker,
    eventually: Callable[[Callable[[], bool]], Awaitable[None]],
) -> None:
    scripted_model.always(say.hang())
    for call in (chat.complete(HELLO), streamed(chat)):
        hung_up = scripted_model.hang_ups
        asked = len(scripted_model.requests)
        task: asyncio.Task[Any] = asyncio.create_task(call)  # type: ignore[arg-type]
        await eventually(lambda asked=asked: len(scripted_model.requests) > asked)  # type: ignore[misc]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await eventually(lambda hung_up=hung_up: scripted_model.hang_ups > hung_up)  # type: ignore[misc]
    assert breaker.healthy


async def test_leaving_a_stream_hangs_up(
    chat: ChatModel, scripted_model: ScriptedModel, eventually: Callable[[Callable[[], bool]], Awaitable[None]]
) -> None:
    scripted_model.script(say.stalled(3))
    async with aclosing(chat.stream(HELLO)) as parts:
        async for part in parts:
            assert part == "You "
            break
    await eventually(lambda: scripted_model.hang_ups == 1)


async def test_no_error_or_log_line_repeats_key_prompt_or_provider(
    chat: ChatModel, scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scripted_model.script(say.key_echo(KEY), say.status(400), say.garbage(KEY.encode()))
    for _ in range(3):
        with pytest.raises(ModelError) as failed:
            await chat.complete(HELLO)
        assert failed.value.__suppress_context__
        for secret in (KEY, "hello", "scripted failure", "127.0.0.1"):
            assert secret not in failed.value.detail
            assert secret not in caplog.text
    assert "status 401" in caplog.text


async def test_nothing_listening_is_unavailable(breaker: CircuitBreaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.openai_client.FIRST_PAUSE", 0.01)
    settings = Settings(_env_file=None, openai_base_url="http://user:hush@127.0.0.1:1/v1")
    async with open_client(settings) as client:
        chat = RemoteChatModel(client, "m", deadline=5, breaker=breaker)
        with pytest.raises(ModelUnavailable) as failed:
            await chat.complete(HELLO)
    assert "hush" not in failed.value.detail


async def test_a_provider_on_this_machine_is_reached_past_the_proxy(
    scripted_model: ScriptedModel, breaker: CircuitBreaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    async with open_client(Settings(_env_file=None, openai_base_url=scripted_model.url)) as client:
        await RemoteChatModel(client, "m", deadline=5, breaker=breaker).complete(HELLO)
    assert scripted_model.requests[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize("url", ["nonsense", "ftp://example.org", "http://", "http://host:port/v1", "http://[::1"])
def test_a_base_url_that_is_none_is_refused_at_start(url: str) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        open_client(Settings(_env_file=None, openai_base_url=url))


def test_a_key_that_no_header_can_carry_is_refused_at_start() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        open_client(Settings(_env_file=None, openai_api_key=SecretStr("sk-\nx")))
    with pytest.raises(ConfigurationError):
        open_client(Settings(_env_file=None, openai_api_key=None, openai_base_url=None))


async def test_thoughts_are_kept_out_of_answers_and_streams(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(Behaviour(text="<think>{not: json}</think>{}"))
    assert (await chat.complete([{"role": "user", "content": "Hi"}])).text == "{}"
    scripted_model.script(Behaviour(pieces=("<thi", "nk>Hm, ", "hm.</th", "ink>\n", "\nBlue", ".")))
    texts, last = await streamed(chat)
    assert "".join(texts) == "Blue."
    assert isinstance(last, Completion) and last.text == "Blue."
    scripted_model.script(*[Behaviour(text="<think>Hm, hm")] * 3)
    with pytest.raises(ModelError):
        await chat.complete([{"role": "user", "content": "Hi"}])
