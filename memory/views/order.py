"""Which of what tools gave is older than what another tool did to the same thing since?

Tables of a view stand in no order of time: who reads a file's text has to see that the file was written after that.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from memory.views.commands import Part
from memory.views.effects import commands_in, only_reads
from memory.views.json_values import Json
from memory.views.names import are_of_a_kind, differ_in_a_word, singular, words_of
from memory.views.records import Call, Record
from memory.views.sql import may_share_rows
from memory.views.things import (
    LONGEST_NAME,
    Name,
    Thing,
    asked_for,
    called,
    changed,
    done_to,
    in_commands,
    listed_anew,
    named,
    told_of,
)

TOOLS = 8  # whose next changes are remembered for each argument
COMMANDS_KEPT = 64  # the next commands that are remembered for each word

Key = TypeVar("Key")
Told = frozenset[tuple[str, Json]]
Pair = tuple[str, str]  # a key and what stands under it


def overtaken(records: Sequence[Record]) -> Mapping[str, str]:
    """For each record that tells of a thing, in its result or in its call, the id of the next call that changed it;
    where none did, of the next command of another tool that names what its call names, or of the next answer to the
    same call. What only reads changes nothing, nor does a call that failed; for this, the next call of its tool that
    changed the same things. `records`: oldest first."""
    changes = _Changes({record.trace_id: at for at, record in enumerate(records)})
    answers: dict[Call, str] = {}  # to each call, the next
    found: dict[str, str] = {}
    for record in reversed(records):
        if record.raw_output.strip() and not record.failed:
            if later := changes.of(record) or answers.get(record.call):
                found[record.trace_id] = later
            answers[record.call] = record.trace_id
        elif record.raw_output.strip() and (later := changes.again(record)):
            found[record.trace_id] = later
        if not only_reads(record) and not (record.failed and record.raw_output.strip()):
            changes.add(record)
    return found


class _Changes:
    """What tools did since, the last first. `place`: of records, by their ids."""

    def __init__(self, place: Mapping[str, int]) -> None:
        self._place = place
        self._next: dict[str, Record] = {}  # of each thing
        self._done_to: dict[tuple[str, frozenset[Thing]], Record] = {}  # of each tool, to the things that it names
        self._names: defaultdict[str, OrderedDict[Name, Record]] = defaultdict(OrderedDict)  # by values, the next last
        self._done: defaultdict[Pair, deque[tuple[Part, Record]]] = defaultdict(_commands_kept)  # the next first
        self._commands: defaultdict[str, list[Record]] = defaultdict(list)  # of each thing, the next of two tools
        self._called: defaultdict[Pair, OrderedDict[str, Record]] = defaultdict(OrderedDict)  # by tools, the next last
        self._lists: defaultdict[Hashable, deque[tuple[Told, Record]]] = defaultdict(_few)  # the next first
        self._tools: OrderedDict[str, Record] = OrderedDict()

    def add(self, record: Record) -> None:
        """Adds what came before all that was added."""
        for thing in [*changed(record), *called(record)]:
            if isinstance(thing, Name):
                _put(self._names[thing.value], thing, record)
            else:
                self._next[thing] = record
        self._done_to[record.tool_name, named(record)] = record
        for part in commands_in(record):
            for word in ("", *part.about) if part.changes and part.of else ():
                self._done[part.of, word].appendleft((part, record))
        if anew := listed_anew(record):
            self._lists[anew[0]].appendleft((anew[1], record))
        for one in dict.fromkeys(in_commands(record)):
            other = next((call for call in self._commands[one] if call.tool_name != record.tool_name), None)
            self._commands[one] = [record, *([other] if other else [])]
        for pair in _pairs(record.arguments):
            _put(self._called[pair], record.tool_name, record)
        _put(self._tools, record.tool_name, record)

    def of(self, record: Record) -> str | None:
        """The id of the next that changed what a record tells of, else of the next command that names it."""
        asked, told = asked_for(record), {*told_of(record)}
        later = [one for thing in {*asked, *told} for one in self._changed(thing)]
        if not only_reads(record):
            about = {*done_to(record), *in_commands(record)}
            later += [one for thing in about for one in self._changed(thing) if _is_other(one, record)]
            asked += about
            later += self._listed_anew(record)
        later += self._asked_alike(record)
        later += self._of_commands(record)
        later = later or [
            call
            for one in asked if isinstance(one, str)
            for call in self._commands.get(one, ()) if _is_other(call, record)
        ]  # fmt: skip
        return min((one.trace_id for one in later), key=self._place.__getitem__, default=None)

    def again(self, failed: Record) -> str | None:
        """The id of the next call of the same tool that changed the same things, after one that was to do so."""
        things = frozenset() if only_reads(failed) else named(failed)
        done = self._done_to.get((failed.tool_name, things)) if things else None
        return done.trace_id if done else None

    def _changed(self, thing: Thing) -> Iterator[Record]:
        """The next calls that changed a thing."""
        if isinstance(thing, Name):
            yield from (one for name, one in self._names.get(thing.value, {}).items() if thing.may_be(name))
        elif thing in self._next:
            yield self._next[thing]

    def _of_commands(self, record: Record) -> Iterator[Record]:
        """The next commands that did something to what a record's commands show."""
        for shown in commands_in(record):
            if shown.changes is False and shown.of:
                for word in shown.about or ("",):
                    done = self._done.get((shown.of, word), ())
                    yield from [one for part, one in done if _is_done_to(shown, part)][:1]

    def _listed_anew(self, record: Record) -> Iterator[Record]:
        """The next call that writes the same list, as most of what it says of it shows."""
        if anew := listed_anew(record):
            told = anew[1]
            later = [one for again, one in self._lists.get(anew[0], ()) if 2 * len(told & again) >= len(told)]
            yield from later[:1]

    def _asked_alike(self, record: Record) -> Iterator[Record]:
        """The next calls that have all arguments of one that read a thing, and that are for things of its kind: what
        `get_issue` told of the number 7 before `update_issue` had that. Without arguments, `get_settings` is for the
        one thing that `update_settings` is for, and `get_cart` for what `add_to_cart` is, whatever it lists."""
        if not only_reads(record):
            return
        pairs = set(_pairs(record.arguments))
        if not record.arguments:
            if not _lists_objects(record.output) or _is_for_one(record.tool_name):
                yield from (one for one in self._tools.values() if differ_in_a_word(record.tool_name, one.tool_name))
        elif pairs and len(pairs) == len(record.arguments) and not _lists_objects(record.output):
            for one in self._called.get(min(pairs), {}).values():
                if pairs <= set(_pairs(one.arguments)) and are_of_a_kind(record.tool_name, one.tool_name):
                    yield one


