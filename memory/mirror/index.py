"""What the mirror wrote for a user, and up to which change it is complete."""

import logging
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from memory.mirror.files import is_folder_name
from utils.file_names import file_name, name_of

INDEX = "memory_index.json"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Written:
    """A file as it was written or taken over. `hash`: of its bytes; `text`: of the text that the memory held."""

    path: str
    hash: str
    text: str


@dataclass(frozen=True)
class Position:
    """How far the mirror has come: the user's `epoch`, and the change of each counter up to which it is complete."""

    epoch: str = ""
    gists: int = 0
    notes: int = 0


@dataclass(frozen=True)
class Index:
    user: str
    position: Position
    entries: dict[str, Written] = field(default_factory=dict)


_index = TypeAdapter(Index)


def owner_of(folder: Path) -> str | None:
    """Whose folder it is: by its name, or where that was cut, by its index; None where no user can be called so."""
    name = name_of(folder.name)
    if name is None and (index := read_index(folder)) is not None and file_name(index.user) == folder.name:
        name = index.user
    return name if name is not None and is_folder_name(name) else None


def read_index(folder: Path) -> Index | None:
    """The index of a user's folder; None where there is none that can be read."""
    try:
        return _index.validate_json((folder / INDEX).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        log.warning("%r cannot be read: the files are compared with the memory", str(folder / INDEX))
        return None


def index_of(user: str, position: Position, written: dict[str, Written]) -> bytes:
    """The index as it is kept."""
    return orjson.dumps(Index(user, position, written), option=orjson.OPT_INDENT_2)
