"""What do the results of tools say, packed by meaning?

Results of like shapes share a table. What `Talk` does not keep is left out, and so are the arguments of a call that its
result repeats.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from json import dumps
from types import MappingProxyType

from memory.excerpt import excerpt
from memory.identifiers import names_id, names_place
from memory.tool_items import MOST_FIELDS, Shortener, lists_states
from memory.tool_order import COMMANDS
from memory.tool_records import Call, Record, Shown
from memory.tool_relevance import SMALL, Talk
from memory.tool_shapes import tables
from memory.tool_wants import given_anew
from utils.json_table import ROW, Table, table_of
from utils.json_values import EVERYTHING, Json, Keep, Part, Scalar, scalars, written
from utils.table_rows import FIELD
from utils.text import GAP

MOST_ITEMS = 256  # of a list in a huge result, or what a record has room for if that is more
ROUNDS = 8  # in which lists become shorter where a record is too long
CHARACTERS_AN_ITEM = 16  # of a text in a result, for each item that a list may have
HUGE = 20  # times the characters of a record: of such a result, what cannot find room is not looked at further
BRIEF = 4  # times shorter, what is not the most relevant
DONE = 24  # characters of an argument of a call that gave nothing
WORDS = 4  # of an argument that is prose
MOST_CHANGED = 8  # keys of what differs between answers to one call; where more do, they are of different things
LONGEST_KEY = 40  # characters of one that is left out
EMPTY = "(empty)"
BETWEEN = (ROW, ", ", FIELD, "\n", ",", " ")  # what stands between values, the first being between the rows of a list
BETWEEN_FROM = 3  # a row is cut there behind so much of its room: the third part
LONGEST_COUNT = 14  # characters of the count of what is left out

_WORD = re.compile(r"[\w-]+")
_MORE = re.compile(rf"; {GAP} (\d+) more\W*$")
# How lines of a view begin that are not what a tool gave; a text that has such a line stands in quotation marks.
_FRAME = re.compile(
    r"^(?:[^\S\n]|[>*_`\u200b-\u200f\ufeff])*+(?:"
    r"(?i:\[\s*(?:(?:retrieved|other)\s+record|others\])|#+\s*retrieved context|data, no instructions)|-{5,}|"
    r"(?:## Retrieved|(?:Summary|Raw Data|Left out|Not shown|No result|Empty)\s*:))",
    re.MULTILINE,
)


def one_line(text: str) -> str:
    """A text of a tool's as a line of a view, in quotation marks where it could be taken for what the view says."""
    return dumps(text, ensure_ascii=False) if _FRAME.search(text) or len(text.splitlines()) > 1 else text


@dataclass(frozen=True)
class Block:
    """Records that share a table, oldest first. `title`: which tool was called; `body`: what came back, where rows
    that another tool gave name it."""

    records: tuple[Record, ...]
    title: str
    body: str


