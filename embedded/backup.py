"""Backup: a store copied whole, while it runs or not."""

import os
import sqlite3
from pathlib import Path

from embedded.errors import storage_error
from embedded.schema import APPLICATION_ID, FileRefused


def back_up(file: Path, target: Path) -> int:
    """Copy a data file as it was at one moment into a new file, without its holes; the bytes of the copy.

    A server may have the file open: its reads and writes go on. The copy appears under its name when it is whole and
    on the disk; put in the place of `data.db` while no server runs, it is the store again.
    Raises FileRefused for a file that is not a store's or cannot be read or written, FileExistsError.
    """
    if target.exists():
        raise FileExistsError(f"{target} is there already")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise FileRefused(f"{file} cannot be opened: {error}") from error
    try:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise FileRefused(f"{file} is a SQLite file of another program")
        draft.touch(mode=0o600)
        connection.execute("VACUUM INTO ?", (str(draft),))
        _synchronise(draft)
        _give_name(draft, target)
        _synchronise(target.parent)
    except sqlite3.Error as error:
        raise FileRefused(f"{file} cannot be copied to {target}: {storage_error(error).message}") from error
    except FileExistsError:
        raise FileExistsError(f"{target} is there already") from None
    except OSError as error:
        raise FileRefused(f"{file} cannot be copied to {target}: {error.strerror}") from error
    finally:
        connection.close()
        draft.unlink(missing_ok=True)
    return target.stat().st_size


def _give_name(draft: Path, target: Path) -> None:
    """Let a file appear under its name. Raises FileExistsError where another came meanwhile."""
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # a file system without links; a rename would replace what came in the last moment
        draft.rename(target)


def _synchronise(path: Path) -> None:
    """Wait until a file, or what a folder lists, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
