"""Erasing gists, so that no index of any process finds them any more."""

from typing import Any

from memory.gists.caches import Caches
from memory.store import Changes, Collections

MARKED_AT_ONCE = 1_000


class GistEraser:
    """Deletes gists and leaves the marks by which the recall indexes drop them."""

    def __init__(self, collections: Collections, changes: Changes, caches: Caches) -> None:
        self._vectors = collections.vectors
        self._changes = changes
        self._caches = caches

    async def erase(self, owner: str, filter: dict[str, Any]) -> int:
        """Deletes the gists of a filter, which must name the owner; returns how many."""
        vectors = self._vectors
        total = 0
        while True:
            found = await vectors.find(filter, {"_id": 1}).limit(MARKED_AT_ONCE).to_list(None)
            if not found:
                return total
            ids = [document["_id"] for document in found]
            while True:
                number = await self._changes.take(owner, deletion=True)
                await self._changes.mark_deleted(owner, number, ids)
                total += (await vectors.delete_many({"_id": {"$in": ids}, "user_id": owner})).deleted_count
                self._caches.let_go(owner, ids)
                if await self._changes.close(owner, number):
                    break
