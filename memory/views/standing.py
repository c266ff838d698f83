"""What still holds of what tools gave: the newest answer of a tool to the same call, or about the same thing.

`in_force` leaves out what a later record repeats or replaces; `overtaken` names, for what stays, the later call that
was about the same thing. Whether a call changes anything is told by its method of HTTP, by how a command begins, else
by the name of its tool.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from memory.views.identifiers import MARKS, is_name, names_id, names_place, parts_of, singular
from memory.views.json_values import Json, scalars
from memory.views.records import FAILED, Call, Record, Shown
from memory.views.relevance import SMALL

COMPARED = 8  # later answers to a call, and results on a thing, that an earlier one is compared with
NEARLY = 0.8  # share of an answer that a later one says, too, from which it stands for it
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


def in_force(records: Sequence[Record], shown: Sequence[Record] = ()) -> list[Record]:
    """The records that no later one repeats or replaces, be it one that is `shown` whole. What a call gave more than
    once, to the letter, such as the receipt of a payment, counts how often; one that is shown, too, stays beside it if
    it is as short as a receipt."""
    answers: defaultdict[Call, list[Record]] = defaultdict(list)
    told: defaultdict[Collection[tuple[str, str]], list[Record]] = defaultdict(list)

    def add(record: Record) -> None:
        answers[record.call].append(record)
        if record.thing:
            told[record.thing].append(record)

    left: list[Record] = []
    times: list[int] = []
    same: dict[tuple[Call, str], int] = {}
    whole = {(one.call, one.raw_output) for one in shown}
    for one in shown:
        add(one)
    for one in reversed(records):
        said = one.call, one.raw_output
        if (at := same.get(said)) is not None:
            times[at] += 1
            continue
        is_receipt = said in whole and len(one.raw_output) <= SMALL
        if not is_receipt and (
            any(_stands_for(later, one) for later in answers[one.call][-COMPARED:])
            or any(_is_newer(later, one) for later in told[one.thing][-COMPARED:])
        ):
            continue
        add(one)
        same[said] = len(left)
        left.append(one)
        times.append(1)
    return [replace(one, times=count) for one, count in zip(left[::-1], times[::-1], strict=True)]


def _stands_for(later: Record, record: Record) -> bool:
    """Whether the later answer to a call stands for one before. What failed stands for no answer, and a next page not
    for the page before it; the same thing in another state does, be it that it failed, and what says nearly the
    same."""
    if record.failed:
        return not later.failed or len(record.pieces & later.pieces) >= NEARLY * len(record.pieces)
    if record.fields and (later.failed or record.thing or later.thing):
        return later.thing == record.thing and record.fields.keys() <= _said(later)
    return not later.failed and len(record.pieces & later.pieces) >= NEARLY * len(record.pieces)


def _said(record: Record) -> frozenset[str]:
    """The fields of a result; of a failure those that say something."""
    return frozenset(key for key, value in record.fields.items() if not record.failed or value not in (None, ""))


def _is_newer(later: Record, record: Record) -> bool:
    """Whether a later result tells all of the same thing that one before does: of the same tool, asked the same, for
    the weather of a place is not the same on each day; or asked otherwise or by another tool, as most of it shows."""
    keys = record.fields.keys() - (FAILED if record.failed else ())
    if later.failed or not keys <= later.fields.keys():
        return False
    if later.call == record.call:
        return True
    differing = {key for key in {*record.arguments, *later.arguments}
                 if record.arguments.get(key) != later.arguments.get(key)}  # fmt: skip
    if later.tool_name == record.tool_name and not (_repeats(record, differing) and _repeats(later, differing)):
        return False
    compared = [key for key in keys if not names_id(key) and key not in differing]
    equal = sum(record.fields[key] == later.fields[key] for key in compared)
    return 2 * equal >= len(compared) > 0


def _repeats(record: Record, keys: Collection[str]) -> bool:
    """Whether a result has in it what the call was asked with under some keys."""
    shown = Shown.of(scalars(record.output))
    return all(shown.tells(key, record.arguments[key]) for key in keys if key in record.arguments)


def overtaken(records: Sequence[Record]) -> Mapping[str, str]:
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


def only_reads(record: Record) -> bool:
    """Whether a call says that it changes nothing."""
    method = next((record.arguments[key] for key in ("method", "http_method") if key in record.arguments), None)
    if isinstance(method, str):
        return method.casefold() in ("get", "head", "options")
    command = next((value for key, value in record.arguments.items() if key in COMMANDS), None)
    if isinstance(command, str):
        return _COMMAND_READS.match(command) is not None
    return not _READING.isdisjoint(parts_of(record.tool_name[:LONGEST_NAME]))


def things_changed(record: Record) -> list[str]:
    """What a call changes: its arguments that name the kind of thing that the tool is for; where none does, the thing
    that came back, if it is one of them, or all of them. A booking is changed, and not the card that pays for it."""
    words = set(parts_of(record.tool_name[:LONGEST_NAME]))
    named = {key: list(_things(record, key, value)) for key, value in record.arguments.items()}
    of_kind = [one for key, things in named.items() for one in things
               if not words.isdisjoint(parts_of(key)) or key in _NAMING]  # fmt: skip
    every = [one for things in named.values() for one in things]
    back = {one for key, value in record.fields.items() if names_id(key) for one in _things(record, key, value)}
    return of_kind or [one for one in every if one in back] or every


def things_told(record: Record) -> Iterator[str]:
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


def _things(record: Record, key: str, value: Json) -> Iterator[str]:
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
