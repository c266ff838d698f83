"""What tests of the tool memory have agents call, and what they find of it."""

import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from agents.memory import Memory
from agents.tools.memory import Compressed, Compressing
from agents.tools.messages import HEADING
from agents.tools.view import ViewOptions
from memory.traces.queue import Observed
from memory.traces.trace import Called, Task, Trace
from memory.traces.traces import Traces
from memory.views.blocks import Block, block_of, tables
from memory.views.lists import Shortener
from memory.views.records import ToolRecord
from memory.views.relevance import Talk
from utils.clock import now

Message = dict[str, Any]
BOOK = "Book a flight to Rome for ann_17"


def user(text: Any) -> Message:
    return {"role": "user", "content": text}


def call(call_id: Any, name: str = "find", arguments: Any = None) -> Message:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def calling(*calls: Message, content: str | None = None) -> Message:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(call_id: Any, output: Any) -> Message:
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "content": output if isinstance(output, str) else json.dumps(output),
    }


def step(number: int, output: Any = None, name: str = "find", **arguments: Any) -> list[Message]:
    """A call and its result, whose ids follow from its number."""
    said = {"code": f"HAT{number:03}"} if output is None else output
    return [calling(call(f"c{number}", name, arguments or {"n": number})), result(f"c{number}", said)]


def steps(count: int, first: int = 0) -> list[Message]:
    return [message for number in range(first, first + count) for message in step(number)]


def context(messages: Iterable[Any]) -> str:
    """The text of the message that holds records; empty where there is none. Fails where there are several."""
    found = [one["content"] for one in messages if one["role"] == "system" and str(one["content"]).startswith(HEADING)]
    assert len(found) < 2
    return found[0] if found else ""


async def compress(
    memory: Memory,
    messages: list[Message],
    task: str = "t",
    *,
    owner: str = "ann",
    top_k: int = 3,
    max_chars: int = 2_000,
    budget: int | None = None,
    **more: Any,
) -> Compressed:
    options = ViewOptions(top_k, max_chars, budget)
    return await memory.tool_memory.compress(Compressing(owner, task, tuple(messages), options, **more))


def called(number: int = 0, output: str = "", call_id: str = "", **more: Any) -> Called:
    return Called(call_id or f"c{number}", "find", f'{{"n": {number}}}', output or f"HAT{number:03}", **more)


async def keep(traces: Traces, *calls: Called, owner: str = "ann", task: str = "t") -> list[Trace]:
    begun = await traces.begin(owner, task)
    every = await named(traces, begun, *calls)
    await traces.keep(begun, every)
    return [await traces.get(owner, one) for one in every]


async def named(traces: Traces, task: Task, *calls: Called) -> dict[str, Called]:
    """Calls by the ids that they are to have."""
    return dict(zip(await traces.ids_of(task, calls, {}), calls, strict=True))


async def kept(memory: Memory, owner: str = "ann", task: str | None = None) -> list[Trace]:
    """The traces of an owner, oldest first; those of one step by the ids of their calls."""
    found = await memory.engine.tools.traces.page(owner, limit=10_000, after=None, task_id=task)
    every = [await memory.engine.tools.traces.get(owner, trace.id) for trace, _ in found]
    return sorted(every, key=lambda trace: (trace.step, trace.call_id))


async def insights(memory: Memory, owner: str = "ann") -> list[str]:
    found = await memory.engine.store.collections.vectors.find({"user_id": owner, "kind": "insight"}).to_list(None)
    return sorted(gist["content"] for gist in found)


async def jobs(memory: Memory) -> list[str]:
    """The states of the observer's jobs."""
    found = await memory.engine.store.collections.traces.find({}).sort("_id", 1).to_list(None)
    return [one["observe"]["state"] for one in found]


async def come_due(memory: Memory) -> None:
    """Lets an hour pass for the observer's jobs."""
    due = {"$set": {"observe.lease_until": now() - timedelta(hours=1)}}
    await memory.engine.store.collections.traces.update_many({"observe.lease_until": {"$exists": True}}, due)


def record(name: str, output: Any, tool: str = "get", **arguments: Any) -> ToolRecord:
    """A record whose id is its name."""
    text = output if isinstance(output, str) else json.dumps(output)
    return ToolRecord(name, tool, json.dumps(arguments), text)


def names(records: Iterable[ToolRecord]) -> str:
    """The ids of records."""
    return "".join(one.trace_id for one in records)


def blocks_of(records: Sequence[ToolRecord], talk: Talk, most: int) -> list[Block]:
    """Records in tables, each in so many characters."""
    return [block_of(tuple(group), Shortener(talk), [most] * len(group)) for group in tables(records)]


async def observe_all(memory: Memory) -> int:
    """Has all observed that is due; returns how many traces."""
    total, step = 0, Observed(more=True)
    while step.more:
        step = await memory.engine.tools.queue.step()
        total += step.count
    return total
