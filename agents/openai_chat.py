"""Requests and answers of OpenAI's chat API, read from JSON that may hold anything.

The standard library's JSON, for what goes through must come out as it was: whole numbers of any length, NaN, halves of
surrogate pairs.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.asides import is_complaint, without_asides
from memory.domain import Hit
from utils.fields import CONTENT_CHARACTERS
from utils.text import CONTROL_CHARACTERS, IMAGE, repair, with_blanks, without_recalled

JsonObject = Mapping[str, Any]

DONE = b"[DONE]"
ATTACHMENT = "[attachment]"
ASIDE = "<system-reminder>\n{}\n</system-reminder>"  # as Claude Code has it, among `agents.asides`


def newest_user(messages: Sequence[JsonObject]) -> int | None:
    """The place of the user's last message; None where there is none. One that has asides alone is none."""
    users = [at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"]
    return next((at for at in users if _is_said(messages[at].get("content"))), None)


def _is_said(content: object) -> bool:
    """Whether a user's message is not asides alone."""
    parts = content if isinstance(content, list) else []
    others = any(isinstance(part, dict) and "text" not in part for part in parts)
    text = text_of(content)
    return others or not text or bool(said_in(content))


def said_in(content: object) -> str:
    """The text of a message without the asides of fronts and coding agents."""
    if isinstance(content, str):
        return without_asides(content)
    return "\n".join(filter(None, map(without_asides, _texts_of(content))))


def complains(message: JsonObject) -> bool:
    """Whether a message is the complaint of a loop that checks answers."""
    return message.get("role") == "user" and is_complaint(text_of(message.get("content")))


def text_of(content: object) -> str:
    """The text of a message: a string, or the texts of its parts."""
    if isinstance(content, str):
        return content
    return "\n".join(_texts_of(content))


def _texts_of(content: object) -> list[str]:
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def kept_text(content: object) -> str:
    """What is remembered of a message: its text as `storable` has it, without asides and memories that are sent back,
    and a word for each other part."""
    parts = content if isinstance(content, list) else []
    others = [word_for(part) for part in parts if isinstance(part, dict) and "text" not in part]
    text = storable(said_in(content)).strip()
    return " ".join([without_recalled(text) or text, *others]).strip()


def storable(text: str) -> str:
    """Text that UTF-8 and every reader can carry: whole characters, none that steers, blanks for those that part pages
    and lines, at most `CONTENT_CHARACTERS`."""
    return CONTROL_CHARACTERS.sub("", with_blanks(repair(text)))[:CONTENT_CHARACTERS]


def word_for(part: JsonObject) -> str:
    """What stands for a part of a message that is no text."""
    return IMAGE if part.get("type") in ("image_url", "input_image") else ATTACHMENT


def with_text_before(content: object, text: str) -> object:
    """A user's content with a text before it, in the form that it had."""
    if isinstance(content, list):
        return [{"type": "text", "text": text}, *content]
    return text + text_of(content)


def instructed(messages: Sequence[JsonObject], instructions: Sequence[str]) -> list[JsonObject]:
    """Messages with instructions before them: at the beginning of the system message, where they begin with one, for
    some providers take one alone."""
    text = "\n\n".join(instructions)
    if not text:
        return list(messages)
    first, *others = messages
    if first.get("role") not in ("system", "developer"):
        return [{"role": "system", "content": text}, *messages]
    return [{**first, "content": with_text_before(first.get("content"), f"{text}\n\n")}, *others]


def choices_of(answer: JsonObject) -> list[JsonObject]:
    """The choices of an answer or a chunk."""
    choices = answer.get("choices")
    return [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []


def message_in(choice: JsonObject) -> JsonObject:
    """What the assistant says in a choice: a message, or the delta of one."""
    said = choice.get("message") or choice.get("delta")
    return said if isinstance(said, dict) else {}


def answer_text(choice: JsonObject) -> str:
    """The text of a choice, of a chat or of a prompt that is completed; a refusal is said, too."""
    said = message_in(choice)
    return text_of(choice.get("text")) or text_of(said.get("content")) or text_of(said.get("refusal"))


def calls_tools(choice: JsonObject) -> bool:
    """Whether the assistant asks for tools, so that its answer is still to come."""
    said = message_in(choice)
    return bool(said.get("tool_calls") or said.get("function_call"))


def ends(chunk: JsonObject) -> bool:
    """Whether a chunk may be the last of its stream: a choice is finished in it, or it has none, as the usage's."""
    choices = chunk.get("choices")
    return isinstance(choices, list) and (not choices or any(one.get("finish_reason") for one in choices_of(chunk)))


def without_its_end(chunk: JsonObject) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """A chunk that ends a choice in two: what it says, to be sent at once, None where that is nothing; and its end."""
    if not any(answer_text(one) or calls_tools(one) for one in choices_of(chunk)):
        return None, dict(chunk)
    saying = [{**one, "finish_reason": None} for one in choices_of(chunk)]
    ending = [{**one, **({"text": ""} if "text" in one else {"delta": {}})} for one in choices_of(chunk)]
    return {**chunk, "choices": saying, "usage": None}, {**chunk, "choices": ending}


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
    return b"\n".join(lines).strip() if lines else None


def object_of(event: bytes) -> dict[str, Any] | None:
    """The object that is the data of a server-sent event; None for a comment, and what is none of ours."""
    data = data_of(event)
    told = parsed(data) if data is not None else None
    return told if isinstance(told, dict) else None


def event_of(data: JsonObject) -> bytes:
    """A server-sent event with an object as its data."""
    return b"data: " + written(data) + b"\n\n"


def written(data: JsonObject) -> bytes:
    """JSON on one line, in ASCII."""
    return json.dumps(data, separators=(",", ":")).encode()


def parsed(data: bytes) -> Any:
    """What JSON says; None where the bytes are something else."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None
