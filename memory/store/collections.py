"""Which collections are there, and which indexes do their queries stand on?"""

import asyncio
from dataclasses import dataclass, fields

from pymongo import ASCENDING, DESCENDING, IndexModel

from memory.domain import RULE_BASED, TURN
from utils.mongo import Collection, Database

IDEMPOTENCY_SECONDS = 24 * 3600
ACTIVATION_SECONDS = 24 * 3600
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


# Every query of the project is served by one of these, but for the conversion to another embedding model, which reads
# all gists once; every sort ends in a unique key.
INDEXES: dict[str, list[IndexModel]] = {
    "sessions": [
        IndexModel([("user_id", ASCENDING), ("session_id", ASCENDING)], name="owner_session", unique=True),
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel(
            [("summary.state", ASCENDING), ("summary.lease_until", ASCENDING), ("_id", ASCENDING)], name="summary_work"
        ),
    ],
    "vectors": [
        IndexModel(
            [("user_id", ASCENDING), ("session_id", ASCENDING), ("message_index", ASCENDING)],
            name="place",
            unique=True,
            partialFilterExpression={"message_index": {"$exists": True}},
        ),
        IndexModel([("user_id", ASCENDING), ("change", ASCENDING)], name="owner_change"),
        IndexModel(
            [("embed.state", ASCENDING), ("embed.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="embed_work",
            partialFilterExpression={"embed.lease_until": {"$exists": True}},
        ),
        IndexModel(  # of an owner's alone, for the backlog may be others'
            [("user_id", ASCENDING), ("kind", ASCENDING)],
            name="owner_embed_work",
            partialFilterExpression={"embed.lease_until": {"$exists": True}},
        ),
        IndexModel(
            [("facts.state", ASCENDING), ("facts.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="facts_work",
            partialFilterExpression={"facts.lease_until": {"$exists": True}},
        ),
        IndexModel(
            [
                ("user_id", ASCENDING),
                ("session_id", ASCENDING),
                ("facts.state", ASCENDING),
                ("message_index", ASCENDING),
            ],
            name="facts_of_conversation",
            partialFilterExpression={"facts.lease_until": {"$exists": True}},
        ),
        IndexModel(
            [("user_id", ASCENDING), ("category", ASCENDING), ("change", ASCENDING)],
            name="observations_change",
            partialFilterExpression={"category": {"$exists": True}},
        ),
        IndexModel(
            [("forgotten.at", ASCENDING)],
            name="forgotten_since",
            partialFilterExpression={"forgotten.at": {"$exists": True}},
        ),
        IndexModel(
            [("user_id", ASCENDING), ("bank", ASCENDING)],
            name="owner_bank",
            partialFilterExpression={"bank": {"$exists": True}},
        ),
        IndexModel(
            [("user_id", ASCENDING), ("model", ASCENDING)],
            name="answers_by_rules",
            partialFilterExpression={"model": RULE_BASED},
        ),
        IndexModel(  # by which gists are counted: messages, which are most, are what is left
            [("kind", ASCENDING), ("user_id", ASCENDING)],
            name="other_kinds",
            partialFilterExpression={"kind": {"$lt": TURN}},
        ),
    ],
    "summaries": [
        IndexModel([("user_id", ASCENDING), ("session_id", ASCENDING)], name="owner_session"),
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
    ],
    "memories": [
        IndexModel([("user_id", ASCENDING), ("key", ASCENDING)], name="owner_key", unique=True),
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
    ],
    "receipts": [
        IndexModel([("user_id", ASCENDING), ("session_id", ASCENDING)], name="owner_session"),
    ],
    "owners": [
        IndexModel([("gists.open.at", ASCENDING)], name="gists_open_since"),
        IndexModel([("notes.open.at", ASCENDING)], name="notes_open_since"),
    ],
    "tombstones": [
        IndexModel([("user_id", ASCENDING), ("change", ASCENDING)], name="owner_change"),
        IndexModel([("at", ASCENDING)], name="expiry", expireAfterSeconds=TOMBSTONE_SECONDS),
    ],
    "facts": [
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel(
            [("user_id", ASCENDING), ("memory_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)],
            name="conversation_newest",
        ),
        IndexModel([("user_id", ASCENDING), ("sources", ASCENDING)], name="owner_source"),
        IndexModel([("user_id", ASCENDING), ("history.source", ASCENDING)], name="owner_history"),
    ],
    "traces": [
        IndexModel([("user_id", ASCENDING), ("trace_id", ASCENDING)], name="owner_trace"),
        IndexModel(
            [
                ("user_id", ASCENDING),
                ("task_id", ASCENDING),
                ("step", ASCENDING),
                ("place", ASCENDING),
                ("_id", ASCENDING),
            ],
            name="task_steps",
        ),
        IndexModel([("user_id", ASCENDING), ("timestamp", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel(
            [("user_id", ASCENDING), ("task_id", ASCENDING), ("timestamp", DESCENDING), ("_id", DESCENDING)],
            name="task_newest",
        ),
        IndexModel(
            [("observe.state", ASCENDING), ("observe.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="observe_work",
            partialFilterExpression={"observe.lease_until": {"$exists": True}},
        ),
    ],
    "tasks": [
        IndexModel([("user_id", ASCENDING), ("task_id", ASCENDING)], name="owner_task", unique=True),
    ],
    "observations": [
        IndexModel([("user_id", ASCENDING), ("created_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel(
            [("user_id", ASCENDING), ("category", ASCENDING), ("created_at", DESCENDING), ("_id", DESCENDING)],
            name="category_newest",
        ),
        IndexModel(
            [("user_id", ASCENDING), ("source", ASCENDING), ("created_at", DESCENDING), ("_id", DESCENDING)],
            name="source_newest",
        ),
        IndexModel([("user_id", ASCENDING), ("messages", ASCENDING)], name="owner_message"),
        IndexModel(
            [("unindexed_since", ASCENDING), ("_id", ASCENDING)],
            name="unindexed",
            partialFilterExpression={"unindexed_since": {"$exists": True}},
        ),
    ],
    "scratchpad": [
        IndexModel([("user_id", ASCENDING), ("key", ASCENDING)], name="owner_key", unique=True),
        IndexModel([("expires_at", ASCENDING)], name="expiry", expireAfterSeconds=0),
    ],
    "drafts": [
        IndexModel([("user_id", ASCENDING), ("session_id", ASCENDING)], name="owner_session"),
        IndexModel([("at", ASCENDING), ("_id", ASCENDING)], name="oldest"),
    ],
    "banks": [
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel([("updated_at", ASCENDING), ("_id", ASCENDING)], name="newest"),
        IndexModel([("deleted_at", ASCENDING)], name="deleted"),
        IndexModel(
            [("sections.state", ASCENDING), ("sections.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="sections_work",
        ),
        IndexModel(
            [("tidying.state", ASCENDING), ("tidying.lease_until", ASCENDING), ("_id", ASCENDING)], name="tidying_work"
        ),
    ],
    "bank_versions": [
        IndexModel(
            [("user_id", ASCENDING), ("bank", ASCENDING), ("version", DESCENDING), ("_id", DESCENDING)],
            name="owner_bank_version",
        ),
        IndexModel(
            [("user_id", ASCENDING), ("request", ASCENDING)],
            name="owner_request",
            partialFilterExpression={"request": {"$exists": True}},
        ),
    ],
    "bank_activations": [
        IndexModel([("user_id", ASCENDING)], name="owner"),
        IndexModel([("at", ASCENDING)], name="expiry", expireAfterSeconds=ACTIVATION_SECONDS),
    ],
    "idempotency": [
        IndexModel([("user_id", ASCENDING)], name="owner"),
        IndexModel([("at", ASCENDING)], name="expiry", expireAfterSeconds=IDEMPOTENCY_SECONDS),
    ],
}


async def ensure_indexes(collections: Collections) -> None:
    """Creates what is missing; safe to run by many processes at once."""
    await asyncio.gather(*(getattr(collections, name).create_indexes(models) for name, models in INDEXES.items()))
