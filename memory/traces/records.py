"""Records of the tasks of agents, out and in, with what their tools gave.

A task that the user has already goes on as it is; traces of the file that it lacks are added to it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence

from memory.ids import new_id
from memory.lines import Count, Epoch, Kept, Line, Passed
from memory.product import Inserting, Landed, Record, Taker, nothing
from memory.store import Collections, by_key, in_order, pending
from memory.traces.trace import Called, Task, batches, document_of
from memory.traces.traces import Traces
from utils.errors import Conflict, InvalidInput
from utils.fields import Identifier
from utils.mongo import Document

RESULTS = 1_000_000  # characters of tools' results that are read at once


class TaskLine(Kept):
    task_id: Identifier
    epoch: Epoch
    steps: Count
    of_session: bool


class TraceLine(Line):
    id: Identifier
    task_id: Identifier
    step: Count
    place: Count
    tool_call_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    query: str
    timestamp: Passed
    summary: str
    model: str
    observed: bool


async def task_records(collections: Collections, owner: str) -> AsyncIterator[Record]:
    """Each task and its traces, oldest first."""
    async for task in by_key(collections.tasks, owner, "task_id"):
        yield Record("task", TaskLine.picked(task))
        own = {"user_id": owner, "task_id": task["task_id"], "epoch": task["epoch"]}
        order = [("step", 1), ("place", 1), ("_id", 1)]
        listed = await collections.traces.find(own, {"characters": 1}).sort(order).to_list(None)
        for keys in batches(listed, RESULTS):
            for trace in await in_order(collections.traces, owner, keys):
                made = {"id": trace["trace_id"], "observed": trace["observe"]["state"] == "done"}
                yield Record("trace", TraceLine.picked(trace) | made)


class TaskTaker(Inserting):
    """Takes in `task`."""

    def __init__(self, owner: str, collections: Collections) -> None:
        super().__init__(collections.tasks, owner, lambda fields: fields | {"_id": new_id()})
        self.named: str | None = None  # the task of the last record

    def check(self, record: Record) -> None:
        self.named = record.fields["task_id"]


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
        mine = {"_id": {"$in": list(documents)}, "user_id": self._owner}
        there = {one["_id"]: one["trace_id"] async for one in self._documents.find(mine, {"trace_id": 1})}
        wanted = {key: document["trace_id"] for key, document in documents.items()}
        for key, trace_id in (await self._traces.named(self._owner, wanted, there)).items():
            documents[key]["trace_id"] = trace_id
        new = await self._traces.take_in(task, list(documents.values()))

        async def take_back() -> None:
            await self._traces.drop(self._owner, new)

        return Landed(len(new), take_back if new else nothing)

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
