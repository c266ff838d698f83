"""Where does content itself say that it belongs? In lines that name a file: `decisions.md:`, `[file: notes.md] x`."""

import re
from dataclasses import dataclass, field

from memory.bank_decisions import is_file_name
from memory.bank_markdown import blocks, title_in
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
    """Whether a line says where what follows belongs."""
    return target_in(line) is not None


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
