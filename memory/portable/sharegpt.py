"""Conversations in the form of ShareGPT, and of OpenAI's fine-tuning: a list of them, or one a line.

There is no specification. The fields are those that LLaMA-Factory (data/README.md, 2026) and FastChat read:
`conversations` with `from` and `value`, or `messages` with `role` and `content`. Where a conversation has no id, its
texts are what it goes by.
"""

from collections.abc import Iterator

from memory.domain import Role
from memory.ids import derived_id
from memory.portable.items import (
    TOOLS,
    UNREADABLE,
    Document,
    Item,
    Omission,
    Read,
    conversation_of,
    list_at,
    message_of,
    moment,
    text_at,
    value_at,
)

ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
}


def is_sharegpt(document: Document) -> bool:
    return any(text_at(turn, "from") or text_at(turn, "role") for turn in _turns(document)[:3])


def read_sharegpt(document: Document) -> Iterator[Item]:
    turns = _turns(document)
    if system := text_at(document, "system").strip():
        turns = [{"role": "system", "content": system}, *turns]
    read = [one for place, turn in enumerate(turns) for one in _read(place, turn)]
    identifier = text_at(document, "id") or derived_id(*(getattr(one, "text", "") for one in read))
    begun = moment(document.get("create_time")) or moment(document.get("created_at"))
    yield from conversation_of(identifier, text_at(document, "title"), read, begun)


def _turns(document: Document) -> list[object]:
    return list_at(document, "conversations") or list_at(document, "messages")


def _read(place: int, turn: object) -> Iterator[Read]:
    identifier = text_at(turn, "id") or f"#{place}"
    kind = text_at(turn, "from") or text_at(turn, "role")
    role = ROLES.get(kind.lower())
    content = value_at(turn, "value") or value_at(turn, "content")
    if kind == "function_call" or (role == "assistant" and not content and list_at(turn, "tool_calls")):
        yield Omission(TOOLS, identifier)
    elif role is None:
        yield Omission(UNREADABLE, identifier)
    else:
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [text_at(part, "text") for part in parts]
        kinds = [text_at(part, "type") for part in parts]
        attachments = [kind.partition("_")[0] for kind in kinds if kind != "text"]
        time = moment(value_at(turn, "timestamp")) or moment(value_at(turn, "created_at"))
        yield from message_of(identifier, role, texts, attachments, time)
