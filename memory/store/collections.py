"""The collections, and the indexes of the store itself."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from pymongo import ASCENDING, IndexModel

from utils.mongo import Collection, Database

IDEMPOTENCY_SECONDS = 24 * 3600
TOMBSTONE_SECONDS = 24 * 3600  # a recall index that has not looked for this long is built anew


@dataclass(frozen=True)
class Collections:
    """The collections of one database; `memory/` alone reads and writes them."""

    sessions: Collection
    vectors: Collection
    summaries: Collection
    memories: Collection
    receipts: Collection
    owners: Collection
    tombstones: Collection
    idempotency: Collection
    api_keys: Collection
    drafts: Collection
    facts: Collection
    mirrors: Collection
    traces: Collection
    tasks: Collection
    observations: Collection
    scratchpad: Collection
    banks: Collection
    bank_versions: Collection
    bank_activations: Collection

    @classmethod
    def of(cls, database: Database) -> "Collections":
        return cls(**{field.name: database[field.name] for field in fields(cls)})


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
    await asyncio.gather(*(getattr(collections, name).create_indexes(added) for name, added in models.items()))
