"""The database: its collections and indexes, change counters, leases on jobs, idempotency keys and API keys.

Other rooms read and write documents through what this one exports; who may work on a job, and what changed since
when, is decided here alone.
"""

from memory.store.api_keys import SHOWN, StoredKeys, hashed, is_random
from memory.store.audit import Audit, Entry
from memory.store.changes import Changes, Counter, Standing
from memory.store.choices import Choices
from memory.store.collections import TOMBSTONE_SECONDS, Collections, ensure_indexes
from memory.store.idempotency import IdempotencyKeys, StoredAnswer
from memory.store.leases import (
    BACKOFF,
    Claim,
    State,
    claim,
    count,
    count_waiting,
    fail,
    held,
    leased,
    newest_waiting,
    pending,
    put_back,
    reclaim,
    revive,
)
from memory.store.named_leases import NamedLeases
from memory.store.notes import NotesCache
from memory.store.reading import AT_ONCE, PAGE, by_ids, by_key, in_order
from memory.store.store import Store, open_store

__all__ = [
    "AT_ONCE",
    "BACKOFF",
    "PAGE",
    "SHOWN",
    "TOMBSTONE_SECONDS",
    "Audit",
    "Changes",
    "Choices",
    "Claim",
    "Collections",
    "Counter",
    "Entry",
    "IdempotencyKeys",
    "NamedLeases",
    "NotesCache",
    "Standing",
    "State",
    "Store",
    "StoredAnswer",
    "StoredKeys",
    "by_ids",
    "by_key",
    "claim",
    "count",
    "count_waiting",
    "ensure_indexes",
    "fail",
    "hashed",
    "held",
    "in_order",
    "is_random",
    "leased",
    "newest_waiting",
    "open_store",
    "pending",
    "put_back",
    "reclaim",
    "revive",
]
