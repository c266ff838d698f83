"""Which values does a tool want as they are now?

A call may fail for want of a current value, such as an entity tag; and a call that had one may give the next.
"""

import re
from collections.abc import Iterable

from memory.views.effects import only_reads
from memory.views.identifiers import names_version
from memory.views.json_values import Json
from memory.views.records import Record

READ = 500  # characters of a failure that are looked at

# What a failure says where the value that was sent is not the current one, or none was.
_STALE = re.compile(
    r"(?i)\b(?:412|428|pre-?condition|if-match|stale|out[- ]?dated|out of date|not current|"
    r"(?:current|latest|newest) (?:[\w-]+ )?(?:etag|version|revision|token|hash|value|sha|checksum|seq\w*)|"
    r"(?:etag|version|revision|token|hash|sha|checksum)s? (?:mismatch|conflict|does not match|is required|required|"
    r"is missing|missing))\b"
)
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")


def wanted_in(records: Iterable[Record]) -> frozenset[str]:
    """The words, lower case, by which failures for want of a current value may name the field that has it."""
    told = (one.raw_output[:READ].casefold() for one in records if wants_current(one))
    return frozenset(word for text in told for word in _WORD.findall(text))


def wants_current(record: Record) -> bool:
    """Whether a call failed for want of a current value."""
    return record.failed and _STALE.search(record.raw_output[:READ]) is not None


def given_anew(record: Record) -> frozenset[str]:
    """The keys of arguments in whose place a call that changed something gave another value, by which its thing is to
    be named from then on: an entity tag, or the number of a version."""
    if record.failed or only_reads(record):
        return frozenset()
    return frozenset(key for key, value in record.arguments.items() if _is_renewed(key, value, record.fields.get(key)))


def _is_renewed(key: str, sent: Json, back: Json) -> bool:
    return sent != back and names_version(key, sent) and names_version(key, back)
