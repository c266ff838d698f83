"""What does a request of OpenAI's chat API say, and an answer? Reads of JSON that may hold anything."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from memory.domain import Hit
from utils.text import CONTROL_CHARACTERS

JsonObject = Mapping[str, Any]

DONE = b"[DONE]"
IMAGE = "[image]"  # what stands for a part of a message that is no text
ATTACHMENT = "[attachment]"


def newest_user(messages: Sequence[JsonObject]) -> int | None:
    """The place of the user's last message; None where there is none."""
    return next((at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"), None)


def text_of(content: object) -> str:
    """The text of a message: a string, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def kept_text(content: object) -> str:
    """What is remembered of a message: its text without control characters, and a word for each other part."""
    text = CONTROL_CHARACTERS.sub("", text_of(content)).strip()
    parts = content if isinstance(content, list) else []
    others = [_word(part) for part in parts if isinstance(part, dict) and "text" not in part]
    return " ".join([text, *others]).strip()


def _word(part: JsonObject) -> str:
    return IMAGE if part.get("type") in ("image_url", "input_image") else ATTACHMENT


def with_text_before(content: object, text: str) -> object:
    """A user's content with a text before it, in the form that it had."""
    if isinstance(content, list):
        return [{"type": "text", "text": text}, *content]
    return text + text_of(content)


def answer_text(choice: object) -> str:
    """What the assistant says in a choice, whole or a delta; a refusal is said, too."""
    said = choice.get("message", choice.get("delta")) if isinstance(choice, dict) else None
    if not isinstance(said, dict):
        return ""
    return text_of(said.get("content")) or text_of(said.get("refusal"))


def first_choice(answer: object) -> JsonObject | None:
    """The choice that is remembered, of one or several; None where an answer has none."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index", 0) == 0:
            return choice
    return None


def ends(chunk: JsonObject) -> bool:
    """Whether a chunk may be the last of its stream: a choice is finished in it, or it has none, as the usage's."""
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return False
    return not choices or any(isinstance(one, dict) and one.get("finish_reason") for one in choices)


def memory_hits(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """What memory knew, as clients are told."""
    return [
        {
            "role": hit.gist.role,
            "content": hit.gist.content,
            "created_at": hit.gist.timestamp.isoformat().replace("+00:00", "Z"),
            "score": hit.score,
        }
        for hit in hits
    ]


def data_of(event: bytes) -> bytes | None:
    """The data of a server-sent event; None where it has none, as a comment."""
    lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines) if lines else None


def event_of(data: JsonObject) -> bytes:
    """A server-sent event with an object as its data."""
    return b"data: " + orjson.dumps(data) + b"\n\n"


def parsed(data: bytes) -> dict[str, Any] | None:
    """A JSON object; None where the bytes are something else."""
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
