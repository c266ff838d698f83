"""Items of other products' files as records of an import.

A conversation becomes a session with its title and times, which is the same one whenever it comes: its ids are made of
those of its source, so that a repeat adds what is missing alone. A memory of one line becomes a fact, in force since it
was last changed; a longer one a message of the user's.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memory.domain import Role
from memory.ids import derived_id
from memory.portable.importer import Lines
from memory.portable.items import (
    EMPTY,
    Item,
    Omission,
    SourceConversation,
    SourceMemory,
    SourceMessage,
)
from memory.product import Record
from memory.turns import title_of
from utils.clock import now
from utils.fields import CONTENT_CHARACTERS, Name
from utils.text import CONTROL_CHARACTERS, cut_at_word, off_a_terminal, repair, shown
from utils.thoughts import without_thoughts

TITLE = 200  # characters
LONGEST_FACT = 600  # characters, as of those that are told by hand
TOO_LONG = f"longer than {CONTENT_CHARACTERS:,} characters"
NO_MESSAGES = "conversations of which no message is left"

_NAME: TypeAdapter[str] = TypeAdapter(Name)


def records_of(source: str, item: Item, lines: Lines) -> Iterator[Record | Omission]:
    """The records of an item of a source, and what is left out of it. `lines`: their shapes by kind."""
    match item:
        case Omission():
            yield item
        case SourceMemory():
            yield from _of_memory(source, item, lines)
        case SourceConversation():
            yield from _of_conversation(source, item, lines)


def _of_memory(source: str, memory: SourceMemory, lines: Lines) -> Iterator[Record | Omission]:
    text = _plain(memory.text).strip()
    if not text:
        yield Omission(EMPTY, memory.id)
    elif len(text) > LONGEST_FACT or len(text.splitlines()) > 1:
        said = SourceMessage(memory.id, "user", memory.text, memory.at)
        yield from _of_conversation(source, SourceConversation(memory.id, memory.title, [said], memory.at), lines)
    else:
        since = min(memory.at or now(), now())
        added = {"event": "ADD", "at": since, "by": source}
        fact = {
            "id": derived_id(source, memory.id, text),
            "memory_id": source,
            "text": text,
            "valid_from": since,
            "sources": [],
            "decided_by": source,
            "history": [added],
            "created_at": since,
            "updated_at": since,
        }
        yield _record("fact", fact, lines, len(text))


def _of_conversation(source: str, conversation: SourceConversation, lines: Lines) -> Iterator[Record | Omission]:
    session_id = f"{source}-{derived_id(source, conversation.id)}"
    messages: list[Record] = []
    spoken: list[str] = []
    time = conversation.begun or next((one.at for one in conversation.messages if one.at), None) or now()
    for message in conversation.messages:
        time = message.at or time
        text = _said(message.role, message.text)
        if reason := _wrong_with(text):
            yield Omission(reason, message.id)
            continue
        spoken += [text] if message.role == "user" else []
        fields = {
            "session_id": session_id,
            "id": derived_id(session_id, message.id, message.text if message.id.startswith("#") else ""),
            "place": len(messages),
            "role": message.role,
            "content": text,
            "timestamp": time,
            "created_at": now(),
            "name": _name(message.name),
            "model": shown(message.model or "")[:TITLE] or None,
        }
        messages.append(_record("message", fields, lines, len(text)))
    if not messages:
        yield Omission(NO_MESSAGES, conversation.id)
        return
    times = [record.fields["timestamp"] for record in messages]
    session = {
        "id": session_id,
        "title": cut_at_word(shown(repair(conversation.title)), TITLE) or _title_of(spoken, messages),
        "epoch": derived_id("epoch", session_id),
        "places": len(messages),
        "summarised_to": -1,
        "created_at": min(conversation.begun or times[0], *times),
        "updated_at": max(conversation.ended or times[-1], *times),
    }
    yield _record("session", session, lines, 0)
    yield from messages


def _title_of(spoken: list[str], messages: list[Record]) -> str:
    return title_of(spoken[0] if spoken else messages[0].fields["content"])


def _record(kind: str, fields: dict[str, Any], lines: Lines, size: int) -> Record:
    return Record(kind, lines[kind].model_validate(fields).model_dump(exclude_none=True), size)


def _said(role: Role, text: str) -> str:
    text = _plain(text)
    return without_thoughts(text) if role == "assistant" else text


def _plain(text: str) -> str:
    """A text as a message may have it: what a terminal acts on is left out, other control characters are blanks."""
    return CONTROL_CHARACTERS.sub(" ", off_a_terminal(repair(text)))


def _wrong_with(text: str) -> str | None:
    if not text.strip():
        return EMPTY
    return TOO_LONG if len(text) > CONTENT_CHARACTERS else None


def _name(name: str | None) -> str | None:
    try:
        return _NAME.validate_python(name)
    except ValidationError:
        return None
