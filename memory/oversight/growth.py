"""Growth: how many documents each collection had, a day each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from memory.store import Collections
from utils.clock import now

APART = 3600.0  # seconds between two counts of a process
MOST = 366  # days that are told


@dataclass(frozen=True)
class Day:
    """`day`: ISO 8601, in UTC; `counts`: of documents by collection, as they were when they were last counted."""

    day: str
    counts: Mapping[str, int]


class Growth:
    def __init__(self, collections: Collections, names: Sequence[str]) -> None:
        self._collections = collections
        self._names = names
        self._noted = -APART

    async def note(self) -> None:
        """Counts, as the store keeps count, at most once an hour."""
        if monotonic() < self._noted + APART:
            return
        self._noted = monotonic()
        counts = {name: await self._collections[name].estimated_document_count() for name in self._names}
        day = f"{now():%Y-%m-%d}"
        await self._collections.growth.update_one({"_id": day}, {"$set": {"counts": counts}}, upsert=True)

    async def days(self) -> list[Day]:
        """The last days that were counted, oldest first."""
        newest = self._collections.growth.find({}).sort("_id", -1).limit(MOST)
        return [Day(each["_id"], each["counts"]) for each in reversed(await newest.to_list(None))]
