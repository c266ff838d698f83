"""Shortened texts: what is left of longer ones. Agents shorten old results of tools in the histories that they send."""

import re

FEWEST = 40  # characters of the whole text that stand on, where a mark says that some are gone
FEWEST_UNMARKED = 200  # and where none does: "10" is no shortened "100"
LONGEST_MARK = 120  # characters of what stands for those that are gone
LONGEST_PLACEHOLDER = 200
EDGES = (100, FEWEST // 2)  # characters; of `FEWEST` that stand on at both ends, half stand at one of them

_GONE = (
    r"cleared|compacted|cut|elided|evicted|hidden|omitted|pruned|redacted|removed|shortened|skipped|snip(?:ped)?|stripped|"
    r"trimmed|truncated"
)
# At the place where something is gone; a mark that has no brackets and no dots stands on a line of its own.
_MARK = re.compile(rf"\s*(?:…|\.\.\.|[\[<(][^\n]*(?:…|\.\.\.|\b(?:{_GONE}|more)\b))", re.IGNORECASE)
_LINE = re.compile(rf"[^\n]*\b(?:{_GONE})\b", re.IGNORECASE)
# In the place of all: what is JSON or XML is a result.
_ENCLOSED = re.compile(
    rf"\[[^\W\d_][^\n\"\[\]]*\]|<[^\W\d_][^\n<>]*>|\([^\W\d_][^\n()]*\)|\[[ .…]*(?:{_GONE})[ .…]*\]", re.IGNORECASE
)
_IS_GONE = re.compile(rf"\b(?:{_GONE})\b", re.IGNORECASE)
_SAYS_SO = re.compile(
    r"\W*(?:(?:old|previous|earlier|this|the) )?(?:tool |function )?(?:call )?"
    r"(?:results?|outputs?|responses?|contents?)\b"
    rf"[^\n\"]{{0,40}}\b(?:{_GONE})\b(?:[^\n]*\b(?:save|brevity|context|space|tokens?|length|long|size)\b[^\n]*|\W*)",
    re.IGNORECASE,
)


def is_left_of(text: str, whole: str) -> bool:
    """Whether a text is a longer one without a part of it, with or without a mark in its place, or a placeholder. In
    doubt it is another text, for which there is room."""
    short, long = text.strip(), whole.strip()
    if len(short) >= len(long):
        return short == long
    return _is_placeholder(short) or _is_part(short, long) or _is_cut(text, whole)


def signs_of(text: str) -> tuple[str, ...]:
    """How a text begins and ends, at length and in short. What is left of it has at least one of the short ones, too,
    unless that is a placeholder."""
    bare = text.strip()
    return tuple(sign for most in EDGES for sign in (f"^{bare[:most]}", f"{bare[-most:]}$")) if bare else ()


def _is_placeholder(text: str) -> bool:
    if len(text) > LONGEST_PLACEHOLDER:
        return False
    if not any(map(str.isalnum, text)):  # "[]" says that there is nothing
        return not text or ("..." in text.replace("…", "...") and not text.strip(" .…[]()<>"))
    return bool((_ENCLOSED.fullmatch(text) and _IS_GONE.search(text)) or _SAYS_SO.fullmatch(text))


def _is_part(short: str, long: str) -> bool:
    """Whether a text is the beginning of a longer one, its end, or both, with a mark between or after them."""
    begin = _alike(short, long)
    end = _alike(short[begin:][::-1], long[begin:][::-1])
    mark = short[begin : len(short) - end]
    if begin + end < FEWEST or not mark or len(mark) > LONGEST_MARK:
        return False
    on_its_own = begin == 0 or short[begin - 1] == "\n" or mark.startswith("\n")
    return bool(_MARK.match(mark) or (on_its_own and _LINE.match(mark.strip("\n"))))


def _is_cut(text: str, whole: str) -> bool:
    """Whether a text is the beginning or the end of a longer one, cut by its length: in a line, or where many cut. A
    list that ends earlier, or of which a part is gone, is another list."""
    if len(text) < FEWEST_UNMARKED:
        return False
    if whole.startswith(text):
        in_a_line = "\n" not in (text[-1], whole[len(text)])
    elif whole.endswith(text):
        in_a_line = "\n" not in (text[0], whole[-len(text) - 1])
    else:
        return False
    return in_a_line or len(text) % 100 == 0 or len(text) & (len(text) - 1) == 0


def _alike(short: str, long: str) -> int:
    """With how many characters both begin."""
    low, high = 0, len(short)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if long.startswith(short[:middle]) else (low, middle - 1)
    return low
