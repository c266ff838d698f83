"""Blocks: results of tools of like shapes in one table, each row within its room.

Lists lose items and texts lines by meaning, and a row is cut between its values where that is not enough. What `Talk`
does not keep is left out, and so are the arguments of a call that its result repeats.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from json import dumps
from types import MappingProxyType

from memory.views.excerpts import excerpt
from memory.views.identifiers import is_name, names_id, names_place
from memory.views.json_table import FIELD, ROW, Table, table_of
from memory.views.json_values import EVERYTHING, Json, Keep, PartOfList, Scalar, scalars, written
from memory.views.lists import Shortener
from memory.views.records import ToolRecord
from memory.views.relevance import SMALL, Talk
from memory.views.standing import COMMANDS
from utils.text import GAP

IDLE = 24  # characters of an argument of a call that gave nothing
LIKE, COMPARED = 0.75, 8  # share of the fields that two objects both have, to share a table; shapes compared with
LONGEST_KEY = 40  # characters of one that is left out
MOST_ITEMS = 256  # of a list in a huge result, or what a record has room for if that is more
HUGE = 20  # times the characters of a record: of such a result, what cannot find room is not looked at further
ROUNDS = 8  # in which lists become shorter where a record is too long
CHARACTERS_AN_ITEM = 16  # of a text in a result, for each item that a list may have
LEAST = 24  # characters of a text that is shortened no further
LONG_WORD = 400  # characters without a blank from which a text says no more than how long it is
EMPTY = "(empty)"
BETWEEN = (ROW, ", ", FIELD, "\n")  # what stands between values

_WORD = re.compile(r"[\w-]+")
_BLOB = re.compile(rf"(?<![\w+/=.-])(?!//)[\w+/=.-]{{{LONG_WORD + 1},}}", re.ASCII)  # and no address
# How lines of a view begin that are not what a tool gave; a text that has such a line stands in quotation marks.
_FRAME = re.compile(
    r"^(?:[^\S\n]|[>*_`\u200b-\u200f\ufeff])*+(?:"
    r"(?i:\[\s*(?:(?:retrieved|other)\s+record|others\])|#+\s*retrieved context|data, no instructions)|-{5,}|"
    r"(?:## Retrieved|(?:Summary|Raw Data|Left out|Not shown|No result|Empty)\s*:))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """Records that share a table, oldest first, each with its row. `title`: which tool was called; `head`: what stands
    before the rows. `is_whole`: with all their fields."""

    records: tuple[ToolRecord, ...]
    title: str
    head: str
    rows: tuple[str, ...]
    is_whole: bool = False

    @property
    def body(self) -> str:
        if len(self.rows) == 1 and self.head:
            return f"{self.rows[0].partition(': ')[0]}: {self.head}: {self.rows[0].partition(': ')[2]}"
        return "\n".join([self.head, *self.rows] if self.head else self.rows)

    def of(self, ids: Collection[str]) -> "Block | None":
        """The same with some of its records alone; None where it has none of them."""
        left = [(one, row) for one, row in zip(self.records, self.rows, strict=True) if one.trace_id in ids]
        if len(left) == len(self.rows) or not left:
            return self if left else None
        records, rows = zip(*left, strict=True)
        return replace(self, records=records, rows=rows)


def one_line(text: str) -> str:
    """A text of a tool's as a line of a view, in quotation marks where it could be taken for what the view says."""
    return dumps(text, ensure_ascii=False) if _FRAME.search(text) or len(text.splitlines()) > 1 else text


def cut(text: str, most: int) -> str:
    """So many characters of a text at most, with a mark at its end where more follows."""
    return text if len(text) <= most else text[: most - 1] + GAP


def tables(records: Sequence[ToolRecord]) -> list[list[ToolRecord]]:
    """Records in groups, each for a table: of one shape, or of objects most of whose fields are the same."""
    alike: dict[object, list[ToolRecord]] = {}
    listed: dict[str, object] = {}  # of each tool the first list, as whose like an empty one is told
    for one in records:
        if isinstance(one.output, list) and one.output:
            listed.setdefault(one.tool_name, _shape_of(one))
    for record in records:
        shape = listed.get(record.tool_name, _shape_of(record)) if record.output == [] else _shape_of(record)
        if shape not in alike and isinstance(shape, frozenset):
            known = islice(reversed(alike), COMPARED)
            shape = next((one for one in known if isinstance(one, frozenset) and _is_like(shape, one)), shape)
        alike.setdefault(shape, []).append(record)
    return list(alike.values())


def _is_like(shape: frozenset[str], other: frozenset[str]) -> bool:
    return len(shape & other) >= LIKE * len(shape | other)


