"""What are the items of a list in Markdown, and which of them are ticked off?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from memory.banks.markdown import lines_in

TAB = 4  # columns
DEEPEST = 20  # items within each other; what is deeper stands beside the last of these
UNTICKED = re.compile(r"(?<![^ \t\n])(?:\[ \](?=\s)|☐)")
_BOX = re.compile(r"(?:\[(?P<tick>[ xX✓✔])\](?=\s|$)|(?P<drawn>[☐☑✅]))[ \t]*")
_MARK = re.compile(  # a box makes an item of a line without a mark, too
    r"(?P<indent>[ \t]*)(?:(?:[-*+]|(?P<number>\d{1,9}[.)]))[ \t]+(?=\S)|(?=\[[ xX✓✔]\](?:\s|$)|[☐☑✅]))"
)

Box = Literal["open", "ticked"]


@dataclass
class Item:
    """An item of a list: its own lines, without those of the items within it."""

    lines: list[str]
    indent: int
    children: list["Item"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that it says, as it stands."""
        return "\n".join(self.all_lines())

    def all_lines(self) -> Iterator[str]:
        yield from self.lines
        for child in self.children:
            yield from child.all_lines()


def is_item(text: str) -> bool:
    """Whether a text begins with an item of a list."""
    return _MARK.match(text) is not None


def is_ordered(text: str) -> bool:
    """Whether a text begins with an item that has a number."""
    found = _MARK.match(text)
    return found is not None and found["number"] is not None


def box_of(text: str) -> Box | None:
    """The box that a text, or the item that it is, begins with; None where there is none."""
    found = _BOX.match(text, _behind_mark(text))
    if found is None:
        return None
    return "open" if found["tick"] == " " or found["drawn"] == "☐" else "ticked"


def behind_box(text: str) -> int:
    """Where an item's own words begin, behind its mark and its box."""
    at = _behind_mark(text)
    found = _BOX.match(text, at)
    return found.end() if found is not None else at


def with_tick(text: str) -> str:
    """A text, or the item that it is, with its box ticked; as it is where it has none that is open."""
    found = _BOX.match(text, _behind_mark(text))
    if found is None or box_of(text) != "open":
        return text
    return text[: found.start()] + found[0].replace("[ ]", "[x]").replace("☐", "☑") + text[found.end() :]


def outline(text: str) -> tuple[list[str], list[Item]]:
    """The lines before a text's first list, and the items of that, each with those within it. A line that is no item
    belongs to the one before it."""
    before: list[str] = []
    roots: list[Item] = []
    path: list[Item] = []
    for line, fenced, _ in lines_in(text):
        found = None if fenced else _MARK.match(line)
        if found is not None:
            item = Item([line], len(found["indent"].expandtabs(TAB)))
            while path and (path[-1].indent >= item.indent or len(path) == DEEPEST):
                path.pop()
            (path[-1].children if path else roots).append(item)
            path.append(item)
        else:
            (path[-1].lines if path else before).append(line)
    return before, roots


def _behind_mark(text: str) -> int:
    found = _MARK.match(text)
    return found.end() if found is not None else 0
