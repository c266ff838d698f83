"""How does a recall index learn what changed, without missing a write that lands late?

Each user has a document in `owners`: `change`, the last number handed out; `open`, the numbers whose writes may not
have landed yet; `deleted`, the last number that was a deletion; `epoch`, which changes when a user is deleted and
comes back. A writer takes a number, writes it into the gists that it changes, and closes the number. A reader that
reads the owner's document first may trust everything up to the lowest open number, and reads the rest again next time.

A number left open by a crash is closed by the sweep. A writer so slow that its number was closed before its write
landed is told so by `close`, and takes another.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.collections import Collections
from memory.ids import new_id
from utils.clock import now
from utils.mongo import Document

OPEN_AT_MOST = timedelta(minutes=10)


@dataclass(frozen=True)
class Standing:
    """What a reader may trust. `settled`: every change up to it has landed. `change`: the last number handed out."""

    epoch: str
    change: int
    deleted: int
    settled: int


class Changes:
    def __init__(self, collections: Collections) -> None:
        self._owners = collections.owners
        self._tombstones = collections.tombstones

    async def standing(self, owner: str) -> Standing | None:
        """The user's state; None where nothing of the user was ever changed, or all of it is deleted."""
        found = await self._owners.find_one({"_id": owner})
        return None if found is None else _standing(found)

    async def take(self, owner: str, *, deletion: bool = False) -> int:
        """A number for a change that is about to be written. Close it after the write."""
        while True:
            found = await self._owners.find_one({"_id": owner}, {"change": 1})
            if found is None:
                fresh = {"_id": owner, "epoch": new_id(), "change": 0, "deleted": 0, "open": []}
                with suppress(DuplicateKeyError):
                    await self._owners.insert_one(fresh)
                continue
            number = int(found["change"]) + 1
            fields = {"change": number, **({"deleted": number} if deletion else {})}
            taken = await self._owners.find_one_and_update(
                {"_id": owner, "change": number - 1},
                {"$set": fields, "$push": {"open": {"n": number, "at": now()}}},
                projection={"_id": 1},
                return_document=ReturnDocument.AFTER,
            )
            if taken is not None:
                return number

    async def close(self, owner: str, number: int) -> bool:
        """Says that the writes under a number have landed. False: too late, readers may have passed it; write again
        under a new number."""
        closed = await self._owners.update_one({"_id": owner, "open.n": number}, {"$pull": {"open": {"n": number}}})
        return closed.modified_count == 1

    async def deleted_since(self, owner: str, number: int) -> list[str]:
        """The `_id`s of gists deleted under a higher number."""
        marks = self._tombstones.find({"user_id": owner, "change": {"$gt": number}}, {"ids": 1})
        return [identifier for mark in await marks.to_list(None) for identifier in mark["ids"]]

    async def mark_deleted(self, owner: str, number: int, ids: list[str]) -> None:
        """Leaves the mark by which every recall index drops these gists."""
        await self._tombstones.insert_one(
            {"_id": new_id(), "user_id": owner, "change": number, "ids": ids, "at": now()}
        )

    async def sweep(self) -> None:
        """Closes the numbers that crashed writers left open."""
        old = now() - OPEN_AT_MOST
        await self._owners.update_many({"open.at": {"$lt": old}}, {"$pull": {"open": {"at": {"$lt": old}}}})


def _standing(found: Document) -> Standing:
    numbers = [entry["n"] for entry in found["open"]]
    return Standing(found["epoch"], found["change"], found["deleted"], min([found["change"] + 1, *numbers]) - 1)
