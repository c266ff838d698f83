"""How does an agent's history become short, and still hold what its next step needs?

Results of tools are kept whole, once, and shown packed; `Traces` holds them from step to step. The loggers have the
names of the tool memory's document.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.openai_chat import storable, text_of
from agents.tools.budget import tokens_of
from agents.tools.conversation import last_said
from agents.tools.history import check_history
from agents.tools.messages import Asked, Interaction, Message, ToolResult, interactions, is_retrieved, retrieved_in
from agents.tools.search import TaskSearch
from agents.tools.view import Step, ViewOptions, view_of
from agents.upkeep import Nudge
from config.recipes import NEXT_STEP
from memory.engine import Engine
from memory.traces import ID_CHARACTERS, Called, Task, Trace
from memory.views import ToolRecord
from utils.errors import InvalidInput

ASKED = 2_000  # characters of a query by which records are ranked, and of what the user asked for
READ = 20_000_000  # characters of what came back that are read for one view; no record has more

UNNAMED = "-" * ID_CHARACTERS  # for a trace that has no id yet

log = logging.getLogger("MemoryBankStrategy")
ingestion = logging.getLogger("Ingestion")


@dataclass(frozen=True)
class Compressing:
    """A history to be compressed. `query`: by which records are ranked; None for what the step itself says.
    `sent_alone`: it is that of the session whose name the task has, and of the task's records only those that stand in
    the messages are shown."""

    owner: str
    task_id: str
    messages: tuple[Message, ...]
    options: ViewOptions
    query: str | None = None
    sent_alone: bool = False


@dataclass(frozen=True)
class Compressed:
    """`tokens`: of the messages, and `tokens_before` of those that came. `trace_ids`: of the last calls of tools, and
    of others that were not known before."""

    messages: tuple[Message, ...]
    tokens: int
    tokens_before: int
    trace_ids: tuple[str, ...] = ()


class ToolMemory:
    """What agents' tools gave, kept, found and packed. `options`: those of the settings."""

    def __init__(self, engine: Engine, nudge: Nudge, options: ViewOptions) -> None:
        self.options = options
        self.search = TaskSearch(engine)
        self._traces = engine.tools.traces
        self._nudge = nudge

    async def compress(self, asked: Compressing) -> Compressed:
        """Keeps the results of tools that are new, and gives the messages that stand for all of them. Without results,
        now or before, the messages come back as they are; without messages, none do, and no task begins. Of what came
        back before and does not stand whole in the messages, `READ` characters at most are read, of the `top_k` most
        relevant records and then of the newest; of the others stands what the agent left of them, or their names.

        Raises `InvalidInput` where the budget is too small or no provider would take the messages, and `Conflict` where
        the task is reset meanwhile. A history that a provider is asked with anyway is the provider's to judge.
        """
        if not asked.sent_alone:
            check_history(asked.messages)
        if not asked.messages:
            return Compressed((), 0, 0)
        last, calls, unanswered = await asyncio.to_thread(_read, asked)
        task = await self._traces.begin(asked.owner, asked.task_id, of_session=asked.sent_alone)
        log.debug("Memory Bank Strategy - Step %d", task.step)
        known = await self._traces.known(task, calls if asked.sent_alone else None)
        ids = await self._traces.ids_of(task, calls, known)
        if not ids and (asked.sent_alone or not known):
            return await asyncio.to_thread(_unchanged, asked)
        new = {trace_id: call for trace_id, call in zip(ids, calls, strict=True) if trace_id not in known}
        await self._keep(task, new)
        step = await self._step(asked, task, known, list(zip(ids, calls, strict=True)), last)
        step = replace(step, unanswered=unanswered)
        sent = dict(zip(ids, calls, strict=True))
        done = await asyncio.to_thread(_compressed, step, asked.options, sent, known)
        log.debug("Added %d retrieved records to context", retrieved_in(done.messages))
        log.debug("Context constructed: %d messages, %d tokens", len(done.messages), done.tokens)
        newest = (record.trace_id for record in step.newest)
        return replace(done, trace_ids=tuple(dict.fromkeys([*new, *newest])))

    async def _step(
        self,
        asked: Compressing,
        task: Task,
        known: Mapping[str, Trace],
        called: Sequence[tuple[str, Called]],
        last: Interaction,
    ) -> Step:
        """What an agent knows: what came back in its messages, `called` with ids, and what is `known` of its task."""
        sent: dict[str, ToolRecord] = {}
        for trace_id, call in called:
            sent.pop(trace_id, None)  # what comes again came last
            sent[trace_id] = _record(trace_id, call, known)
        newest = [trace_id for trace_id, _ in called[len(called) - len(last.results) :]]
        others = [] if asked.sent_alone else [trace_id for trace_id in known if trace_id not in sent]
        cut = [one for one in sent if one in known and len(sent[one].raw_output) != known[one].characters]
        last_ids, absent = set(newest), {*others, *cut}
        order = [one for one in _in_order(list(sent), others, list(known)) if one not in last_ids]
        of_order = set(order)
        before = {one: trace for one, trace in known.items() if one in of_order}
        calls = [call for trace_id, call in called if trace_id in of_order]
        ranked: tuple[str, ...] = ()
        if len(order) > asked.options.top_k or (order and asked.query is not None):  # else all are shown alike
            ranked = await self.search.ranked(task, asked.query or _query(asked.messages), before, calls)
        first = _first(order, ranked, asked.options.top_k)
        fitting = _fitting(known[one] for one in first if one in absent)
        whole = await self._traces.whole(task, fitting)  # also of what an earlier view or the agent had cut
        earlier = [whole[one].record if one in whole else sent[one] for one in order if one in whole or one in sent]
        unread = [(known[one].tool_name, one) for one in others if one not in fitting]
        of_last = tuple(sent[one] for one in newest)
        return Step(asked.messages, last, of_last, tuple(earlier), ranked, asked.query or "", unread=tuple(unread))

    async def add(self, owner: str, task_id: str, call: Called) -> Trace:
        """Keeps one call of a tool.

        Raises `Conflict` where the task is reset meanwhile.
        """
        task = await self._traces.begin(owner, task_id)
        [trace_id] = await self._traces.ids_of(task, [call], {})
        await self._keep(task, {trace_id: call})
        return await self._traces.get(owner, trace_id)

    async def reset(self, owner: str, task_id: str) -> dict[str, int]:
        """Deletes a task with all that its tools gave; returns counts by collection. Raises `NotFound`."""
        counts = await self._traces.reset(owner, task_id)
        log.debug("MemoryBankState reset")
        return counts

    async def _keep(self, task: Task, calls: Mapping[str, Called]) -> None:
        """Keeps calls by their ids."""
        if not calls:
            return
        self.search.tell_model()
        await self._traces.keep(task, calls)
        for trace_id, call in calls.items():
            ingestion.debug("Ingested tool '%s' -> trace_id=%s", call.tool_name, trace_id)
        self._nudge("embed", "observe")


