"""The command `compact`: the file gives back the room of what was deleted."""

import sqlite3
from pathlib import Path

from bson import Int64

from embedded.codec import encode_reply
from embedded.commands.call import Call, Command, Portions, write
from embedded.errors import StoreError, storage_error
from embedded.ledger import Ledger


def compact(call: Call, ledger: Ledger) -> Portions:
    """Write the file anew without its holes, whichever collection is named: they share it.

    Other writes wait meanwhile, reads go on. Needs as much free disk as the documents take, twice.
    Raises NamespaceNotFound (26), OutOfDiskSpace (14031).
    """
    if ledger.catalog.get(call.database, call.target) is None:
        raise StoreError(26, f"ns not found {call.namespace}")
    path = call.store.path
    before = _size(path)
    failures: list[sqlite3.Error] = []

    def rewrite(connection: sqlite3.Connection) -> None:
        try:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            failures.append(error)

    ledger.between_transactions(rewrite)
    yield None
    if failures:
        raise storage_error(failures[0])
    yield encode_reply({"bytesFreed": Int64(max(0, before - _size(path)))})


def _size(path: Path) -> int:
    """Bytes on disk, with the log of what is not folded in yet."""
    return sum(each.stat().st_size for each in (path, path.with_name(f"{path.name}-wal")) if each.exists())


COMMANDS: dict[str, Command] = {"compact": write(compact, "compact", "force")}
