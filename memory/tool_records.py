"""What do the results of tools say, packed by meaning?

Results of one shape share a table. What a later call repeats, or shows in a later state, is left out, and so is what
`Talk` does not keep; the arguments of a call are, where its result repeats them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from json import dumps, loads
from math import isfinite
from typing import NoReturn

from memory.excerpt import GAP, excerpt
from memory.tool_relevance import SMALL, Talk, names_id
from utils.answers import repair
from utils.json_table import EVERYTHING, Json, Keep, Table, scalars, table_of, written

DEEPEST = 40  # objects and lists in each other; what is nested deeper is taken as text
RAW = "_raw"  # stands for arguments or a result that are not JSON (seed 0)
# Items of a list that are shown of a record that would be too long.
LONGEST_LISTS = (
    256,
    192,
    128,
    96,
    64,
    48,
    32,
    24,
    16,
    12,
    8,
    6,
    4,
    3,
    2,
    1,
)
CHARACTERS_AN_ITEM = 16  # of a text in a result, for each item that a list may have
HUGE = 20  # times the characters of a record: of such a result, what cannot find room is not looked at further
BRIEF = 4  # times shorter, what is not the most relevant
LIKE = 0.75  # share of all fields of two objects that both have, from which they share a table
COMPARED = 8  # shapes that a new one is compared with
DONE = 24  # characters of an argument of a call that gave nothing
EMPTY = "(empty)"

Call = tuple[str, str]  # a tool's name, and the arguments

_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True)
class Record:
    """One call of a tool and what came back, as texts of JSON or not. `summary`: the observer's, where a model wrote
    it; else empty. `times`: how often the call was made, this one being the last."""

    trace_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    summary: str = ""
    times: int = 1

    @cached_property
    def arguments(self) -> Mapping[str, Json]:
        value = read_json(self.raw_input or "{}")
        return value if isinstance(value, Mapping) else {RAW: self.raw_input}

    @cached_property
    def output(self) -> Json:
        """What came back; a text where it is not JSON."""
        return read_json(self.raw_output)

    @cached_property
    def call(self) -> Call:
        """What was asked for, in one way of writing it."""
        return self.tool_name, dumps(self.arguments, sort_keys=True)

    @cached_property
    def thing(self) -> frozenset[tuple[str, str]]:
        """What the result shows the state of: its fields that name ids, all of them, for an order of a user is not the
        next order of that user. Empty where it shows no such thing."""
        if not isinstance(self.output, Mapping):
            return frozenset()
        named = ((key, value) for key, value in self.output.items() if names_id(key))
        return frozenset((key, str(value)) for key, value in named if isinstance(value, str | int))

    @cached_property
    def asked_beside(self) -> Mapping[str, Json]:
        """The arguments that the result does not repeat."""
        if not self.arguments:
            return {}
        said = self.output if isinstance(self.output, str) else ""
        known = {str(value) for _, value in scalars(self.output)}
        return {
            key: value
            for key, value in self.arguments.items()
            if not all(str(one) in known or str(one) in said for _, one in scalars(value))
        }


@dataclass(frozen=True)
class Block:
    """Records that share a table, oldest first. `title`: which tools were called; `body`: what came back."""

    records: tuple[Record, ...]
    title: str
    body: str


def read_json(text: str) -> Json:
    """The value that a text of JSON has; the text itself where it is none, is nested too deeply, or has in it what no
    JSON can carry on: NaN, or half a character."""
    try:
        value: Json = loads(text, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        return text
    if _depth(value) > DEEPEST or (_HALF.search(text) and _has_halves(value)):
        return text
    return value


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def _has_halves(value: Json) -> bool:
    whole = dumps(value, ensure_ascii=False)
    return repair(whole) != whole


def in_force(records: Sequence[Record], shown: Sequence[Record] = ()) -> list[Record]:
    """The records that no later one repeats or replaces, be it one that is `shown` whole. What was done more than once,
    such as a payment, counts how often."""
    times: Counter[Call] = Counter()
    last: dict[Call, Record] = {}
    states: dict[frozenset[tuple[str, str]], list[Record]] = {}
    for one in shown:
        states.setdefault(one.thing, []).append(one)
    left: list[Record] = []
    for one in reversed(records):
        times[one.call] += 1
        if one.call in last and one.thing == last[one.call].thing:
            continue
        last[one.call] = one
        if one.thing:
            later = states.setdefault(one.thing, [])
            if any(_replaces(other, one) for other in later):
                continue
            later.append(one)
        left.append(one)
    return [replace(one, times=times[one.call]) if last[one.call] is one else one for one in left[::-1]]


def _replaces(later: Record, record: Record) -> bool:
    """Whether a later state of the same thing says all that a record does; of one tool, only where it was asked the
    same: the weather of a place is not the same on each day."""
    if not isinstance(record.output, Mapping) or not isinstance(later.output, Mapping):
        return False
    if later.tool_name == record.tool_name and later.asked_beside != record.asked_beside:
        return False
    return record.output.keys() <= later.output.keys()


def blocks_of(
    records: Iterable[Record], talk: Talk, max_chars: int, brief: Collection[str] = frozenset()
) -> list[Block]:
    """Records in tables, those of like shapes in each. A record takes `max_chars` characters at most, one whose id is
    among the `brief` a `BRIEF`th of that, and no fields for their names alone."""
    shorter = min(max_chars, max(SMALL, max_chars // BRIEF))
    return [
        _block(
            tuple(group),
            talk.brief if all(one.trace_id in brief for one in group) else talk,
            [shorter if one.trace_id in brief else max_chars for one in group],
        )
        for group in tables(records)
    ]


def tables(records: Iterable[Record]) -> list[list[Record]]:
    """Records in groups, each for a table: of one shape, or of objects most of whose fields are the same."""
    alike: dict[object, list[Record]] = {}
    for record in records:
        shape = _shape_of(record)
        if shape not in alike and isinstance(shape, frozenset):
            known = islice(reversed(alike), COMPARED)
            shape = next((one for one in known if isinstance(one, frozenset) and _is_like(shape, one)), shape)
        alike.setdefault(shape, []).append(record)
    return list(alike.values())


def _is_like(shape: frozenset[str], other: frozenset[str]) -> bool:
    return len(shape & other) >= LIKE * len(shape | other)


def left_out(records: Iterable[Record], talk: Talk) -> list[str]:
    """The keys of what `blocks_of` leaves out of records, each once."""
    gone: dict[str, None] = {}
    for record in records:
        if len(record.raw_output) > SMALL:
            for key, value in scalars(record.output):
                if key and key not in gone and EVERYTHING.keeps(key, value) and not talk.keeps(key, value):
                    gone[key] = None
    return list(gone)


def _block(records: tuple[Record, ...], talk: Talk, limits: Sequence[int]) -> Block:
    keep: Keep = EVERYTHING if all(len(one.raw_output) <= SMALL for one in records) else talk
    longest = max(limits)
    tools = ",".join(dict.fromkeys(written(one.tool_name) for one in records))
    asked = table_of([_told_apart(one, talk, keep) for one in records], EVERYTHING)
    came = _came_back(records, talk, keep, limits)
    ids = [one.trace_id if one.times == 1 else f"{one.trace_id} ×{one.times}" for one in records]
    head = _cut(" ".join(filter(None, (came.common, came.head))), longest)
    if len(records) == 1:
        title = _cut(f"{tools}({asked.rows[0]})", longest)
        return Block(records, title, f"{ids[0]}: {head and head + ': '}{came.rows[0]}")
    title = _cut(f"{tools}({' '.join(filter(None, (asked.common, asked.head)))})", longest)
    rows = [
        f"{one}: {before + ' -> ' if before else ''}{after}"
        for one, before, after in zip(ids, (_cut(row, longest) for row in asked.rows), came.rows, strict=True)
    ]
    return Block(records, title, "\n".join([head, *rows] if head else rows))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + GAP


def _came_back(records: Sequence[Record], talk: Talk, keep: Keep, limits: Sequence[int]) -> Table:
    """The results as a table, each row cut by meaning to its limit of characters, and by length where that is not
    enough. A row of which something is gone ends in `…`; a text alone stands as it is."""
    known = [_untold(one.output, talk) for one in records]
    outputs = [_at_first(one, value, talk, limit) for one, value, limit in zip(records, known, limits, strict=True)]
    match outputs:
        case [str(text)]:
            return Table(rows=(text.strip("\n") if text.strip() else EMPTY,))
        case _ if all(isinstance(value, str) for value in outputs):
            keep = EVERYTHING  # an excerpt is what was kept
    table = table_of(outputs, keep)
    shorter = {at for at, value in enumerate(known) if outputs[at] is not value and not isinstance(value, str)}
    longest = max(limits)
    for most in LONGEST_LISTS:
        every = len(table.common) + len(table.head) > longest
        long = {at for at, row in enumerate(table.rows) if every or len(row) > limits[at]}
        if not long:
            break
        shorter |= long
        outputs = [_shortened(value, talk, most) if at in long else value for at, value in enumerate(outputs)]
        table = table_of(outputs, keep)
    says = bool(table.common or table.head)
    rows = [
        row or (_anything(one.output) if not says else "" if one.output else EMPTY)
        for row, one in zip(table.rows, records, strict=True)
    ]
    cut = (row[: limits[at] - 1] + GAP if at in shorter and row else row for at, row in enumerate(rows))
    return Table(table.common, table.head, tuple(cut))


def _anything(output: Json) -> str:
    """The beginning of a result of which nothing is worth its place, rather than nothing."""
    fields = ((key, value) for key, value in scalars(output) if EVERYTHING.keeps(key, value))
    said = [f"{key}={written(value)}" if key else written(value) for key, value in islice(fields, SMALL)]
    return _cut(", ".join(said), SMALL) or EMPTY


def _at_first(record: Record, output: Json, talk: Talk, max_chars: int) -> Json:
    """A result before it is cut further: an excerpt of a text; of a huge one, no more items of a list than there is
    room for."""
    if isinstance(output, str):
        return excerpt(output, talk, max_chars)
    huge = len(record.raw_output) > HUGE * max_chars
    return _shortened(output, talk, max(LONGEST_LISTS[0], max_chars // 4)) if huge else output


def _untold(output: Json, talk: Talk) -> Json:
    """A result without the ids that were told already, but for its own, which comes first."""
    if not isinstance(output, Mapping) or talk.thorough:
        return output
    others = [key for key in output if names_id(key)][1:]
    told = {key for key in others if isinstance(output[key], str) and str(output[key]).casefold() in talk.text}
    return {key: value for key, value in output.items() if key not in told} if told else output


def _shortened(value: Json, talk: Talk, most: int) -> Json:
    """A value whose lists have so many items at most, those that the conversation speaks of before the others."""
    if isinstance(value, Mapping):
        return {key: _shortened(item, talk, most) for key, item in value.items()}
    if isinstance(value, str):
        return excerpt(value, talk, max(DONE, CHARACTERS_AN_ITEM * most))
    if not isinstance(value, list):
        return value
    places: Sequence[int] = range(len(value))
    if len(value) > most:
        places = sorted(places, key=lambda at: not any(talk.mentions(one) for _, one in scalars(value[at])))[:most]
    return [_shortened(value[at], talk, most) for at in sorted(places)]


def _told_apart(record: Record, talk: Talk, keep: Keep) -> dict[str, Json]:
    """The arguments of a call but for those that stand in what is kept of its result, long ones as excerpts."""
    said = record.output if isinstance(record.output, str) else ""
    shown = {str(value) for key, value in scalars(record.output) if keep.keeps(key, value)}
    room = 2 * SMALL if record.raw_output.strip() else DONE
    return {
        key: excerpt(value, talk, room) if isinstance(value, str) else value
        for key, value in record.arguments.items()
        if not all(str(one) in shown or str(one) in said for _, one in scalars(value))
    }


def _shape_of(record: Record) -> object:
    """What records that share a table have in common."""
    match record.output:
        case Mapping() as fields:
            return frozenset(fields)
        case str():
            return record.tool_name, "text"
        case _:
            return record.tool_name, "values"


def _depth(value: Json) -> int:
    """How deeply objects and lists are nested, up to a little more than `DEEPEST`."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            item
            for one in level
            if isinstance(one, Mapping | list)
            for item in (one.values() if isinstance(one, Mapping) else one)
        ]
    return depth
