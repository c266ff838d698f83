"""The queue of traces that wait for the observer's summary."""

import asyncio
import logging
from dataclasses import dataclass
from time import monotonic

from pydantic import BaseModel

from config.prompts import prompt
from config.recipes import ObserverRecipe
from memory import metrics
from memory.store import Collections, claim, fail, held
from memory.traces.trace import Task, Trace, trace_of
from memory.traces.traces import Traces
from utils.chat import ChatModel, ChatOptions
from utils.errors import ModelError, ModelGarbage
from utils.model_json import Part, asking, text_in
from utils.mongo import Document, StoreError
from utils.text import cut_at_word, shown
from utils.yielding import Pace


class _Note(BaseModel):
    note: str


async def summary_by_model(model: ChatModel, task: str, trace: Trace, recipe: ObserverRecipe) -> str:
    """The model's summary of a call and its result, as far as that is shown to it. `task`: what the user asked for.

    Raises `ModelError`; `ModelGarbage` where the model says nothing.
    """
    told = {
        "task": task[: recipe.task_characters],
        "tool": trace.tool_name,
        "arguments": trace.raw_input[: recipe.characters],
        "result": trace.raw_output[: recipe.characters],
    }

    def read(answer: str) -> str:
        if not (text := shown(text_in(answer, "note"))):
            raise ValueError("it is empty")
        return cut_at_word(text, recipe.longest)

    options: ChatOptions = {"temperature": recipe.temperature, "max_tokens": recipe.max_tokens}
    asked = prompt("observer").substitute()
    return (await asking(model)(Part("note", "observation", asked, told, _Note, read, options)))[0]


BATCH = 8  # traces, where each is a question to a model, asked at the same time
TURN = 2.5  # seconds of a turn, and of the rest after it

# What is read of a trace: of the truth, no more than a model is shown.
_READ = ("trace_id", "user_id", "task_id", "epoch", "step", "tool_call_id", "tool_name", "query", "timestamp",
         "summary", "model", "observe")  # fmt: skip

log = logging.getLogger("Observer")  # the tool memory's document names it so


@dataclass(frozen=True)
class Observed:
    """What a batch came to. `count`: traces, whose insights may wait for an embedding. `more`: others may be due."""

    count: int = 0
    more: bool = False


class TraceQueue:
    """The traces whose summaries are to be written. Any number of workers may run `step` at once. Without a model, it
    gives those their insights whose process died before it could."""

    def __init__(
        self, collections: Collections, traces: Traces, model: ChatModel | None, recipe: ObserverRecipe
    ) -> None:
        self._traces = collections.traces
        self._kept = traces
        self._model = model
        self._recipe = recipe
        self._rest_until = 0.0
        self._read: Document = dict.fromkeys(_READ, 1) | {
            name: {"$substrCP": [f"${name}", 0, recipe.characters]} for name in ("raw_input", "raw_output")
        }

    async def turn(self) -> int:
        """Observes batches of what is due for some seconds; returns how many traces. Where some are left, others have
        their turn, and until then there is no other of this process: word of work comes more often than that is done.
        """
        total, step, until = 0, Observed(more=True), monotonic() + TURN
        if monotonic() < self._rest_until:
            return 0
        while step.more and monotonic() < until:
            step = await self.step()
            total += step.count
        if step.more:
            self._rest_until = monotonic() + TURN
        return total

    async def step(self) -> Observed:
        """Observes a batch of what is due, so that other work gets its turn before the next."""
        await Pace().step()
        claimed = await claim(self._traces, "observe", BATCH, read=self._read)
        if not claimed.documents:
            return Observed()
        async with held(self._traces, "observe", claimed):
            every = (self._observe(claimed.lease, document) for document in claimed.documents)
            done = await asyncio.gather(*every, return_exceptions=True)  # each ends under its lease
        for one in done:
            if isinstance(one, BaseException):
                raise one
        return Observed(done.count(True), claimed.more)

    async def _observe(self, lease: str, document: Document) -> bool:
        """Whether a trace is observed; one that fails is tried again, and keeps its summary by rules till then."""
        trace, owner = trace_of(document), document["user_id"]
        task = Task(owner, trace.task_id, document["epoch"], trace.step)
        mine = {"_id": trace.key, "observe.lease": lease}
        noted: Document = {}
        try:
            await self._kept.make_recallable(owner, [trace])
            if not await self._kept.is_under_way(task):
                await self._kept.drop(owner, [trace.key])
                return False
            if self._model is not None:
                noted = await self._note(mine, owner, trace, document["query"], self._model)
        except (ModelError, StoreError) as error:
            log.warning("a tool's result keeps its summary by rules: %s", error)
            await fail(self._traces, "observe", lease, [document], type(error).__name__)
            return False
        written = {
            "$set": {"observe.state": "done"} | noted,
            "$unset": {"observe.lease": "", "observe.lease_until": ""},
        }
        return bool((await self._traces.update_one(mine, written)).matched_count)

    async def _note(self, mine: Document, owner: str, trace: Trace, query: str, model: ChatModel) -> Document:
        """Puts the model's summary in the place of the insight by rules; returns what the trace is to say of it, so
        that a trace which names the model has its insight. Nothing where the model says nothing, or the lease, by which
        the trace is `mine`, is lost."""
        try:
            summary = await summary_by_model(model, query, trace, self._recipe)
        except ModelGarbage:
            log.warning("Empty response of the observer for '%s'; its summary is by rules", trace.tool_name)
            metrics.UNNOTED.inc()
            return {}
        if await self._traces.find_one(mine, {"_id": 1}) is None:
            return {}
        await self._kept.reword(owner, trace, summary, model.model)
        return {"summary": summary, "model": model.model}
