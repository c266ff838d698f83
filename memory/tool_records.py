"""What do the results of tools say, packed by meaning?

Results of one shape share a table. What a later call repeats, or shows in a later state, is left out, and so is what
`Talk` does not keep; the arguments of a call are, where its result repeats them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from json import dumps, loads

from memory.tool_relevance import SMALL, Talk, everything, is_identifier
from utils.json_table import Json, Keep, Scalar, Table, scalars, table_of
from utils.text import split_sentences

DEEPEST = 40  # objects and lists in each other; what is nested deeper is taken as text
RAW = "_raw"  # stands for arguments or a result that are not JSON (seed 0)
LONGEST_LISTS = (64, 32, 16, 8, 4, 2, 1)  # items of a list that are shown of a record that would be too long
BRIEF = 4  # times shorter, what is not the most relevant
NOTHING = "nothing"


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
    def thing(self) -> tuple[str, str] | None:
        """What the result shows the state of: the first field that names an id; None where it shows no such thing."""
        if not isinstance(self.output, Mapping):
            return None
        named = ((key, value) for key, value in self.output.items() if key == "id" or key.endswith(("_id", "Id")))
        return next(((key, str(value)) for key, value in named if isinstance(value, str | int)), None)


@dataclass(frozen=True)
class Block:
    """Records that share a table, oldest first. `title`: which tools were called; `body`: what came back."""

    records: tuple[Record, ...]
    title: str
    body: str


def read_json(text: str) -> Json:
    """The value that a text of JSON has; the text itself where it is none, or is nested too deeply."""
    try:
        value: Json = loads(text)
    except (ValueError, RecursionError):
        return text
    return value if _depth(value) <= DEEPEST else text


def in_force(records: Sequence[Record], shown: Sequence[Record] = ()) -> list[Record]:
    """The records that no later one repeats or replaces, be it one that is `shown` whole."""
    calls: set[tuple[str, str]] = set()
    states: list[tuple[tuple[str, str], frozenset[str]]] = [_state(one) for one in shown if one.thing is not None]
    left: list[Record] = []
    for one in reversed(records):
        call = one.tool_name, _canonical(one)
        if call in calls or not one.raw_output.strip():
            continue
        calls.add(call)
        if one.thing is not None:
            thing, fields = _state(one)
            if any(thing == other and fields <= more for other, more in states):
                continue
            states.append((thing, fields))
        left.append(one)
    return left[::-1]


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
    large = (record for record in records if len(record.raw_output) > SMALL)
    gone = (key for record in large for key, value in scalars(record.output) if _is_left_out(talk, key, value))
    return list(dict.fromkeys(gone))


def _is_left_out(talk: Talk, key: str, value: Scalar) -> bool:
    return bool(key) and value not in (None, "") and not talk.keeps(key, value)


def _block(records: tuple[Record, ...], talk: Talk, limits: Sequence[int]) -> Block:
    keep: Keep = everything if all(len(one.raw_output) <= SMALL for one in records) else talk.keeps
    tools = ",".join(dict.fromkeys(one.tool_name for one in records))
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
    enough. Texts stand as they are."""
    outputs = [one.output for one in records]
    texts = [excerpt(one, talk, limit) for one, limit in zip(outputs, limits, strict=True) if isinstance(one, str)]
    if len(texts) == len(outputs):
        return Table(rows=tuple(texts))
    table = table_of(outputs, keep)
    for most in LONGEST_LISTS:
        long = {at for at, row in enumerate(table.rows) if len(row) > limits[at]}
        if not long:
            return table
        outputs = [_shortened(value, talk, most) if at in long else value for at, value in enumerate(outputs)]
        table = table_of(outputs, keep)
    rows = (row if len(row) <= limits[at] else row[: limits[at] - 1] + "…" for at, row in enumerate(table.rows))
    return Table(table.common, table.head, tuple(rows))


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
    named = sorted(range(len(value)), key=lambda at: not any(talk.mentions(one) for _, one in scalars(value[at])))
    return [_shortened(value[at], talk, most) for at in sorted(named[:most])]


def _told_apart(record: Record, talk: Talk) -> dict[str, Json]:
    """The arguments of a call but for those that its result repeats, long ones as excerpts."""
    said = record.output if isinstance(record.output, str) else ""
    known = {str(value) for _, value in scalars(record.output)}
    return {
        key: excerpt(value, talk, 2 * SMALL) if isinstance(value, str) else value
        for key, value in record.arguments.items()
        if not all(str(one) in known or str(one) in said for _, one in scalars(value))
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


def _state(record: Record) -> tuple[tuple[str, str], frozenset[str]]:
    """What the result shows, and which fields of it."""
    if record.thing is None or not isinstance(record.output, Mapping):
        raise ValueError("the result shows nothing that has an id")
    return record.thing, frozenset(record.output)


def _canonical(record: Record) -> str:
    return dumps(record.arguments, sort_keys=True, default=str)


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