def _shape_of(record: ToolRecord) -> object:
    """What records that share a table have in common."""
    match record.output:
        case Mapping() as fields:
            return frozenset(fields)
        case str():
            return record.tool_name, "text"
        case [[Mapping() as first, *_], *_] | [Mapping() as first, *_]:
            return record.tool_name, frozenset(first)
        case value:
            return record.tool_name, isinstance(value, list)


def block_of(
    records: tuple[ToolRecord, ...],
    shortener: Shortener,
    limits: Sequence[int],
    overtaken: Mapping[str, str] = MappingProxyType({}),
) -> Block:
    """Records in one table, each in so many characters at most as `limits` say. `overtaken`: the ids of later calls
    that were to change what records tell."""
    talk, longest = shortener.talk, max(limits)
    is_small = all(len(one.raw_output) <= SMALL for one in records)
    keep = EVERYTHING if is_small else talk
    [(tool, _)] = Counter(one.tool_name for one in records).most_common(1)
    asked = table_of([_told_apart(one, talk, keep) for one in records], EVERYTHING)
    came = _fitted_table(records, shortener, keep, limits)
    head = cut(" ".join(filter(None, (came.common, came.head))), longest)
    alone = len(records) == 1
    said = asked.rows[0] if alone else " ".join(filter(None, (asked.common, asked.head)))
    title = cut(f"{written(tool)}({said})" if said else written(tool), longest)
    before = [cut(row, longest) + " -> " if row.strip(FIELD) and not alone else "" for row in asked.rows]
    ids = (_called(one, overtaken.get(one.trace_id), tool) for one in records)
    rows = tuple(f"{one}: {first}{after}" for one, first, after in zip(ids, before, came.rows, strict=True))
    return Block(records, title, head, rows, talk.thorough)


def left_out(blocks: Sequence[Block], talk: Talk) -> list[str]:
    """The keys that stand nowhere in a table, but in the results that it is of, each once, as they are written; those
    of numbers first."""
    gone: dict[str, bool] = {}
    for block in blocks:
        shown = frozenset(_WORD.findall(f"{block.title} {block.body}"))
        for record in block.records:
            if len(record.raw_output) > SMALL:
                for key, value in scalars(record.output):
                    unseen = key and key not in gone and key not in shown and value not in (None, "")
                    if unseen and not talk.keeps(key, value):
                        gone[key] = isinstance(value, int | float) and not isinstance(value, bool)
    return [cut(written(key), LONGEST_KEY) for key in sorted(gone, key=lambda key: not gone[key])]


@dataclass(frozen=True)
class _Unlinked:
    """What is kept but for addresses that nobody asked for; where there is no room for all, an id says as much."""

    keep: Keep

    def keeps(self, key: str, value: Scalar) -> bool:
        is_address = isinstance(value, str) and "://" in value
        return self.keep.keeps(key, value) and (not is_address or self.keep.asks_for(key))

    def asks_for(self, key: str) -> bool:
        return self.keep.asks_for(key)

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        return self.keep.name_of(item)


def _called(record: ToolRecord, then: str | None, tool: str) -> str:
    """What stands before a record's row. `tool`: the one that gave it unless it says so."""
    other = f" {written(record.tool_name)}" if record.tool_name != tool else ""
    times = f" ×{record.times}" if record.times > 1 else ""
    before = f" (before {then})" if then else ""
    return f"{record.trace_id}{other}{times}{before}"


def call_text(tool_name: str, arguments: str) -> str:
    """A call as it stands before its results, in one line of `SMALL` characters at most."""
    [row] = table_of([dict(ToolRecord("", tool_name, arguments, "").arguments)], EVERYTHING).rows
    return cut(f"{written(tool_name)}({' '.join(row.split())})", SMALL)


def _told_apart(record: ToolRecord, talk: Talk, keep: Keep) -> dict[str, Json]:
    """The arguments of a call but for those that stand in what is kept of its result, long ones as excerpts."""
    shown = {(key, str(value)) for key, value in scalars(record.output) if keep.keeps(key, value)}
    values = {value for _, value in shown}
    text = "\n".join(value for key, value in shown if not key)

    def is_shown(key: str, value: str) -> bool:
        """Under the same key, or what can be nothing else anywhere. The 900 of a balance is not the 900 that were
        sent."""
        return (key, value) in shown or (is_name(value) and (value in values or value in text))

    def room(key: str, value: str) -> int:
        """Of what gave nothing, what it did is all that is known."""
        if record.raw_output.strip():
            return 2 * SMALL
        return SMALL if key in COMMANDS or names_place(value) else IDLE

    return {
        key: excerpt(value, talk, room(key, value)) if isinstance(value, str) else value
        for key, value in record.arguments.items()
        if not all(is_shown(name, str(inner)) for name, inner in scalars(value, key))
    }


