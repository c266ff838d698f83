"""API keys in the store: hashed, each a user's, or a service's that acts for users."""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.store.collections import Collections
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document

PREFIX = "loci_"
BYTES = 32  # of a key that is made here
SHOWN = len(PREFIX) + 8  # characters of a key that are kept to tell it by; 35 that are not stay secret
HASH_SHOWN = 12  # digits of the hash that tell a key by which none of these are kept
NOT_MADE = "No such API key was made here; those of API_KEYS are changed there"
USED_WITHIN = timedelta(minutes=1)  # in which the use of a key is noted once


def hashed(key: str) -> str:
    """A key as it is stored. Keys are random, so one round of SHA-256 is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


def is_random(key: str) -> bool:
    """Whether a key has the form of those that are made here, which nobody guesses."""
    return key.startswith(PREFIX) and len(key) == len(PREFIX) + len(secrets.token_urlsafe(BYTES))


@dataclass(frozen=True)
class StoredKey:
    """`id`: how the key begins, else its hash does. `user`: whose it is; None of one that `acts` for the users
    whom requests name. `configured`: it stands in the settings, and can be taken away there alone."""

    id: str
    user: str | None
    acts: bool
    name: str | None
    configured: bool
    created_at: datetime | None
    used_at: datetime | None


class StoredKeys:
    def __init__(self, collections: Collections) -> None:
        self._keys = collections.api_keys

    async def configure(self, users: Mapping[str, str]) -> None:
        """Keeps the keys of the settings, hash → user; those that they do not name any more are revoked."""
        await self._keys.delete_many({"configured": True, "_id": {"$nin": list(users)}})
        for digest, user in users.items():
            await self._keys.update_one({"_id": digest}, {"$set": {"user_id": user, "configured": True}}, upsert=True)

    async def create(self, user: str | None, name: str | None = None) -> str:
        """A new random key of 256 bits; only its hash and how it begins are stored. `user`: None for one that acts for
        the users whom requests name."""
        fields: Document = {"acts_for_users": True} if user is None else {"user_id": user}
        if name is not None:
            fields["name"] = name
        return await self._insert(fields)

    async def _insert(self, fields: Document) -> str:
        key = PREFIX + secrets.token_urlsafe(BYTES)
        known: Document = {"_id": hashed(key), "prefix": key[:SHOWN], "created_at": now()}
        await self._keys.insert_one(known | fields)
        return key

    async def listed(self) -> list[StoredKey]:
        """All keys, the oldest first."""
        documents = await self._keys.find({}).sort([("created_at", 1), ("_id", 1)]).to_list(None)
        return list(map(_stored, documents))

    async def rotate(self, identifier: str) -> str:
        """A new key in the place of another, which opens nothing from now on. Raises `NotFound`, also where the other
        was revoked meanwhile."""
        old = await self._made(identifier)
        kept: Document = {name: old[name] for name in ("user_id", "acts_for_users", "name") if name in old}
        key = await self._insert(kept)
        if not (await self._keys.delete_one({"_id": old["_id"]})).deleted_count:
            await self._keys.delete_one({"_id": hashed(key)})
            raise NotFound(NOT_MADE)
        return key

    async def revoke(self, identifier: str) -> None:
        """Takes a key away. Raises `NotFound`."""
        await self._keys.delete_one({"_id": (await self._made(identifier))["_id"]})

    async def _made(self, identifier: str) -> Document:
        """The key that begins so. Raises `NotFound` where there is none, or it stands in the settings."""
        documents = await self._keys.find({"configured": {"$ne": True}}).to_list(None)
        found = [document for document in documents if _stored(document).id == identifier[:SHOWN]]
        if not found:
            raise NotFound(NOT_MADE)
        return found[0]

    async def are_there(self) -> bool:
        """Whether there is any key at all."""
        return await self._keys.find_one({}, {"_id": 1}) is not None

    async def get(self, digest: str, *, used: bool = True) -> StoredKey | None:
        """The key of this hash; None where it is not known. `used`: which is noted, once a minute."""
        document = await self._keys.find_one({"_id": digest})
        if document is None:
            return None
        last = document.get("used_at")
        if used and (last is None or now() - last >= USED_WITHIN):
            await self._keys.update_one({"_id": digest}, {"$set": {"used_at": now()}})
        return _stored(document)


def _stored(document: Document) -> StoredKey:
    return StoredKey(
        id=document.get("prefix") or document["_id"][:HASH_SHOWN],
        user=document.get("user_id"),
        acts=document.get("acts_for_users", False),
        name=document.get("name"),
        configured=document.get("configured", False),
        created_at=document.get("created_at"),
        used_at=document.get("used_at"),
    )
