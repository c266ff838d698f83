"""What of a tool's results has room in a view?

Lists lose items and texts lines by meaning, and a row is cut between its values where that is not enough.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.views.excerpts import excerpt
from memory.views.identifiers import names_id
from memory.views.items import MOST_FIELDS, Shortener, lists_states
from memory.views.json_table import ROW, Table, table_of
from memory.views.json_values import EVERYTHING, Json, Keep, Part, Scalar, scalars
from memory.views.quoting import is_framing, quoted
from memory.views.records import Record
from memory.views.relevance import SMALL, Talk
from memory.views.table_rows import FIELD
from utils.text import GAP

MOST_ITEMS = 256  # of a list in a huge result, or what a record has room for if that is more
ROUNDS = 8  # in which lists become shorter where a record is too long
CHARACTERS_AN_ITEM = 16  # of a text in a result, for each item that a list may have
HUGE = 20  # times the characters of a record: of such a result, what cannot find room is not looked at further
LEAST = 24  # characters of a text that is shortened no further
EMPTY = "(empty)"
BETWEEN = (ROW, ", ", FIELD, "\n", ",", " ")  # what stands between values, the first being between the rows of a list
BETWEEN_FROM = 3  # a row is cut there behind so much of its room: the third part
LONGEST_COUNT = 14  # characters of the count of what is left out

_MORE = re.compile(rf"; {GAP} (\d+) more\W*$")


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


def cut(text: str, most: int) -> str:
    """So many characters of a text at most, with a mark at its end where more follows."""
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
    return f"{cut(whole, most - len(end))}{end}"


def fitted_table(records: Sequence[Record], shortener: Shortener, keep: Keep, limits: Sequence[int]) -> Table:
    """The results as a table, each row cut by meaning to its limit of characters, and by length where that is not
    enough. A `…` stands where something is gone; a text alone stands as it is."""
    known = [_untold(one.output, shortener.talk) for one in records]
    outputs = [
        _at_first(one, value, shortener, limit) for one, value, limit in zip(records, known, limits, strict=True)
    ]
    match outputs:
        case [str(text)]:
            said = quoted(text) if is_framing(text) else text.strip("\n")
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
    if any(len(row) > limit for row, limit in zip(table.rows, limits, strict=True)):  # what comes last will be cut
        outputs = [_asked_first(output, shortener.talk.asking) for output in outputs]
        table = table_of(outputs, keep)
    return table, outputs


def _asked_first(output: Json, talk: Talk) -> Json:
    """A result with its ids first, and then the fields that are asked for, or that have such in them."""
    if not isinstance(output, Mapping):
        return output
    ids = [key for key in output if names_id(key)]
    asked = [key for key, value in output.items() if any(talk.names_field(name) for name, _ in scalars(value, key))]
    return {key: output[key] for key in dict.fromkeys([*ids, *asked, *output])}


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
            return max(0, len(value) - LEAST) // CHARACTERS_AN_ITEM
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
            return excerpt(value, shortener.talk, max(LEAST, CHARACTERS_AN_ITEM * most))
        case list():
            part = shortener.part(value, most)
            items = [_shortened(item, shortener, most) for item in part]
            return Part(items, part.whole) if isinstance(part, Part) else items
        case _:
            return value
