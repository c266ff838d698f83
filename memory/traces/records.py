"""Records of the tasks of agents, out and in, with what their tools gave.

A task that the user has already goes on as it is; traces of the file that it lacks are added to it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence

from memory.ids import new_id
from memory.product import Landed, Record, Taker, nothing
from memory.store import AT_ONCE, Collections, by_key, in_order, pending, picked
from memory.traces.call import Called, Task
from memory.traces.documents import document_of
from memory.traces.ids import id_of
from memory.traces.traces import Traces
from utils.errors import Conflict, InvalidInput
from utils.mongo import Document, insert_new

RESULTS = 1_000_000  # characters of tools' results that are read at once
TASK = ("task_id", "epoch", "steps", "of_session", "created_at", "updated_at")
TRACE = ("task_id", "step", "place", "tool_call_id", "tool_name", "raw_input", "raw_output", "query", "timestamp")


async def task_records(collections: Collections, owner: str) -> AsyncIterator[Record]:
    """Each task and its traces, oldest first."""
    async for task in by_key(collections.tasks, owner, "task_id"):
        yield Record("task", picked(task, TASK))
        async for trace in _traces(collections, owner, task):
            made = {"id": trace["trace_id"]} | picked(trace, TRACE)
            noted = {"summary": trace["summary"], "model": trace["model"]}
            yield Record("trace", made | noted | {"observed": trace["observe"]["state"] == "done"})


async def _traces(collections: Collections, owner: str, task: Document) -> AsyncIterator[Document]:
    """The traces of a task, oldest first, as many at once as their results allow."""
    own = {"user_id": owner, "task_id": task["task_id"], "epoch": task["epoch"]}
    order = [("step", 1), ("place", 1), ("_id", 1)]
    ids: list[str] = []
    characters = 0
    for listed in await collections.traces.find(own, {"characters": 1}).sort(order).to_list(None):
        ids.append(listed["_id"])
        characters += listed.get("characters", RESULTS)
        if characters >= RESULTS or len(ids) == AT_ONCE:
            for trace in await in_order(collections.traces, owner, ids):
                yield trace
            ids, characters = [], 0
    for trace in await in_order(collections.traces, owner, ids):
        yield trace


class TaskTaker(Taker):
    """Takes in `task`."""

    def __init__(self, owner: str, collections: Collections) -> None:
        self._owner = owner
        self._tasks = collections.tasks
        self.named: str | None = None  # the task of the last record

    def check(self, record: Record) -> None:
        self.named = record.fields["task_id"]

    async def take(self, records: Sequence[Record]) -> Landed:
        documents = [record.fields | {"_id": new_id(), "user_id": self._owner} for record in records]
        inserted = await insert_new(self._tasks, documents)
        new = [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]

        async def take_back() -> None:
            await self._tasks.delete_many({"_id": {"$in": new}, "user_id": self._owner})

        return Landed("task", len(new), len(documents) - len(new), take_back)


class TraceTaker(Taker):
    """Takes in `trace`, into the task that came before. `observed`: a model writes the summaries that are still to be
    written."""

    def __init__(
        self, owner: str, collections: Collections, traces: Traces, tasks: TaskTaker, *, observed: bool
    ) -> None:
        self._owner = owner
        self._tasks = collections.tasks
        self._documents = collections.traces
        self._traces = traces
        self._before = tasks
        self._observed = observed

    def check(self, record: Record) -> None:
        if record.fields["task_id"] != self._before.named:
            raise InvalidInput("task_id: its task is not the last one before it")

    async def take(self, records: Sequence[Record]) -> Landed:
        task_id = records[0].fields["task_id"]
        found = await self._tasks.find_one({"user_id": self._owner, "task_id": task_id})
        if found is None:
            raise Conflict("The task was reset meanwhile", retry_after=1.0)
        task = Task(self._owner, task_id, found["epoch"], found["steps"])
        made = await asyncio.to_thread(lambda: [self._document(task, record.fields) for record in records])
        documents = {document["_id"]: document for document in reversed(made)}
        await self._name(documents)
        new = await self._traces.take_in(task, list(documents.values()))

        async def take_back() -> None:
            await self._traces.drop(self._owner, new)

        return Landed("trace", len(new), len(records) - len(new), take_back if new else nothing)

    async def _name(self, documents: dict[str, Document]) -> None:
        """Lets each trace have the id that it has already, or that it had, or where another of the owner's has that,
        one that none has."""
        left = set(documents)
        attempt = 0
        while left:
            ids = [documents[key]["trace_id"] for key in left]
            own = {"user_id": self._owner, "trace_id": {"$in": ids}}
            holders = {one["trace_id"]: one["_id"] async for one in self._documents.find(own, {"trace_id": 1})}
            mine = {"_id": {"$in": list(left)}, "user_id": self._owner}
            for one in await self._documents.find(mine, {"trace_id": 1}).to_list(None):
                documents[one["_id"]]["trace_id"] = one["trace_id"]
                left.discard(one["_id"])
            taken = {documents[key]["trace_id"] for key in documents if key not in left}
            for key in sorted(left):
                if holders.get(documents[key]["trace_id"], key) == key and documents[key]["trace_id"] not in taken:
                    taken.add(documents[key]["trace_id"])
                    left.discard(key)
                else:
                    documents[key]["trace_id"] = id_of(key, attempt)
            attempt += 1

    def _document(self, task: Task, fields: Document) -> Document:
        call = Called(*(fields[name] for name in ("tool_call_id", "tool_name", "raw_input", "raw_output", "query")))
        written = fields["observed"] or not self._observed
        return document_of(task, fields["id"], call, fields["place"], observed=False) | {
            "step": fields["step"],
            "timestamp": fields["timestamp"],
            "summary": fields["summary"],
            "model": fields["model"],
            "observe": {"state": "done"} if written else pending(),
        }
