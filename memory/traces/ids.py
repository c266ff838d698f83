"""Identity of tool calls: a call's key, the short id by which an agent names it, and what an agent left of it."""

from base64 import b32encode
from collections import defaultdict
from collections.abc import Mapping, Sequence

from memory.ids import derived_id
from memory.traces.call import Called, Task, Trace
from memory.views import is_left_of, signs_of

ID_CHARACTERS = 8  # of a trace's id, which each row of a view begins with and an agent may have to repeat: 40 bits

COMPARED = 8  # known traces with which a call is compared
ANY = ""  # a sign that every trace has

Signed = Mapping[tuple[str, str], Sequence[Trace]]  # by what was asked, and a sign; oldest first


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
