"""Items: what is read of another product's file, before it becomes records; and what all readers of files share.

A reader is a generator over one document of a file (a conversation, a memory, an agent) and gives items. It never fails
on what it meets: what it cannot read is an `Omission`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from memory.domain import Role
from utils.fields import YEARS
from utils.text import on_one_line

Document = Mapping[str, Any]  # a JSON object of a file

UNREADABLE = "no message or memory of a known shape"
EMPTY = "without text"
OFF_BRANCH = "in a branch that was not shown"
HIDDEN = "not shown in the conversation: instructions, context"
THOUGHTS = "thoughts of the model"
TOOLS = "calls of tools, and what they gave"
ATTACHED = "attachments, of which the text keeps the name alone"
FAILED = "error messages instead of answers"
INACTIVE = "memories that are not active there: deleted, archived or paused"

_SECONDS = 1e11  # a greater number is one of milliseconds, or of still smaller parts: as seconds it is the year 5138
_DATA = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[\w+/=-]{64,}")


@dataclass(frozen=True)
class SourceMessage:
    """A message of a conversation. `id`: its own there, or "#" and its place where it has none. `at`: None where the
    file does not tell."""

    id: str
    role: Role
    text: str
    at: datetime | None = None
    name: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class SourceConversation:
    """A conversation, its messages in the order in which they were shown last."""

    id: str
    title: str
    messages: Sequence[SourceMessage]
    begun: datetime | None = None
    ended: datetime | None = None


@dataclass(frozen=True)
class SourceMemory:
    """Something that another product knew of its user. `title`: what it is about, where that is told."""

    id: str
    text: str
    at: datetime | None = None
    title: str = ""


@dataclass(frozen=True)
class Omission:
    """Something that is left out: why, and its id or place in the file."""

    reason: str
    id: str


ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
Item = SourceConversation | SourceMemory | Omission
Read = SourceMessage | Omission


def value_at(value: object, *path: str) -> Any:
    """What stands under keys of objects within each other; None where there is nothing."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_at(value: object, *path: str) -> str:
    """The same where it is a text or a number that names something; else empty."""
    found = value_at(value, *path)
    if isinstance(found, bool):
        return ""
    return str(found) if isinstance(found, str | int) else ""


def list_at(value: object, *path: str) -> list[Any]:
    found = value_at(value, *path)
    return found if isinstance(found, list) else []


def moment(value: object) -> datetime | None:
    """A time in UTC, of seconds or smaller parts of them since 1970, or of ISO 8601; None where it is none."""
    if isinstance(value, str):
        try:
            return _in_range(datetime.fromisoformat(value.strip()))
        except (ValueError, OverflowError):
            try:
                value = float(value)
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 < value < 1e21:
        return None
    seconds = float(value)
    while seconds >= _SECONDS:
        seconds /= 1_000
    return _in_range(datetime.fromtimestamp(seconds, UTC))


def _in_range(found: datetime) -> datetime | None:
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    return aware.astimezone(UTC) if found.year in YEARS and aware.astimezone(UTC).year in YEARS else None


def joined(texts: Sequence[str]) -> str:
    """Parts of a message as one text; images and files that are written into them are left out."""
    return _DATA.sub("data:…", "\n\n".join(text.strip("\n") for text in texts if text.strip()))


def attached(name: str) -> str:
    """How an attachment stands in the text."""
    return f"[attached: {on_one_line(name)[:200] or 'file'}]"


def message_of(
    identifier: str,
    role: Role,
    texts: Sequence[str],
    attachments: Sequence[str],
    at: datetime | None,
    *,
    name: str = "",
    model: str = "",
) -> Iterator[Read]:
    """A message of its parts and the names of what was attached to it, behind an omission for each; without text, an
    omission alone."""
    for _ in attachments:
        yield Omission(ATTACHED, identifier)
    text = joined([*texts, *map(attached, attachments)])
    if text:
        yield SourceMessage(identifier, role, text, at, name or None, model or None)
    else:
        yield Omission(EMPTY, identifier)


def branch(leaf: str | None, parent_of: Callable[[str], str | None]) -> list[str]:
    """The ids from a tree's root to a leaf, or from where parents go in a circle. `parent_of`: None of the root."""
    path: dict[str, None] = {}
    while leaf is not None and leaf not in path:
        path[leaf] = None
        leaf = parent_of(leaf)
    return list(reversed(path))


def read_of(
    path: Sequence[str], messages: Mapping[str, object], read: Callable[[str, object], Iterator[Read]]
) -> list[Read]:
    """What is read of the messages of a branch, in order, and an omission for each one beside it. `read`: reads one."""
    on_path = set(path)
    beside = (
        Omission(OFF_BRANCH, identifier)
        for identifier, message in messages.items()
        if identifier not in on_path and any(isinstance(one, SourceMessage) for one in read(identifier, message))
    )
    return [*(one for identifier in path for one in read(identifier, messages[identifier])), *beside]


def conversation_of(
    identifier: str, title: str, read: Sequence[Read], begun: datetime | None = None, ended: datetime | None = None
) -> Iterator[Item]:
    """A conversation of what was read of its messages, behind what is left out of it."""
    yield from (one for one in read if isinstance(one, Omission))
    messages = [one for one in read if isinstance(one, SourceMessage)]
    yield SourceConversation(identifier, title, messages, begun, ended)
