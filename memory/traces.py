"""What did an agent's tools give? The truth of every call of a task, and the insight by which it is recalled.

A trace is kept once, however often an agent sends its history: its id follows from task, call, arguments and what came
back. What is left of a result that an agent shortened later is known as that result.
A task that is reset begins anew under an epoch of its own, so that what was on its way then is not of the new one.
"""

import asyncio
from base64 import b32encode
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.changes import Changes
from memory.collections import Collections
from memory.domain import RULE_BASED
from memory.gist_eraser import GistEraser
from memory.ids import derived_id, new_id
from memory.just_said import JustSaid
from memory.leases import leased, pending
from memory.shortened import is_left_of
from memory.tool_records import Record
from memory.trace_rules import summary_by_rules
from utils.clock import now
from utils.errors import Conflict, NotFound
from utils.mongo import Document, insert_new

INSIGHT = "insight"  # the kind of the gist of a trace
ID_CHARACTERS = 8  # of a trace's id, which an agent may have to repeat: 40 bits, of one user
RAW = {"raw_input": 0, "raw_output": 0}  # a projection: all of a trace but the truth
AT_ONCE = 100  # traces that are inserted in one call
AT_ONCE_CHARACTERS = 1_000_000  # of results whose ids take a few milliseconds


@dataclass(frozen=True)
class Task:
    """A task under way. `step`: how often it was gone on with."""

    owner: str
    id: str
    epoch: str
    step: int


@dataclass(frozen=True)
class Called:
    """A call of a tool as it comes in: what was called, and what came back, as texts. `query`: what the user asked for.
    `call_id` need not be of this call alone."""

    call_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    query: str = ""


