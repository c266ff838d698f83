"""What do calls of tools name, and what do their results tell of?

A thing is known by a path, an address or an id that is no other thing's, or by a number or a word among things of its
kind: 7 among issues.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from memory.views.effects import COMMANDS, WORD, commands_in, only_reads
from memory.views.identifiers import MARKS, is_name, names_id, names_place
from memory.views.json_values import Json, is_scalar, scalars
from memory.views.names import NAMING, is_of, nouns_of, rewrites, singular, words_of
from memory.views.places import canonical, is_place, without_query
from memory.views.records import Record

READ_TEXT = 20_000  # characters of a text that a tool gave in which things are looked for
LONGEST_NAME = 80  # characters of what a thing is called

_LINE = re.compile(r":\d+:?.*")  # behind a path: "src/invoice.py:90:"
_ONE = {"uuid": "id", "no": "number"}  # words for the same
_NAMES = NAMING - {"path", "url"}
# Fields under which any things may stand.
_ANY = frozenset({"result", "item", "data", "row", "record", "hit", "entry", "list", "value", "response",
                  "payload", "object", "node", "content", "match"})  # fmt: skip


@dataclass(frozen=True)
class Name:
    """A value by which a thing is called, `by` a number, an id or a name; empty where that is not said. `kinds`: words
    for what it is."""

    value: str
    by: str
    kinds: frozenset[str]

    def may_be(self, other: "Thing") -> bool:
        """Whether both may call the same thing. Where one does not say of which kind it is, both do not."""
        if not isinstance(other, Name) or self.value != other.value:
            return False
        if self.by != other.by and self.by and other.by:
            return False
        if not self.kinds or not other.kinds:
            return self.by == other.by
        return self.kinds <= other.kinds or other.kinds <= self.kinds


Thing: TypeAlias = str | Name


def asked_for(record: Record) -> list[Thing]:
    """What a call that reads something is for: paths, files, addresses and ids in its arguments; of one that changes
    something, what its commands only read."""
    found: list[Thing] = [one for part in commands_in(record) if part.changes is False for one in part.places]
    if only_reads(record):
        found += _named_in(record)
    return [*found, *(without_query(one) for one in found if isinstance(one, str))]


def done_to(record: Record) -> list[Thing]:
    """What a call that changed something is known to have told of: the thing that it changed, if that came back or
    nothing else did. What it made, with an id of its own, is not what it was made of."""
    back = _back(record)
    if back and not any(_is_among(one, back) for one in _named_in(record)):
        return []
    return changed(record)


def in_commands(record: Record) -> list[str]:
    """The paths, files, addresses and ids that stand in commands of which it is not known that they only read."""
    words = [word for part in commands_in(record) if part.changes is not False for word in (*part.words, *part.places)]
    return [canonical(one) for word in words for one in WORD.findall(word) if _names_a_thing(one)]


def changed(record: Record) -> list[Thing]:
    """What a call that changes things is about: its arguments that name the kind of thing that the tool is for; where
    none does, the thing that came back, if it is one of them, or all of them. A booking is changed, and not the card
    that pays for it."""
    surely: list[Thing] = [one for part in commands_in(record) if part.changes for one in part.places]
    surely += _in_address(record)
    named = _beside_commands(record)
    of_kind = {key: value for key, value in named.items() if is_of(key, record.tool_name)}
    if own := [*_each_thing(of_kind, record)]:
        return [*surely, *own]
    every = [*_each_thing(named, record)]
    back = _back(record)
    return [*surely, *([one for one in every if _is_among(one, back)] or every)]


def called(record: Record) -> Iterator[Name]:
    """By what else a call that changes something calls things of its kind: numbers, keys and names; and where it names
    nothing by an id, what stands under the name of the kind."""
    kinds = _kinds_of(record)
    by_id = any(map(names_id, record.arguments))
    for key, value in record.arguments.items():
        if (name := _name_of(key, value, kinds)) and name.kinds <= kinds and (name.by or not by_id):
            yield name


def named(record: Record) -> frozenset[Thing]:
    """All things that a call names, be it in lists."""
    kinds = _kinds_of(record)
    every = (one for key, value in scalars(_beside_commands(record)) for one in _things(key, value, kinds))
    return frozenset([*every, *called(record)])


def listed_anew(record: Record) -> tuple[Hashable, frozenset[tuple[str, Json]]] | None:
    """What a call says of the objects of a list that it writes, such as a plan, with what tells the list from others;
    None where it writes no single list."""
    lists = [(key, value) for key, value in record.arguments.items() if isinstance(value, list)]
    if not rewrites(record.tool_name) or len(lists) != 1 or not any(isinstance(one, Mapping) for one in lists[0][1]):
        return None
    [(key, items)] = lists
    beside = ((one, value) for one, value in record.arguments.items() if one != key and is_scalar(value))
    others = frozenset((one, value) for one, value in beside if not isinstance(value, str) or " " not in value)
    return (record.tool_name, key, others), frozenset(scalars(items))


def told_of(record: Record) -> Iterator[Thing]:
    """The things that a result tells of: itself, the objects in it or that it lists, or what stands in a text."""
    if isinstance(record.output, str):
        parts = (_without_line(part).strip(MARKS) for part in WORD.findall(record.output[:READ_TEXT]))
        yield from (canonical(part) for part in parts if _names_a_thing(part))
        return
    of_call = _kinds_of(record)
    for container, fields in _objects(record):
        kinds = _kinds_in(container, of_call)
        for key, value in _own(fields, record.tool_name):
            yield from _things(key, value, kinds)
        for key, value in fields.items():
            if (
                _read_key(key)[0]
                and not names_id(key)
                and (name := _name_of(key, value, kinds))
                and name.kinds <= kinds
            ):
                yield name


def _beside_commands(record: Record) -> dict[str, Json]:
    return {key: value for key, value in record.arguments.items() if key not in COMMANDS}


def _is_among(one: Thing, others: Iterable[Thing]) -> bool:
    return any(one.may_be(other) if isinstance(one, Name) else one == other for other in others)


def _named_in(record: Record) -> Iterator[Thing]:
    """The paths, files, addresses and ids that are arguments, and those that stand in a command."""
    kinds = _kinds_of(record)
    for key, value in scalars(_beside_commands(record)):
        yield from _things(key, value, kinds)
    yield from in_commands(record)


def _back(record: Record) -> list[Thing]:
    """The thing that came back, if anything did that has an id or a name."""
    kinds = _kinds_of(record)
    return [one for key, value in _own(record.fields, record.tool_name) for one in _things(key, value, kinds)]


def _each_thing(arguments: Mapping[str, Json], record: Record) -> Iterator[Thing]:
    """What arguments name, and lists of ids in them, but for what else stands in these."""
    kinds = _kinds_of(record)
    for key, value in arguments.items():
        listed = key.removesuffix("s")
        if isinstance(value, list) and names_id(listed):
            for one in value:
                yield from _things(listed, one, kinds)
        else:
            yield from _things(key, value, kinds)


def _objects(record: Record) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """A result that is an object, the objects in its fields, and those that it lists, each with the field that it
    stands in; empty for the result itself."""
    yield "", record.fields
    for key, value in record.fields.items():
        if isinstance(value, Mapping):
            yield key, value
    lists = [("", record.output)] if isinstance(record.output, list) else record.fields.items()
    for key, value in lists:
        if isinstance(value, list):
            yield from ((key, item) for item in value if isinstance(item, Mapping))


@lru_cache(maxsize=4096)
def _kinds_in(field: str, others: frozenset[str]) -> frozenset[str]:
    """Of what kind an object is that stands in a field; where that says little, it may be of the `others`, too."""
    words = frozenset(map(singular, words_of(field)))
    return words if words - _ANY else words | others


def _kinds_of(record: Record) -> frozenset[str]:
    """What a call is for: the words of its tool, or of an address, `https://x.org/users/5`."""
    places = [one for one in _segments(record) if not _is_id(one)] if record.address else []
    return frozenset({singular(places[-1].casefold())}) if places else nouns_of(record.tool_name)


def _in_address(record: Record) -> Iterator[Thing]:
    """The id at the end of an address."""
    if (places := _segments(record)) and _is_id(places[-1]):
        yield places[-1] if is_name(places[-1]) else Name(places[-1], "id", _kinds_of(record))


def _segments(record: Record) -> list[str]:
    path = without_query(record.address).rpartition("://")[2]
    return [one for one in path.split("/")[1:] if one]


def _is_id(segment: str) -> bool:
    return segment.isdecimal() or is_name(segment)


def _own(fields: Mapping[str, Json], tool_name: str) -> Iterable[tuple[str, Json]]:
    """The field that says which thing an object is: that of the kind that the tool is for, else its first id; of one
    without ids, all that name anything. The others say what it has to do with."""
    ids = [(key, value) for key, value in fields.items() if names_id(key) and any(_things(key, value))]
    named = ids or [(key, value) for key, value in fields.items() if any(_things(key, value))]
    of_kind = [pair for pair in named if is_of(pair[0], tool_name)]
    return of_kind[:1] or (ids[:1] if ids else named)


def _without_line(part: str) -> str:
    """A path without the number of a line behind it; the port of an address is none."""
    return part if "://" in part else _LINE.sub("", part)


def _things(key: str, value: Json, kinds: frozenset[str] = frozenset()) -> Iterator[Thing]:
    """What a field names, if anything. `kinds`: of a thing that its key says no more of."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return
    text = str(value)
    if isinstance(value, str) and is_place(key, text):
        yield canonical(text)
    elif _names_a_thing(text):
        yield text
    elif names_id(key) and (name := _name_of(key, value, kinds)):
        yield name


def _name_of(key: str, value: Json, kinds: frozenset[str]) -> Name | None:
    """The name that stands under a key; None where none does."""
    if not isinstance(value, str | int) or isinstance(value, bool) or not 0 < len(str(value)) <= LONGEST_NAME:
        return None
    by, said = _read_key(key)
    if not by and (not said or " " in str(value)):
        return None
    return Name(str(value), by, said or kinds)


@lru_cache(maxsize=4096)
def _read_key(key: str) -> tuple[str, frozenset[str]]:
    """By what a field names something, and of which kind, as far as its key says it."""
    words = [singular(word) for word in words_of(key)]
    by = next((word for word in reversed(words) if word in _NAMES), "")
    return _ONE.get(by, by), frozenset(words) - {by}


def _names_a_thing(text: str) -> bool:
    return is_name(text) or names_place(text)
