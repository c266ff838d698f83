"""Which words of a query are misspelt, as far as the history can tell?"""

import re
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memory.gists import hashes
from memory.language import ENGLISH, LONGEST_WORD, SHORTEST_WORD, Trait, are_words, language_of
from memory.recall.index import UserIndex
from utils.text import stem

MOST = 16  # words of a query that are looked at

# Neither part of a name, a path, an address nor a word with accents that are characters of their own.
_WORD = re.compile(
    rf"(?<![\w'’./\\@\u0300-\u036f-])[a-z]{{{SHORTEST_WORD},{LONGEST_WORD}}}(?![\w'’/\\@\u0300-\u036f-]|\.\w)"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def strange_words(query: str) -> list[re.Match[str]]:
    """The words in small letters of an English query that are none in English, of the first ones."""
    found = list(islice(_WORD.finditer(query), MOST))
    if not found or language_of(query) is not ENGLISH:
        return []
    known = are_words([one[0] for one in found])
    return [one for one, is_known in zip(found, known, strict=True) if not is_known]


def respelt(query: str, strange: Sequence[re.Match[str]], index: UserIndex, visible: NDArray[np.bool_]) -> str:
    """A query with its strange words as the history has them: as the English word that a slip makes of one (Damerau, "A
    technique for computer detection and correction of spelling errors", 1964) and that was told, of several the one
    that was told most often; as they stand where they were told as often. `visible`: the rows that count, (rows,)."""
    for found in reversed(strange):
        others = slips(found[0])
        words = {stem(found[0]): found[0]}
        for other, is_word in zip(others, are_words(others), strict=True):
            if is_word:
                words.setdefault(stem(other), other)
        meant = list(words.values())[int(_told(list(words), index, visible).argmax())]
        query = f"{query[: found.start()]}{meant}{query[found.end() :]}"
    return query


def _told(stems: Sequence[str], index: UserIndex, visible: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many visible rows that do not ask have each of some stems, (n,)."""
    hits, size = index.postings.find(hashes(stems)), len(visible)
    telling = visible & (index.traits[:size, Trait.ASKS] != 1)
    inside = hits.rows < size
    rows, terms = hits.rows[inside], hits.terms[inside]
    return np.bincount(terms[telling[rows]], minlength=len(stems))


def slips(word: str) -> list[str]:
    """What stands there where one letter but the first is left out, added or another, or two of these changed places,
    each once."""
    parts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    found = {f"{left}{right[1]}{right[0]}{right[2:]}": None for left, right in parts if len(right) > 1}
    found |= {f"{left}{right[1:]}": None for left, right in parts if right}
    found |= {f"{left}{letter}{right}": None for left, right in parts for letter in _LETTERS}
    found |= {f"{left}{letter}{right[1:]}": None for left, right in parts if right for letter in _LETTERS}
    found.pop(word, None)
    return list(found)
