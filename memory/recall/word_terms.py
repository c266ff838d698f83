"""Terms by which observations are found, in any language, and which a query looks for.

English words are stemmed, as are those in Cyrillic letters, by Russian's rules. Scripts without blanks between words
give their characters and each pair of neighbours. Of a word of another language its beginning is a term, too, and that
other words may begin with it, by which a query finds an inflected form where nothing has its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np

from memory.gists import Terms, hashed, hashes
from memory.language.languages import language_of
from memory.language.words import ENGLISH_ALONE
from utils.text import DOTTED_I, STOPWORDS, russian_stem, stem, words

MOST_WORDS = 512  # of a query that are looked for, so that a long one takes a few milliseconds
SHORTEST_BEGINNING = 5  # characters
ENDING = 3  # characters by which inflected forms differ from their beginning at most
SHORTEST_JOINED = 3  # characters of a word beside an apostrophe
LONGEST_WORD = 40  # characters of one that has inflected forms

# Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3130-\u318f\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_CYRILLIC = re.compile("[\u0400-\u04ff]+")
_NUMBERED = re.compile(r"([^\W\d_]{3,})\d+")

_ENDINGS = frozenset({"", "s", "t", "d", "m", "re", "ve", "ll"})


@dataclass(frozen=True)
class Sought:
    """What a query looks for. `terms`: each once. `instead`: for each of these the terms by which rows are found where
    none has it."""

    terms: Terms
    instead: tuple[Terms, ...]

    def __len__(self) -> int:
        return len(self.terms)


def indexed(text: str) -> list[str]:
    """The terms of a text that is to be found, in order."""
    every = _words(text)
    is_english = not ENGLISH_ALONE.isdisjoint(every)
    return [term for word in every for term in _of_word(word, is_english=is_english)]


def indexed_terms(text: str) -> Terms:
    """`indexed`, as an index holds them, shape (n,)."""
    return hashes(indexed(text))


def asked(query: str) -> list[str]:
    """The terms that a query looks for, each once: those of words that carry meaning. None where no word does."""
    return list(dict.fromkeys(term for word in _telling(query) for term, _ in _sought(word)))[:MOST_WORDS]


def sought(query: str) -> Sought:
    """`asked`, as an index is searched for them, at most `MOST_WORDS`; function words of a query's language are left
    out where others are there."""
    telling = _telling(query)
    instead: dict[int, list[str]] = {}
    for word in language_of(query).telling(telling) or telling:
        for term, others in _sought(word):
            if len(instead) < MOST_WORDS:
                instead.setdefault(hashed(term), others)
    return Sought(np.array(list(instead), np.uint32), tuple(map(hashes, instead.values())))


def _words(text: str) -> list[str]:
    """The words of a text, without case or width, those in scripts without blanks apart from the others."""
    every = normalize("NFKC", text).casefold()
    found = [run for word in words(every.replace(DOTTED_I, "i")) for run in _RUN.findall(word)]
    if DOTTED_I in every:
        found += _around_dots(every)
    return found


def _around_dots(text: str) -> list[str]:
    """What is left of words with "İ", which ended there once: by this, what was kept then is found."""
    return [part for word in text.split() if DOTTED_I in word for part in words(word) if len(part) > 1]


def _telling(query: str) -> list[str]:
    return [word for word in _words(query) if word not in STOPWORDS]


def _of_word(word: str, *, is_english: bool) -> Iterator[str]:
    if _IS_UNSPACED.match(word):
        yield from word
        yield from _pairs(word)
        return
    yield _stem(word)
    yield from map(_stem, _around_apostrophe(word))
    if (numbered := _NUMBERED.fullmatch(word)) is not None:
        yield _stem(numbered[1])
    if _is_inflected(word) and not (is_english and word.isascii()):
        shortest = max(SHORTEST_BEGINNING, len(word) - ENDING)
        yield from map(_beginning, dict.fromkeys((word[:shortest], word)))


def _sought(word: str) -> list[tuple[str, list[str]]]:
    """The terms of a word of a query, each with those that are looked for where no row has it."""
    if _IS_UNSPACED.match(word):
        return [(term, []) for term in (_pairs(word) or list(word))]
    instead: list[str] = [_stem(part) for part in _around_apostrophe(word)]
    if (numbered := _NUMBERED.fullmatch(word)) is not None:
        instead.append(_stem(numbered[1]))
    if _is_inflected(word):
        shortest = max(SHORTEST_BEGINNING, len(word) - ENDING)
        instead += [_beginning(word[:end]) for end in range(shortest, len(word) + 1)]
    return [(_stem(word), instead)]


def _around_apostrophe(word: str) -> list[str]:
    """The words that an apostrophe joins, "Ankara'da" or "l'amour"; none of an English ending."""
    head, _, ending = word.partition("'")
    return [] if ending in _ENDINGS else [part for part in (head, ending) if len(part) >= SHORTEST_JOINED]


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _is_inflected(word: str) -> bool:
    return SHORTEST_BEGINNING <= len(word) <= LONGEST_WORD and word.isalpha()


def _beginning(letters: str) -> str:
    """The term of how words begin, which is no word's own."""
    return f"{letters}*"


def _stem(word: str) -> str:
    return russian_stem(word) if _CYRILLIC.fullmatch(word) else stem(word)
