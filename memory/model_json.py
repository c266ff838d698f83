"""How is a model asked for JSON, and asked once more where it gives none that can be read?"""

from collections.abc import Callable
from typing import TypeVar

import orjson
from pydantic import ValidationError

from utils.errors import ModelGarbage
from utils.llm import ChatModel, Message
from utils.text import unfenced

TRIES = 2

T = TypeVar("T")


async def ask_for_json(
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
            return read(unfenced(answer.text))
        except ValidationError:
            reason = ""
        except ValueError as error:
            reason = f": {error}"
    raise ModelGarbage(f"{garbage}{reason}")
