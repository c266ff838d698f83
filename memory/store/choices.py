"""What was chosen once, for all processes and starts to come."""

from pymongo import ReturnDocument

from memory.store.collections import Collections
from utils.clock import now


class Choices:
    def __init__(self, collections: Collections) -> None:
        self._choices = collections.choices

    async def get(self, name: str) -> str | None:
        """What was chosen; None where nothing was."""
        found = await self._choices.find_one({"_id": name})
        return None if found is None else str(found["value"])

    async def settle(self, name: str, value: str) -> str:
        """Keeps a choice, unless another process was faster; returns the one that holds."""
        made = {"$setOnInsert": {"value": value, "at": now()}}
        kept = await self._choices.find_one_and_update(
            {"_id": name}, made, upsert=True, return_document=ReturnDocument.AFTER
        )
        return value if kept is None else str(kept["value"])
