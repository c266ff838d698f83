"""What of what the agent said does the user's next message point at?

"Yes, please" answers the whole of a proposal, and "option 2" the second item of a list, which need not stand anywhere
else. Of a long message the end stays, and before it the numbers, the codes and the names of what is listed.
"""

import re
from collections.abc import Iterable

from memory.tool_relevance import MARKS, is_identifier
from utils.text import split_sentences

WHOLE = 160  # characters of a message that stays as it is
CLOSING = 60  # characters of its end, at least its last sentence
DETAILS = 120  # characters of what stays of the rest
PIECE = 40  # characters of a sentence, or of a line of a list, that stays as it is
SHORT = 120  # characters of a message that is not understood alone

_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_LABEL = re.compile(r"[^:]{1,24}:(?=\s)")
_NUMBERED = re.compile(r"(?<![\w.,])(\d{1,2})[.):]\s")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,2}(?!\w|[.,]\d)")


def points_at(answer: str, said: str) -> bool:
    """Whether an answer is to be understood by what was said before: it is short and names nothing by itself, or it
    has the number of an item."""
    if len(answer) <= SHORT and not any(is_identifier(word.strip(MARKS)) for word in answer.split()):
        return True
    return not set(_NUMBERED.findall(said)).isdisjoint(_NUMBER.findall(answer))


def digest(text: str) -> str:
    """A message of the agent's as far as an answer may point at it: the whole of a short one."""
    if len(text) <= WHOLE:
        return text
    end = closing(text).strip()
    rest = text[: text.rfind(end.removeprefix("… ").partition(" ")[0])]
    kept: list[str] = []
    room = DETAILS
    for piece in reversed(list(_pieces(rest))):  # what is nearest to the question before what led to it
        detail = _details(piece)
        if detail and len(detail) < room:
            kept.append(detail)
            room -= len(detail) + 1
    return "\n".join([*reversed(kept), end])


def closing(text: str) -> str:
    """The last sentence of a text, and as many before it as `CLOSING` characters have room for."""
    kept, left = "", split_sentences(text)
    while left and len(kept) + len(left[-1]) < CLOSING:
        kept = f"{left.pop()} {kept}".strip()
    return text if not left else f"… {kept or left[-1][-CLOSING:]}"


def _pieces(text: str) -> Iterable[str]:
    """The items of lists and the sentences of a text."""
    for line in text.splitlines():
        yield from [line] if _ITEM.match(line) else split_sentences(line)


def _details(piece: str) -> str:
    """What a piece is about, and its numbers, codes and names; of a short piece with any of them, or of a list, all."""
    plain = piece.replace("**", "").strip()
    label = _LABEL.match(plain)
    words = plain[label.end() if label else 0 :].split()
    named = [word for at, word in enumerate(words) if _is_detail(word.strip(MARKS), first=not at and not label)]
    if len(plain) <= PIECE and (named or _ITEM.match(piece)):
        return plain
    return " ".join(filter(None, [label[0] if label and named else "", *named]))


def _is_detail(word: str, *, first: bool) -> bool:
    """Whether a word is a number, a code or a name; any word may be in capitals that is the first of a sentence."""
    return any(map(str.isdigit, word)) or (len(word) > 2 and word[0].isupper() and not first)
