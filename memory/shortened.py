"""Is a text what somebody left of another one? Agents shorten old results of tools in the histories that they send."""

import re

FEWEST = 40  # characters of the whole text that stand on, where a mark says that some are gone
FEWEST_UNMARKED = 200  # and where none does: "10" is no shortened "100"
LONGEST_MARK = 120  # characters of what stands for those that are gone
LONGEST_PLACEHOLDER = 200

_GONE = (
    r"cleared|compacted|cut|elided|evicted|hidden|omitted|pruned|redacted|removed|shortened|skipped|snip(?:ped)?|stripped|"
    r"trimmed|truncated"
)
_MARK = re.compile(rf"…|\.\.\.|\b(?:{_GONE}|more)\b", re.IGNORECASE)
_ENCLOSED = re.compile(rf"\W*[\[<({{][^\n]*\b(?:{_GONE})\b[^\n]*[\]>)}}]\W*", re.IGNORECASE)
_OF_A_RESULT = re.compile(
    rf"(?=.*\b(?:tool|result|output|content|response|message)s?\b).*\b(?:{_GONE})\b.*", re.IGNORECASE
)


def is_left_of(text: str, whole: str) -> bool:
    """Whether a text is a longer one without a part of it, with or without a mark in its place, or a placeholder."""
    short, long = text.strip(), whole.strip()
    if len(short) >= len(long):
        return short == long
    return _is_placeholder(short) or _is_part(short, long)


def _is_placeholder(text: str) -> bool:
    if len(text) > LONGEST_PLACEHOLDER:
        return False
    if not any(map(str.isalnum, text)):  # "[]" says that there is nothing
        return not text or ("..." in text.replace("…", "...") and not text.strip(" .…[]()<>"))
    return bool(_ENCLOSED.fullmatch(text) or _OF_A_RESULT.fullmatch(text))


def _is_part(short: str, long: str) -> bool:
    """Whether a text is the beginning of a longer one, its end, or both, with a mark between or after them."""
    begin = _alike(short, long)
    end = _alike(short[begin:][::-1], long[begin:][::-1])
    mark = short[begin : len(short) - end]
    if not mark:
        return begin + end >= FEWEST_UNMARKED
    return begin + end >= FEWEST and len(mark) <= LONGEST_MARK and _MARK.search(mark) is not None


def _alike(short: str, long: str) -> int:
    """With how many characters both begin."""
    low, high = 0, len(short)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if long.startswith(short[:middle]) else (low, middle - 1)
    return low
