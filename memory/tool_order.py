"""Which of what tools gave is older than what another tool did to the same thing since?

Tables of a view stand in no order of time: who reads a file's text has to see that the file was written after that.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from memory.tool_records import Record
from memory.tool_relevance import is_name

_PATH = re.compile(r"(?!-?\d[\d.,:/-]*[^\W\d_]{0,5}$)(?:\S*[\w)\]][./\\]\w\S*|\S+/|/\S+)")


def overtaken(records: Sequence[Record]) -> Mapping[str, str]:
    """For each record that tells of something that its call names, the id of the next call of another tool that names
    it, too. `records`: oldest first."""
    calls: defaultdict[str, dict[str, tuple[int, str]]] = defaultdict(dict)  # of each thing, the next of each tool
    found: dict[str, str] = {}
    for at, record in reversed(list(enumerate(records))):
        about = {value for value in record.arguments.values() if isinstance(value, str) and _names_a_thing(value)}
        if not record.thing and not record.failed:  # of a thing with an id, the later state stands for the earlier one
            others = [call for one in about for tool, call in calls[one].items() if tool != record.tool_name]
            if others:
                found[record.trace_id] = min(others)[1]
        for one in about:
            calls[one][record.tool_name] = at, record.trace_id
    return found


def _names_a_thing(value: str) -> bool:
    """Whether an argument names one thing: a path, a file, an address, or what looks as an id."""
    return is_name(value) or _PATH.fullmatch(value) is not None
