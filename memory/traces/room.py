"""Tasks of agents and the traces of their tools, opened, and what they bring as a product."""

from dataclasses import dataclass

from config.recipes import ObserverRecipe
from memory.gists import Gists
from memory.product import Counts, Product, Queue, SessionEnd, Taker, index
from memory.store import Store
from memory.traces.queue import TraceQueue
from memory.traces.records import TaskLine, TaskTaker, TraceLine, TraceTaker, task_records
from memory.traces.traces import Traces
from utils.chat import ChatModel

INDEXES = {
    "traces": [
        index("owner_trace", "user_id", "trace_id"),
        index("task_steps", "user_id", "task_id", "step", "place", "_id"),
        index("owner_newest", "user_id", "-timestamp", "-_id"),
        index("task_newest", "user_id", "task_id", "-timestamp", "-_id"),
    ],
    "tasks": [
        index("owner_task", "user_id", "task_id", unique=True),
    ],
}


@dataclass(frozen=True)
class ToolTraces:
    """`queue`: of traces whose summary a model is still to write."""

    traces: Traces
    queue: TraceQueue
    product: Product


def open_traces(store: Store, gists: Gists, model: ChatModel | None) -> ToolTraces:
    """`model`: writes summaries of what tools gave; else rules do."""
    collections = store.collections
    traces = Traces(collections, store.changes, gists.eraser, gists.just_said, observed=model is not None)
    queue = TraceQueue(collections, traces, model, ObserverRecipe())

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        return {"traces": await traces.forget_session(owner, session.session_id)}

    def takers(owner: str) -> dict[str, Taker]:
        tasks = TaskTaker(owner, collections)
        return {"task": tasks, "trace": TraceTaker(owner, collections, traces, tasks, observed=model is not None)}

    product = Product(
        indexes=INDEXES,
        activity={"tasks": None, "traces": "timestamp"},
        queues=(Queue("observe", collections.traces, "observe", "trace_id", "tool_name"),),
        sweep=queue.step,
        forget_user=traces.forget,
        forget_session=forget_session,
        lines={"task": TaskLine, "trace": TraceLine},
        records=lambda owner: task_records(collections, owner),
        takers=takers,
    )
    return ToolTraces(traces, queue, product)
