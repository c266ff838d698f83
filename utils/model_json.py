"""Asking a model for JSON, and once more where it gives none that can be read."""

import re
from collections.abc import Callable, Iterator
from json import JSONDecoder
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from utils.chat import ChatModel, ChatOptions, Message, Shape
from utils.errors import ModelGarbage
from utils.text import unfenced

TRIES = 2
KEPT = frozenset({"type", "description", "enum", "const", "items", "anyOf", "$ref"})  # of a schema
PLACES = 100  # of an answer at which JSON may begin, that are looked at

_THOUGHT = re.compile(r"\A\s*(?![\s{\[`]).*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(r"[{\[]")
_decoder = JSONDecoder()

T = TypeVar("T")


async def ask_for_json(
    model: ChatModel,
    system: str,
    data: object,
    read: Callable[[str], T],
    *,
    garbage: str,
    options: ChatOptions,
) -> T:
    """`ask`, where `read` is given the JSON alone."""
    return await ask(model, system, data, lambda text: read(unfenced(text)), garbage=garbage, options=options)


async def ask(
    model: ChatModel,
    system: str,
    data: object,
    read: Callable[[str], T],
    *,
    garbage: str,
    options: ChatOptions,
) -> T:
    """What `read` makes of the model's answer to data, which is quoted as JSON; asked once more where it raises
    `ValueError`, whose message is shown to clients. `options`: as `ChatModel` has them, at a temperature of 0 where
    none is said. Raises `ModelError`; `ModelGarbage`, which says `garbage`, where it cannot be read again."""
    asked: ChatOptions = {"temperature": 0.0}
    asked.update(options)
    messages: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": orjson.dumps(data).decode()},
    ]
    reason = ""
    for _ in range(TRIES):
        answer = await model.complete(messages, **asked)
        try:
            return read(answer.text)
        except ValidationError:
            reason = ""
        except ValueError as error:
            reason = f": {error}"
    raise ModelGarbage(f"{garbage}{reason}")


def shape_of(answer: type[BaseModel]) -> Shape:
    """The shape of JSON that a model of pydantic reads. Its schema has no limits: not all providers know them, and
    reading checks them."""
    return Shape(answer.__name__.strip("_").lower(), _strict(answer.model_json_schema()))


def _strict(schema: Any) -> Any:
    """A schema in which each object has all of its fields and no others, and of what says nothing of the shape, the
    descriptions alone."""
    if not isinstance(schema, dict):
        return [_strict(item) for item in schema] if isinstance(schema, list) else schema
    strict = {key: _strict(value) for key, value in schema.items() if key in KEPT}
    for key in ("properties", "$defs"):
        if key in schema:
            strict[key] = {name: _strict(part) for name, part in schema[key].items()}
    if "properties" in schema:
        strict |= {"required": list(schema["properties"]), "additionalProperties": False}
    return strict


def values_in(text: str) -> Iterator[Any]:
    """The objects and lists of JSON that stand in a model's answer one after another, whatever is around them; of
    what it thought before, none."""
    text = _THOUGHT.sub("", text)
    at = 0
    for _ in range(PLACES):
        if (opened := _OPENED.search(text, at)) is None:
            return
        begin = opened.start()
        try:
            _, end = _decoder.raw_decode(text, begin)
            value = orjson.loads(text[begin:end])  # which refuses half characters
        except (ValueError, RecursionError):
            at = begin + 1
        else:
            yield value
            at = end
