"""Traces: the truth of every call of a task, and the insight by which it is recalled.

A trace is kept once, however often an agent sends its history: its id follows from task, call, arguments and what came
back. What is left of a result that an agent shortened later is known as that result.
A task that is reset begins anew under an epoch of its own, so that what was on its way then is not of the new one.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.gists import GistEraser, JustSaid
from memory.ids import new_id
from memory.store import Changes, Collections, in_order, pending
from memory.traces.trace import Called, Task, Trace, batches, document_of, id_of, key_of, recognise, suspect, trace_of
from utils.clock import now
from utils.errors import Conflict, NotFound
from utils.mongo import Document, insert_new

INSIGHT = "insight"  # the kind of the gist of a trace
RAW = {"raw_input": 0, "raw_output": 0}  # a projection: all of a trace but the truth
AT_ONCE = 100  # traces that are inserted in one call
AT_ONCE_CHARACTERS = 1_000_000  # of results that are read in some milliseconds


def place_of(task_id: str) -> str:
    """The session of a task's insights."""
    return f"tool-memory/{task_id}"


class Traces:
    """The traces of all tasks. `observed`: a model writes their summaries, some time after rules did."""

    def __init__(
        self, collections: Collections, changes: Changes, eraser: GistEraser, just_said: JustSaid, *, observed: bool
    ) -> None:
        self._traces = collections.traces
        self._tasks = collections.tasks
        self._vectors = collections.vectors
        self._changes = changes
        self._eraser = eraser
        self._just_said = just_said
        self._observed = observed

    async def begin(self, owner: str, task_id: str, *, of_session: bool = False) -> Task:
        """Goes on with a task, or begins it. `of_session`: for the session of that name, with which it goes. Raises
        `Conflict` where others begin and reset it meanwhile."""
        own = {"user_id": owner, "task_id": task_id}
        update = {
            "$inc": {"steps": 1},
            "$set": {"updated_at": now()},
            "$setOnInsert": {"_id": new_id(), "epoch": new_id(), "created_at": now(), "of_session": of_session},
        }
        for _ in range(2):  # another one may begin it just now
            try:
                found: Document | None = await self._tasks.find_one_and_update(
                    own, update, upsert=True, return_document=ReturnDocument.AFTER
                )
            except DuplicateKeyError:
                continue
            if found is not None:
                return Task(owner, task_id, found["epoch"], found["steps"])
        raise Conflict("Others begin the task", retry_after=1.0)

    async def ids_of(self, task: Task, calls: Sequence[Called], known: Mapping[str, Trace]) -> list[str]:
        """The ids that calls have in a task, or are to have. One whose result is what is left of that of a known trace,
        or of its row in a view, has the id of that trace."""
        keys = await asyncio.to_thread(lambda: [key_of(task, call) for call in calls])
        wanted = {key: id_of(key) for key in keys}
        named = await self.named(task.owner, wanted, {trace.key: trace.id for trace in known.values()})
        ids = [named[key] for key in keys]
        candidates = await asyncio.to_thread(suspect, ids, calls, known) if known else {}
        if not candidates:
            return ids
        whole = await self.whole(task, {trace.id for longer in candidates.values() for trace in longer})
        shortened = await asyncio.to_thread(recognise, calls, candidates, whole)
        return [shortened.get(at, trace_id) for at, trace_id in enumerate(ids)]

    async def named(self, owner: str, wanted: Mapping[str, str], ids: Mapping[str, str]) -> dict[str, str]:
        """`ids`, of known traces by their keys, and those of other keys: what is `wanted`, or where another trace of
        the owner has that, an id that none has."""
        found, holders = dict(ids), {trace_id: key for key, trace_id in ids.items()}
        left = {key: trace_id for key, trace_id in wanted.items() if key not in found}
        attempt = 0
        while left:
            own = {"user_id": owner, "trace_id": {"$in": list(left.values())}}
            held = await self._traces.find(own, {"trace_id": 1}).to_list(None)
            holders |= {one["trace_id"]: one["_id"] for one in held}
            found |= {key: trace_id for key, trace_id in left.items() if holders.setdefault(trace_id, key) == key}
            attempt += 1
            left = {key: id_of(key, attempt) for key in left if key not in found}
        return found

    def insights_of(self, task: Task, known: Iterable[Trace], calls: Iterable[Called]) -> frozenset[str]:
        """The keys of the insights of what is known of a task, and of calls."""
        return frozenset(map(_gist_key, [*(trace.key for trace in known), *(key_of(task, call) for call in calls)]))

    async def not_embedded(self, task: Task, known: Iterable[Trace], calls: Iterable[Called]) -> frozenset[str]:
        """The keys of insights of what is known of a task, and of calls that were kept just now, that a search does not
        see yet: they wait for their embedding, which did not fail, and this process did not keep them just now, which a
        search embeds itself. One that is missing is made: whoever kept its trace is about to, or has died."""
        traces = {_gist_key(one.key): one for one in known}
        wanted = self.insights_of(task, traces.values(), calls)
        keys = [key for key in sorted(wanted) if not self._just_said.has(task.owner, key)]
        if not keys:
            return frozenset()
        found = await self._vectors.find({"_id": {"$in": keys}, "user_id": task.owner}, {"embed": 1}).to_list(None)
        missing = (traces.keys() & keys) - {one["_id"] for one in found}
        if missing:
            await self.make_recallable(task.owner, [traces[key] for key in sorted(missing)])
        return frozenset(missing | {one["_id"] for one in found if _waits(one.get("embed", {}))})

    async def known(self, task: Task, calls: Sequence[Called] | None = None) -> dict[str, Trace]:
        """The traces of a task by their ids, oldest first, without the truth; of some calls alone, by their ids."""
        own: dict[str, Any] = {"user_id": task.owner, "task_id": task.id, "epoch": task.epoch}
        if calls is not None:
            own["tool_call_id"] = {"$in": list({call.call_id for call in calls})}
        found = await self._traces.find(own, RAW).sort([("step", 1), ("place", 1), ("_id", 1)]).to_list(None)
        return {document["trace_id"]: trace_of(document) for document in found}

    async def whole(self, task: Task, ids: Collection[str]) -> dict[str, Trace]:
        """Traces with the truth, by their ids; those that are not there are left out."""
        if not ids:
            return {}
        own = {"user_id": task.owner, "trace_id": {"$in": list(ids)}, "task_id": task.id, "epoch": task.epoch}
        return {document["trace_id"]: trace_of(document) for document in await self._traces.find(own).to_list(None)}

    async def keep(self, task: Task, calls: Mapping[str, Called]) -> None:
        """Keeps calls by their ids, and insights of them; those that are kept already stay as they are.

        Raises `Conflict` where the task is reset meanwhile; nothing is left of them then.
        """
        every = list(calls.items())

        def documents(first: int) -> list[Document]:
            some = enumerate(every[first : first + AT_ONCE], first)
            return [document_of(task, one, call, place, observed=self._observed) for place, (one, call) in some]

        for start in range(0, len(every), AT_ONCE):
            new = await self.take_in(task, await asyncio.to_thread(documents, start))
            if new and not self._observed:
                await self._traces.update_many({"_id": {"$in": new}}, {"$set": {"observe": {"state": "done"}}})

    async def take_in(self, task: Task, documents: Sequence[Document]) -> list[str]:
        """Adds traces with their insights; returns the keys of those that are new. Who added others just now may not
        have come to their insights.

        Raises `Conflict` where the task is reset meanwhile; nothing is left of them then.
        """
        inserted = await insert_new(self._traces, documents)
        await self.make_recallable(task.owner, list(map(trace_of, documents)))
        if not await self.is_under_way(task):
            await self.drop(task.owner, [document["_id"] for document in documents])
            raise Conflict("The task is reset meanwhile", retry_after=1.0)
        return [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]

    async def is_under_way(self, task: Task) -> bool:
        """Whether a task still is what it was when a trace of it was kept."""
        there = {"user_id": task.owner, "task_id": task.id, "epoch": task.epoch}
        return await self._tasks.find_one(there, {"_id": 1}) is not None

    async def get(self, owner: str, trace_id: str) -> Trace:
        """Raises `NotFound`."""
        found = await self._traces.find_one({"user_id": owner, "trace_id": trace_id})
        if found is None:
            raise NotFound("No such record")
        return trace_of(found)

    async def page(
        self, owner: str, *, limit: int, after: tuple[datetime, str] | None, task_id: str | None
    ) -> list[tuple[Trace, str]]:
        """Traces of a task, or of all, without the truth, the newest first, each with its key."""
        own: dict[str, Any] = {"user_id": owner} | ({} if task_id is None else {"task_id": task_id})
        if after is not None:
            moment, key = after
            own["$or"] = [{"timestamp": {"$lt": moment}}, {"timestamp": moment, "_id": {"$lt": key}}]
        found = self._traces.find(own, RAW).sort([("timestamp", -1), ("_id", -1)]).limit(limit)
        return [(trace_of(one), one["_id"]) for one in await found.to_list(None)]

    async def with_truth(self, owner: str, task_id: str, most: int) -> AsyncIterator[list[Trace]]:
        """Traces of a task with the truth, the newest first, as many as have `most` characters together; so many at a
        time as are read in some milliseconds."""
        own = {"user_id": owner, "task_id": task_id}
        found = await self._traces.find(own, {"characters": 1}).sort([("timestamp", -1), ("_id", -1)]).to_list(None)
        sums = accumulate(document.get("characters", 0) for document in found)
        fitting = (document for document, taken in zip(found, sums, strict=True) if taken <= most)
        for keys in batches(fitting, AT_ONCE_CHARACTERS):
            yield list(map(trace_of, await in_order(self._traces, owner, keys)))

    async def reset(self, owner: str, task_id: str) -> dict[str, int]:
        """Deletes a task with its traces and their insights; returns counts by collection. What an agent that goes on
        meanwhile begins anew stays.

        Raises `NotFound` where there is nothing of it.
        """
        own = {"user_id": owner, "task_id": task_id}
        epochs = await self._traces.distinct("epoch", own)  # also of what an earlier reset left that was cut short
        task: Document | None = await self._tasks.find_one_and_delete(own)
        if task is not None:
            epochs.append(task["epoch"])
        if not epochs:
            raise NotFound("No such task")
        return {"tasks": int(task is not None)} | await self._erase(owner, own | {"epoch": {"$in": epochs}})

    async def forget_session(self, owner: str, session_id: str) -> int:
        """Deletes the task of a session, if it has one; returns how many traces went."""
        own = {"user_id": owner, "task_id": session_id, "of_session": True}
        if await self._tasks.find_one(own, {"_id": 1}) is None:
            return 0
        try:
            return (await self.reset(owner, session_id))["traces"]
        except NotFound:  # by another's deletion
            return 0

    async def forget(self, owner: str, moment: datetime) -> dict[str, int]:
        """Deletes the tasks of an owner that began until a moment, whole, even what came in since; returns counts by
        collection."""
        counts = Counter(tasks=0, traces=0, vectors=0)
        old = {"user_id": owner, "created_at": {"$lte": moment}}
        for task in await self._tasks.find(old, {"task_id": 1, "epoch": 1}).to_list(None):
            counts["tasks"] += (await self._tasks.delete_one({"_id": task["_id"]})).deleted_count
            counts.update(await self._erase(owner, {"task_id": task["task_id"], "epoch": task["epoch"]}))
        counts.update(await self._erase(owner, {"timestamp": {"$lte": moment}}))
        return dict(counts)

    async def reword(self, owner: str, trace: Trace, summary: str, model: str) -> None:
        """Gives the insight of a trace a model's summary in the place of the former one."""
        key = _gist_key(trace.key)
        async with self._changes.overwriting(owner):
            await self._vectors.update_one(
                {"_id": key, "user_id": owner},
                {
                    "$set": {"content": summary, "model": model, "embed": pending()},
                    "$unset": {"embedding": "", "embedding_model": "", "recall": ""},
                },
            )
        self._just_said.drop(owner, {key: now()})

    async def make_recallable(self, owner: str, traces: Sequence[Trace]) -> None:
        """Gives traces their insights, where they have none."""
        gists = [_gist(owner, trace) for trace in traces]
        inserted = await insert_new(self._vectors, gists)
        new = [gist for gist, is_new in zip(gists, inserted, strict=True) if is_new]
        if new:
            self._just_said.add(owner, new)

    async def _erase(self, owner: str, filter: dict[str, Any]) -> dict[str, int]:
        """Deletes traces with their insights; the truth goes last, so that whoever tries again finds it."""
        traces = vectors = 0
        while True:
            found = await self._traces.find({"user_id": owner} | filter, {"_id": 1}).limit(AT_ONCE).to_list(None)
            if not found:
                return {"traces": traces, "vectors": vectors}
            counts = await self.drop(owner, [document["_id"] for document in found])
            traces += counts["traces"]
            vectors += counts["vectors"]

    async def drop(self, owner: str, keys: Sequence[str]) -> dict[str, int]:
        """Deletes traces by their keys, and their insights, even those whose trace is gone already."""
        gists = {"_id": {"$in": [_gist_key(key) for key in keys]}, "user_id": owner}
        vectors = await self._eraser.erase(owner, gists)
        traces = (await self._traces.delete_many({"_id": {"$in": list(keys)}, "user_id": owner})).deleted_count
        vectors += await self._eraser.erase(owner, gists)  # what landed in between
        return {"traces": traces, "vectors": vectors}


def _gist_key(key: str) -> str:
    return f"{key}.insight"


def _gist(owner: str, trace: Trace) -> Document:
    return {
        "_id": _gist_key(trace.key),
        "id": trace.id,
        "trace_id": trace.id,
        "user_id": owner,
        "session_id": place_of(trace.task_id),
        "kind": INSIGHT,
        "role": "tool",
        "content": trace.summary,
        "timestamp": trace.timestamp,
        "created_at": now(),
        "embed": pending(),
    }


def _waits(job: Document) -> bool:
    """Whether an embedding is still to come."""
    return job.get("state") in ("pending", "leased") and "error" not in job