@dataclass(frozen=True)
class Trace:
    """A call of a tool as it is kept. `model`: what wrote the summary. `asked`: the same for all that came back from
    one call with the same arguments. `characters`: of what came back. Read without the truth, both raw texts are
    empty."""

    id: str
    task_id: str
    step: int
    call_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    timestamp: datetime
    summary: str
    model: str
    asked: str
    characters: int

    @property
    def updated_at(self) -> datetime:
        """When it came last in a list of the newest: it never changes."""
        return self.timestamp

    @property
    def record(self) -> Record:
        """As it is packed; a summary by rules says nothing that its result does not."""
        told = "" if self.model == RULE_BASED else self.summary
        return Record(self.id, self.tool_name, self.raw_input, self.raw_output, told)


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

    async def begin(self, owner: str, task_id: str) -> Task:
        """Goes on with a task, or begins it."""
        own = {"user_id": owner, "task_id": task_id}
        update = {
            "$inc": {"steps": 1},
            "$set": {"updated_at": now()},
            "$setOnInsert": {"_id": new_id(), "epoch": new_id(), "created_at": now()},
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

    def id_of(self, task: Task, call: Called) -> str:
        """The id that a call has in a task, with what came back."""
        return _trace_id(_key(task, call))

    async def ids_of(self, task: Task, calls: Sequence[Called], known: Mapping[str, Trace]) -> list[str]:
        """The ids that calls have in a task. One whose result is what is left of that of a known trace, or of its row
        in a view, has the id of that trace."""
        if sum(len(call.raw_output) for call in calls) < AT_ONCE_CHARACTERS:
            ids = [self.id_of(task, call) for call in calls]
        else:
            ids = await asyncio.to_thread(lambda: [self.id_of(task, call) for call in calls])
        alike: dict[str, list[Trace]] = {}
        for trace in known.values():
            alike.setdefault(trace.asked, []).append(trace)
        others = {
            at: longer
            for at, (trace_id, call) in enumerate(zip(ids, calls, strict=True))
            if trace_id not in known
            and (longer := [one for one in alike.get(_asked(call), ()) if _may_be_left_of(call, one)])
        }
        if not others:
            return ids
        whole = await self.whole(task, {trace.id for longer in others.values() for trace in longer})
        left = await asyncio.to_thread(
            lambda: {
                at: trace.id
                for at, longer in others.items()
                for trace in longer
                if trace.id in whole and _is_left_of(calls[at], whole[trace.id])
            }
        )
        return [left.get(at, trace_id) for at, trace_id in enumerate(ids)]

    def insights_of(self, task: Task, calls: Iterable[Called]) -> frozenset[str]:
        """The keys of the insights of calls."""
        return frozenset(_gist_key(_key(task, call)) for call in calls)

    async def known(self, task: Task, calls: Sequence[Called] | None = None) -> dict[str, Trace]:
        """The traces of a task by their ids, oldest first, without the truth; of some calls alone, by their ids."""
        own: dict[str, Any] = {"user_id": task.owner, "task_id": task.id, "epoch": task.epoch}
        if calls is not None:
            own["tool_call_id"] = {"$in": list({call.call_id for call in calls})}
        found = await self._traces.find(own, RAW).sort([("step", 1), ("place", 1), ("_id", 1)]).to_list(None)
        return {document["trace_id"]: _trace(document) for document in found}

    async def whole(self, task: Task, ids: Collection[str]) -> dict[str, Trace]:
        """Traces with the truth, by their ids; those that are not there are left out."""
        if not ids:
            return {}
        own = {"user_id": task.owner, "trace_id": {"$in": list(ids)}, "task_id": task.id, "epoch": task.epoch}
        return {document["trace_id"]: _trace(document) for document in await self._traces.find(own).to_list(None)}

    async def keep(self, task: Task, calls: Sequence[Called]) -> None:
        """Keeps calls, and insights of them; those that are kept already stay as they are.

        Raises `Conflict` where the task is reset meanwhile; nothing is left of them then.
        """
        for start in range(0, len(calls), AT_ONCE):
            documents = await asyncio.to_thread(self._documents, task, calls[start : start + AT_ONCE], start)
            keys = [document["_id"] for document in documents]
            new = await self._insert(task.owner, documents)
            if not await self.is_under_way(documents[0]):
                await self._drop(task.owner, keys)
                raise Conflict("The task is reset meanwhile", retry_after=1.0)
            if new and not self._observed:
                done = {"_id": {"$in": [document["_id"] for document in new]}}
                await self._traces.update_many(done, {"$set": {"observe": {"state": "done"}}})

    async def is_under_way(self, document: Document) -> bool:
        """Whether the task of a trace still is what it was when the trace was kept."""
        there = {"user_id": document["user_id"], "task_id": document["task_id"], "epoch": document["epoch"]}
        return await self._tasks.find_one(there, {"_id": 1}) is not None

    async def drop(self, document: Document) -> None:
        """Deletes a trace that was kept while its task was reset."""
        await self._drop(document["user_id"], [document["_id"]])

    async def get(self, owner: str, trace_id: str) -> Trace:
        """Raises `NotFound`."""
        found = await self._traces.find_one({"user_id": owner, "trace_id": trace_id})
        if found is None:
            raise NotFound("No such record")
        return _trace(found)

    async def page(
        self, owner: str, *, limit: int, after: tuple[datetime, str] | None, task_id: str | None
    ) -> list[tuple[Trace, str]]:
        """Traces of a task, or of all, without the truth, the newest first, each with its key."""
        own: dict[str, Any] = {"user_id": owner} | ({} if task_id is None else {"task_id": task_id})
        if after is not None:
            moment, key = after
            own["$or"] = [{"timestamp": {"$lt": moment}}, {"timestamp": moment, "_id": {"$lt": key}}]
        found = self._traces.find(own, RAW).sort([("timestamp", -1), ("_id", -1)]).limit(limit)
        return [(_trace(one), one["_id"]) for one in await found.to_list(None)]

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

    async def reword(self, document: Document, summary: str, model: str) -> None:
        """Gives a trace and its insight a model's summary in the place of the former one."""
        owner = document["user_id"]
        async with self._changes.overwriting(owner):
            await self._vectors.update_one(
                {"_id": _gist_key(document["_id"]), "user_id": owner},
                {
                    "$set": {"content": summary, "model": model, "embed": pending()},
                    "$unset": {"embedding": "", "embedding_model": "", "recall": ""},
                },
            )
        self._just_said.drop(owner, {_gist_key(document["_id"]): now()})

    async def make_recallable(self, documents: Sequence[Document]) -> None:
        """Gives traces of one owner their insights, where they have none."""
        gists = [_gist(document) for document in documents]
        inserted = await insert_new(self._vectors, gists)
        new = [gist for gist, is_new in zip(gists, inserted, strict=True) if is_new]
        if new:
            self._just_said.add(documents[0]["user_id"], new)

    async def _insert(self, owner: str, documents: list[Document]) -> list[Document]:
        """Inserts traces with their insights; returns those that were new."""
        inserted = await insert_new(self._traces, documents)
        new = [document for document, is_new in zip(documents, inserted, strict=True) if is_new]
        if new:
            await self.make_recallable(new)
        return new

    async def _erase(self, owner: str, filter: dict[str, Any]) -> dict[str, int]:
        """Deletes traces with their insights; the truth goes last, so that whoever tries again finds it."""
        traces = vectors = 0
        while True:
            found = await self._traces.find({"user_id": owner} | filter, {"_id": 1}).limit(AT_ONCE).to_list(None)
            if not found:
                return {"traces": traces, "vectors": vectors}
            counts = await self._drop(owner, [document["_id"] for document in found])
            traces += counts["traces"]
            vectors += counts["vectors"]

    async def _drop(self, owner: str, keys: Sequence[str]) -> dict[str, int]:
        """Deletes traces by their keys, and their insights, even those whose trace is gone already."""
        gists = {"_id": {"$in": [_gist_key(key) for key in keys]}, "user_id": owner}
        vectors = await self._eraser.erase(owner, gists)
        traces = (await self._traces.delete_many({"_id": {"$in": list(keys)}, "user_id": owner})).deleted_count
        vectors += await self._eraser.erase(owner, gists)  # what landed in between
        return {"traces": traces, "vectors": vectors}

    def _documents(self, task: Task, calls: Sequence[Called], first: int) -> list[Document]:
        return [self._document(task, call, place) for place, call in enumerate(calls, first)]

    def _document(self, task: Task, call: Called, place: int) -> Document:
        key = _key(task, call)
        record = Record(_trace_id(key), call.tool_name, call.raw_input, call.raw_output)
        return {
            "_id": key,
            "trace_id": record.trace_id,
            "user_id": task.owner,
            "task_id": task.id,
            "epoch": task.epoch,
            "step": task.step,
            "place": place,
            "tool_call_id": call.call_id,
            "tool_name": call.tool_name,
            "asked": _asked(call),
            "raw_input": call.raw_input,
            "raw_output": call.raw_output,
            "characters": len(call.raw_output),
            "query": call.query,
            "timestamp": now(),
            "summary": summary_by_rules(record),
            "model": RULE_BASED,
            "observe": pending() if self._observed else leased(),
        }


def _key(task: Task, call: Called) -> str:
    return derived_id(task.owner, task.id, task.epoch, _asked(call), call.raw_output)


def _asked(call: Called) -> str:
    return derived_id(call.call_id, call.tool_name, call.raw_input)


def _may_be_left_of(call: Called, trace: Trace) -> bool:
    """Whether it is worth reading all that came back then."""
    return _is_row_of(call, trace) or len(call.raw_output) <= trace.characters


def _is_left_of(call: Called, trace: Trace) -> bool:
    return _is_row_of(call, trace) or is_left_of(call.raw_output, trace.raw_output)


def _is_row_of(call: Called, trace: Trace) -> bool:
    """Whether what came back is a view's row of a trace."""
    return call.raw_output.startswith(f"{trace.id}: ")


def _trace_id(key: str) -> str:
    return b32encode(bytes.fromhex(key)).decode()[:ID_CHARACTERS].lower()


def _gist_key(key: str) -> str:
    return f"{key}.insight"


def _gist(document: Document) -> Document:
    return {
        "_id": _gist_key(document["_id"]),
        "id": document["trace_id"],
        "trace_id": document["trace_id"],
        "user_id": document["user_id"],
        "session_id": place_of(document["task_id"]),
        "kind": INSIGHT,
        "role": "tool",
        "content": document["summary"],
        "timestamp": document["timestamp"],
        "created_at": now(),
        "embed": pending(),
    }


def _trace(document: Document) -> Trace:
    return Trace(
        id=document["trace_id"],
        task_id=document["task_id"],
        step=document["step"],
        call_id=document["tool_call_id"],
        tool_name=document["tool_name"],
        raw_input=document.get("raw_input", ""),
        raw_output=document.get("raw_output", ""),
        timestamp=document["timestamp"],
        summary=document["summary"],
        model=document["model"],
        asked=document.get("asked", ""),
        characters=document.get("characters", 0),
    )
