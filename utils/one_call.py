"""One call of a model for all that several works want of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar, cast

import orjson

from config.prompts import prompt
from utils.chat import ChatModel, Completion, Message, Shape, Usage, count_usage
from utils.errors import KeyRefused, ModelGarbage, ModelRefused, ModelUnknown
from utils.model_json import Ask, Part, asking, shape_of
from utils.text import unfenced

T = TypeVar("T")

Work = Callable[[Ask], Awaitable[T]]


async def in_one_call(model: ChatModel, work: Work[T], others: Sequence[Work[object]]) -> T:
    """Does works at once, and returns what the first gives. What each asks for first goes to the model in one call,
    once each has asked or is done without; a part that cannot be read of the answer is asked for by itself. The first
    error is raised once all have ended."""
    call = _OneCall(model, 1 + len(others))
    try:
        done = await asyncio.gather(*(call.run(one) for one in (work, *others)), return_exceptions=True)
    finally:
        call.close()
    for outcome in done:
        if isinstance(outcome, BaseException):
            raise outcome
    return cast(T, done[0])


class _OneCall:
    def __init__(self, model: ChatModel, askers: int) -> None:
        self._model = model
        self._alone = asking(model)
        self._coming = askers
        self._parts: list[Part[Any]] = []
        self._made: asyncio.Task[dict[str, str]] | None = None
        self._whole = asyncio.Event()
        self._by = model.model

    async def run(self, work: Work[T]) -> T:
        asked = False

        async def ask(part: Part[Any]) -> tuple[Any, str]:
            nonlocal asked
            if asked:
                return await self._alone(part)
            asked = True
            self._parts.append(part)
            self._come()
            await self._whole.wait()
            assert self._made is not None  # noqa: S101
            answers = await asyncio.shield(self._made)
            if part.name in answers:
                try:
                    return part.read(answers[part.name]), self._by
                except ValueError:
                    pass
            return await self._alone(part)

        try:
            return await work(ask)
        finally:
            if not asked:
                self._come()

    def close(self) -> None:
        if self._made is not None:
            self._made.cancel()

    def _come(self) -> None:
        self._coming -= 1
        if not self._coming:
            self._made = asyncio.create_task(self._ask())
            self._whole.set()

    async def _ask(self) -> dict[str, str]:
        """The answers by the names of their parts; without those that are to be asked for by themselves."""
        if len(self._parts) < 2:
            return {}
        try:
            answer = await self._model.complete(
                _messages(self._parts), purpose=None, temperature=0.0, shape=_shape(self._parts)
            )
        except (KeyRefused, ModelUnknown):
            raise
        except (ModelGarbage, ModelRefused):
            return {}
        self._by = answer.model
        answers = _read(answer.text, self._parts)
        _book(answer, self._parts, answers)
        return answers


def _messages(parts: Sequence[Part[Any]]) -> list[Message]:
    tasks = "\n\n".join(f"# {part.name}\n\n{part.prompt}" for part in parts)
    fields = ", ".join(f'"{name}"' for part in parts for name in part.answer.model_fields)
    data = {part.name: part.data for part in parts}
    return [
        {"role": "system", "content": prompt("together").substitute(tasks=tasks, fields=fields)},
        {"role": "user", "content": orjson.dumps(data).decode()},
    ]


def _shape(parts: Sequence[Part[Any]]) -> Shape:
    """The shape of an object with the fields of all answers."""
    schemas = [shape_of(part.answer).schema or {} for part in parts]
    merged: dict[str, Any] = {"type": "object", "additionalProperties": False}
    for key in ("properties", "$defs"):
        merged[key] = {name: value for schema in schemas for name, value in cast(Any, schema).get(key, {}).items()}
    return Shape("together", merged | {"required": list(merged["properties"])})


def _read(text: str, parts: Sequence[Part[Any]]) -> dict[str, str]:
    """Of an answer, what is each part's, as JSON, where there is all of it."""
    try:
        answer = orjson.loads(unfenced(text))
    except ValueError:
        return {}
    if not isinstance(answer, dict):
        return {}
    wanted = {part.name: part.answer.model_fields for part in parts}
    return {
        name: orjson.dumps({field: answer[field] for field in fields if field in answer}).decode()
        for name, fields in wanted.items()
        if fields.keys() & answer.keys()
    }


def _book(answer: Completion, parts: Sequence[Part[Any]], answers: dict[str, str]) -> None:
    """Counts the tokens of the call by purpose: what was asked by the characters of each part's prompt and data, what
    was answered by those of its answer."""
    if answer.usage is None:
        return
    asked = [len(part.prompt) + len(orjson.dumps(part.data)) for part in parts]
    answered = [len(answers.get(part.name, "")) for part in parts]
    into = _shared_out(answer.usage.prompt_tokens, asked)
    out = _shared_out(answer.usage.completion_tokens, answered if any(answered) else asked)
    for part, usage in zip(parts, map(Usage, into, out), strict=True):
        count_usage(part.purpose, usage)


def _shared_out(tokens: int, sizes: Sequence[int]) -> list[int]:
    """As many tokens for each as its size is a share of all."""
    borders = [tokens * sum(sizes[:at]) // sum(sizes) for at in range(len(sizes) + 1)]
    return [end - begin for begin, end in pairwise(borders)]
