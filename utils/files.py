"""Files that are there whole, or not at all, whenever the machine stops; and names as names of files, and back."""

import os
import re
import uuid
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote_to_bytes

LONGEST = 120  # bytes of a file name's part; file systems take 255 for the whole
DIGEST = 32  # hexadecimal digits

_PLAIN = re.compile(rb"[a-z0-9._-]")  # no capitals: to some file systems "Ann" and "ann" are one
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")
_HALF = re.compile(r"\.[0-9a-f]{32}\.tmp")


def write_whole(path: Path, data: bytes) -> None:
    """Writes or replaces a file; readers see the former content or this. It is there for good once `sync_folder` was
    called for its folder."""
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_half_written(name: str) -> bool:
    """Whether a file of this name is what `write_whole` leaves behind where it is killed."""
    return _HALF.fullmatch(name) is not None


def sync_folder(folder: Path) -> None:
    """Makes sure that what was renamed or deleted in a folder stays so; nothing where it is gone."""
    with suppress(FileNotFoundError):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def file_name(name: str) -> str:
    """A name that every file system takes, another one for every name, whatever it contains: percent-encoded, and
    where that is long, cut, with a digest of the name."""
    encoded = re.sub(rb".", _plain_or_encoded, name.encode(), flags=re.DOTALL).decode()
    if encoded.startswith(".") or _RESERVED.match(encoded):
        encoded = f"%{ord(encoded[0]):02x}{encoded[1:]}"
    if encoded.endswith("."):
        encoded = f"{encoded[:-1]}%2e"
    if len(encoded) <= LONGEST:
        return encoded
    return f"{encoded[: LONGEST - DIGEST - 1]}~{sha256(name.encode()).hexdigest()[:DIGEST]}"


def name_of(file: str) -> str | None:
    """The name that `file_name` gave this file name; None where it gives no such, or cut it."""
    try:
        name = unquote_to_bytes(file).decode()
    except ValueError:
        return None
    return name if file_name(name) == file else None


def _plain_or_encoded(byte: re.Match[bytes]) -> bytes:
    return byte[0] if _PLAIN.match(byte[0]) else b"%%%02x" % ord(byte[0])
