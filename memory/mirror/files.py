"""Files of the mirror: their paths and contents, made of what is remembered, and read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from hashlib import sha256
from pathlib import PurePosixPath

import frontmatter
import yaml

from utils.files import file_name, name_of
from utils.text import CONTROL_CHARACTERS

ENTRIES = "entries"
FACT = "fact"
SUMMARY = "summary"
LARGEST = 20_000_000  # bytes that are read: more than what the store takes as one message
YEARS = range(1900, 2200)  # in which something may have been said
LONGEST_NAME = 200  # characters of users, conversations and ids, as over HTTP

_FRONT = frontmatter.default_handlers.YAMLHandler()
_CONFLICT = re.compile(r"\.(?=conflict(?:\.\d+)?(?:\.md)?$)")


@dataclass(frozen=True)
class MirrorEntry:
    """What a file says; None where it does not say so. Of what is remembered, id to text are all there."""

    id: str | None
    conversation_id: str | None
    role: str | None
    created_at: datetime | None
    text: str
    valid_from: datetime | None = None
    sources: tuple[str, ...] | None = None
    decided_by: str | None = None
    summary_kind: str | None = None


@dataclass(frozen=True)
class Where:
    """Where a file stands. `conversation`: None where the folder's name was cut; `folder`: the name that it has, or
    should have."""

    conversation: str | None
    folder: str
    role: str


@dataclass(frozen=True)
class Unreadable:
    """A file that is left alone, and why."""

    why: str


def path_of(entry: MirrorEntry) -> str:
    """Where an entry belongs in its user's folder."""
    if entry.conversation_id is None or entry.role is None or entry.id is None or entry.created_at is None:
        raise AssertionError("what is remembered has a place")
    folder = f"{ENTRIES}/{file_name(entry.conversation_id)}"
    if entry.role == SUMMARY:
        return f"{folder}/summaries/summary.md"
    moment = f"{entry.created_at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}"
    name = f"{moment}__{_CONFLICT.sub('%2e', file_name(entry.id))}.md"
    return f"{folder}/facts/{name}" if entry.role == FACT else f"{folder}/turns/{file_name(entry.role)}/{name}"


def is_written_by_loci(entry: MirrorEntry, path: str) -> bool:
    """Whether a file that says this stands where Loci would have written it."""
    named = (entry.id, entry.conversation_id, entry.role, entry.created_at)
    return None not in named and path_of(entry) == path


def where(path: str) -> Where | None:
    """What a path in a user's folder is of; None for one that is no file of the mirror."""
    match PurePosixPath(path).parts:
        case (first, folder, "turns", role, name):
            pass
        case (first, folder, "facts" | "summaries" as kind, name):
            role = FACT if kind == "facts" else SUMMARY
        case _:
            return None
    if first != ENTRIES or is_hidden(folder) or not is_entry(name):
        return None
    by_hand = None if "%" in folder or "~" in folder else folder
    conversation = name_of(folder) or by_hand
    if conversation is not None and not is_folder_name(conversation):
        return None
    return Where(conversation, folder if conversation is None else file_name(conversation), role)


def is_hidden(name: str) -> bool:
    """Whether a file or folder is an editor's own, or Loci's while it writes."""
    return name.startswith((".", "#", "~")) or name.endswith("~")


def is_entry(name: str) -> bool:
    """Whether a file of this name is read: not what an editor keeps beside it, nor what lost a conflict."""
    return name.endswith(".md") and not is_hidden(name) and _CONFLICT.search(name) is None


def is_name(name: str) -> bool:
    """Whether something may be called so."""
    try:
        name.encode()
    except UnicodeEncodeError:  # of a file name that is not UTF-8
        return False
    return bool(name.strip()) and len(name) <= LONGEST_NAME and CONTROL_CHARACTERS.search(name) is None


def is_folder_name(name: str) -> bool:
    """Whether a user or a conversation may be called so."""
    return is_name(name) and "/" not in name and name not in (".", "..")


def render(entry: MirrorEntry) -> bytes:
    """The file of an entry."""
    front = {field.name: getattr(entry, field.name) for field in fields(entry) if field.name != "text"}
    shown = {name: list(value) if isinstance(value, tuple) else value for name, value in front.items()}
    post = frontmatter.Post(entry.text, None, **{name: value for name, value in shown.items() if value is not None})
    return (frontmatter.dumps(post, handler=_FRONT, sort_keys=False) + "\n").encode()


def parse(data: bytes) -> MirrorEntry | Unreadable:
    """What a file says. White space around its text is not part of it, nor is how lines end."""
    try:
        text = plain(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Unreadable("it is not UTF-8")
    front: object = {}
    if _FRONT.detect(text):
        try:
            head, text = _FRONT.split(text)
        except ValueError:
            return Unreadable("its front matter has no end")
        try:
            front = _FRONT.load(head)
        except (yaml.YAMLError, ValueError, ArithmeticError, RecursionError):
            return Unreadable("its front matter is not YAML")
    if front is None:
        front = {}
    if not isinstance(front, dict):
        return Unreadable("its front matter has no fields")
    if CONTROL_CHARACTERS.search(text):
        return Unreadable("there are control characters in its text")
    return _entry(front, plain(text))


def plain(text: str) -> str:
    """A text as files have it."""
    return text.replace("\r\n", "\n").strip()


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def digest_of_text(text: str) -> str:
    return digest(plain(text).encode())


def says(data: bytes, entry: MirrorEntry) -> bool:
    """Whether a file says what is remembered, whatever else it says in front matter of its own."""
    said = parse(data)
    return isinstance(said, MirrorEntry) and said == parse(render(entry))


def _entry(front: Mapping[object, object], text: str) -> MirrorEntry | Unreadable:
    names = dict[str, str | None]()
    for name in ("id", "conversation_id", "role"):
        value = front.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not (isinstance(value, str) and is_name(value)):
            return Unreadable(f"its {name} is none")
        names[name] = value
    sources = front.get("sources")
    return MirrorEntry(
        **names,
        text=text,
        created_at=_moment(front.get("created_at")),
        valid_from=_moment(front.get("valid_from")),
        sources=tuple(map(str, sources)) if isinstance(sources, list) else None,
        decided_by=_text(front.get("decided_by")),
        summary_kind=_text(front.get("summary_kind")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _moment(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime) or value.year not in YEARS:
        return None
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
