"""Copies of messages that were encoded, by which a user comes to many without anybody encoding them.

A copy has all that its original was given when it was embedded, and an id, a user, a session, a place, a time and a
change number of its own: what `memory/gists` would have written. Sessions themselves are left out, for no search reads
them.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice

from pymongo.synchronous.collection import Collection
from pymongo.synchronous.database import Database

from bench.speed.conversation import BEGAN, PER_SESSION
from memory.gists.embedding_queue import BATCH
from memory.store.changes import COUNTERS
from utils.mongo import Document

INSERTED = 1_000  # documents a call


def copies(originals: Sequence[Document], owner: str, count: int) -> Iterator[Document]:
    """So many documents of `vectors`, the originals over and over, in the order of a conversation."""
    for n in range(count):
        identifier = f"{owner}-{n}"
        yield originals[n % len(originals)] | {
            "_id": identifier,
            "id": identifier,
            "user_id": owner,
            "session_id": f"{owner}-in-{n // PER_SESSION}",
            "message_index": n % PER_SESSION,
            "timestamp": BEGAN + timedelta(minutes=n),
            "change": n // BATCH + 1,
        }


def owner_of(owner: str, count: int) -> Document:
    """The document of `owners` by which recall indexes learn of so many copies: nothing deleted, nothing open."""
    changes = {"gists": -(-count // BATCH)}
    return {"_id": owner, "epoch": owner} | {
        name: {"change": changes.get(name, 0), "deleted": 0, "open": []} for name in COUNTERS
    }


def fill(database: Database[Document], originals: Sequence[Document], owner: str, count: int) -> None:
    """Gives a new user so many messages; a search finds them when it returns."""
    vectors: Collection[Document] = database["vectors"]
    documents = copies(originals, owner, count)
    while batch := list(islice(documents, INSERTED)):
        vectors.insert_many(batch, ordered=False)
    database["owners"].insert_one(owner_of(owner, count))
