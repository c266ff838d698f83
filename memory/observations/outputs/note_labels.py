"""Which label says what a text is: "Finding: …", or a list under "Lessons:"?"""

import re

from memory.observations.observation import Category
from utils.text import cut_at_word

NOTE_CHARACTERS = 1_000

_CALLED = r"(finding|insight|lesson|takeaway|conclusion|decision|recommendation|issue|problem)s?(?: learned)?"
NAMED = re.compile(rf"\b{_CALLED}\b", re.IGNORECASE)  # where none stands, there is no label
_LABEL = re.compile(rf"^\W*(?:key )?(?!issue|problem){_CALLED}\s*(?:[:：]|\s[-–—]\s)\W*(.*)$", re.IGNORECASE)
_HEADING = re.compile(rf"^\s{{0,3}}(?:#{{1,6}}\s+|\*\*)?(?!no )(?:\w+ )?{_CALLED}\W*$", re.IGNORECASE)
_NOTHING = frozenset({"none", "n/a", "nothing"})
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"^[\s#>*_]+(?!\w*__)|(?<![\w*])\*\*(?!\*)|(?<!\*)\*\*(?![\w*])|(?<=[^\s*])\*(?=\s|$)")


def heading_of(line: str) -> Category | None:
    """What the items under a line are; None for what is no heading of notes."""
    found = _HEADING.match(line)
    return _category(found[1]) if found is not None else None


def labelled_note(text: str) -> tuple[Category, str] | None:
    """What a text says that it is, and the text behind that, which is empty where it says that there is none; None
    where it has no label."""
    found = _LABEL.match(text)
    if found is None:
        return None
    rest = plain(found[2])
    return _category(found[1]), "" if rest.lower().rstrip(".!") in _NOTHING else rest


def item_of(line: str) -> str | None:
    """An item of a list without its bullet; None for another line."""
    found = _BULLET.match(line)
    return line[found.end() :] if found is not None else None


def plain(text: str) -> str:
    """A text without the marks of Markdown around it, cut to a note's length."""
    return cut_at_word(_MARKS.sub("", text[: 2 * NOTE_CHARACTERS]).strip(), NOTE_CHARACTERS)


def _category(word: str) -> Category:
    match word.lower():
        case "finding" | "issue" | "problem":
            return "finding"
        case "insight" | "takeaway" | "conclusion" | "decision":
            return "insight"
        case _:
            return "lesson"
