"""The collections, and the indexes of the store itself."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from pymongo import IndexModel

from memory.product import Product, index
from utils.mongo import Collection, Database

IDEMPOTENCY_SECONDS = 24 * 3600
AUDIT_SECONDS = 366 * 24 * 3600
TOMBSTONE_SECONDS = 24 * 3600  # a recall index that has not looked for this long is built anew


class Collections:
    """The collections of a database by their names, `collections.facts` as `collections["facts"]`. Products name theirs
    by their indexes; `memory/` alone reads and writes them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._by_name: dict[str, Collection] = {}

    def __getitem__(self, name: str) -> Collection:
        return self._by_name.setdefault(name, self.database[name])

    def __getattr__(self, name: str) -> Collection:
        return self[name]


# Those of the store itself; each product brings its own. Every query of the project is served by one of all these, but
# for the conversion to another embedding model, which reads all gists once; every sort ends in a unique key.
INDEXES = {
    "owners": [
        index("gists_open_since", "gists.open.at"),
        index("notes_open_since", "notes.open.at"),
    ],
    "tombstones": [
        index("owner_change", "user_id", "change"),
        index("expiry", "at", expireAfterSeconds=TOMBSTONE_SECONDS),
    ],
    "audit": [
        index("newest", "-at", "-_id"),
        index("expiry", "at", expireAfterSeconds=AUDIT_SECONDS),
    ],
    "idempotency": [
        index("owner", "user_id"),
        index("expiry", "at", expireAfterSeconds=IDEMPOTENCY_SECONDS),
    ],
}


async def ensure_indexes(collections: Collections, products: Sequence[Product]) -> None:
    """Creates what is missing, of the store and of all products; safe to run by many processes at once."""
    models: defaultdict[str, list[IndexModel]] = defaultdict(list)
    for indexes in (INDEXES, *(product.indexes for product in products)):
        for name, added in indexes.items():
            models[name] += added
    for queue in (queue for product in products for queue in product.queues):
        models[queue.collection.name].append(queue.index)
    await asyncio.gather(*(collections[name].create_indexes(added) for name, added in models.items()))
