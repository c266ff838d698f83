"""Images among the messages that a model is asked with, and which of them its provider refused."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from utils.chat import Message
from utils.text import IMAGE

MOST = 1_000  # images that are known to be refused; of more, the first are tried again

Keeps = Callable[[str], bool]  # whether an image is kept, by its address


class RefusedImages:
    """Images that providers refused, by their models: they stand in no later request, be it since the model takes none
    or since one is not to be read any more."""

    def __init__(self) -> None:
        self._refused: dict[tuple[str, int], None] = {}

    def left_out(self, model: str, messages: Sequence[Message]) -> list[Message]:
        """Messages with a word for each image that was refused."""
        return [_with_fewer(one, lambda address: (model, hash(address)) not in self._refused) for one in messages]

    def note(self, model: str, before: Sequence[Message], after: Sequence[Message]) -> None:
        """That messages were refused, and taken with fewer images."""
        for address in {*_addresses(before)} - {*_addresses(after)}:
            self._refused[model, hash(address)] = None
        for key in list(self._refused)[:-MOST]:
            del self._refused[key]


def with_fewer_images(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Messages with ever fewer of their images: without those of other hosts, which may be gone; then with those of the
    last message alone; then with none."""
    here = [_with_fewer(one, lambda address: address.startswith("data:")) for one in messages]
    own = [*(_with_fewer(one, _none) for one in here[:-1]), *here[-1:]]
    left = list(_addresses(messages))
    for fewer in (here, own, [_with_fewer(one, _none) for one in messages]):
        if (found := list(_addresses(fewer))) != left:
            left = found
            yield fewer


def _none(_: str) -> bool:
    return False


def _parts(message: Message) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _addresses(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield from (part["image_url"]["url"] for part in _parts(message) if part["type"] == "image_url")


def _with_fewer(message: Message, keeps: Keeps) -> Message:
    """A message with a word for each image that is not kept; its content is a text again where none is."""
    parts = [
        part if part["type"] == "text" or keeps(part["image_url"]["url"]) else {"type": "text", "text": IMAGE}
        for part in _parts(message)
    ]
    if parts == _parts(message):
        return message
    if all(part["type"] == "text" for part in parts):
        return cast(Message, {**message, "content": "\n".join(part["text"] for part in parts)})
    return cast(Message, {**message, "content": parts})
