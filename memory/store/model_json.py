"""Asking a model for JSON, and once more where it gives none that can be read."""

import re
from collections.abc import Callable, Iterator
from json import JSONDecoder
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from utils.chat import ChatModel, Message
from utils.errors import ModelGarbage
from utils.text import unfenced

TRIES = 2
PLACES = 100  # of an answer at which JSON may begin, that are looked at

_THOUGHT = re.compile(r"\A\s*(?![\s{\[`]).*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(r"[{\[]")
_decoder = JSONDecoder()

T = TypeVar("T")


async def ask_for_json(
    model: ChatModel, system: str, data: object, read: Callable[[str], T], *, garbage: str, temperature: float = 0.0
) -> T:
    """`ask`, where `read` is given the JSON alone."""
    return await ask(model, system, data, lambda text: read(unfenced(text)), garbage=garbage, temperature=temperature)


async def ask(
    model: ChatModel, system: str, data: object, read: Callable[[str], T], *, garbage: str, temperature: float = 0.0
) -> T:
    """What `read` makes of the model's answer to data, which is quoted as JSON; asked once more where it raises
    `ValueError`, whose message is shown to clients. Raises `ModelError`; `ModelGarbage`, which says `garbage`, where it
    does again."""
    messages: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": orjson.dumps(data).decode()},
    ]
    reason = ""
    for _ in range(TRIES):
        answer = await model.complete(messages, temperature=temperature)
        try:
            return read(answer.text)
        except ValidationError:
            reason = ""
        except ValueError as error:
            reason = f": {error}"
    raise ModelGarbage(f"{garbage}{reason}")


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
