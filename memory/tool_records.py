"""What do the results of tools say, packed by meaning?

Results of one shape share a table. What a later call repeats, or shows in a later state, is left out, and so is what
`Talk` does not keep; the arguments of a call are, where its result repeats them.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from json import dumps, loads
from math import isfinite
from typing import NoReturn

from memory.tool_relevance import SMALL, Talk, everything, is_identifier, names_id
from utils.answers import repair
from utils.json_table import Json, Keep, Table, scalars, table_of, written
from utils.text import split_sentences

DEEPEST = 40  # objects and lists in each other; what is nested deeper is taken as text
RAW = "_raw"  # stands for arguments or a result that are not JSON (seed 0)
LONGEST_LISTS = (256, 128, 64, 32, 16, 8, 4, 2, 1)  # items of a list that are shown of a record that would be too long
HUGE = 20  # times the characters of a record: of such a result, what cannot find room is not looked at further
BRIEF = 4  # times shorter, what is not the most relevant
NOTHING = "nothing"

_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True)
class Record:
    """One call of a tool and what came back, as texts of JSON or not. `summary`: the observer's, where a model wrote
    it; else empty."""

    trace_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    summary: str = ""

    @cached_property
    def arguments(self) -> Mapping[str, Json]:
        value = read_json(self.raw_input or "{}")
        return value if isinstance(value, Mapping) else {RAW: self.raw_input}

    @cached_property
    def output(self) -> Json:
        """What came back; a text where it is not JSON."""
        return read_json(self.raw_output)

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
    """The records that no later one repeats or replaces, be it one that is `shown` whole."""
    calls: set[tuple[str, str]] = set()
    states: dict[frozenset[tuple[str, str]], list[Record]] = {}
    for one in shown:
        states.setdefault(one.thing, []).append(one)
    left: list[Record] = []
    for one in reversed(records):
        call = one.tool_name, _canonical(one.arguments)
        if call in calls or not one.raw_output.strip():
            continue
        calls.add(call)
        if one.thing:
            later = states.setdefault(one.thing, [])
            if any(_replaces(other, one) for other in later):
                continue
            later.append(one)
        left.append(one)
    return left[::-1]


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
    """Records in tables, those of one shape in each. A record takes `max_chars` characters at most, one whose id is
    among the `brief` a `BRIEF`th of that."""
    alike: dict[object, list[Record]] = {}
    for record in records:
        alike.setdefault(shape_of(record), []).append(record)
    limits = {one: min(max_chars, max(SMALL, max_chars // BRIEF)) for one in brief}
    return [
        _block(tuple(group), talk, [limits.get(one.trace_id, max_chars) for one in group]) for group in alike.values()
    ]


def left_out(records: Iterable[Record], talk: Talk) -> list[str]:
    """The keys of what `blocks_of` leaves out of records, each once."""
    gone: dict[str, None] = {}
    for record in records:
        if len(record.raw_output) > SMALL:
            for key, value in scalars(record.output):
                if key and key not in gone and value not in (None, "") and not talk.keeps(key, value):
                    gone[key] = None
    return list(gone)


def _block(records: tuple[Record, ...], talk: Talk, limits: Sequence[int]) -> Block:
    keep: Keep = everything if all(len(one.raw_output) <= SMALL for one in records) else talk.keeps
    tools = ",".join(dict.fromkeys(written(one.tool_name) for one in records))
    asked = table_of([_told_apart(one, talk) for one in records], everything)
    came = _came_back(records, talk, keep, limits)
    head = " ".join(filter(None, (came.common, came.head)))
    if len(records) == 1:
        title = f"{tools}({asked.rows[0]})"
        return Block(records, title, f"{records[0].trace_id}: {head and head + ': '}{came.rows[0] or NOTHING}")
    title = f"{tools}({' '.join(filter(None, (asked.common, asked.head)))})"
    rows = [
        f"{one.trace_id}: {before + ' -> ' if before else ''}{after or NOTHING}"
        for one, before, after in zip(records, asked.rows, came.rows, strict=True)
    ]
    return Block(records, title, "\n".join([head, *rows] if head else rows))


def _came_back(records: Sequence[Record], talk: Talk, keep: Keep, limits: Sequence[int]) -> Table:
    """The results as a table, each row cut by meaning to its limit of characters, and by length where that is not
    enough. A row of which something is gone ends in `…`; a text alone stands as it is."""
    outputs = [_at_first(one, talk, limit) for one, limit in zip(records, limits, strict=True)]
    match outputs:
        case [str(text)]:
            return Table(rows=(text.strip("\n"),))
        case _ if all(isinstance(value, str) for value in outputs):
            keep = everything  # an excerpt is what was kept
    table = table_of(outputs, keep)
    shorter = {at for at, one in enumerate(records) if outputs[at] != one.output and not isinstance(one.output, str)}
    for most in LONGEST_LISTS:
        long = {at for at, row in enumerate(table.rows) if len(row) > limits[at]}
        if not long:
            break
        shorter |= long
        outputs = [_shortened(value, talk, most) if at in long else value for at, value in enumerate(outputs)]
        table = table_of(outputs, keep)
    cut = (row[: limits[at] - 1] + "…" if at in shorter and row else row for at, row in enumerate(table.rows))
    return Table(table.common, table.head, tuple(cut))


def _at_first(record: Record, talk: Talk, max_chars: int) -> Json:
    """A result before it is cut further: an excerpt of a text; of a huge list, no more items than there is room for."""
    if isinstance(record.output, str):
        return excerpt(record.output, talk, max_chars)
    huge = len(record.raw_output) > HUGE * max_chars
    return _shortened(record.output, talk, max(LONGEST_LISTS[0], max_chars // 4)) if huge else record.output


def excerpt(text: str, talk: Talk, characters: int) -> str:
    """The lines of a text, or its sentences, that the conversation speaks of or that name something, with the first and
    the last one; all of a short text. At most so many characters."""
    if len(text) <= min(SMALL, characters):
        return text
    parts = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(parts) < 3:
        parts = split_sentences(text)
    kept: list[str] = []
    for at, part in enumerate(parts):
        if at in (0, len(parts) - 1) or talk.mentions(part) or any(map(is_identifier, part.split())):
            kept.append(part)
        elif not kept or kept[-1] != "…":
            kept.append("…")
    said = "\n".join(kept)
    return said if len(said) <= characters else said[: characters - 1] + "…"


def _shortened(value: Json, talk: Talk, most: int) -> Json:
    """A value whose lists have so many items at most, those that the conversation speaks of before the others."""
    if isinstance(value, Mapping):
        return {key: _shortened(item, talk, most) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    places: Sequence[int] = range(len(value))
    if len(value) > most:
        places = sorted(places, key=lambda at: not any(talk.mentions(one) for _, one in scalars(value[at])))[:most]
    return [_shortened(value[at], talk, most) for at in sorted(places)]


def _told_apart(record: Record, talk: Talk) -> dict[str, Json]:
    """The arguments of a call but for those that its result repeats, long ones as excerpts."""
    return {
        key: excerpt(value, talk, 2 * SMALL) if isinstance(value, str) else value
        for key, value in record.asked_beside.items()
    }


def shape_of(record: Record) -> object:
    """What records that share a table have in common."""
    match record.output:
        case Mapping() as fields:
            return frozenset(fields)
        case str():
            return record.tool_name, "text"
        case _:
            return record.tool_name, "values"


def _canonical(arguments: Mapping[str, Json]) -> str:
    return dumps(arguments, sort_keys=True)


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
