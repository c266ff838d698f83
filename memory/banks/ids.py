"""Ids and names of banks, so that the same project always has the same bank, and no two share one."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Annotated
from unicodedata import normalize

from pydantic import StringConstraints

from memory.banks.types import BANK_TYPES, BankType
from memory.ids import derived_id
from utils.errors import InvalidInput

GLOBAL_ID = "global"
LONGEST_SLUG = 48
DIGEST = 12  # hexadecimal digits
ID_PATTERN = r"[a-z0-9](?:[a-z0-9_-]{0,118}[a-z0-9])?"

BankId = Annotated[str, StringConstraints(pattern=rf"^{ID_PATTERN}$")]

_ENDS_LIKE_A_DIGEST = re.compile(rf"(?:^|-)[0-9a-f]{{{DIGEST}}}$")
_DRIVE = re.compile(r"^[A-Za-z]:")
_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[\\/]")  # of Unix, of a share and of a drive of Windows
RELATIVE = (
    "current_path must be absolute, for it says which project is meant: pass the whole path of the project's folder, "
    "such as /home/ann/loci or C:\\src\\loci (not `.`, `..`, `~` or a path below these), or leave it out and pass a "
    "project_name"
)


def bank_id(kind: BankType, name: str | None, path: str | None) -> str:
    """The id of a bank, by the project's name, its path, or both: a slug of the name, else of the path's last part, and
    where it does not say all, a digest of what it was made of. So one name at two paths names two banks, and no two
    names share one. Capitals and spaces around or within a name make no difference, nor does how a path ends.

    Raises `InvalidInput` where there is neither, but for the one global bank, for a path that is not absolute, and for
    a type that there is not.
    """
    if kind not in BANK_TYPES:
        raise InvalidInput(f"A memory bank is of the type {', '.join(BANK_TYPES[:-1])} or {BANK_TYPES[-1]}")
    if kind == "global":
        return GLOBAL_ID
    if (path or "").strip() and not is_absolute(path or ""):
        raise InvalidInput(RELATIVE)
    where, label = _path(path or ""), _label(name, path)
    if not label and not where:
        raise InvalidInput(f"A {kind} bank needs a project_name or a current_path")
    slug = _slug(label)
    if not where and slug == label and not _ENDS_LIKE_A_DIGEST.search(slug):
        return slug
    said = f"{where}\0{label}" if where else label
    return f"{slug or kind}-{sha256(said.encode()).hexdigest()[:DIGEST]}"


def is_absolute(path: str) -> bool:
    """Whether a path names the same folder for all who say it, on whatever system they are."""
    return _ABSOLUTE.match(path.strip()) is not None


def bank_name(kind: BankType, identifier: str, name: str | None, path: str | None) -> str:
    """What a bank is called: its project's name, else the folder's, else its id."""
    if kind == "global":
        return identifier
    return name or posixpath.basename(_path(path or "")) or identifier


@dataclass(frozen=True)
class NamedBank:
    """A bank by what it is called and where its project stands; all of one type."""

    type: BankType
    id: str
    name: str
    path: str | None
    updated_at: datetime


def choose(
    identifier: str, name: str | None, path: str | None, banks: Sequence[NamedBank]
) -> tuple[NamedBank | None, tuple[NamedBank, ...]]:
    """The bank that is meant by a name and a path, and the others of that name or path.

    It is the one of this id. Where there is none: the only one at this path, or by its name, the only one of that name
    where the question has no path, and one without a path where no other has that name. So the same project has its
    bank again, also where it is called otherwise or its path is left out, and one name at two paths names two. That a
    folder is called as a bank without a path is does not make it that bank's: many are called `backend`. Of several
    none is chosen.
    """
    where, label = _path(path or ""), _label(name, path)
    named = [bank for bank in banks if _label(bank.name, bank.path) == label]
    there = [bank for bank in banks if where and _path(bank.path or "") == where]
    elsewhere = [bank for bank in named if bank.path and bank not in there]
    takes_path = [bank for bank in named if not bank.path] if _label(name, None) and not elsewhere else []
    alike = [*there, *takes_path] if where else named
    exact = [bank for bank in banks if bank.id == identifier]
    chosen = (exact or alike)[0] if exact or len(alike) == 1 else None
    return chosen, tuple(bank for bank in banks if bank is not chosen and (bank in named or bank in there))


def bank_key(owner: str, kind: BankType, identifier: str) -> str:
    """The `_id` of a bank in the store."""
    return derived_id("bank", owner, kind, identifier)


def condensed_key(bank: str) -> str:
    """What gists are of that say what a bank said before it was condensed. `bank`: its `_id`."""
    return derived_id("condensed", bank)


def _label(name: str | None, path: str | None) -> str:
    """A project's name, else that of its folder, in one spelling."""
    label = " ".join(normalize("NFKC", name or "").split()).casefold()
    return label or posixpath.basename(_path(path or "")).casefold()


def _path(path: str) -> str:
    """A path in one spelling."""
    path = normalize("NFC", path.strip())
    if _DRIVE.match(path) or path.startswith("\\\\"):
        path = path.replace("\\", "/")
        path = path[0].lower() + path[1:]
    return posixpath.normpath(path) if path else ""


def _slug(label: str) -> str:
    plain = "".join(c for c in normalize("NFKD", label) if c.isascii())
    return re.sub(r"[^a-z0-9]+", "-", plain.lower())[:LONGEST_SLUG].strip("-")
