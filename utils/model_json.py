"""Asking a model for JSON, and once more where it gives none that can be read."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from utils.chat import ChatModel, ChatOptions, Message, Purpose, Shape
from utils.errors import ModelGarbage
from utils.text import repair, unfenced

TRIES = 2
KEPT = frozenset({"type", "description", "enum", "const", "items", "anyOf", "$ref"})  # of a schema
PLACES = 100  # of an answer at which JSON may begin, that are looked at

_THOUGHT = re.compile(r"\A\s*(?![\s{\[`]).*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(r"[{\[]")
_decoder = json.JSONDecoder()

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
    return (await _asked(model, system, data, read, garbage, options))[0]


async def _asked(
    model: ChatModel, system: str, data: object, read: Callable[[str], T], garbage: str, options: ChatOptions
) -> tuple[T, str]:
    """As `ask`, and who answered. A text is sent as it is."""
    asked: ChatOptions = {"temperature": 0.0}
    asked.update(options)
    messages: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": data if isinstance(data, str) else orjson.dumps(data).decode()},
    ]
    reason = ""
    for _ in range(TRIES):
        answer = await model.complete(messages, **asked)
        try:
            return read(answer.text), answer.model
        except ValidationError:
            reason = ""
        except ValueError as error:
            reason = f": {error}"
    raise ModelGarbage(f"{garbage}{reason}")


@dataclass(frozen=True)
class Part(Generic[T]):
    """Something that a model is asked for, alone or with others in one call. `name`: no other part of a call has it,
    nor a field of its answer. `prompt`: says what is wanted of `data`. `read`: makes something of the JSON of such an
    `answer`, or raises `ValueError`. `options`: how it is asked for alone."""

    name: str
    purpose: Purpose
    prompt: str
    data: object
    answer: type[BaseModel]
    read: Callable[[str], T]
    options: ChatOptions = field(default_factory=ChatOptions)


class Ask(Protocol):
    """Asks a model for something; returns it, and who answered. Raises `ModelError`; `ModelGarbage` where it cannot be
    read."""

    async def __call__(self, part: Part[T]) -> tuple[T, str]: ...


def asking(model: ChatModel) -> Ask:
    """Asks the model for each part by itself."""

    async def ask_alone(part: Part[T]) -> tuple[T, str]:
        options: ChatOptions = {**part.options, "purpose": part.purpose, "shape": shape_of(part.answer)}
        garbage = f"The model's {part.name} cannot be read"
        return await _asked(model, part.prompt, part.data, part.read, garbage, options)

    return ask_alone


def text_in(answer: str, name: str) -> str:
    """The text that an answer has in a field of this name, be it cut off, or all that the model wrote without a field.
    Raises `ValueError` where there is none."""
    inner = unfenced(answer)
    begun = re.match(rf'\{{\s*"{name}"\s*:\s*"', inner)
    try:
        value: object = json.loads(inner, strict=False)
    except ValueError:
        if begun is None:
            return answer.strip()
        written = inner[begun.end() :].rstrip("}\n ").removesuffix('"').rstrip("\\")
        value = {name: json.loads(f'"{written}"', strict=False)}
    if begun is None and not answer.lstrip().startswith("{") and "```" not in answer:
        return answer.strip()
    text = value.get(name) if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise ValueError("there is no text in it")
    return repair(text)


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
