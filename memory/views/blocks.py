"""What do the results of tools say, packed by meaning?

Results of like shapes share a table. What `Talk` does not keep is left out, and so are the arguments of a call that its
result repeats.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from memory.views.effects import COMMANDS
from memory.views.excerpts import excerpt
from memory.views.fitting import cut, fitted_table
from memory.views.identifiers import names_place
from memory.views.items import Shortener
from memory.views.json_table import table_of
from memory.views.json_values import EVERYTHING, Json, Keep, Scalar, scalars, written
from memory.views.records import Call, Record, Shown
from memory.views.relevance import SMALL, Talk
from memory.views.shapes import tables
from memory.views.table_rows import FIELD
from memory.views.wants import given_anew

BRIEF = 4  # times shorter, what is not the most relevant
DONE = 24  # characters of an argument of a call that gave nothing
WORDS = 4  # of an argument that is prose
MOST_CHANGED = 8  # keys of what differs between answers to one call; where more do, they are of different things
LONGEST_KEY = 40  # characters of one that is left out

_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Block:
    """Records that share a table, oldest first. `title`: which tool was called; `body`: what came back, where rows
    that another tool gave name it. `is_whole`: with all their fields."""

    records: tuple[Record, ...]
    title: str
    body: str
    is_whole: bool = False


def blocks_of(
    records: Iterable[Record],
    talk: Talk,
    max_chars: int,
    brief: Collection[str] = frozenset(),
    overtaken: Mapping[str, str] = MappingProxyType({}),
    whole: Collection[str] = frozenset(),
) -> list[Block]:
    """Records in tables, those of like shapes in each. A record takes `max_chars` characters at most, one whose id is
    among the `brief` a `BRIEF`th of that, and no fields for their names alone. `overtaken`: the ids of calls that came
    after records and may have changed what these tell. `whole`: the ids of those of which all is told."""
    shorter = min(max_chars, max(SMALL, max_chars // BRIEF))

    def kept_of(group: Sequence[Record]) -> Talk:
        if all(one.trace_id in whole for one in group):
            return talk.whole
        return talk.brief if all(one.trace_id in brief for one in group) else talk

    return [
        block_of(
            tuple(group),
            Shortener(kept_of(group)),
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
    return [cut(written(key), LONGEST_KEY) for key in sorted(gone, key=lambda key: not gone[key])]


def _is_dropped(key: str, value: Scalar, keep: Keep) -> bool:
    return EVERYTHING.keeps(key, value) and not keep.keeps(key, value)


def block_of(
    records: tuple[Record, ...], shortener: Shortener, limits: Sequence[int], overtaken: Mapping[str, str]
) -> Block:
    """Records in one table, each in so many characters at most as `limits` say."""
    talk = shortener.talk
    is_small = all(len(one.raw_output) <= SMALL for one in records)
    renewed = frozenset(key for one in records for key in given_anew(one))
    keep = EVERYTHING if is_small else _Changed(talk, _changed_in(records) | renewed)
    longest = max(limits)
    [(tool, _)] = Counter(one.tool_name for one in records).most_common(1)
    asked = table_of([_told_apart(one, talk, keep) for one in records], EVERYTHING)
    came = fitted_table(records, shortener, keep, limits)
    ids = [_called(one, overtaken.get(one.trace_id), tool) for one in records]
    head = cut(" ".join(filter(None, (came.common, came.head))), longest)
    if len(records) == 1:
        title = _title(tool, asked.rows[0], longest)
        return Block(records, title, f"{ids[0]}: {head and head + ': '}{came.rows[0]}", talk.thorough)
    title = _title(tool, " ".join(filter(None, (asked.common, asked.head))), longest)
    rows = [
        f"{one}: {before + ' -> ' if before.strip(FIELD) else ''}{after}"
        for one, before, after in zip(ids, (cut(row, longest) for row in asked.rows), came.rows, strict=True)
    ]
    return Block(records, title, "\n".join([head, *rows] if head else rows), talk.thorough)


def _title(tool: str, asked: str, most: int) -> str:
    return cut(f"{written(tool)}({asked})" if asked else written(tool), most)


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
    return cut(f"{written(tool_name)}({' '.join(row.split())})", SMALL)


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