def _fitted_table(records: Sequence[ToolRecord], shortener: Shortener, keep: Keep, limits: Sequence[int]) -> Table:
    """The results as a table, each row cut by meaning to its limit of characters, and by length where that is not
    enough. A `…` stands where something is gone; a text alone stands as it is."""
    outputs = [_at_first(one, shortener, limit) for one, limit in zip(records, limits, strict=True)]
    match outputs:
        case [str(text)]:
            said = dumps(text, ensure_ascii=False) if _FRAME.search(text) else text.strip("\n")
            return Table(rows=(said if text.strip() else EMPTY,))
        case _ if all(isinstance(value, str) for value in outputs):
            keep = EVERYTHING  # an excerpt is what was kept
    table = _fitting(outputs, shortener, keep, limits)
    says = bool(table.common or table.head)
    rows = [
        row or (_anything(one.output, shortener, limit) if not says else "" if one.output else EMPTY)
        for row, one, limit in zip(table.rows, records, limits, strict=True)
    ]
    return Table(table.common, table.head, tuple(map(_cut_row, rows, limits)))


def _fitting(outputs: list[Json], shortener: Shortener, keep: Keep, limits: Sequence[int]) -> Table:
    """The table of results whose lists and texts are shortened, each by as much as its row is too long."""
    whole, outputs = outputs, list(outputs)
    table, longest = table_of(outputs, keep), max(limits)

    is_long = any(len(row) > limit for row, limit in zip(table.rows, limits, strict=True))
    if is_long and any(names_id(key) for one in outputs for key, _ in scalars(one)):
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
    if any(len(row) > limit for row, limit in zip(table.rows, limits, strict=True)):  # what comes last will be cut
        table = table_of([_asked_first(output, shortener.talk) for output in outputs], keep)
    return table


def _asked_first(output: Json, talk: Talk) -> Json:
    """A result with its ids first, and then the fields that are asked for, or that have such in them."""
    if not isinstance(output, Mapping):
        return output
    ids = [key for key in output if names_id(key)]
    asked = [key for key, value in output.items() if any(talk.names_field(name) for name, _ in scalars(value, key))]
    return {key: output[key] for key in dict.fromkeys([*ids, *asked, *output])}


def _longest_in(value: Json, shortener: Shortener) -> int:
    """How many items the longest list in a value has; of a text, those that it takes the room of."""
    match value:
        case Mapping():
            return max((_longest_in(shortener.rows(item), shortener) for item in value.values()), default=0)
        case list():
            return max(len(value), *(_longest_in(item, shortener) for item in value), 0)
        case str():
            return max(0, len(value) - LEAST) // CHARACTERS_AN_ITEM
        case _:
            return 0


def _anything(output: Json, shortener: Shortener, limit: int) -> str:
    """A little of a result of which nothing is worth its place, rather than nothing."""
    most = min(SMALL, limit)
    [row] = _fitting([_without_blobs(output)], shortener, EVERYTHING, [most]).rows
    return _cut_row(row, most) or EMPTY


def _at_first(record: ToolRecord, shortener: Shortener, limit: int) -> Json:
    """A result before it is cut further: an excerpt of a text; of a huge one, no more items of a list than there is
    room for. What says nothing is named with its size."""
    output = _untold(record.output, shortener.talk)
    if len(record.raw_output) > LONG_WORD:
        output = _without_blobs(output)
    if isinstance(output, str):
        return excerpt(output, shortener.talk, limit)
    huge = len(record.raw_output) > HUGE * limit
    return _shortened(output, shortener, max(MOST_ITEMS, limit // 4)) if huge else output


def _without_blobs(value: Json) -> Json:
    """A value with the beginning and the size of each unbroken word in it that says no more: base64, hex, or a key."""
    match value:
        case Mapping():
            return {key: _without_blobs(item) for key, item in value.items()}
        case list():
            return [_without_blobs(item) for item in value]
        case str():
            return _BLOB.sub(lambda blob: f"{blob[0][:LEAST]}{GAP} ({len(blob[0])} characters without a blank)", value)
        case _:
            return value


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
            return {key: _shortened(shortener.rows(item), shortener, most) for key, item in value.items()}
        case str():
            return excerpt(value, shortener.talk, max(LEAST, CHARACTERS_AN_ITEM * most))
        case list():
            part = shortener.part(value, most)
            items = [_shortened(item, shortener, most) for item in part]
            return PartOfList(items, part.whole) if isinstance(part, PartOfList) else items
        case _:
            return value


def _cut_row(row: str, most: int) -> str:
    """So many characters of a row at most, whole values of them; of one value that is longer, its beginning."""
    if len(row) <= most:
        return row
    end = max(row.rfind(mark, 0, most - 1) for mark in BETWEEN)
    return f"{row[:end]}{GAP}" if end > most // 3 else cut(row, most)
