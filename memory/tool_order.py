"""Which of what tools gave is older than what another tool did to the same thing since?

Tables of a view stand in no order of time: who reads a file's text has to see that the file was written after that.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from memory.tool_records import Record
from memory.tool_relevance import is_name, names_id, names_place
from utils.json_table import scalars

COMMANDS = frozenset({"command", "commands", "cmd", "script", "shell", "args", "argv", "code", "sql", "statement"})
READ = 2_000  # characters of a command in which things are looked for

_PART = re.compile(r"[^\s\"'`;|&<>()=]+")


def overtaken(records: Sequence[Record]) -> Mapping[str, str]:
    """For each record that tells of something that its call names, the id of the next call of another tool that names
    it, too. `records`: oldest first."""
    calls: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)  # of each thing, the next of two tools
    found: dict[str, str] = {}
    place = {record.trace_id: at for at, record in enumerate(records)}
    for record in reversed(records):
        about = dict.fromkeys(_things(record))
        if record.raw_output.strip() and not record.failed:
            others = [trace_id for one in about for tool, trace_id in calls[one] if tool != record.tool_name]
            if others:
                found[record.trace_id] = min(others, key=lambda trace_id: place[trace_id])
        for one in about:
            other = next((call for call in calls[one] if call[0] != record.tool_name), None)
            calls[one] = [(record.tool_name, record.trace_id), *([other] if other else [])]
    return found


def _things(record: Record) -> Iterator[str]:
    """What a call names: paths, files, addresses and ids that are arguments, and those that stand in a command."""
    for key, value in scalars(record.arguments):
        if names_id(key) and not isinstance(value, bool | float):
            yield str(value) if is_name(str(value)) else f"{key}={value}"
        elif isinstance(value, str):
            parts = _PART.findall(value[:READ]) if key in COMMANDS else [value]
            yield from (part for part in parts if is_name(part) or names_place(part))
