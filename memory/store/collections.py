"""The collections, and the indexes of the store itself."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pymongo import ASCENDING, IndexModel

from utils.mongo import Database

IDEMPOTENCY_SECONDS = 24 * 3600
TOMBSTONE_SECONDS = 24 * 3600  # a recall index that has not looked for this long is built anew


# Each collection is an attribute of the database. Products name theirs by their indexes; `memory/` alone uses them.
Collections: TypeAlias = Database

# Those of the store itself; each product brings its own. Every query of the project is served by one of all these, but
# for the conversion to another embedding model, which reads all gists once; every sort ends in a unique key.
INDEXES = {
    "owners": [
        IndexModel([("gists.open.at", ASCENDING)], name="gists_open_since"),
        IndexModel([("notes.open.at", ASCENDING)], name="notes_open_since"),
    ],
    "tombstones": [
        IndexModel([("user_id", ASCENDING), ("change", ASCENDING)], name="owner_change"),
        IndexModel([("at", ASCENDING)], name="expiry", expireAfterSeconds=TOMBSTONE_SECONDS),
    ],
    "idempotency": [
        IndexModel([("user_id", ASCENDING)], name="owner"),
        IndexModel([("at", ASCENDING)], name="expiry", expireAfterSeconds=IDEMPOTENCY_SECONDS),
    ],
}


async def ensure_indexes(collections: Collections, brought: Iterable[Mapping[str, Sequence[IndexModel]]]) -> None:
    """Creates what is missing, of the store and of all products; safe to run by many processes at once."""
    models: defaultdict[str, list[IndexModel]] = defaultdict(list)
    for indexes in (INDEXES, *brought):
        for name, added in indexes.items():
            models[name] += added
    await asyncio.gather(*(collections[name].create_indexes(added) for name, added in models.items()))
