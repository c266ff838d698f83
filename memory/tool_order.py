"""Which of what tools gave is older than what another tool did to the same thing since?

Tables of a view stand in no order of time: who reads a file's text has to see that the file was written after that.
"""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory.identifiers import MARKS, is_name, names_id, names_place
from memory.tool_names import are_of_a_kind, differ_in_a_word, is_of, reads
from memory.tool_records import Call, Record
from utils.json_values import Json, scalars

COMMANDS = frozenset({"command", "commands", "cmd", "script", "shell", "args", "argv", "code", "sql", "statement"})
READ = 2_000  # characters of a command in which things are looked for
READ_TEXT = 20_000  # and of a text that a tool gave
LONGEST_KEY = 80  # characters of an argument by which a thing may be named
TOOLS = 8  # whose next changes are remembered for each argument

_PART = re.compile(r"[^\s\"'`;|&<>()=,]+")
_LINE = re.compile(r":\d+:?.*")  # behind a path: "src/invoice.py:90:"
# Fields by which people name things that have no id.
_NAMES = re.compile(r"(?:^|_)(?:numbers?|no|keys?|codes?|sku|ref|name|slug)$|[a-z](?:Number|Key|Code|Name)$")

Pair = tuple[str, str]  # a key and what stands under it


def overtaken(records: Sequence[Record]) -> Mapping[str, str]:
    """For each record that tells of a thing, in its result or in its call, the id of the next call that changed it;
    where none did, of the next command of another tool that names what its call names, or of the next answer to the
    same call. What only reads changes nothing, nor does a call that failed. `records`: oldest first."""
    changes = _Changes({record.trace_id: at for at, record in enumerate(records)})
    answers: dict[Call, str] = {}  # to each call, the next
    found: dict[str, str] = {}
    for record in reversed(records):
        if record.raw_output.strip() and not record.failed:
            if later := changes.of(record) or answers.get(record.call):
                found[record.trace_id] = later
            answers[record.call] = record.trace_id
        if not reads(record.tool_name) and not (record.failed and record.raw_output.strip()):
            changes.add(record)
    return found


class _Changes:
    """What tools did since, the last first. `place`: of records, by their ids."""

    def __init__(self, place: Mapping[str, int]) -> None:
        self._place = place
        self._next: dict[str, Record] = {}  # of each thing
        self._commands: defaultdict[str, list[Record]] = defaultdict(list)  # of each thing, the next of two tools
        self._called: defaultdict[Pair, OrderedDict[str, Record]] = defaultdict(OrderedDict)  # by tools, the next last
        self._tools: OrderedDict[str, Record] = OrderedDict()

    def add(self, record: Record) -> None:
        """Adds what came before all that was added."""
        self._next |= dict.fromkeys(_changed(record), record)
        for one in dict.fromkeys(_in_commands(record.arguments)):
            other = next((call for call in self._commands[one] if call.tool_name != record.tool_name), None)
            self._commands[one] = [record, *([other] if other else [])]
        for pair in _pairs(record.arguments):
            _put(self._called[pair], record)
        _put(self._tools, record)

    def of(self, record: Record) -> str | None:
        """The id of the next that changed what a record tells of, else of the next command that names it."""
        about = list(dict.fromkeys(_things(record)))
        later = [self._next[one] for one in set(_told_of(record)) if one in self._next]
        later += [self._next[one] for one in about if one in self._next and _is_other(self._next[one], record)]
        later += self._asked_alike(record)
        later += self._of_rows(record)
        later = later or [call for one in about for call in self._commands.get(one, ()) if _is_other(call, record)]
        return min((one.trace_id for one in later), key=self._place.__getitem__, default=None)

    def _asked_alike(self, record: Record) -> Iterator[Record]:
        """The next calls that have all arguments of one that read a thing, and that are for things of its kind: what
        `get_issue` told of the number 7 before `update_issue` had that. Without arguments, `get_settings` is for the
        one thing that `update_settings` is for."""
        if not reads(record.tool_name) or _lists_objects(record.output):
            return
        pairs = set(_pairs(record.arguments))
        if not record.arguments:
            yield from (one for one in self._tools.values() if differ_in_a_word(record.tool_name, one.tool_name))
        elif pairs and len(pairs) == len(record.arguments):
            for one in self._called.get(min(pairs), {}).values():
                if pairs <= set(_pairs(one.arguments)) and are_of_a_kind(record.tool_name, one.tool_name):
                    yield one

    def _of_rows(self, record: Record) -> Iterator[Record]:
        """The next calls that are for things of a record's kind, and have the number, the key or the name of one that
        it tells of."""
        for fields in _objects(record):
            for pair in _pairs(fields):
                if pair in self._called and _NAMES.search(pair[0]):
                    calls = self._called[pair].values()
                    yield from (one for one in calls if are_of_a_kind(record.tool_name, one.tool_name))


def _put(calls: "OrderedDict[str, Record]", record: Record) -> None:
    """Puts the next call of a tool among those of others, of which so many are remembered."""
    calls[record.tool_name] = record
    calls.move_to_end(record.tool_name)
    if len(calls) > TOOLS:
        calls.popitem(last=False)


