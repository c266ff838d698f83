"""The traits of a message: small counts that ranking weighs against what is asked."""

import re
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from memory.language.heads import EVEN, LONGEST, Doing
from memory.language.questions import told_in_question
from memory.language.times.periods import MONTHS
from utils.sentences import split_sentences
from utils.text import ends_with_question_mark

_TIMES = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|morning|evening|night|recently"
    r"|soon|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day|" + "|".join(MONTHS) + r"|\d{1,2}(?::\d\d)?\s?(?:am|pm)"
    r"|(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"\b(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twice|once|dozen|couple|several|half)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"(?<=[a-z,;'] )[A-Z][a-z]+|\"[^\"]+\"")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|we|our|us|we're|we've)\b", re.IGNORECASE)
SURELY = 0.55  # how likely a text asks that has no mark, and counts as a question for good
LEAST_WORDS = 3  # of a sentence that tells something
LOOKED_AT = 1_000  # characters


class Trait(IntEnum):
    """The columns of a message's traits."""

    ASKS = 0  # asks something, be it without a mark; 2 where it tells something, too
    QUESTION = 1  # has a question mark, or asks without
    TIMES = 2  # words for times, up to 3
    NUMBERS = 3  # up to 3
    NAMES = 4  # capitalised words within sentences, and quotations, up to 4
    FIRST_PERSON = 5  # up to 4


def traits_of(text: str, does: Doing | None = None) -> NDArray[np.uint8]:
    """Counts by `Trait`, shape (6,). `does`: what the text does; where nobody knows, its marks tell."""
    text = text.replace("’", "'")
    asks = _asks(text, does)
    return np.array(
        [
            asks,
            "?" in text or asks > 0,
            min(len(_TIMES.findall(text)), 3),
            min(len(_NUMBERS.findall(text)), 3),
            min(len(_NAMES.findall(text)), 4),
            min(len(_FIRST_PERSON.findall(text)), 4),
        ],
        np.uint8,
    )


def _asks(text: str, does: Doing | None) -> int:
    marked = ends_with_question_mark(text)
    *before, _ = split_sentences(text[-LOOKED_AT:]) or [""]
    several = any(len(one.split()) >= LEAST_WORDS and not ends_with_question_mark(one) for one in before)
    several = several or told_in_question(text) is not None
    if does is None:
        return (2 if several else 1) if marked else 0
    if not marked:
        surely = does.asks_alone and max(does.asks, does.forgets, does.summarises) >= SURELY and does.states < EVEN
        return int(surely and len(text) <= LONGEST)
    return (2 if several or does.deed in ("states", "corrects") else 1) if several or does.asks >= does.states else 0
