"""Pages of HTML, and outputs with tags in them, as plain text."""

import re
from collections.abc import Iterator
from html import unescape

from utils.text import lower_in_place

_IS_PAGE = re.compile(r"\s*+<(?:!doctype html|html|head|body|div|table|ul|p)\b", re.IGNORECASE)
_MARK = re.compile(r"<!--|<!doctype\b[^<>]*+>|<(?P<end>/?)(?P<name>[a-z][a-z0-9:-]*+)[^<>]*+>", re.IGNORECASE)
_UNREAD = frozenset({"script", "style", "head", "nav"})
_NO_TEXT = frozenset({"script", "style"})  # what stands in them is no text, even where their end is missing
_CELL = frozenset({"td", "th"})
_INLINE = re.compile("a|abbr|b|cite|code|em|i|kbd|label|mark|q|small|span|strong|sub|sup|time|u")
_BLOCK = re.compile(
    "article|aside|blockquote|body|br|button|caption|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|html|img|input|"
    "li|main|ol|option|p|pre|section|select|summary|table|tbody|tfoot|thead|title|tr|ul"
)


def is_page(text: str) -> bool:
    """Whether a text begins as a page of HTML, or as a piece of one."""
    return _IS_PAGE.match(text) is not None


def read_page(text: str) -> str:
    """The text without the tags of HTML: a line for each block and each row of a table. What is not shown (scripts,
    styles, the head, navigation, comments) is left out. Of a text that is no page, words in angle brackets that are
    no elements of HTML stay, and so does what a missing end would hide."""
    whole = is_page(text)
    pieces = list(_pieces(text, whole))
    if len(pieces) == 1:
        return text
    said = unescape("".join(pieces))
    return "\n".join(line.strip() for line in said.splitlines() if line.strip()) if whole else said


def _pieces(text: str, whole: bool) -> Iterator[str]:
    lower = lower_in_place(text)
    endless: set[str] = set()  # ends that are not found from here on: looked for once
    at = 0
    for mark in _MARK.finditer(text):
        name = (mark["name"] or "").lower()
        if mark.start() < at or not (whole or _is_element(name)):
            continue
        yield text[at : mark.start()]
        at = mark.end()
        if _INLINE.fullmatch(name):
            continue
        yield " " if name in _CELL else "\n"
        end = "-->" if mark[0] == "<!--" else f"</{name}" if name in _UNREAD and not mark["end"] else None
        if end is None or end in endless:
            continue
        if (found := lower.find(end, at)) >= 0:
            at = found + len(end) if end == "-->" else found
        elif whole and name in _NO_TEXT:
            return
        else:
            endless.add(end)
    yield text[at:]


def _is_element(name: str) -> bool:
    """Whether outputs have such an element. Comments have no name."""
    return not name or name in _UNREAD | _CELL or bool(_INLINE.fullmatch(name) or _BLOCK.fullmatch(name))
