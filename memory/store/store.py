"""The store: one database, with what all rooms need of it."""

from dataclasses import dataclass

from memory.store.api_keys import StoredKeys
from memory.store.audit import Audit
from memory.store.changes import Changes
from memory.store.collections import Collections
from memory.store.idempotency import IdempotencyKeys
from utils.mongo import Database


@dataclass(frozen=True)
class Store:
    collections: Collections
    changes: Changes
    idempotency: IdempotencyKeys
    api_keys: StoredKeys
    audit: Audit

    async def drop_unused(self, owner: str) -> bool:
        """Drops a user's counters and marks where nothing else of the user is left; whether that is so."""
        if await self.changes.is_used(owner):
            return False
        await self.collections.tombstones.delete_many({"user_id": owner})
        await self.changes.forget(owner)
        return True

    async def ping(self) -> None:
        """Asks the database for a sign of life; raises what the driver raises."""
        await self.collections.database.command("ping")


def open_store(database: Database) -> Store:
    collections = Collections(database)
    rest = Changes(collections), IdempotencyKeys(collections), StoredKeys(collections), Audit(collections)
    return Store(collections, *rest)
