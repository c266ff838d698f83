"""Letta's agent files (`.af`), and its archival passages as its API lists them.

Read of its last source, version 0.16.8: letta/schemas/agent_file.py, and tests/test_agent_files, with files of both
forms: `agents` beside `blocks`, and the older one of a single agent with `core_memory`. An agent file has the first 50
messages of an agent and no archival passages; these are what `GET /v1/agents/{id}/archival-memory` lists. Ids in a
file are numbers within it, so that messages go by their times and texts. Agents of before version 1 speak by a call of
`send_message`, what they write beside it are thoughts, and their own notes come as messages of the user, in JSON.
"""

import json
from collections.abc import Iterator
from typing import Any

from memory.ids import derived_id
from memory.portable.items import (
    HIDDEN,
    THOUGHTS,
    TOOLS,
    UNREADABLE,
    Document,
    Item,
    Omission,
    Read,
    SourceMemory,
    conversation_of,
    list_at,
    message_of,
    moment,
    text_at,
    value_at,
)

SPEAKS = "send_message"
PERSONA = "persona"  # the block that is about the agent


def is_letta(document: Document) -> bool:
    either = (list_at(document, "agents") and "blocks" in document) or "core_memory" in document
    return bool(either) or is_passage(document)


def is_passage(document: Document) -> bool:
    return isinstance(document.get("text"), str) and ("archive_id" in document or "embedding_config" in document)


def read_letta(document: Document) -> Iterator[Item]:
    if is_passage(document):
        yield SourceMemory(text_at(document, "id"), text_at(document, "text"), moment(document.get("created_at")))
        return
    time = moment(document.get("updated_at")) or moment(document.get("created_at"))
    for block in [*list_at(document, "blocks"), *list_at(document, "core_memory")]:
        label, value = text_at(block, "label"), text_at(block, "value")
        if label == PERSONA:
            yield Omission(HIDDEN, label)
        elif value.strip():
            changed = moment(value_at(block, "updated_at")) or time
            yield SourceMemory(derived_id(label, value), value, changed, title=label)
    for agent in list_at(document, "agents") or [document]:
        yield from _agent(agent)


def _agent(agent: object) -> Iterator[Item]:
    name = text_at(agent, "name")
    messages = list_at(agent, "messages")
    speaks = any(_calls(message, SPEAKS) for message in messages)
    read = [one for place, message in enumerate(messages) for one in _read(place, message, speaks=speaks)]
    yield from conversation_of(name, name, read)


def _read(place: int, message: object, *, speaks: bool) -> Iterator[Read]:
    """`speaks`: the agent says what it says by calls of `send_message`."""
    role, time = text_at(message, "role"), text_at(message, "created_at")
    text = "\n\n".join(text_at(part, "text") for part in list_at(message, "content")) or text_at(message, "content")
    identifier = derived_id(role, time, text) if time else f"#{place}"
    packed = _packed(text)
    if role == "system" or (role == "user" and packed.get("type") not in (None, "user_message")):
        yield Omission(HIDDEN, identifier)
    elif role == "user":
        said = text_at(packed, "message") if packed.get("type") == "user_message" else text
        yield from message_of(identifier, "user", [said], [], moment(time))
    elif role == "tool":
        yield Omission(TOOLS, identifier)
    elif role == "assistant":
        if others := len(list_at(message, "tool_calls")) - len(_calls(message, SPEAKS)):
            yield from [Omission(TOOLS, identifier)] * others
        if speaks and text.strip():
            yield Omission(THOUGHTS, identifier)
        said_by_calls = [text_at(_packed(call), "message") for call in _calls(message, SPEAKS)]
        texts = said_by_calls if speaks else [text]
        if any(map(str.strip, texts)):
            yield from message_of(identifier, "assistant", texts, [], moment(time), model=text_at(message, "model"))
    else:
        yield Omission(UNREADABLE, identifier)


def _calls(message: object, name: str) -> list[str]:
    """The arguments of a message's calls of a tool, as JSON."""
    calls = [value_at(call, "function") for call in list_at(message, "tool_calls")]
    return [text_at(call, "arguments") for call in calls if text_at(call, "name") == name]


def _packed(text: str) -> dict[str, Any]:
    """The object that a text is in JSON; an empty one where it is none."""
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return packed if isinstance(packed, dict) else {}
