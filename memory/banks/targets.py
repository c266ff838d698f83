"""Targets: lines of a content that name the file where what follows belongs, as `decisions.md:` does."""

import re
from dataclasses import dataclass

from memory.banks.decisions import is_file_name
from memory.banks.markdown import block, heading_in, lines_in, unified
from utils.errors import InvalidInput

EMPTY = "There is no content to keep"
UNFILLED = (
    "{} is to be replaced, but nothing stands below it to replace it with, so nothing was changed: write what it is to "
    "say from now on, or leave the line out"
)

# Each part takes all that it can and gives nothing back, so that no line takes long.
_NAMED = r"""`?+(?P<file>[A-Za-z0-9][\w-]{0,59}+\.md)`?+
    (?:\s*+(?:\#|>|›|/|,\s*+section:?+)\s*+(?P<section>[^\]\n:(*`]{1,120}+))?+
    \s*+(?P<within>\(replace\))?+\s*+"""
_REST = r"(?P<after>\(replace\):?+)?+(?:\*\*(?!\S))?+[ \t]*+(?P<rest>.*+)"
# A line alone, which may be a heading, or text behind a colon.
_LINE = re.compile(
    rf"""^\s*+(?:\#{{1,6}}+\s*+)?+(?:\[\s*+)?+(?:\*\*)?+(?:(?:target[ _])?+file\s*+:\s*+|@|→\s*+|->\s*+)?+{_NAMED}
    [*`]{{0,2}}+\s*+\]?+\s*+(?P<behind>\(replace\))?+\s*+(?::[ \t]*+{_REST})?+$""",
    re.IGNORECASE | re.VERBOSE,
)
# In brackets and called a file, which nobody writes in passing, with any text behind; a link of Markdown it is not.
_BRACKETS = re.compile(
    rf"""^\s*+(?:[-*+][ \t]++)?+(?:\#{{1,6}}+\s*+)?+(?:\*\*)?+\[\s*+(?:target[ _])?+file\s*+:\s*+{_NAMED}
    \](?:\*\*)?+(?!\((?!replace\)))\s*+(?P<behind>\(replace\))?+:?+[ \t]*+{_REST}$""",
    re.IGNORECASE | re.VERBOSE,
)
# What was meant as one, whether or not it names a file that a bank can have.
_MEANT = re.compile(
    r"""^\s*+(?:[-*+][ \t]++)?+(?:\#{1,6}+\s*+)?+(?:\*\*)?+\[\s*+(?:target[ _])?+file\s*+:[^\]\n]*+
    (?:\](?!\((?!replace\)))|$)""",
    re.IGNORECASE | re.VERBOSE,
)
MOST_TOLD = 5  # lines that are told
NOT_UNDERSTOOD = (
    "What stands in brackets in line {} of the update was not understood, so it was kept as content, where it seemed "
    "to belong: a file is named as in [file: ideas.md > Next], by letters of a to z, digits, - and _, in no folder"
)


@dataclass(frozen=True)
class Target:
    """Where content says that it belongs. `section`: None for the one of the file that suits. `replaces`: it takes the
    place of what stands there."""

    file: str
    section: str | None
    replaces: bool

    def __str__(self) -> str:
        return f"{self.file} > {self.section}" if self.section is not None else self.file


def target_in(line: str) -> tuple[Target, str] | None:
    """Where a line says that what follows belongs, and what else it says."""
    found = _LINE.match(line) or _BRACKETS.match(line)
    if found is None or not is_file_name(found["file"].lower()):
        return None
    section = (found["section"] or "").strip() or None
    replaces = any(found[name] for name in ("within", "behind", "after"))
    return Target(found["file"].lower(), section, replaces), (found["rest"] or "").strip()


def divided(content: str) -> list[tuple[Target | None, str]]:
    """The stretches of a content, each with where the line before it says that it belongs; None where none does, and
    behind a line that is not understood, which is content then."""
    found: list[tuple[Target | None, list[str]]] = [(None, [])]
    for line, fenced, _ in lines_in(unified(content)):
        named = target_in(line) if not fenced else None
        if named is not None:
            found.append((named[0], [named[1]]))
        elif not fenced and is_misunderstood(line):
            found.append((None, [line]))
        else:
            found[-1][1].append(line)
    return [(target, block(lines)) for target, lines in found]


def is_misunderstood(line: str) -> bool:
    """Whether a line was meant to say where what follows belongs, and names no file that a bank can have."""
    return _MEANT.match(line) is not None and target_in(line) is None


def told_of_misunderstood(content: str) -> str | None:
    """What a client is told of lines that name files in a way that nobody understands; None where there are none."""
    lines = lines_in(unified(content))
    numbers = [number for number, (line, fenced, _) in enumerate(lines, 1) if not fenced and is_misunderstood(line)]
    if not numbers:
        return None
    return NOT_UNDERSTOOD.format(", ".join(map(str, numbers[:MOST_TOLD])) + " and others" * (len(numbers) > MOST_TOLD))


def check_filled(content: str) -> None:
    """Raises `InvalidInput` where a line says that something is to be replaced and nothing but headings stands below
    it, or where there are lines alone that name files."""
    stretches = divided(content)
    for target, text in stretches:
        says = any(line.strip() and (fenced or heading_in(line) is None) for line, fenced, _ in lines_in(text))
        if target is not None and target.replaces and not says:
            raise InvalidInput(UNFILLED.format(target))
    if not any(text for _, text in stretches):
        raise InvalidInput(EMPTY)
