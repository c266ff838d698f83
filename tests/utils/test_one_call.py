"""What several works want of a model goes to it in one call; what cannot be read of the answer is asked for alone."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel

from tests.scripted_model import Body, ScriptedModel, answer, garbage, status
from tests.utils.test_llm_tokens import counted
from utils.circuit import CircuitBreaker
from utils.errors import KeyRefused, ModelUnavailable
from utils.llm import RemoteChatModel
from utils.model_json import Ask, Part, text_in
from utils.one_call import Work, in_one_call


class Title(BaseModel):
    title: str


class Summary(BaseModel):
    summary: str


TITLE = Part("title", "title", "Give a title to it.", "Otters", Title, lambda raw: text_in(raw, "title"))
SUMMARY = Part(
    "summary", "summary", "Summarise it.", {"said": ["Otters"]}, Summary, lambda raw: text_in(raw, "summary")
)
BOTH = {"title": "Otters", "summary": "- They swim."}


@pytest.fixture
def model(client: AsyncOpenAI) -> RemoteChatModel:
    return RemoteChatModel(client, "m", deadline=5, breaker=CircuitBreaker("m"))


def wanting(*parts: Part[Any]) -> Work[list[str]]:
    async def work(ask: Ask) -> list[str]:
        return [(await ask(part))[0] for part in parts]

    return work


async def asked(model: RemoteChatModel, first: Sequence[Part[Any]], *others: Sequence[Part[Any]]) -> list[str]:
    """What all works got."""
    texts: list[str] = []

    def keeping(parts: Sequence[Part[Any]]) -> Work[object]:
        async def work(ask: Ask) -> None:
            texts.extend(await wanting(*parts)(ask))

        return work

    await in_one_call(model, keeping(first), [keeping(parts) for parts in others])
    return sorted(texts)


def bodies(scripted_model: ScriptedModel) -> list[Body]:
    return [request.body for request in scripted_model.requests]


async def test_all_are_asked_for_at_once_by_one_schema(model: RemoteChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer(json.dumps(BOTH)), on="together")
    assert await asked(model, [TITLE], [SUMMARY], []) == sorted(BOTH.values())
    [body] = bodies(scripted_model)
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["title", "summary"] and schema["additionalProperties"] is False
    assert json.loads(body["messages"][1]["content"]) == {"title": "Otters", "summary": {"said": ["Otters"]}}
    assert all(part.prompt in body["messages"][0]["content"] for part in (TITLE, SUMMARY))


@pytest.mark.parametrize(
    ("said", "alone"),
    [
        (answer('{"title": "Otters"}'), ["summary"]),
        (answer('{"title": "Otters", "summary": " "}'), ["summary"]),
        (answer("Otters, and that they swim."), ["summary", "title"]),
        (garbage(), ["summary", "title"]),
        (status(400), ["summary", "title"]),
    ],
)
async def test_what_cannot_be_read_is_asked_for_alone(
    model: RemoteChatModel, scripted_model: ScriptedModel, said: Any, alone: list[str]
) -> None:
    scripted_model.script(said, on="together")
    scripted_model.always(answer("- They swim."))
    scripted_model.always(answer("Otters"), on="title")
    assert await asked(model, [TITLE], [SUMMARY]) == sorted(BOTH.values())
    assert sorted("title" if "title" in str(body) else "summary" for body in bodies(scripted_model)[1:]) == alone


@pytest.mark.parametrize(("failure", "error"), [(status(401), KeyRefused), (status(503), ModelUnavailable)])
async def test_a_model_that_answers_nobody_is_not_asked_again(
    model: RemoteChatModel, scripted_model: ScriptedModel, failure: Any, error: type[Exception]
) -> None:
    scripted_model.always(failure, on="together")
    with pytest.raises(error):
        await asked(model, [TITLE], [SUMMARY])
    assert {request.kind for request in scripted_model.requests} == {"together"}


async def test_one_part_is_asked_for_as_ever_and_so_is_what_comes_later(
    model: RemoteChatModel, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(answer("Otters"), on="title")
    scripted_model.always(answer("- They swim."))
    assert await asked(model, [TITLE, SUMMARY], []) == sorted(BOTH.values())
    assert [request.kind for request in scripted_model.requests] == ["title", "chat"]


async def test_an_error_of_one_work_is_told_when_the_others_have_ended(
    model: RemoteChatModel, scripted_model: ScriptedModel
) -> None:
    ended = asyncio.Event()

    async def failing(ask: Ask) -> None:
        raise ZeroDivisionError

    async def ending(ask: Ask) -> None:
        await ask(SUMMARY)
        ended.set()

    scripted_model.always(answer("- They swim."))
    with pytest.raises(ZeroDivisionError):
        await in_one_call(model, failing, [ending])
    assert ended.is_set()


async def test_tokens_are_counted_by_the_share_of_each_purpose(
    model: RemoteChatModel, scripted_model: ScriptedModel
) -> None:
    before = [counted("title"), counted("summary")]
    long = Part("summary", "summary", "Summarise it. " * 20, {}, Summary, SUMMARY.read)
    scripted_model.script(answer(json.dumps(BOTH | {"title": "Otters " * 50})), on="together")
    await asked(model, [TITLE], [long])
    [into_title, out_title], [into_summary, out_summary] = (
        [now - then for now, then in zip(counted(purpose), was, strict=True)]
        for purpose, was in zip(("title", "summary"), before, strict=True)
    )
    assert into_summary > 5 * into_title > 0 and out_title > 5 * out_summary > 0
    prompt = sum(len(message["content"]) for message in bodies(scripted_model)[0]["messages"])
    assert into_title + into_summary == prompt // 4 + 1


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('{"title": "Otters"}', "Otters"),
        ('```json\n{"title": "Otters\nswim"}\n```', "Otters\nswim"),
        ("Otters", "Otters"),
        ("Otters {and more}", "Otters {and more}"),
        ('{"title": "Otters and be', "Otters and be"),
        ('{"title": "Otters \\', "Otters "),
        ('{"title": ""}', None),
        ('{"name": "Otters"}', None),
        ('{"title": ["Otters"]}', None),
    ],
)
def test_a_text_is_read_of_what_models_write(written: str, text: str | None) -> None:
    if text is None:
        with pytest.raises(ValueError, match="no text"):
            text_in(written, "title")
    else:
        assert text_in(written, "title") == text
