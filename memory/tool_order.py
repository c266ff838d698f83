"""Which of what tools gave is older than what another tool did to the same thing since?

Tables of a view stand in no order of time: who reads a file's text has to see that the file was written after that.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from memory.tool_records import Call, Record
from memory.tool_relevance import MARKS, is_name, names_id, names_place
from utils.json_values import Json, scalars

COMMANDS = frozenset({"command", "commands", "cmd", "script", "shell", "args", "argv", "code", "sql", "statement"})
READ = 2_000  # characters of a command in which things are looked for
READ_TEXT = 20_000  # and of a text that a tool gave

# How tools are called that change nothing.
_READS = re.compile(
    r"(?i)(?:get|list|read|search|find|show|describe|fetch|view|look|query|count|check|calculate|think|open|select|"
    r".*(?:^|[_.-])(?:grep|glob|cat|ls|head|tail|diff|stat|tests?|track|verify|validate|search|lookup|send|email|notify|"
    r"message|browse|visit|summari[sz]e|analy[sz]e|compare|explain)(?:$|[_.-]))"
)
_PART = re.compile(r"[^\s\"'`;|&<>()=,]+")
_LINE = re.compile(r":\d+:?.*")  # behind a path: "src/invoice.py:90:"


def overtaken(records: Sequence[Record]) -> Mapping[str, str]:
    """For each record that tells of things, in its result or in its call, the id of the next call that changed one of
    them; where none did, of the next of another tool that names what its call names, or of the next answer to the same
    call. A call that failed did nothing to anything. `records`: oldest first."""
    calls: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)  # of each thing, the next of two tools
    changes: dict[str, tuple[str, str]] = {}  # of each thing, the next
    answers: dict[Call, str] = {}  # to each call, the next
    found: dict[str, str] = {}
    place = {record.trace_id: at for at, record in enumerate(records)}
    for record in reversed(records):
        about = dict.fromkeys(_things(record.arguments))
        if record.raw_output.strip() and not record.failed:
            changed = [changes[one][1] for one in set(_told_of(record)) if one in changes]
            changed += [changes[one][1] for one in about if one in changes and changes[one][0] != record.tool_name]
            others = [trace_id for one in about for tool, trace_id in calls[one] if tool != record.tool_name]
            others += [answers[record.call]] if record.call in answers else []
            if others := changed or others:
                found[record.trace_id] = min(others, key=lambda trace_id: place[trace_id])
            answers[record.call] = record.trace_id
        if record.failed and record.raw_output.strip():
            continue
        if not _READS.match(record.tool_name):
            changes |= dict.fromkeys(_changed(record), (record.tool_name, record.trace_id))
        for one in about:
            other = next((call for call in calls[one] if call[0] != record.tool_name), None)
            calls[one] = [(record.tool_name, record.trace_id), *([other] if other else [])]
    return found


def _things(arguments: Json) -> Iterator[str]:
    """What a call names: paths, files, addresses and ids that are arguments, and those that stand in a command."""
    for key, value in scalars(arguments):
        if names_id(key) and not isinstance(value, bool | float):
            yield str(value) if is_name(str(value)) else f"{key}={value}"
        elif isinstance(value, str):
            parts = _PART.findall(value[:READ]) if key in COMMANDS else [value]
            yield from filter(_names_a_thing, parts)


def _changed(record: Record) -> Iterator[str]:
    """What a call that changes things is about: its arguments that name something or list ids, but for what else stands
    in these."""
    for key, value in record.arguments.items():
        listed = key.removesuffix("s")
        if isinstance(value, list) and names_id(listed):
            for one in value:
                yield from _thing(listed, one)
        elif key not in COMMANDS:
            yield from _thing(key, value)


def _told_of(record: Record) -> Iterator[str]:
    """The things that a result names: in its fields, in those of the objects that it lists, or in a text."""
    if isinstance(record.output, str):
        parts = (_without_line(part).strip(MARKS) for part in _PART.findall(record.output[:READ_TEXT]))
        yield from filter(_names_a_thing, parts)
        return
    found = record.output if isinstance(record.output, list) else record.fields.values()
    lists = [found] if isinstance(found, list) else [one for one in found if isinstance(one, list)]
    listed = (item for one in lists for item in one if isinstance(item, Mapping))
    within = (one for one in record.fields.values() if isinstance(one, Mapping))
    for item in (record.fields, *within, *listed):
        for key, value in item.items():
            yield from _thing(key, value)


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