def _read(asked: Compressing) -> tuple[Interaction, list[Called], tuple[Asked, ...]]:
    """The last calls of tools, all that came back in a history, and the calls before the last to which nothing did.

    Raises `InvalidInput` where the budget is too small for any view, before anything is kept.
    """
    found = interactions(asked.messages)
    results = [result for one in found for result in one.results]
    last = found[-1] if found else _after_all(asked.messages)
    if not last.called:  # results without their calls may stand in the context alone
        last = Interaction(last.end, last.end, ())
    calls = _calls(asked.messages, results)
    if found and asked.options.budget is not None:
        newest = [_record(UNNAMED, call, {}) for call in calls[len(calls) - len(last.results) :]]
        view_of(Step(asked.messages, last, tuple(newest), ()), asked.options)
    return last, calls, tuple(call for one in found[:-1] for call in one.unanswered)


def _in_order(sent: Sequence[str], others: Sequence[str], known: Sequence[str]) -> list[str]:
    """Ids of records, oldest first: those that were `sent`, in the messages' order, with `others` after what was known
    before them. `known`: of all that was kept before, oldest first."""
    place = {one: at for at, one in enumerate(known)}
    waiting = sorted(others, key=lambda one: place[one], reverse=True)
    ordered: list[str] = []
    for one in sent:
        while waiting and place[waiting[-1]] < place.get(one, len(known)):
            ordered.append(waiting.pop())
        ordered.append(one)
    return [*ordered, *reversed(waiting)]