def _commands_kept() -> deque[tuple[Part, Record]]:
    return deque(maxlen=COMMANDS_KEPT)


def _few() -> deque[tuple[Told, Record]]:
    return deque(maxlen=TOOLS)


def _put(calls: "OrderedDict[Key, Record]", key: Key, record: Record) -> None:
    """Puts a next call among others, of which so many are remembered."""
    calls[key] = record
    calls.move_to_end(key)
    if len(calls) > TOOLS:
        calls.popitem(last=False)


def _is_done_to(shown: Part, done: Part) -> bool:
    return shown.about <= done.about and may_share_rows(shown.rows, done.rows)


def _is_other(call: Record, record: Record) -> bool:
    return call.tool_name != record.tool_name


def _is_for_one(tool_name: str) -> bool:
    """Whether a name has all its words in the singular, as that of a tool for the only cart."""
    return all(singular(word) == word for word in words_of(tool_name))


def _lists_objects(output: Json) -> bool:
    lists = [output] if isinstance(output, list) else output.values() if isinstance(output, Mapping) else ()
    return any(isinstance(one, list) and any(isinstance(item, Mapping) for item in one) for one in lists)


def _pairs(fields: Mapping[str, Json]) -> Iterator[Pair]:
    """The short values by which a thing may be named, with their keys."""
    for key, value in fields.items():
        if isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= LONGEST_NAME:
            yield key, str(value)
