"""The tokens of chat models, counted by what they were asked for."""

import contextlib

import pytest
from openai import AsyncOpenAI
from prometheus_client import REGISTRY

from tests import scripted_model as say
from tests.scripted_model import ScriptedModel
from utils.chat import Message
from utils.circuit import CircuitBreaker
from utils.errors import ModelGarbage
from utils.llm import RemoteChatModel

HELLO: list[Message] = [{"role": "user", "content": "hello there"}]


def counted(purpose: str) -> list[float]:
    """Tokens in and out so far."""
    name = "loci_model_tokens_total"
    ways = ({"purpose": purpose, "direction": way} for way in ("in", "out"))
    return [REGISTRY.get_sample_value(name, way) or 0.0 for way in ways]


@pytest.mark.parametrize("streamed", [False, True])
async def test_tokens_are_counted_by_purpose(
    client: AsyncOpenAI, scripted_model: ScriptedModel, streamed: bool
) -> None:
    chat = RemoteChatModel(client, "m", deadline=5, breaker=CircuitBreaker("m"))
    before, others = counted("facts"), counted("answer")
    if streamed:
        assert [piece async for piece in chat.stream(HELLO, purpose="facts")]
    else:
        await chat.complete(HELLO, purpose="facts")
    usage = say.usage({"messages": HELLO}, "You said: hello there")
    assert [now - then for now, then in zip(counted("facts"), before, strict=True)] == [
        usage["prompt_tokens"],
        usage["completion_tokens"],
    ]
    assert counted("answer") == others


@pytest.mark.parametrize("behaviour", [say.edited(lambda body: {**body, "usage": None}), say.no_choices()])
async def test_what_the_provider_does_not_count_is_not_counted(
    client: AsyncOpenAI, scripted_model: ScriptedModel, behaviour: say.Behaviour
) -> None:
    chat = RemoteChatModel(client, "m", deadline=5, breaker=CircuitBreaker("m"))
    before = counted("facts")
    scripted_model.script(behaviour)
    with contextlib.suppress(ModelGarbage):
        await chat.complete(HELLO, purpose="facts")
    assert counted("facts") == before
