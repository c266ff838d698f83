"""A call of a tool: as it comes in, as it is kept, what it is called, and what an agent left of it."""

from base64 import b32encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.domain import RULE_BASED
from memory.ids import derived_id
from memory.store import AT_ONCE, leased, pending
from memory.views import ToolRecord, is_left_of, signs_of, summary_by_rules
from utils.clock import now
from utils.mongo import Document

ID_CHARACTERS = 8  # of a trace's id, which each row of a view begins with and an agent may have to repeat: 40 bits

COMPARED = 8  # known traces with which a call is compared
ANY = ""  # a sign that every trace has


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
    """A call of a tool as it is kept. `key`: tells it from all others, as `id` tells it from its owner's. `model`: what
    wrote the summary. `asked`: the same for all that came back from one call with the same arguments. `characters`: of
    what came back. `signs`: of how that begins and ends. Read without the truth, both raw texts are empty."""

    id: str
    key: str
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
    signs: tuple[str, ...] = ()

    @property
    def updated_at(self) -> datetime:
        """When it came last in a list of the newest: it never changes."""
        return self.timestamp

    @property
    def record(self) -> ToolRecord:
        """As it is packed; a summary by rules says nothing that its result does not."""
        told = "" if self.model == RULE_BASED else self.summary
        return ToolRecord(self.id, self.tool_name, self.raw_input, self.raw_output, told)


Signed = Mapping[tuple[str, str], Sequence[Trace]]  # by what was asked, and a sign; oldest first


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


def key_of(task: Task, call: Called) -> str:
    """The key of a call in a task, with what came back."""
    return derived_id(task.owner, task.id, task.epoch, asked_of(call), call.raw_output)


def asked_of(call: Called) -> str:
    """The same for all that comes back from a call."""
    return derived_id(call.call_id, call.tool_name, call.raw_input)


def id_of(key: str, attempt: int = 0) -> str:
    """An id for a key. Of a million traces, two have the same with a probability of a third; the one that comes later
    has that of the next attempt then."""
    digits = derived_id(key, str(attempt)) if attempt else key
    return b32encode(bytes.fromhex(digits)).decode()[:ID_CHARACTERS].lower()


def suspect(ids: Sequence[str], calls: Sequence[Called], known: Mapping[str, Trace]) -> dict[int, list[Trace]]:
    """For calls that are not known, by their places: the known traces of which they may be what is left, `COMPARED` at
    most, the likeliest first. It is worth reading all that came back then. Of a trace whose result stands in another
    place nothing is left here."""
    elsewhere = set(ids)
    signed: defaultdict[tuple[str, str], list[Trace]] = defaultdict(list)
    for trace in (trace for trace_id, trace in known.items() if trace_id not in elsewhere):
        for sign in (trace.id, *trace.signs, ANY):
            signed[trace.asked, sign].append(trace)
    return {
        at: likely
        for at, (trace_id, call) in enumerate(zip(ids, calls, strict=True))
        if trace_id not in known and (likely := _likely(call, signed))
    }


def recognise(
    calls: Sequence[Called], candidates: Mapping[int, Sequence[Trace]], whole: Mapping[str, Trace]
) -> dict[int, str]:
    """The ids of the traces of which calls are what is left, by the places of the calls. `whole`: with the truth."""
    found = {
        at: next((one.id for one in likely if one.id in whole and _is_left_of(calls[at], whole[one.id])), None)
        for at, likely in candidates.items()
    }
    return {at: trace_id for at, trace_id in found.items() if trace_id is not None}


def _likely(call: Called, signed: Signed) -> list[Trace]:
    """Traces of the same call: the one that it may be a row of, then those that begin or end alike, and then others;
    of each kind the newest first."""
    asked, text = asked_of(call), call.raw_output
    likely: dict[str, Trace] = {}
    for sign in (text[:ID_CHARACTERS], *signs_of(text), ANY):
        newest = reversed(signed.get((asked, sign), ())[-COMPARED:])
        likely |= {one.id: one for one in newest if one.id not in likely and _may_be_left_of(call, one)}
    return list(likely.values())[:COMPARED]


def _may_be_left_of(call: Called, trace: Trace) -> bool:
    return _is_row_of(call, trace) or len(call.raw_output) <= trace.characters


def _is_left_of(call: Called, trace: Trace) -> bool:
    return _is_row_of(call, trace) or is_left_of(call.raw_output, trace.raw_output)


def _is_row_of(call: Called, trace: Trace) -> bool:
    """Whether what came back is a view's row of a trace."""
    return call.raw_output.startswith(f"{trace.id}: ")
