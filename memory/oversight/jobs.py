"""Jobs: which work waits, is under way or was given up, and how it is taken up again."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memory.domain import TURN
from memory.gists import UNAVAILABLE
from memory.ids import user_of
from memory.product import Product, Queue
from memory.store import BACKOFF, Collections, State, count, revive
from utils.clock import now
from utils.errors import Conflict, InvalidInput, NotFound
from utils.mongo import Document

Progress = Literal["waiting", "running", "dead"]
PROGRESS: tuple[Progress, ...] = get_args(Progress)
STATES: dict[Progress, State] = {"waiting": "pending", "running": "leased", "dead": "dead"}
TOLD: dict[State, Literal["waiting", "running", "dead", "done"]] = {
    **{state: progress for progress, state in STATES.items()},
    "done": "done",
}

EXCERPT = 200  # characters of what a job is about
MOST_COUNTED = 100_000  # of one kind in one state
AT_ONCE = 1_000  # dead jobs that are put back in one call


@dataclass(frozen=True)
class JobCounts:
    """How many jobs of a kind there are in each state, up to `MOST_COUNTED`. `oldest`: since when the one is due that
    waits longest; None where none is."""

    kind: str
    counts: dict[Progress, int]
    oldest: datetime | None


@dataclass(frozen=True)
class Job:
    """A job that is not done. `key`: the `_id` of its document; `about`: what this is called by its owner, and `text`
    how it begins; `session_id`: of a message or a session. `updated_at`: when it is due, or when its lease ends; of a
    dead one, when it would have been due, had it not died."""

    kind: str
    key: str
    progress: Progress
    owner: str
    about: str
    text: str
    session_id: str | None
    attempts: int
    error: str | None
    updated_at: datetime

    @property
    def due(self) -> datetime | None:
        """When it is due, or when its lease ends; None of a dead one."""
        return None if self.progress == "dead" else self.updated_at

    @property
    def comes_back(self) -> bool:
        """Whether it is dead and the sweep takes it up by itself: only the model was away."""
        return self.progress == "dead" and self.kind == "embed" and self.error == UNAVAILABLE

    @property
    def place(self) -> str:
        """Its place among those of its time, in a list of all kinds."""
        return f"{self.kind}/{self.key}"


@dataclass(frozen=True)
class Embedding:
    """How far the embedding of a message is. `error`: why the last attempt failed; `model`: what made the embedding
    that it has, which may be that of a former text."""

    progress: Literal["waiting", "running", "dead", "done"]
    attempts: int
    error: str | None
    model: str | None


class Jobs:
    """The jobs of all users. `kinds`: those that products have, in the order of the alphabet."""

    def __init__(self, collections: Collections, products: Sequence[Product]) -> None:
        self._vectors = collections.vectors
        self._queues = {queue.kind: queue for product in products for queue in product.queues}
        self.kinds = tuple(sorted(self._queues))

    async def waiting(self) -> list[JobCounts]:
        """How much of each kind there is to do."""
        return list(await asyncio.gather(*(self._waiting(kind) for kind in self.kinds)))

    async def page(
        self,
        progress: Progress,
        kinds: Sequence[str] | None = None,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> list[Job]:
        """Jobs in a state, of some kinds or all, kind by kind, those due longest first. `after`: `updated_at` and
        `place` of the last one seen. Raises `InvalidInput` where there can be no such place."""
        jobs: list[Job] = []
        for each, since in _kinds_after(self.kinds if kinds is None else kinds, after):
            if len(jobs) < limit:
                jobs += await self._page(each, progress, limit - len(jobs), since)
        return jobs

    async def embeddings(self, owner: str, session_id: str, first: int, last: int) -> dict[int, Embedding]:
        """How far the embeddings of a session's messages are, by their places from the first to the last."""
        places = {"$gte": first, "$lte": last}
        own = {"user_id": owner, "session_id": session_id, "message_index": places}
        read = {"message_index": 1, "embed": 1, "embedding_model": 1}
        documents = await self._vectors.find(own, read).to_list(None)
        return {document["message_index"]: _embedding(document) for document in documents}

    async def retry(self, kind: str, key: str) -> None:
        """Puts a dead job back, with all its attempts before it, by one update that no other state lets through.
        Raises `NotFound`, and `Conflict` where it is not dead."""
        queue = self._queues[kind]
        if await revive(queue.collection, queue.field, {"_id": key}):
            return
        document = await queue.collection.find_one({"_id": key}, {f"{queue.field}.state": 1})
        state = (document or {}).get(queue.field, {}).get("state")
        if state is None:
            raise NotFound("No such job")
        raise Conflict(f"Only a dead job is tried again, and this one is {TOLD[state]}")

    async def retry_all(self, kind: str) -> int:
        """Puts back all jobs of a kind that are dead by now; returns how many."""
        queue, total = self._queues[kind], 0
        dead = {f"{queue.field}.lease_until": {"$lte": now() + BACKOFF[-1]}}  # one that dies later is due later
        while revived := await revive(queue.collection, queue.field, dead, most=AT_ONCE):
            total += revived
        return total

    async def _waiting(self, kind: str) -> JobCounts:
        queue = self._queues[kind]
        counted = (count(queue.collection, queue.field, [STATES[one]], MOST_COUNTED) for one in PROGRESS)
        oldest, numbers = await asyncio.gather(self._oldest(queue), asyncio.gather(*counted))
        return JobCounts(kind, dict(zip(PROGRESS, numbers, strict=True)), oldest)

    async def _oldest(self, queue: Queue) -> datetime | None:
        due = {f"{queue.field}.state": "pending", f"{queue.field}.lease_until": {"$lte": now()}}
        order = [(f"{queue.field}.lease_until", 1), ("_id", 1)]
        documents = await queue.collection.find(due, {queue.field: 1}).sort(order).limit(1).to_list(None)
        return documents[0][queue.field]["lease_until"] if documents else None

    async def _page(
        self, kind: str, progress: Progress, limit: int, after: tuple[datetime, str] | None
    ) -> Sequence[Job]:
        queue = self._queues[kind]
        due = f"{queue.field}.lease_until"
        wanted: Document = {f"{queue.field}.state": STATES[progress], due: {"$exists": True}}
        if after is not None:
            moment, key = after
            wanted |= {due: {"$gte": moment}, "$or": [{due: {"$gt": moment}}, {"_id": {"$gt": key}}]}
        excerpt = {"$substrCP": [f"${queue.text}", 0, EXCERPT]}
        read = {queue.field: 1, "user_id": 1, "session_id": 1, "kind": 1, "type": 1, queue.id: 1, queue.text: excerpt}
        cursor = queue.collection.find(wanted, read).sort([(due, 1), ("_id", 1)]).limit(limit)
        return [_job(kind, queue, progress, document) for document in await cursor.to_list(None)]


