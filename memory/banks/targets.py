"""Where does content itself say that it belongs? In lines that name a file: `decisions.md:`, `[file: notes.md] x`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.banks.decisions import Done, is_file_name
from memory.banks.markdown import blocks, lines_in, title_in
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
# A file's name, a colon and text, as may stand in a list of files that was not meant to name one.
_BARE = re.compile(r"\s*+[*`]{0,3}+[A-Za-z0-9][\w-]*+\.md\b")
MADE = (
    "{} made because a line of the update begins with the name and a colon; what follows the line is there, up to the "
    "next line that names a file. Where that was not meant, write such lines as items of a list (`- readme.md: …`)"
)
NOT_REPLACED = (
    "{} was to be replaced, but nothing says which section of it, so the content was added and nothing went: name the "
    "section, as in [file: progress.md > Next] (replace)"
)


@dataclass(frozen=True)
class Target:
    """Where content says that it belongs. `section`: None for the one of the file that suits. `replaces`: it takes the
    place of what stands there; `replaced`: in which sections it has done so, where what follows is added."""

    file: str
    section: str | None
    replaces: bool
    replaced: set[str] = field(default_factory=set)

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


def is_target(line: str) -> bool:
    """Whether a line says where what follows belongs, be it that nobody understands where."""
    return target_in(line) is not None or is_misunderstood(line)


def is_misunderstood(line: str) -> bool:
    """Whether a line was meant to say where what follows belongs, and names no file that a bank can have."""
    return _MEANT.match(line) is not None and target_in(line) is None


def told_of_misunderstood(content: str) -> str | None:
    """What a client is told of lines that name files in a way that nobody understands; None where there are none."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n")
    numbers = [
        number for number, (line, fenced, _) in enumerate(lines_in(lines), 1) if not fenced and is_misunderstood(line)
    ]
    if not numbers:
        return None
    return NOT_UNDERSTOOD.format(", ".join(map(str, numbers[:MOST_TOLD])) + " and others" * (len(numbers) > MOST_TOLD))


def told_of_lines(content: str, done: Sequence[Done]) -> list[str]:
    """What a client is told of lines that name files and may have been meant otherwise, after what was done: such as
    made a file in passing, and such as replaced nothing for want of a section."""
    made = {one.target_file for one in done if one.operation_type == "create"}
    added = {one.target_file for one in done if one.operation_type == "append"}
    added -= {one.target_file for one in done if one.operation_type == "replace"}
    if not made and not ("(replace)" in content.lower() and added):
        return []
    lines = content.replace("\r\n", "\n").replace("\r", "\n")
    named = [(line, *found) for line, fenced, _ in lines_in(lines) if not fenced and (found := target_in(line))]
    bare = [target.file for line, target, said in named if said and _BARE.match(line) and target.file in made]
    kept = [target.file for _, target, _ in named if target.replaces and not target.section and target.file in added]
    told = [NOT_REPLACED.format(file) for file in dict.fromkeys(kept)][:MOST_TOLD]
    if bare:
        names = list(dict.fromkeys(bare))
        told.append(MADE.format(", ".join(names[:MOST_TOLD]) + (" was" if len(names) == 1 else " were")))
    return told


def check_filled(content: str) -> None:
    """Raises `InvalidInput` where a line says that something is to be replaced and nothing but headings stands below
    it, or where there are lines alone that name files."""
    said = False  # whether anything is to be kept
    unfilled: Target | None = None
    for block in blocks(content, is_target):
        first, _, rest = block.partition("\n")
        if (named := target_in(first)) is not None:
            _refuse(unfilled)
            target, beside = named
            unfilled = target if target.replaces else None
            block = f"{beside}\n{rest}"
        said = said or bool(block.strip())
        if title_in(block.strip())[1].strip():
            unfilled = None
    _refuse(unfilled)
    if not said:
        raise InvalidInput(EMPTY)


def _refuse(unfilled: Target | None) -> None:
    if unfilled is not None:
        raise InvalidInput(UNFILLED.format(unfilled))
