"""How is a bank named, so that the same project always has the same bank, and no two share one?"""

import posixpath
import re
from hashlib import sha256
from typing import Annotated
from unicodedata import normalize

from pydantic import StringConstraints

from memory.bank_types import BankType
from memory.ids import derived_id
from utils.errors import InvalidInput

GLOBAL_ID = "global"
LONGEST_SLUG = 48
DIGEST = 12  # hexadecimal digits
ID_PATTERN = r"[a-z0-9](?:[a-z0-9_-]{0,118}[a-z0-9])?"

BankId = Annotated[str, StringConstraints(pattern=rf"^{ID_PATTERN}$")]

_ENDS_LIKE_A_DIGEST = re.compile(rf"(?:^|-)[0-9a-f]{{{DIGEST}}}$")
_DRIVE = re.compile(r"^[A-Za-z]:")


def bank_id(kind: BankType, name: str | None, path: str | None) -> str:
    """The id of a bank, by the project's name, its path, or both: a slug of the name, else of the path's last part, and
    where it does not say all, a digest of what it was made of. So one name at two paths names two banks, and no two
    names share one. Capitals and spaces around or within a name make no difference, nor does how a path ends.

    Raises `InvalidInput` where there is neither, but for the one global bank.
    """
    if kind == "global":
        return GLOBAL_ID
    where = _path(path or "")
    label = " ".join(normalize("NFKC", name or "").split()).casefold()
    label = label or posixpath.basename(where).casefold()
    if not label and not where:
        raise InvalidInput(f"A {kind} bank needs a project_name or a current_path")
    slug = _slug(label)
    if not where and slug == label and not _ENDS_LIKE_A_DIGEST.search(slug):
        return slug
    said = f"{where}\0{label}" if where else label
    return f"{slug or kind}-{sha256(said.encode()).hexdigest()[:DIGEST]}"


def bank_name(kind: BankType, identifier: str, name: str | None, path: str | None) -> str:
    """What a bank is called: its project's name, else the folder's, else its id."""
    if kind == "global":
        return identifier
    return name or posixpath.basename(_path(path or "")) or identifier


def bank_key(owner: str, kind: BankType, identifier: str) -> str:
    """The `_id` of a bank in the store."""
    return derived_id("bank", owner, kind, identifier)


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