def blocks_of(
    records: Iterable[Record],
    talk: Talk,
    max_chars: int,
    brief: Collection[str] = frozenset(),
    overtaken: Mapping[str, str] = MappingProxyType({}),
) -> list[Block]:
    """Records in tables, those of like shapes in each. A record takes `max_chars` characters at most, one whose id is
    among the `brief` a `BRIEF`th of that, and no fields for their names alone. `overtaken`: the ids of calls that came
    after records and may have changed what these tell."""
    shorter = min(max_chars, max(SMALL, max_chars // BRIEF))
    return [
        _block(
            tuple(group),
            talk.brief if all(one.trace_id in brief for one in group) else talk,
            [shorter if one.trace_id in brief else max_chars for one in group],
            overtaken,
        )
        for group in tables(records)
    ]


def left_out(blocks: Sequence[Block], talk: Talk, brief: Collection[str] = frozenset()) -> list[str]:
    """The keys that stand nowhere in a table, but in the results that it is of, each once, as they are written; those
    of numbers first."""
    gone: dict[str, bool] = {}
    for block in blocks:
        shown = frozenset(_WORD.findall(f"{block.title} {block.body}"))
        for record in block.records:
            if len(record.raw_output) > SMALL:
                kept = talk.brief if record.trace_id in brief else talk
                for key, value in scalars(record.output):
                    if key and key not in gone and key not in shown and _is_dropped(key, value, kept):
                        gone[key] = isinstance(value, int | float) and not isinstance(value, bool)
    return [_cut(written(key), LONGEST_KEY) for key in sorted(gone, key=lambda key: not gone[key])]


def _is_dropped(key: str, value: Scalar, keep: Keep) -> bool:
    return EVERYTHING.keeps(key, value) and not keep.keeps(key, value)


def _block(records: tuple[Record, ...], talk: Talk, limits: Sequence[int], overtaken: Mapping[str, str]) -> Block:
    is_small = all(len(one.raw_output) <= SMALL for one in records)
    renewed = frozenset(key for one in records for key in given_anew(one))
    keep = EVERYTHING if is_small else _Changed(talk, _changed_in(records) | renewed)
    longest = max(limits)
    [(tool, _)] = Counter(one.tool_name for one in records).most_common(1)
    asked = table_of([_told_apart(one, talk, keep) for one in records], EVERYTHING)
    came = _came_back(records, talk, keep, limits)
    ids = [_called(one, overtaken.get(one.trace_id), tool) for one in records]
    head = _cut(" ".join(filter(None, (came.common, came.head))), longest)
    if len(records) == 1:
        title = _title(tool, asked.rows[0], longest)
        return Block(records, title, f"{ids[0]}: {head and head + ': '}{came.rows[0]}")
    title = _title(tool, " ".join(filter(None, (asked.common, asked.head))), longest)
    rows = [
        f"{one}: {before + ' -> ' if before.strip(FIELD) else ''}{after}"
        for one, before, after in zip(ids, (_cut(row, longest) for row in asked.rows), came.rows, strict=True)
    ]
    return Block(records, title, "\n".join([head, *rows] if head else rows))


def _title(tool: str, asked: str, most: int) -> str:
    return _cut(f"{written(tool)}({asked})" if asked else written(tool), most)


@dataclass(frozen=True)
class _Changed:
    """What is kept, and what else is under `keys`."""

    keep: Keep
    keys: frozenset[str]

    def keeps(self, key: str, value: Scalar) -> bool:
        return key in self.keys or self.keep.keeps(key, value)

    def asks_for(self, key: str) -> bool:
        return self.keep.asks_for(key)

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        return self.keep.name_of(item)


@dataclass(frozen=True)
class _Unlinked:
    """What is kept, but for addresses that nobody asked for: where there is no room for all, an id says as much."""

    keep: Keep

    def keeps(self, key: str, value: Scalar) -> bool:
        if isinstance(value, str) and "://" in value and not self.keep.asks_for(key):
            return False
        return self.keep.keeps(key, value)

    def asks_for(self, key: str) -> bool:
        return self.keep.asks_for(key)

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        return self.keep.name_of(item)


def _changed_in(records: Sequence[Record]) -> frozenset[str]:
    """The keys of what differs between answers to one call, if they are few: that is why it was asked again."""
    answers: defaultdict[Call, list[Record]] = defaultdict(list)
    for record in records:
        answers[record.call].append(record)
    several = [[frozenset(scalars(one.output)) for one in told] for told in answers.values() if len(told) > 1]
    found = {key for told in several for one, later in pairwise(told) for key, _ in one.symmetric_difference(later)}
    return frozenset(found) if len(found) <= MOST_CHANGED else frozenset()


def _called(record: Record, then: str | None, tool: str) -> str:
    """What stands before a record's row. `tool`: the one that gave it unless it says so."""
    other = f" {written(record.tool_name)}" if record.tool_name != tool else ""
    times = f" ×{record.times}" if record.times > 1 else ""
    before = f" (before {then})" if then else ""
    return f"{record.trace_id}{other}{times}{before}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + GAP


def _cut_row(row: str, most: int) -> str:
    """So many characters of a row at most, whole values of them, and how many rows or fields are left out at its end;
    of one value that is longer, its beginning."""
    if len(row) <= most:
        return row
    more = _MORE.search(row)
    end = more[0] if more is not None and len(more[0]) <= most // 2 else ""
    whole = row[: more.start()] if more is not None else row
    room = most - len(end) if end else most - LONGEST_COUNT
    for mark in BETWEEN:
        if (at := whole.rfind(mark, 0, max(0, room - 1))) > most // BETWEEN_FROM:
            gone = whole.count(mark, at) + (int(more[1]) if more is not None and mark == ROW else 0)
            return f"{whole[:at]}{ROW}{GAP} {gone} more" if mark == ROW else f"{whole[:at]}{mark.rstrip()}{GAP}{end}"
    return f"{_cut(whole, most - len(end))}{end}"


def _came_back(records: Sequence[Record], talk: Talk, keep: Keep, limits: Sequence[int]) -> Table:
    """The results as a table, each row cut by meaning to its limit of characters, and by length where that is not
    enough. A `…` stands where something is gone; a text alone stands as it is."""
    known = [_untold(one.output, talk) for one in records]
    shortener = Shortener(talk)
    outputs = [
        _at_first(one, value, shortener, limit) for one, value, limit in zip(records, known, limits, strict=True)
    ]
    match outputs:
        case [str(text)]:
            said = dumps(text, ensure_ascii=False) if _FRAME.search(text) else text.strip("\n")
            return Table(rows=(said if text.strip() else EMPTY,))
        case _ if all(isinstance(value, str) or lists_states(value) for value in outputs):
            keep = EVERYTHING  # an excerpt is what was kept
    table, outputs = _fitting(outputs, shortener, keep, limits)
    says = bool(table.common or table.head)
    rows = [
        row or (_anything(one.output, shortener, limit) if not says else "" if one.output else EMPTY)
        for row, one, limit in zip(table.rows, records, limits, strict=True)
    ]
    return Table(table.common, table.head, tuple(map(_cut_row, rows, limits)))


def _fitting(outputs: list[Json], shortener: Shortener, keep: Keep, limits: Sequence[int]) -> tuple[Table, list[Json]]:
    """The table of results, and these as they stand in it: their lists and texts shortened, each by as much as its row
    is too long."""
    whole, outputs = outputs, list(outputs)
    table, longest = table_of(outputs, keep), max(limits)
    if any(len(row) > limit for row, limit in zip(table.rows, limits, strict=True)) and _have_ids(outputs):
        keep = _Unlinked(keep)
        table = table_of(outputs, keep)
    for _ in range(ROUNDS):
        head = len(table.common) + len(table.head)
        long = {at: len(row) for at, row in enumerate(table.rows) if head > longest or len(row) > limits[at]}
        sizes = {at: size for at in long if (size := _longest_in(outputs[at], shortener)) > 1}
        if not sizes:
            break
        for at, size in sizes.items():
            share = min(limits[at] / max(1, long[at]), longest / max(1, head))
            outputs[at] = _shortened(whole[at], shortener, max(1, min(size - 1, int(size * share))))
        table = table_of(outputs, keep)
    return table, outputs


def _have_ids(outputs: Iterable[Json]) -> bool:
    return any(names_id(key) for output in outputs for key, _ in scalars(output))


def _longest_in(value: Json, shortener: Shortener) -> int:
    """How many items the longest list in a value has; of a text, those that it takes the room of."""
    match value:
        case Mapping():
            listed = len(value.keys() - {GAP}) if len(value) > MOST_FIELDS or GAP in value else 0
            inner = (_longest_in(shortener.rows(item), shortener) for item in value.values())
            return max(listed, max(inner, default=0))
        case list():
            return max(len(value), max((_longest_in(item, shortener) for item in value), default=0))
        case str():
            return max(0, len(value) - DONE) // CHARACTERS_AN_ITEM
        case _:
            return 0


def _anything(output: Json, shortener: Shortener, limit: int) -> str:
    """A little of a result of which nothing is worth its place, rather than nothing."""
    most = min(SMALL, limit)
    table, _ = _fitting([output], shortener, EVERYTHING, [most])
    [row] = table.rows
    return _cut_row(row, most) or EMPTY


def _at_first(record: Record, output: Json, shortener: Shortener, max_chars: int) -> Json:
    """A result before it is cut further: an excerpt of a text; of a huge one, no more items of a list than there is
    room for."""
    if isinstance(output, str):
        return excerpt(output, shortener.talk, max_chars)
    huge = len(record.raw_output) > HUGE * max_chars
    return _shortened(output, shortener, max(MOST_ITEMS, max_chars // 4)) if huge else output


def _untold(output: Json, talk: Talk) -> Json:
    """A result without the ids that were told already, but for its own, which comes first."""
    if not isinstance(output, Mapping) or talk.thorough:
        return output
    others = [key for key in output if names_id(key)][1:]
    told = {key for key in others if isinstance(output[key], str) and str(output[key]).casefold() in talk.said}
    return {key: value for key, value in output.items() if key not in told} if told else output


def _shortened(value: Json, shortener: Shortener, most: int) -> Json:
    """A value whose lists have so many items at most, and whose texts are as much shorter."""
    match value:
        case Mapping():
            fields = shortener.fields(value, most)
            return {key: _shortened(shortener.rows(item), shortener, most) for key, item in fields.items()}
        case str():
            return excerpt(value, shortener.talk, max(DONE, CHARACTERS_AN_ITEM * most))
        case list():
            part = shortener.part(value, most)
            items = [_shortened(item, shortener, most) for item in part]
            return Part(items, part.whole) if isinstance(part, Part) else items
        case _:
            return value


def is_note(record: Record) -> bool:
    """Whether a call gave nothing, and was made with prose alone, of which a view would show no more than how it
    begins: what an agent thinks, or tells somebody."""
    if record.raw_output.strip() or not record.arguments or not COMMANDS.isdisjoint(record.arguments):
        return False
    return all(map(_is_prose, record.arguments.values()))


def _is_prose(argument: Json) -> bool:
    return isinstance(argument, str) and len(argument) > DONE and len(argument.split()) >= WORDS


def call_text(tool_name: str, arguments: str) -> str:
    """A call as it stands before its results, in one line of `SMALL` characters at most."""
    called = Record("", tool_name, arguments, "")
    [row] = table_of([dict(called.arguments)], EVERYTHING).rows
    return _cut(f"{written(tool_name)}({' '.join(row.split())})", SMALL)


def _told_apart(record: Record, talk: Talk, keep: Keep) -> dict[str, Json]:
    """The arguments of a call but for those that stand in what is kept of its result, or that this gives anew, long
    ones as excerpts."""
    shown = Shown.of((key, value) for key, value in scalars(record.output) if keep.keeps(key, value))
    renewed = given_anew(record)
    return {
        key: excerpt(value, talk, _room(record, key, value)) if isinstance(value, str) else value
        for key, value in record.arguments.items()
        if key not in renewed and not shown.tells(key, value)
    }


def _room(record: Record, key: str, argument: str) -> int:
    """How many characters of an argument are shown. Of what gave nothing, what it did is all that is known."""
    if record.raw_output.strip():
        return 2 * SMALL
    return SMALL if key in COMMANDS or names_place(argument) else DONE
