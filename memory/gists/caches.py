"""What this process keeps of a user, to be let go of when it is deleted."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from memory.store import Changes, Collections
from utils.clock import now

MARKED_AT_ONCE = 1_000
ERASED_BY = {"id": 1, "role": 1, "fingerprint": 1, "images": 1}


class Noted(Protocol):
    """What keeps notes of users at hand."""

    def let_go(self, owner: str) -> None:
        """Lets go of what is kept of an owner in memory."""


class Cache(Protocol):
    """What keeps gists at hand: to be read, to be searched, or as they were just said."""

    def drop(self, owner: str, deleted: Mapping[str, datetime], /) -> None:
        """Takes out gists that are gone or changed, by their `_id`s, each with when."""

    def forget(self, owner: str, /) -> None:
        """Lets go of all that is kept of an owner."""


class Caches:
    """Those of other processes see a deletion at their next look. Rooms say what they keep as they are opened."""

    def __init__(self) -> None:
        self.kept: list[Cache] = []
        self.notes: list[Noted] = []

    def let_go(self, owner: str, keys: Sequence[str]) -> None:
        """After some of the owner's gists were deleted or changed."""
        for cache in self.kept:
            cache.drop(owner, dict.fromkeys(keys, now()))

    def forget(self, owner: str) -> None:
        """After all of the owner's was deleted."""
        for cache in self.kept:
            cache.forget(owner)
        for noted in self.notes:
            noted.let_go(owner)


class GistEraser:
    """Deletes gists and leaves the marks by which the recall indexes drop them."""

    def __init__(self, collections: Collections, changes: Changes, caches: Caches) -> None:
        self._vectors = collections.vectors
        self._images = collections.images
        self._changes = changes
        self._caches = caches

    async def erase(self, owner: str, filter: dict[str, Any]) -> int:
        """Deletes the gists of a filter, which must name the owner, and returns how many. Messages lose their images,
        too."""
        vectors = self._vectors
        total = 0
        while True:
            found = await vectors.find(filter, ERASED_BY).limit(MARKED_AT_ONCE).to_list(None)
            if not found:
                return total
            ids = [document["_id"] for document in found]
            with_images = [document["id"] for document in found if document.get("images")]
            prints = {one["fingerprint"] for one in found if one.get("role") == "user" and "fingerprint" in one}
            if with_images:  # before them, or a crash would leave images that nobody finds
                await self._images.delete_many({"user_id": owner, "message": {"$in": with_images}})
            while True:
                number = await self._changes.take(owner, deletion=True)
                await self._changes.mark_deleted(owner, number, ids, sorted(prints))
                total += (await vectors.delete_many({"_id": {"$in": ids}, "user_id": owner})).deleted_count
                self._caches.let_go(owner, ids)
                if await self._changes.close(owner, number):
                    break
