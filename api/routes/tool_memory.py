"""What agents' tools gave: kept whole, found again, and packed for the next step."""

import asyncio
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Path, Query, Request

from agents.tools import Compressing, ViewOptions
from api.auth import Owner
from api.http.once import ToolRoute, once_id
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import tool_memory as wire
from api.wire.base import Deleted
from memory.traces import Called
from utils.errors import HAS_CONTROL_CHARACTERS, InvalidInput
from utils.fields import Identifier
from utils.text import CONTROL_CHARACTERS

router = APIRouter(prefix="/v1/tool-memory", route_class=ToolRoute, tags=["tool memory"])

TraceId = Annotated[Identifier, Path()]
TaskId = Annotated[Identifier, Path()]


@router.post("/compress", responses=errors(409))
async def compress(body: wire.CompressRequest, memory: TheMemory, owner: Owner) -> wire.CompressResponse:
    """Keep the newest results of tools, and get the messages that the next step needs."""
    _check_query(body.query)
    own = memory.tool_memory.options
    options = ViewOptions(
        top_k=body.top_k or own.top_k,
        max_chars=body.max_chars_per_record or own.max_chars,
        budget=body.budget_tokens,
        capped=body.max_chars_per_record is not None,
    )
    asked = Compressing(owner, body.task_id, tuple(body.messages), options, body.query)
    done = await memory.tool_memory.compress(asked)
    stats = wire.CompressStats(tokens_before=done.tokens_before, tokens_after=done.tokens)
    messages = [dict(message) for message in done.messages]
    return wire.CompressResponse(messages=messages, trace_ids=list(done.trace_ids), stats=stats)


@router.post("/records", status_code=201, responses=errors(409))
async def add_record(body: wire.RecordRequest, request: Request, memory: TheMemory, owner: Owner) -> wire.RecordOut:
    """Keep one call of a tool. The same `tool_call_id`, tool, arguments and result are kept once in a task; another
    result, or other arguments, are another record."""
    call_id = body.tool_call_id or once_id(request)
    asked = "{}" if body.raw_input is None else _text(body.raw_input)
    call = Called(call_id, body.tool_name, asked, _text(body.raw_output), body.user_query or "")
    trace = await memory.tool_memory.add(owner, body.task_id, call)
    return await asyncio.to_thread(wire.RecordOut.of, trace)


@router.get("/records")
async def list_records(
    memory: TheMemory,
    owner: Owner,
    page: ThePage,
    task_id: Annotated[Identifier | None, Query(description="Of this task alone")] = None,
) -> wire.RecordPage:
    """The calls of tools, the newest first, without what came back: one record has that whole."""
    traces = await memory.engine.tools.traces.page(owner, limit=page.sought, after=page.position, task_id=task_id)
    return wire.RecordPage.by_time(traces, page.limit)


@router.get("/records/{trace_id}", responses=errors(404))
async def get_record(trace_id: TraceId, memory: TheMemory, owner: Owner) -> wire.RecordOut:
    """One call of a tool, whole."""
    trace = await memory.engine.tools.traces.get(owner, trace_id)
    return await asyncio.to_thread(wire.RecordOut.of, trace)


@router.post("/search", responses=errors(502))
async def search(body: wire.InsightSearch, memory: TheMemory, owner: Owner) -> wire.InsightsFound:
    """Records of a task that suit a query, best first: by what is noted of them, or by words that came back."""
    _check_query(body.query)
    hits = await memory.tool_memory.search.records(owner, body.task_id, body.query, body.top_k)
    return wire.InsightsFound(items=[wire.InsightOut.of(one) for one in hits])


@router.delete("/tasks/{task_id}", responses=errors(404))
async def reset_task(task_id: TaskId, memory: TheMemory, owner: Owner) -> Deleted:
    """Forget all that the tools of a task gave."""
    return Deleted(deleted=await memory.tool_memory.reset(owner, task_id))


def _check_query(query: str | None) -> None:
    """Refuses what no tool gave, in requests that may bring what a tool did."""
    if query is not None and CONTROL_CHARACTERS.search(query):
        raise InvalidInput(HAS_CONTROL_CHARACTERS.format("query"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
