"""Traces as documents in the store."""

from collections.abc import Iterable, Iterator

from memory.domain import RULE_BASED
from memory.store import AT_ONCE, leased, pending
from memory.traces.call import Called, Task, Trace
from memory.traces.ids import asked_of, key_of
from memory.views import ToolRecord, signs_of, summary_by_rules
from utils.clock import now
from utils.mongo import Document


def document_of(task: Task, trace_id: str, call: Called, place: int, *, observed: bool) -> Document:
    """A call as it is kept first, with a summary by rules. `place`: among those of its step. `observed`: a model is to
    write the summary."""
    record = ToolRecord(trace_id, call.tool_name, call.raw_input, call.raw_output)
    return {
        "_id": key_of(task, call),
        "trace_id": trace_id,
        "user_id": task.owner,
        "task_id": task.id,
        "epoch": task.epoch,
        "step": task.step,
        "place": place,
        "tool_call_id": call.call_id,
        "tool_name": call.tool_name,
        "asked": asked_of(call),
        "raw_input": call.raw_input,
        "raw_output": call.raw_output,
        "characters": len(call.raw_output),
        "signs": list(signs_of(call.raw_output)),
        "query": call.query,
        "timestamp": now(),
        "summary": summary_by_rules(record),
        "model": RULE_BASED,
        "observe": pending() if observed else leased(),
    }


def trace_of(document: Document) -> Trace:
    """A trace as it was read; without the truth where that was left out."""
    return Trace(
        id=document["trace_id"],
        key=document["_id"],
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
        signs=tuple(document.get("signs", ())),
    )


def batches(listed: Iterable[Document], most: int) -> Iterator[list[str]]:
    """The keys of traces in batches that are read at once: so many characters of results, or one trace."""
    batch: list[str] = []
    size = 0
    for document in listed:
        characters = document.get("characters", most)
        if batch and (size + characters > most or len(batch) == AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(document["_id"])
        size += characters
    if batch:
        yield batch
