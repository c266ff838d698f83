"""Which words of a query are misspelt, as far as the history can tell?"""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.index import UserIndex
from memory.terms import hashes
from memory.traits import Trait
from utils.text import STOPWORDS, stem

SHORTEST, LONGEST = 5, 24  # letters of a word that may be misspelt; shorter ones are too like each other
SHORTEST_ROOT = 4
MOST = 3  # words of a query that are looked at

_WORD = re.compile(rf"(?<![\w'’./@-])[a-z]{{{SHORTEST},{LONGEST}}}(?![\w'’/@-]|\.\w)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def respelt(query: str, index: UserIndex, is_common: Callable[[str], bool]) -> str:
    """A query with its misspelt words as the history has them: words in small letters that are not common and that
    nobody told, where one was told that a slip makes of it (Damerau, "A technique for computer detection and correction
    of spelling errors", 1964). Of several the one that was told most often. `is_common`: of a lower-case word."""
    strange = [found for found in _WORD.finditer(query) if found[0] not in STOPWORDS and not is_common(found[0])]
    for found in reversed(strange[:MOST]):
        if not _told([stem(found[0])], index)[0] and (meant := _meant(found[0], index, is_common)):
            query = f"{query[: found.start()]}{meant}{query[found.end() :]}"
    return query


def _meant(word: str, index: UserIndex, is_common: Callable[[str], bool]) -> str | None:
    """The word that was told of those that a slip makes of one. Of common words the whole is compared, of others the
    stem, for there are too many to take their stems."""
    root = stem(word)
    ending = word.removeprefix(root) if word.startswith(root) else ""
    words = {other: other + ending for other in slips(root)} if len(root) >= SHORTEST_ROOT else {}
    words |= {stem(other): other for other in slips(word) if is_common(other)}
    counts = _told(list(words), index)
    return list(words.values())[int(counts.argmax())] if counts.any() else None


def _told(stems: Sequence[str], index: UserIndex) -> NDArray[np.intp]:
    """How many rows that do not ask have each of some stems, (n,)."""
    hits, size = index.postings.find(hashes(stems)), len(index)
    inside = hits.rows < size
    rows, terms = hits.rows[inside], hits.terms[inside]
    telling = index.alive[rows] & (index.traits[rows, Trait.ASKS] == 0)
    return np.bincount(terms[telling], minlength=len(stems))


def slips(word: str) -> Iterator[str]:
    """What stands there where one letter but the first is left out, added or another, or two of these changed places,
    each once."""
    parts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    found = {f"{left}{right[1]}{right[0]}{right[2:]}": None for left, right in parts if len(right) > 1}
    found |= {f"{left}{right[1:]}": None for left, right in parts if right}
    found |= {f"{left}{letter}{right}": None for left, right in parts for letter in _LETTERS}
    found |= {f"{left}{letter}{right[1:]}": None for left, right in parts if right for letter in _LETTERS}
    found.pop(word, None)
    return iter(found)
