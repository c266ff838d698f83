"""Items of lists in Markdown, and the boxes that say which of them are done."""

import re
from typing import Literal

TAB = 4  # columns
UNTICKED = re.compile(r"(?<![^ \t\n])(?:\[ \](?=\s)|☐)")
_BOX = re.compile(r"(?:\[(?P<tick>[ xX✓✔])\](?=\s|$)|(?P<drawn>[☐☑✅]))[ \t]*")
_MARK = re.compile(  # a box makes an item of a line without a mark, too
    r"[ \t]*(?:(?:[-*+]|(?P<number>\d{1,9}[.)]))[ \t]+(?=\S)|(?=\[[ xX✓✔]\](?:\s|$)|[☐☑✅]))"
)

Box = Literal["open", "ticked"]


def is_item(text: str) -> bool:
    """Whether a text begins with an item of a list."""
    return _MARK.match(text) is not None


def is_ordered(text: str) -> bool:
    """Whether a text begins with an item that has a number."""
    found = _MARK.match(text)
    return found is not None and found["number"] is not None


def indent_of(line: str) -> int:
    """The column at which a line begins."""
    wide = line.expandtabs(TAB)
    return len(wide) - len(wide.lstrip())


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
    at, end = _behind_mark(text), behind_box(text)
    return text[:at] + text[at:end].replace("[ ]", "[x]").replace("☐", "☑") + text[end:]


def _behind_mark(text: str) -> int:
    found = _MARK.match(text)
    return found.end() if found is not None else 0