def _is_other(call: Record, record: Record) -> bool:
    return call.tool_name != record.tool_name


def _lists_objects(output: Json) -> bool:
    lists = [output] if isinstance(output, list) else output.values() if isinstance(output, Mapping) else ()
    return any(isinstance(one, list) and any(isinstance(item, Mapping) for item in one) for one in lists)


def _pairs(fields: Mapping[str, Json]) -> Iterator[Pair]:
    """The short values by which a thing may be named, with their keys."""
    for key, value in fields.items():
        if isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= LONGEST_KEY:
            yield key, str(value)


def _things(record: Record) -> Iterator[str]:
    """What a call that read something names: paths, files, addresses and ids; of one that changed something, the thing
    that it changed, and what its command names. What it made, with an id of its own, is not what it was made of."""
    if reads(record.tool_name):
        yield from _named_in(record.arguments)
        return
    back = _back(record)
    if not back or not back.isdisjoint(_named_in(record.arguments)):
        yield from _changed(record)
    yield from _in_commands(record.arguments)


def _named_in(arguments: Mapping[str, Json]) -> Iterator[str]:
    """The paths, files, addresses and ids that are arguments, and those that stand in a command."""
    for key, value in scalars(arguments):
        if names_id(key) and not isinstance(value, bool | float):
            yield str(value) if is_name(str(value)) else f"{key}={value}"
        elif isinstance(value, str):
            parts = _PART.findall(value[:READ]) if key in COMMANDS else [value]
            yield from filter(_names_a_thing, parts)


def _in_commands(arguments: Mapping[str, Json]) -> Iterator[str]:
    """The paths, files, addresses and ids that stand in commands."""
    return _named_in({key: value for key, value in arguments.items() if key in COMMANDS})


def _changed(record: Record) -> Iterator[str]:
    """What a call that changes things is about: its arguments that name the kind of thing that the tool is for; where
    none does, the thing that came back, if it is one of them, or all of them. A booking is changed, and not the card
    that pays for it."""
    named = {key: value for key, value in record.arguments.items() if key not in COMMANDS}
    of_kind = {key: value for key, value in named.items() if is_of(key, record.tool_name)}
    if own := list(_each_thing(of_kind)):
        yield from own
        return
    every = list(_each_thing(named))
    back = _back(record)
    yield from [one for one in every if one in back] or every


def _back(record: Record) -> frozenset[str]:
    """The thing that came back, if anything did that has an id or a name."""
    own = _own(record.fields, record.tool_name)
    return frozenset(one for key, value in own for one in _thing(key, value))


def _each_thing(arguments: Mapping[str, Json]) -> Iterator[str]:
    """What arguments name, and lists of ids in them, but for what else stands in these."""
    for key, value in arguments.items():
        listed = key.removesuffix("s")
        if isinstance(value, list) and names_id(listed):
            for one in value:
                yield from _thing(listed, one)
        else:
            yield from _thing(key, value)


def _told_of(record: Record) -> Iterator[str]:
    """The things that a result tells of: itself, the objects in it or that it lists, or what stands in a text."""
    if isinstance(record.output, str):
        parts = (_without_line(part).strip(MARKS) for part in _PART.findall(record.output[:READ_TEXT]))
        yield from filter(_names_a_thing, parts)
        return
    for fields in _objects(record):
        for key, value in _own(fields, record.tool_name):
            yield from _thing(key, value)


def _objects(record: Record) -> Iterator[Mapping[str, Json]]:
    """A result that is an object, the objects in its fields, and those that it lists."""
    found = record.output if isinstance(record.output, list) else record.fields.values()
    lists = [found] if isinstance(found, list) else [one for one in found if isinstance(one, list)]
    yield record.fields
    yield from (one for one in record.fields.values() if isinstance(one, Mapping))
    yield from (item for one in lists for item in one if isinstance(item, Mapping))


def _own(fields: Mapping[str, Json], tool_name: str) -> Iterable[tuple[str, Json]]:
    """The field that says which thing an object is: that of the kind that the tool is for, else its first id; of one
    without ids, all that name anything. The others say what it has to do with."""
    ids = [(key, value) for key, value in fields.items() if names_id(key) and any(_thing(key, value))]
    named = ids or [(key, value) for key, value in fields.items() if any(_thing(key, value))]
    of_kind = [pair for pair in named if is_of(pair[0], tool_name)]
    return of_kind[:1] or (ids[:1] if ids else named)


def _without_line(part: str) -> str:
    """A path without the number of a line behind it; the port of an address is none."""
    return part if "://" in part else _LINE.sub("", part)


def _thing(key: str, value: Json) -> Iterator[str]:
    """What a field names, if anything."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return
    if _names_a_thing(str(value)):
        yield str(value)
    elif names_id(key):
        yield f"{key}={value}"


def _names_a_thing(text: str) -> bool:
    return is_name(text) or names_place(text)
