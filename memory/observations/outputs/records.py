"""What do lines say only together: how bad something is and what it is, and what a commit of Git changed?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.observations.outputs.runs import sums_up
from utils.text import cut_at_word, uncoloured

MOST_BEFORE = 6  # lines before one that says how bad something is, which say what that is
LONGEST_SUBJECT = 160  # characters of a line that names it
LONGEST = 400  # characters of what is told
MOST_COMMITS = 20  # that are told
SHORT_ID = 10  # characters of a commit's id that are told

_SEVERITY = re.compile(r"^\W*(?:severity|risk level|criticality)\s*[:=]\s*\S", re.IGNORECASE)
_VALUE = re.compile(r"^[^\w\n]{0,8}[^\W\d_][\w.()/-]{0,40}(?: [\w.()/-]{1,40}){0,3}\s{0,40}[:=]\s+\S")
_LINKED = re.compile(r"^\W*\w.{3,200}? [-–—] https?://\S+$")
_COMMIT = re.compile(r"commit (?P<id>[0-9a-f]{7,40})\b")
_ABOUT_COMMIT = re.compile(r"(?:Merge|Author|AuthorDate|Commit|CommitDate|Date): +(?P<said>\S.*)")
_ADDRESS = re.compile(r"(?<! ) *+<[^<>]*>$")


@dataclass(frozen=True)
class Record:
    """Lines that say something together, and what is told of them."""

    begin: int
    end: int
    told: tuple[str, ...]


def rated_in(lines: Sequence[str]) -> Iterator[Record]:
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
            yield Record(begin, end, tuple(told))
            free = end


def _is_subject(line: str) -> bool:
    """Whether a line may name what the next one rates: no sentence, no sum."""
    bare = line.strip()
    is_name = 0 < len(bare) <= LONGEST_SUBJECT and any(map(str.isalnum, bare))
    return is_name and not bare.endswith((".", "!", "?", ":")) and not sums_up(bare)


def take_commits(text: str) -> tuple[list[str], str]:
    """The commits that `git log` shows in a text, each by its subject, with who made it and when, and the text without
    them; the rest of their messages stays."""
    if "\nAuthor: " not in text:
        return [], text
    lines = [uncoloured(line) for line in text.splitlines()]
    commits = list(_commits_in(lines))
    taken = {at for commit in commits for at in range(commit.begin, commit.end)}
    left = "\n".join(line for at, line in enumerate(lines) if at not in taken)
    return [told for commit in commits[:MOST_COMMITS] for told in commit.told], left


def _commits_in(lines: Sequence[str]) -> Iterator[Record]:
    for at, line in enumerate(lines):
        if (commit := _COMMIT.match(line)) is None:
            continue
        end = at + 1
        about: list[str] = []
        while end < len(lines) and (found := _ABOUT_COMMIT.match(lines[end])) is not None:
            if not lines[end].startswith(("Merge", "Commit")):
                about.append(_ADDRESS.sub("", found["said"].strip()))
            end += 1
        while end < len(lines) and not lines[end].strip():
            end += 1
        if about and end < len(lines) and lines[end].startswith("    "):
            told = f"{commit['id'][:SHORT_ID]} ({', '.join(about)}): {lines[end].strip()}"
            yield Record(at, end + 1, (cut_at_word(told, LONGEST),))
