"""The schema of the data file, and whether this program may open it.

Five tables, the same for every collection, so that no statement is ever prepared anew:
a document's row id is its collection's id in the upper bits and a running number in the lower 40; index entries are
ordered by (index, key), the key being the order-preserving bytes of `operators.values.encode_key`.
"""

import logging
import sqlite3
from contextlib import suppress
from pathlib import Path

from embedded.errors import storage_error

logger = logging.getLogger(__name__)

APPLICATION_ID = 0x4C6F6369  # "Loci"
VERSION = 1
ROW_BITS = 40
_LOGGED = b"\x02\x02"  # in the header of a file whose writes go to a log first
WRITING_CACHE, READING_CACHE = 16_000, 4_000  # KiB; there are five readers

_TABLES = f"""
CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL,
    UNIQUE (db, name));
CREATE TABLE indexes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, spec BLOB NOT NULL,
    multikey INTEGER NOT NULL DEFAULT 0);
CREATE TABLE documents (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE entries (idx INTEGER, key BLOB, doc INTEGER, PRIMARY KEY (idx, key, doc)) WITHOUT ROWID;
CREATE TABLE unique_entries (idx INTEGER, key BLOB, doc INTEGER NOT NULL, PRIMARY KEY (idx, key)) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""


class FileRefused(Exception):
    """The file is not one that this program may write to; the message says why."""


def open_file(path: Path) -> sqlite3.Connection:
    """The writer's connection, the tables made where the file is new. Raises FileRefused."""
    new = not path.exists() or path.stat().st_size == 0
    _set_log_aside(path)
    try:
        connection = _connect(path, WRITING_CACHE)
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if not new and application == 0 and version == 0:
            new = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
        if not new and application != APPLICATION_ID:
            raise FileRefused(f"{path} is a SQLite file of another program: move it away, or choose another folder")
        if not new and version != VERSION:
            raise FileRefused(f"{path} has schema version {version}, this program knows {VERSION}: use what wrote it")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if new:
            connection.executescript(f"BEGIN;{_TABLES}COMMIT;")
        connection.execute("SELECT COUNT(*) FROM collections").fetchone()
    except sqlite3.Error as error:
        raise FileRefused(f"{path} cannot be opened: {storage_error(error).message}") from error
    return connection


def _set_log_aside(path: Path) -> None:
    """A copy that was put in the place of the file has no log yet. One that lies there is of the file that was, and
    SQLite would fold it into the copy."""
    with suppress(OSError), path.open("rb") as file:
        header = file.read(20)
        if header.startswith(b"SQLite format 3\0") and header[18:20] != _LOGGED:
            for ending in ("-wal", "-shm"):
                stale = path.with_name(path.name + ending)
                if stale.exists():
                    stale.rename(stale.with_name(f"{stale.name}.replaced"))
                    logger.warning("%s belonged to another file and was set aside", stale)


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection for reading: each of its statements sees everything that was committed before it."""
    connection = _connect(path, READING_CACHE)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _connect(path: Path, cache: int) -> sqlite3.Connection:
    """`cache`: KiB of pages that the connection keeps; beyond them the system's own cache serves."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    connection.execute("PRAGMA busy_timeout = 5000")
    connection.execute(f"PRAGMA cache_size = -{cache}")
    return connection