def _kinds_after(
    kinds: Sequence[str], after: tuple[datetime, str] | None
) -> Iterator[tuple[str, tuple[datetime, str] | None]]:
    """The kinds that are still to be listed, each with the last of it that was seen."""
    if after is None:
        yield from ((each, None) for each in kinds)
        return
    moment, place = after
    seen, _, key = place.partition("/")
    if seen not in kinds:
        raise InvalidInput("The cursor is not one that this list gave")
    for each in kinds[kinds.index(seen) :]:
        yield each, (moment, key) if each == seen else None


def _job(kind: str, queue: Queue, progress: Progress, document: Document) -> Job:
    job, about = document[queue.field], document[queue.id]
    return Job(
        kind=kind,
        key=document["_id"],
        progress=progress,
        owner=user_of(document["user_id"]),
        about=f"{document['type']}/{about}" if "type" in document else about,  # a bank's id is its type's alone
        text=document.get(queue.text) or "",
        session_id=document.get("session_id") if document.get("kind", TURN) == TURN else None,
        attempts=job["attempts"],
        error=job.get("error"),
        updated_at=job["lease_until"],
    )


def _embedding(document: Document) -> Embedding:
    job = document["embed"]
    return Embedding(TOLD[job["state"]], job["attempts"], job.get("error"), document.get("embedding_model"))
