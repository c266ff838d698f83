"""Room on the disk: whether the store could write at all just now."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryFile

ROOM = 1 << 20  # bytes; a long message with all that recall goes by takes some hundred thousand


def check_room(folder: Path) -> None:
    """Takes `ROOM` of the disk for a moment. Raises `OSError` where it is not to be had, or nothing can be written."""
    with TemporaryFile(dir=folder) as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, ROOM)
        else:
            file.write(bytes(ROOM))
            file.flush()


def is_full(error: OSError) -> bool:
    """Whether it was for want of room, on the disk or in what a user may have of it."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def told(path: Path, error: OSError) -> str:
    """What is wrong with a file or folder, in a line that says where."""
    if is_full(error):
        return f"the disk of {path} is full: make room on it"
    return f"{path} cannot be written: {error.strerror}"
