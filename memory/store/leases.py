"""The lease protocol: who may work on a job, and until when.

The job stands in the document that needs the work, under one field (`embed` in a gist, `summary` in a session):
`{state, attempts, lease_until, lease, error}`. A `pending` job may be claimed once `lease_until` has passed; a claim
counts an attempt, so that a worker that dies counts too; the sweep makes `leased` jobs whose time is over `pending`
again; after three attempts a job is `dead`.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from pymongo import UpdateOne
from pymongo.errors import PyMongoError

from memory.ids import new_id
from utils.clock import now
from utils.mongo import Collection, Document
from utils.tasks import begun

State = Literal["pending", "leased", "done", "dead"]

MAX_ATTEMPTS = 3
LEASE = timedelta(seconds=30)  # without a sign of life from its holder
EVER = datetime(1970, 1, 1, tzinfo=UTC)
BACKOFF = (timedelta(seconds=2), timedelta(seconds=15))  # after the first and the second failed attempt


def pending() -> Document:
    """The job field of a document that needs work."""
    return {"state": "pending", "attempts": 0, "lease_until": now()}


def leased() -> Document:
    """The job field of a document whose work is withheld for as long as a lease runs: whoever had the job, loses it."""
    return {"state": "leased", "attempts": 0, "lease_until": now() + LEASE, "lease": new_id()}


@dataclass(frozen=True)
class Claim:
    """Jobs leased to one worker under `lease`, a random token. `more`: others may be due that were left. `ahead`: the
    `_id`s of those that were taken though others are due longer."""

    lease: str
    documents: list[Document]
    more: bool = False
    ahead: frozenset[str] = frozenset()


async def claim(
    collection: Collection,
    field: str,
    most: int,
    without: str | None = None,
    newest: int = 0,
    read: Document | None = None,
    key: str | None = None,
) -> Claim:
    """Leases at most `most` jobs, the longest due first, their documents read but for the field `without`, or as the
    projection `read` says. A job that failed before is leased alone, so that one that takes its worker down cannot
    take others with it.

    `newest`: so many of the most are those due last, where there are more: who asks for little does not wait until all
    is done that another asked for. `key`: of the document whose job alone is wanted.
    """
    token = new_id()
    due: Document = {f"{field}.state": "pending", f"{field}.lease_until": {"$lte": now()}}
    if key is not None:
        due["_id"] = key
    order = [(f"{field}.lease_until", 1), ("_id", 1)]
    read = {without: 0} if without else read
    found = await collection.find(due, read).sort(order).limit(most - newest).to_list(None)
    if newest and len(found) == most - newest:
        others = due | {"_id": {"$nin": [document["_id"] for document in found]}}
        last = [(name, -direction) for name, direction in order]
        found += await collection.find(others, read).sort(last).limit(newest).to_list(None)
    ahead = frozenset([document["_id"] for document in found[most - newest :]]) if len(found) == most else frozenset()
    fresh = [document["_id"] for document in found if document[field]["attempts"] <= 0]
    retried = [document for document in found if document[field]["attempts"] > 0]
    exhausted = [document["_id"] for document in retried if document[field]["attempts"] >= MAX_ATTEMPTS]
    ids = fresh or [document["_id"] for document in retried if document["_id"] not in exhausted][:1]
    if exhausted:
        await collection.update_many(
            {"_id": {"$in": exhausted}, f"{field}.attempts": {"$gte": MAX_ATTEMPTS}, **due},
            {"$set": {f"{field}.state": "dead"}, "$unset": {f"{field}.lease": ""}},
        )
    if not ids:
        return await claim(collection, field, most, without, newest, read, key) if exhausted else Claim(token, [])
    taken = await collection.update_many(
        {"_id": {"$in": ids}, **due},
        {
            "$set": {f"{field}.state": "leased", f"{field}.lease": token, f"{field}.lease_until": now() + LEASE},
            "$inc": {f"{field}.attempts": 1},
        },
    )
    if not taken.modified_count:
        return Claim(token, [])
    more = len(found) == most or len(ids) < len(found)
    if taken.modified_count < len(ids):
        leased_here = collection.find({"_id": {"$in": ids}, f"{field}.lease": token}, {"_id": 1})
        ids = [document["_id"] async for document in leased_here]
    mine = [document for document in found if document["_id"] in ids]
    for document in mine:
        document[field] |= {"state": "leased", "lease": token, "attempts": document[field]["attempts"] + 1}
    return Claim(token, mine, more, ahead)


@asynccontextmanager
async def held(collection: Collection, field: str, claimed: Claim) -> AsyncIterator[None]:
    """Keeps leases running for as long as their holder works, so that they can be short for one that dies."""
    ids = [document["_id"] for document in claimed.documents]
    mine = {"_id": {"$in": ids}, f"{field}.lease": claimed.lease, f"{field}.state": {"$in": ["pending", "leased"]}}

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE.total_seconds() / 3)
            with suppress(PyMongoError):  # the next try may come in time; a lost lease shows when its holder writes
                await collection.update_many(mine, {"$set": {f"{field}.lease_until": now() + LEASE}})

    async with begun(renew()):
        yield


async def count(collection: Collection, field: str, states: Sequence[State], most: int) -> int:
    """How many jobs are in these states, of which `done` is none, up to `most`."""
    there = {f"{field}.state": {"$in": list(states)}, f"{field}.lease_until": {"$gte": EVER}}  # all by the index alone
    return await collection.count_documents(there, limit=most)


async def count_waiting(collection: Collection, field: str, most: int) -> int:
    """How many jobs are still to be done, up to `most`; those that failed for good are not."""
    return await count(collection, field, ["pending", "leased"], most)


async def newest_waiting(collection: Collection, field: str, most: int, without: str) -> list[Document]:
    """The jobs that are due last of those still to be done, at most so many, the last one at the end; their documents
    but for one field."""
    there = {f"{field}.state": {"$in": ["pending", "leased"]}, f"{field}.lease_until": {"$gte": EVER}}
    found = await collection.find(there, {without: 0}).sort(f"{field}.lease_until", -1).limit(most).to_list(None)
    return found[::-1]


async def reclaim(collection: Collection, field: str) -> int:
    """Makes the jobs whose lease has run out pending again; returns how many."""
    over = {f"{field}.state": "leased", f"{field}.lease_until": {"$lte": now()}}
    freed = await collection.update_many(
        over, {"$set": {f"{field}.state": "pending"}, "$unset": {f"{field}.lease": ""}}
    )
    return freed.modified_count


async def fail(collection: Collection, field: str, token: str, documents: Sequence[Document], error: str) -> None:
    """Gives leased jobs back after an error: to be tried again later, or dead after the last attempt."""
    for document in documents:
        attempts = document[field]["attempts"]
        dead = attempts >= MAX_ATTEMPTS
        await collection.update_one(
            {"_id": document["_id"], f"{field}.lease": token},
            {
                "$set": {
                    f"{field}.state": "dead" if dead else "pending",
                    f"{field}.error": error,
                    f"{field}.lease_until": now() + BACKOFF[min(attempts, len(BACKOFF)) - 1],
                },
                "$unset": {f"{field}.lease": ""},
            },
        )


async def put_back(
    collection: Collection, field: str, token: str, documents: Sequence[Document], wait: timedelta | None
) -> None:
    """Gives leased jobs back that could not be done yet, without counting an attempt. `wait`: until they may be claimed
    again; None where they are due as they were."""
    later = None if wait is None else now() + wait
    await collection.bulk_write(
        [
            UpdateOne(
                {"_id": document["_id"], f"{field}.lease": token},
                {
                    "$set": {
                        f"{field}.state": "pending",
                        f"{field}.lease_until": later or document[field]["lease_until"],
                    },
                    "$inc": {f"{field}.attempts": -1},
                    "$unset": {f"{field}.lease": ""},
                },
            )
            for document in documents
        ],
        ordered=False,
    )


async def revive(collection: Collection, field: str, filter: Document, most: int | None = None) -> int:
    """Makes dead jobs pending again with a clean count; returns how many."""
    dead = {f"{field}.state": "dead", f"{field}.lease_until": {"$exists": True}, **filter}  # as the index has it
    if most is not None:
        found = await collection.find(dead, {"_id": 1}).limit(most).to_list(None)
        dead = {"_id": {"$in": [document["_id"] for document in found]}, **dead}
    revived = await collection.update_many(
        dead, {"$set": {f"{field}.state": "pending", f"{field}.attempts": 0, f"{field}.lease_until": now()}}
    )
    return revived.modified_count
