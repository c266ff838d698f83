"""Courtesies: texts such as "Thanks, that's great!", which ask and tell nothing by which something could be found."""

import re

from memory.language.words import read_words
from utils.text import STOPWORDS, words

LONGEST = 200  # characters; who writes more says something

_WORDS = read_words("courtesies")
_COURTEOUS = frozenset(_WORDS["courtesies"].split())
_EMPTY = _COURTEOUS.union(_WORDS["beside"].split())
_ASKING = frozenset(_WORDS["asking"].split())
_PHRASES = re.compile("|".join(_WORDS["phrases"].splitlines()), re.IGNORECASE)
_TITLE = re.compile(r"(?<=[^\W\d_][ ,])(?!I\b)[A-Z][a-z]{2}")  # a capital inside a sentence: what has a name


def is_courtesy(text: str) -> bool:
    """Whether all of a text is courteous phrases and words, and others that say nothing beside them, none of which ask
    for what was said or done. A text without words is one too."""
    if len(text) > LONGEST:
        return False
    left, phrases = _PHRASES.subn(" ", text.replace("’", "'"))
    said = words(left)
    if _TITLE.search(left):
        return False
    empty = all(word in _EMPTY or word in STOPWORDS for word in said)
    courteous = bool(phrases) or not said or not _COURTEOUS.isdisjoint(said)
    return empty and courteous and _ASKING.isdisjoint(said)
