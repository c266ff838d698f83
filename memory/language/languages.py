"""The language of a query, and which of its words carry no meaning there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from unicodedata import normalize
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fitted import FITTED
from memory.language.words import ASKING, ENGLISH_ALONE, ENGLISH_TOO, IN_NAMES, WORDS, Words
from utils.text import STOPWORDS, UMLAUTS, WORD, searched_words, stem, without_accents

LEXICON = FITTED / "lexicon.npy"  # hashes of words, ascending, (words,) uint32
SHORTEST_WORD, LONGEST_WORD = 3, 24  # letters of a word in it
LONG_WORD = 5  # letters of one that is hardly a word of two languages

LONGEST = 400  # characters by which a query's language is told
ENGLISH_SHARE = 3  # of so many words of English one is a stop word at least


def are_words(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Which of some texts in small letters are words, (n,). One of 14,000 that are none is taken for one."""
    asked, lexicon = hashes_of(texts), _lexicon()
    found: NDArray[np.bool_] = lexicon[np.searchsorted(lexicon, asked).clip(max=len(lexicon) - 1)] == asked
    return found


def hashes_of(words: Sequence[str]) -> NDArray[np.uint32]:
    return np.array([crc32(word.encode()) for word in words], np.uint32)


@cache
def _lexicon() -> NDArray[np.uint32]:
    found: NDArray[np.uint32] = np.load(LEXICON)
    return found


@dataclass(frozen=True)
class Language:
    """`filler`: the words that carry no meaning. `listed`: those of them that are of the language itself. `own`: what
    tells that a text is of it and not English."""

    name: str
    filler: frozenset[str]
    listed: frozenset[str]
    own: frozenset[str]

    def telling(self, said: list[str]) -> list[str]:
        """Those of some words that carry meaning."""
        return [word for word in said if word not in self.filler]

    def stems(self, text: str) -> list[str]:
        """The stems of the words of a text that carry meaning, in order."""
        return [stem(word) for word in self.telling(searched_words(text))]


def _spelt(words: tuple[str, ...]) -> frozenset[str]:
    """Words as they are written, without accents, and with "ae" for "ä"."""
    return frozenset(chain(words, map(without_accents, words), (word.translate(UMLAUTS) for word in words)))


def _language(name: str, words: Words) -> Language:
    filler = _spelt(words.function_words)
    return Language(name, filler | ENGLISH_ALONE, filler, (filler | _spelt(words.signs)) - ENGLISH_TOO)


ENGLISH = Language("english", STOPWORDS, STOPWORDS, frozenset())
OTHERS = tuple(_language(name, words) for name, words in WORDS.items())

_NOUNS = frozenset(chain.from_iterable(_spelt(words.signs) for words in WORDS.values())) - ENGLISH_TOO


def language_of(query: str) -> Language:
    """The language of a query: one of which more words are in it than of English, of several the one of which most
    are. English where there is none."""
    return _language_of(query[:LONGEST])


def may_not_be_english(query: str) -> bool:
    """Whether a query may be in another language: it is one that is known by its words, or has letters that English
    lacks, and few words of English."""
    text = query[:LONGEST]
    if language_of(text) is not ENGLISH:
        return True
    if not any(letter.isalpha() and not letter.isascii() for letter in text):
        return False
    said = WORD.findall(text.lower().replace("’", "'"))
    return ENGLISH_SHARE * sum(word in STOPWORDS for word in said) < len(said)


def is_foreign(text: str) -> bool:
    """Whether a text is in another language than English: as `may_not_be_english`, or no word of it is a stop word and
    of those that are long enough to tell half at most are in an English list."""
    if may_not_be_english(text):
        return True
    said = WORD.findall(text[:LONGEST].lower().replace("’", "'"))
    long = [word for word in said if len(word) >= LONG_WORD and word.isalpha()]
    return len(said) > 1 and bool(long) and STOPWORDS.isdisjoint(said) and 2 * int(are_words(long).sum()) <= len(long)


@lru_cache(maxsize=256)
def _language_of(text: str) -> Language:
    found = WORD.findall(normalize("NFC", text.lower() if text.isupper() else text).replace("’", "'"))
    if not found:
        return ENGLISH
    every = {word.lower() for word in found}
    first = found[0].lower()
    # Inside of a text, a capital marks a name, or a noun.
    said = {first, *(word for word in found if not word[0].isupper())} | (_NOUNS & every)
    best, most = ENGLISH, 0
    for language in OTHERS:
        has = len(said & language.listed) + len(said & language.own)
        others = len((every & STOPWORDS) - language.listed)
        if has > most and _is_of(language, said, others, first, is_ascii=text.isascii()):
            best, most = language, has
    return best


def _is_of(language: Language, said: set[str], others: int, first: str, *, is_ascii: bool) -> bool:
    """Whether more of the words of a text are of a language than of English. `others`: how many are of English alone.
    `first`: of the words."""
    own = len(said & language.own)
    if own or others:
        return own > others
    begins = first in ASKING & language.listed
    listed = (said & language.listed) - STOPWORDS
    return (begins or not is_ascii) and not listed.isdisjoint(IN_NAMES) and len(listed) + begins > 1
