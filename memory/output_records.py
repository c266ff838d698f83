"""What do values under names say only together: how bad something is, and what it is?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.output_runs import sums_up
from utils.text import cut_at_word

MOST_BEFORE = 6  # lines before one that says how bad something is, which say what that is
LONGEST_SUBJECT = 160  # characters of a line that names it
LONGEST = 400  # characters of what is told

_SEVERITY = re.compile(r"^\W*(?:severity|risk level|criticality)\s*[:=]\s*\S", re.IGNORECASE)
_VALUE = re.compile(r"^[^\w\n]{0,8}[^\W\d_][\w.()/-]{0,40}(?: [\w.()/-]{1,40}){0,3}\s{0,40}[:=]\s+\S")
_LINKED = re.compile(r"^\W*\w.{3,200}? [-–—] https?://\S+$")


@dataclass(frozen=True)
class Rated:
    """Lines that together say how bad something is, and what is told of them."""

    begin: int
    end: int
    told: tuple[str, ...]


def rated_in(lines: Sequence[str]) -> Iterator[Rated]:
    """What is rated among lines ("Severity: high"), with what it is, as audits and scanners name it: by values under
    names before it, or in the line above; and behind it the titles of what was found, with their links."""
    free = 0  # the first line that belongs to none
    for at, line in enumerate(lines):
        if at < free or not _SEVERITY.match(line):
            continue
        begin = at
        while begin > max(free, at - MOST_BEFORE) and _VALUE.match(lines[begin - 1]):
            begin -= 1
        if begin > free and begin >= at - 1 and _is_subject(lines[begin - 1]):
            begin -= 1
        end = at + 1
        while end < len(lines) and _LINKED.match(lines[end]):
            end += 1
        if begin < at or end > at + 1:
            whole = "; ".join(cut_at_word(one.strip(" \t#>*-"), LONGEST_SUBJECT) for one in lines[begin : at + 1])
            told = [cut_at_word(whole, LONGEST), *(cut_at_word(one.strip(), LONGEST) for one in lines[at + 1 : end])]
            yield Rated(begin, end, tuple(told))
            free = end


def _is_subject(line: str) -> bool:
    """Whether a line may name what the next one rates: no sentence, no sum."""
    bare = line.strip()
    is_name = 0 < len(bare) <= LONGEST_SUBJECT and any(map(str.isalnum, bare))
    return is_name and not bare.endswith((".", "!", "?", ":")) and not sums_up(bare)
