"""API keys in the store: hashed, each with its user."""

import hashlib
import secrets
from collections.abc import Mapping

from memory.store.collections import Collections


def hashed(key: str) -> str:
    """A key as it is stored. Keys are random, so one round of SHA-256 is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


class StoredKeys:
    def __init__(self, collections: Collections) -> None:
        self._keys = collections.api_keys

    async def configure(self, users: Mapping[str, str]) -> None:
        """Keeps the keys of the settings, hash → user; those that they do not name any more are revoked."""
        await self._keys.delete_many({"configured": True, "_id": {"$nin": list(users)}})
        for digest, user in users.items():
            await self._keys.update_one({"_id": digest}, {"$set": {"user_id": user, "configured": True}}, upsert=True)

    async def create(self, user: str) -> str:
        """A new random key of 256 bits for a user; only its hash is stored."""
        key = "loci_" + secrets.token_urlsafe(32)
        await self._keys.insert_one({"_id": hashed(key), "user_id": user})
        return key

    async def are_there(self) -> bool:
        """Whether there is any key at all."""
        return await self._keys.find_one({}, {"_id": 1}) is not None

    async def user_of(self, digest: str) -> str | None:
        """Whose key has this hash; None where it is not known."""
        key = await self._keys.find_one({"_id": digest})
        return str(key["user_id"]) if key is not None else None
