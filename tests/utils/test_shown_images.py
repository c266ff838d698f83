"""Images that a provider refuses are left out, and the others are not."""

from typing import Any

import pytest
from openai import AsyncOpenAI

from tests import scripted_model as say
from tests.scripted_model import ScriptedModel
from utils.chat import ChatModel, Message
from utils.circuit import CircuitBreaker
from utils.llm import RemoteChatModel

HERE, OWN, AWAY = "data:image/png;base64,AAAA", "data:image/png;base64,BBBB", "https://pictures.test/bike.png"


@pytest.fixture
def chat(client: AsyncOpenAI) -> ChatModel:
    return RemoteChatModel(client, "gpt-4o-mini", deadline=5, breaker=CircuitBreaker("chat"))


def showing(text: str, *images: str) -> Message:
    parts: list[Any] = [{"type": "image_url", "image_url": {"url": image}} for image in images]
    return {"role": "user", "content": [{"type": "text", "text": text}, *parts]}


def seen(body: dict[str, Any]) -> list[str]:
    """The images of a request."""
    parts = [part for one in body["messages"] if isinstance(one["content"], list) for part in one["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


async def test_images_that_are_refused_are_left_out_from_then_on(
    chat: ChatModel, scripted_model: ScriptedModel
) -> None:
    messages = [showing("My bike.", HERE, AWAY), showing("Another.", OWN)]
    scripted_model.script(say.status(400))
    for _ in range(2):
        await chat.complete(messages, purpose="answer")
    asked = scripted_model.asked("chat")
    assert list(map(seen, asked)) == [[HERE, AWAY, OWN], [HERE, OWN], [HERE, OWN]]
    assert asked[-1]["messages"][0]["content"][-1] == {"type": "text", "text": "[image]"}
    scripted_model.script(say.status(422), say.status(422))
    for _ in range(2):
        await chat.complete(messages, purpose="answer")
    assert list(map(seen, scripted_model.asked("chat")))[3:] == [[HERE, OWN], [OWN], [], []]
    await chat.complete(messages, purpose="answer", model="another")
    assert seen(scripted_model.asked("chat")[-1]) == [HERE, AWAY, OWN]


async def test_images_that_are_too_many_are_tried_again(chat: ChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(say.status(413))
    for messages in ([showing("My bike.", HERE), showing("Another.", OWN)], [showing("My bike.", HERE)]):
        await chat.complete(messages, purpose="answer")
    assert list(map(seen, scripted_model.asked("chat"))) == [[HERE, OWN], [OWN], [HERE]]
