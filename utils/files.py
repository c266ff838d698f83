"""Files that are there whole, or not at all, whenever the machine stops."""

import os
import re
import uuid
from contextlib import suppress
from pathlib import Path

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