def _first(order: Sequence[str], ranked: Sequence[str], top_k: int) -> list[str]:
    """The ids of records that stand in `order`, oldest first: the `top_k` most relevant, and then the newest."""
    every = set(order)
    return list(dict.fromkeys([*[one for one in ranked if one in every][:top_k], *reversed(order)]))


def _fitting(traces: Iterable[Trace]) -> set[str]:
    """The ids of traces, of which the first ones have `READ` characters together."""
    left, fitting = READ, set()
    for trace in traces:
        if trace.characters <= left:
            left -= trace.characters
            fitting.add(trace.id)
    return fitting


def _unchanged(asked: Compressing) -> Compressed:
    tokens, budget = tokens_of(asked.messages), asked.options.budget
    if budget is not None and tokens > budget:
        raise InvalidInput(f"The budget is too small: without results of tools, {tokens} tokens must stay")
    return Compressed(asked.messages, tokens, tokens)


def _is_whole(step: Step, sent: Mapping[str, Called], known: Mapping[str, Trace]) -> bool:
    """Whether a history has all that came back in its task, as it came, and could be sent as it is: without a view in
    it, and with a result for each call. `sent`: the results in it, by their ids."""
    if step.unanswered or any(map(is_retrieved, step.messages)):
        return False
    if not all(one.called for one in interactions(step.messages)):
        return False
    return all(one in sent and len(sent[one].raw_output) == trace.characters for one, trace in known.items())


def _compressed(step: Step, options: ViewOptions, sent: Mapping[str, Called], known: Mapping[str, Trace]) -> Compressed:
    """The view of a step; the history itself where that is whole, fits, and takes less than the view of it."""
    tokens, budget = tokens_of(step.messages), options.budget
    fits = (budget is None or tokens <= budget) and _is_whole(step, sent, known)
    view = tuple(view_of(step, replace(options, budget=None) if fits else options))
    if fits and budget is not None and tokens_of(view) <= tokens:
        view = tuple(view_of(step, options))
    taken = tokens_of(view)
    return Compressed(step.messages, tokens, tokens) if fits and tokens < taken else Compressed(view, taken, tokens)


def _calls(messages: Sequence[Message], results: Sequence[ToolResult]) -> list[Called]:
    """What is kept of results: with what the user had said last before each."""
    asked, queries = "", []
    for message in messages:
        if message.get("role") == "user":
            asked = storable(text_of(message.get("content")))[:ASKED]
        queries.append(asked)
    return [Called(one.call_id, one.tool_name, one.arguments, one.content, queries[one.at]) for one in results]


def _record(trace_id: str, call: Called, known: Mapping[str, Trace]) -> ToolRecord:
    summary = known[trace_id].record.summary if trace_id in known else ""
    return ToolRecord(trace_id, call.tool_name, call.raw_input, call.raw_output, summary)


def _after_all(messages: Sequence[Message]) -> Interaction:
    """Where records stand when no tool was called yet: before the user's last message."""
    users = [at for at, message in enumerate(messages) if message.get("role") == "user"]
    at = users[-1] if users else len(messages)
    return Interaction(at, at, ())


def _query(messages: Sequence[Message]) -> str:
    """What the next step is about: the document's own query, with what the user and the agent said last."""
    return storable(" ".join([NEXT_STEP, last_said(messages), last_said(messages, "assistant")]))[:ASKED]
