"""What still holds of what tools gave.

`in_force` leaves out what a later record repeats or replaces; `overtaken` names, for what stays, the later call that
was about the same thing. Whether a call changes anything is told by its method of HTTP, by how a command begins, else
by the name of its tool.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memory.views.identifiers import MARKS, is_name, names_id, names_place, parts_of, singular
from memory.views.json_values import Json, scalars
from memory.views.records import Call, ToolRecord

COMPARED = 8  # later answers to a call, and results on a thing, that an earlier one is compared with
NEARLY = 0.8  # share of an answer's lines that a later one has, too, from which it stands for it
LONGEST_NAME = 80  # characters of what a thing is called
READ = 2_000  # characters of a command in which things are looked for
LISTED = 200  # objects of a list whose ids are looked at
COMMANDS = frozenset({"command", "commands", "cmd", "script", "code", "sql", "query", "statement"})

_READING = frozenset(
    ["get", "list", "read", "search", "find", "show", "describe", "fetch", "view", "look", "lookup", "query", "count",
     "check", "calculate", "think", "open", "select", "grep", "glob", "cat", "head", "tail", "diff", singular("status"),
     "history", "track", "verify", "validate", "compare", "summarize", "explain", "test", "browse"]
)  # fmt: skip
_COMMAND_READS = re.compile(
    r"(?i)\s*(?:(?:cat|ls|head|tail|less|e?grep|rg|find|wc|pwd|which|stat|diff|select|explain|show|describe)\b"
    r"|(?:git|kubectl|docker|systemctl)\s+(?:status|log|logs|diff|show|get|describe|ps|images|inspect)\b)"
    r"(?![^\n]{0,400}(?:>|;|&&|\|\s*tee\b))"
)
_CALLED = re.compile(r"[^\s\"'`;|&<>()=,]+")  # of a command, what may be the name of a thing
_NAMING = frozenset({"id", "number", "no", "key", "code", "uuid", "ref", "name", "path", "file"})


def in_force(records: Sequence[ToolRecord], shown: Sequence[ToolRecord] = ()) -> list[ToolRecord]:
    """The records that no later one repeats or replaces, be it one that is `shown` whole. What a call gave more than
    once, to the letter, such as the receipt of a payment, counts how often; one that is shown, too, stays beside it if
    it is as short as a receipt."""
    answers: defaultdict[object, list[ToolRecord]] = defaultdict(
        list
    )  # by what was called, and by the things they show
    times = Counter((record.call, record.raw_output) for record in records)
    left: dict[tuple[Call, str], ToolRecord] = {}

    def add(record: ToolRecord) -> None:
        for about in (record.call, record.thing):
            answers[about].append(record)

    for record in shown:
        add(record)
    for record in reversed(records):
        told = record.call, record.raw_output
        later = [*answers[record.call][-COMPARED:], *(answers[record.thing][-COMPARED:] if record.thing else ())]
        if told not in left and not any(_stands_for(one, record) for one in later):
            add(record)
            left[told] = replace(record, times=times[told])
    return list(left.values())[::-1]


def _stands_for(later: ToolRecord, record: ToolRecord) -> bool:
    """Whether a later result says what one before does: nearly all that the same call gave; or all that it shows of a
    thing, for the same call or by another tool, as most of it shows. What failed stands for no answer, and any answer
    to the call for what failed."""
    same_call = later.call == record.call
    if later.failed or record.failed:
        return same_call and record.failed and (not later.failed or _says_nearly(later, record))
    if same_call and _says_nearly(later, record):
        return True
    if not record.thing or later.thing != record.thing or not record.fields.keys() <= later.fields.keys():
        return False
    compared = [key for key in record.fields if not names_id(key)]
    equal = sum(record.fields[key] == later.fields[key] for key in compared)
    return same_call or (later.tool_name != record.tool_name and 2 * equal >= len(compared) > 0)


def _says_nearly(later: ToolRecord, record: ToolRecord) -> bool:
    lines = set(record.raw_output.splitlines())
    return len(lines.intersection(later.raw_output.splitlines())) >= NEARLY * len(lines)


def overtaken(records: Sequence[ToolRecord]) -> Mapping[str, str]:
    """For each record, the id of the next call that was to change what it tells of; where there is none, of the next
    answer to the same call. What only reads changes nothing, nor does a call that failed. `records`: oldest first."""
    place = {record.trace_id: at for at, record in enumerate(records)}
    changes: dict[str, str] = {}  # the next of each thing
    answers: dict[Call, str] = {}
    found: dict[str, str] = {}
    for record in reversed(records):
        says = bool(record.raw_output.strip())
        if says:
            later = [changes[thing] for thing in things_told(record) if thing in changes]
            if later := later or ([answers[record.call]] if record.call in answers and not record.failed else []):
                found[record.trace_id] = min(later, key=place.__getitem__)
            if not record.failed:
                answers[record.call] = record.trace_id
        if not only_reads(record) and not (record.failed and says):
            changes |= dict.fromkeys(things_changed(record), record.trace_id)
    return found


def only_reads(record: ToolRecord) -> bool:
    """Whether a call says that it changes nothing."""
    method = next((record.arguments[key] for key in ("method", "http_method") if key in record.arguments), None)
    if isinstance(method, str):
        return method.casefold() in ("get", "head", "options")
    command = next((value for key, value in record.arguments.items() if key in COMMANDS), None)
    if isinstance(command, str):
        return _COMMAND_READS.match(command) is not None
    return not _READING.isdisjoint(parts_of(record.tool_name[:LONGEST_NAME]))


def things_changed(record: ToolRecord) -> list[str]:
    """What a call changes: its arguments that name the kind of thing that the tool is for; where none does, the thing
    that came back, if it is one of them, or all of them. A booking is changed, and not the card that pays for it."""
    words = set(parts_of(record.tool_name[:LONGEST_NAME]))
    named = {key: list(_things(record, key, value)) for key, value in record.arguments.items()}
    of_kind = [one for key, things in named.items() for one in things
               if not words.isdisjoint(parts_of(key)) or key in _NAMING]  # fmt: skip
    every = [one for things in named.values() for one in things]
    back = {one for key, value in record.fields.items() if names_id(key) for one in _things(record, key, value)}
    return of_kind or [one for one in every if one in back] or every


def things_told(record: ToolRecord) -> Iterator[str]:
    """The things that a call is for, and those that its result shows: itself, and the objects that it lists."""
    for key, value in record.arguments.items():
        yield from _things(record, key, value)
    lists = [record.output] if isinstance(record.output, list) else record.fields.values()
    listed = [item for value in lists if isinstance(value, list) for item in value[:LISTED]]
    for fields in (record.fields, *listed):
        if isinstance(fields, Mapping):
            own = next((key for key in fields if names_id(key)), None)
            if own is not None:
                yield from _things(record, own, fields[own])


def _things(record: ToolRecord, key: str, value: Json) -> Iterator[str]:
    """What a value names: a path, or an id that is no other thing's; a short one with a word for its kind, which its
    key has or the name of the tool: `order 7`."""
    for name, one in scalars(value, key):
        if isinstance(one, bool) or not isinstance(one, str | int) or one == "":
            continue
        text = str(one)
        if key in COMMANDS:
            yield from (bare for word in _CALLED.findall(text[:READ]) if _is_thing(bare := word.strip(MARKS)))
        elif len(text) > LONGEST_NAME:
            continue
        elif _is_thing(text):
            yield text.rstrip("/").removeprefix("./")
        elif names_id(name.removesuffix("s")) or name in _NAMING:
            kinds = [word for word in parts_of(name) if word not in _NAMING]
            yield from (f"{kind} {text}" for kind in kinds or parts_of(record.tool_name[:LONGEST_NAME])[1:])


def _is_thing(text: str) -> bool:
    return is_name(text) or names_place(text)
