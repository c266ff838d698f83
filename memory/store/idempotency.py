"""Idempotency keys: a write happens once, and its repeat gets the same answer."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NoReturn

from pymongo.errors import DuplicateKeyError, PyMongoError

from memory.ids import derived_id, user_of
from memory.store.collections import Collections
from utils.clock import now
from utils.errors import Conflict, IdempotencyMismatch

IN_PROGRESS = timedelta(seconds=15)  # without a sign of life from the request; it may be made again then


@dataclass(frozen=True)
class StoredAnswer:
    """What was answered the first time."""

    status: int
    media_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)  # those that belong to the answer for good


class IdempotencyKeys:
    def __init__(self, collections: Collections) -> None:
        self._requests = collections.idempotency

    async def begin(self, owner: str, key: str, fingerprint: str) -> StoredAnswer | None:
        """Starts a request under a key; returns the former answer where there is one.

        `fingerprint`: of method, address, headers that say who and where, and body. Raises `IdempotencyMismatch` where
        the key was used with another one, `Conflict` while the first request is in progress.
        """
        identifier = derived_id(owner, key)
        moment = now()
        try:
            await self._requests.insert_one(
                {
                    "_id": identifier,
                    "user_id": owner,
                    "fingerprint": fingerprint,
                    "state": "in_progress",
                    "until": moment + IN_PROGRESS,
                    "at": moment,
                }
            )
            return None
        except DuplicateKeyError:
            request = await self._requests.find_one({"_id": identifier})
        if request is None:
            return await self.begin(owner, key, fingerprint)
        if request["fingerprint"] != fingerprint:
            raise IdempotencyMismatch("This Idempotency-Key was used with another request")
        if request["state"] == "done":
            return StoredAnswer(request["status"], request["media_type"], request["body"], request.get("headers", {}))
        taken = await self._requests.update_one(
            {"_id": identifier, "state": "in_progress", "until": {"$lte": moment}},
            {"$set": {"until": moment + IN_PROGRESS}},
        )
        if not taken.matched_count:
            raise Conflict("A request with this Idempotency-Key is in progress", retry_after=1.0)
        return None

    async def hold(self, owner: str, key: str) -> NoReturn:
        """Keeps others from making a request that runs, until it is cancelled: a request that dies is let go soon."""
        mine = {"_id": derived_id(owner, key), "state": "in_progress"}
        while True:
            await asyncio.sleep(IN_PROGRESS.total_seconds() / 3)
            with suppress(PyMongoError):  # the next time may be in time
                await self._requests.update_one(mine, {"$set": {"until": now() + IN_PROGRESS}})

    async def finish(self, owner: str, key: str, fingerprint: str, answer: StoredAnswer, *, anew: bool = False) -> None:
        """Keeps the answer, to be given again for a day, unless something was forgotten meanwhile that it may tell.
        `anew`: it tells nothing, and is kept even where the request deleted its own record."""
        moment, identifier = now(), derived_id(owner, key)
        done = {
            "state": "done",
            "status": answer.status,
            "media_type": answer.media_type,
            "body": answer.body,
            "headers": dict(answer.headers),
        }
        fresh = {"user_id": owner, "fingerprint": fingerprint, "until": moment, "at": moment}
        if anew:
            await self._requests.update_one({"_id": identifier}, {"$set": done, "$setOnInsert": fresh}, upsert=True)
            return
        untold = {"_id": identifier, "forgotten": {"$ne": True}}
        if not (await self._requests.update_one(untold, {"$set": done})).matched_count:
            await self._requests.delete_one({"_id": identifier, "forgotten": True, "state": "in_progress"})

    async def forget(self, owner: str, *, but: str | None = None) -> None:
        """Deletes the user's answers, which may hold what was deleted; those of requests in progress are not kept.
        `but`: the `_id` of the request's record that does this, and whose answer tells nothing of it."""
        owner = user_of(owner)
        # Marked first: a request that ends in between is deleted with those that are done.
        await self._requests.update_many(
            {"user_id": owner, "state": "in_progress", "_id": {"$ne": but}}, {"$set": {"forgotten": True}}
        )
        await self._requests.delete_many({"user_id": owner, "state": "done"})

    async def release(self, owner: str, key: str) -> None:
        """Lets the request be made again, after it failed."""
        await self._requests.delete_one({"_id": derived_id(owner, key), "state": "in_progress"})
