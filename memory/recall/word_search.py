"""Recall by BM25 alone: no embedding is asked for, and none is needed.

Observations are found so, by terms of their own, in any language. English words are stemmed, as are those in Cyrillic
letters, by Russian's rules. Scripts without blanks between words give their characters and each pair of neighbours. Of
a word of another language its beginning is a term, too, and that other words may begin with it, by which a query finds
an inflected form where nothing has its own.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory import metrics
from memory.domain import Candidate, Gist, Hit, Parts, Recall
from memory.gists import GistReader, Terms, hashed, hashes
from memory.language import ENGLISH_ALONE, language_of
from memory.recall.index import UserIndex
from memory.recall.kept_indexes import KeptIndexes
from memory.recall.postings import Hits, bm25, idf
from memory.recall.ranking import Scope, of_kinds
from memory.recall.scored import DECIMALS
from utils.text import DOTTED_I, STOPWORDS, russian_stem, stem, words

CHARACTERS_AT_ONCE = 2_000  # of a query that is read without leaving the event loop
ROWS_AT_ONCE = 20_000
SPARE = 4  # texts read beyond those asked for, to take the place of repeated ones
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


def ranked(index: UserIndex, query: Sought, recipe: Recipe, scope: Scope) -> list[tuple[int, float]]:
    """The rows that a search may see and that have one of the terms, best first, each with s / (1 + s) of its BM25
    score s, which lies in 0..1 in the same order. Of equal ones the newest comes first, then the order is by id.

    How rare a term is, and how long a row, is measured against all rows, so that a row's score does not depend on what
    else a search leaves out.
    """
    size = len(index)
    alive = index.alive[:size]
    count = int(alive.sum())
    if not count or not len(query):
        return []
    terms, hits = _found(index, query, alive)
    lengths = index.terms.counts[:size].astype(np.float32)
    mean = max(1.0, float(lengths[alive].mean()))
    scores = bm25(hits, idf(hits.frequencies(len(terms)), count), lengths, mean, recipe.k1, recipe.b).astype(np.float64)
    scores = scores / (1 + scores)
    rows = np.flatnonzero((scores > 0) & (scores >= recipe.floor) & _within(index, scope, size))
    if not len(rows):
        return []
    ids = np.array([index.ids[row] for row in rows.tolist()])
    rows = rows[np.lexsort((ids, -index.times[rows], -scores[rows].round(DECIMALS)))]
    return list(zip(rows.tolist(), scores[rows].tolist(), strict=True))


def _found(index: UserIndex, query: Sought, alive: NDArray[np.bool_]) -> tuple[Terms, Hits]:
    """The terms of a query, each once, and where they stand; instead of those that no row has, others."""
    terms = query.terms
    hits = index.postings.find(terms).among(alive)
    rows = hits.frequencies(len(terms))
    instead = [others for others, having in zip(query.instead, rows, strict=True) if not having and len(others)]
    if instead:
        terms = np.unique(np.concatenate([terms, *instead]))
        hits = index.postings.find(terms).among(alive)
    return terms, hits


def _within(index: UserIndex, scope: Scope, size: int) -> NDArray[np.bool_]:
    mask = np.ones(size, np.bool_)
    if scope.kinds is not None:
        mask &= of_kinds(index, scope.kinds, size)
    if scope.since is not None:
        mask &= index.times[:size] >= scope.since
    if scope.until is not None:
        mask &= index.times[:size] <= scope.until
    return mask


class WordSearch:
    """Searches an index of words."""

    def __init__(self, indexes: KeptIndexes, gists: GistReader) -> None:
        self._indexes = indexes
        self._gists = gists

    async def recall(self, owner: str, query: str, recipe: Recipe, scope: Scope) -> Recall:
        """The owner's gists whose words suit a query best, by a recipe of BM25; of a scope, its kinds and times count.

        What was remembered by any process is found at once, be it embedded or not.
        """
        with metrics.SEARCHES.time():
            index, standing = await self._indexes.current(owner)
            if len(query) > CHARACTERS_AT_ONCE or len(index) > ROWS_AT_ONCE:
                found = await asyncio.to_thread(lambda: ranked(index, sought(query), recipe, scope))
            else:
                found = ranked(index, sought(query), recipe, scope)
            hits: list[Hit] = []
            seen = set[str]()
            step = recipe.top_k + SPARE
            for begin in range(0, len(found), step):
                part = found[begin : begin + step]
                keys = [index.ids[row] for row, _ in part]
                gists = await self._gists.by_keys(owner, keys, standing)
                for key, (_, score) in zip(keys, part, strict=True):
                    gist = gists.get(key)
                    if gist is None or (recipe.distinct and _text(gist) in seen):
                        continue
                    seen.add(_text(gist))
                    hits.append(Hit(gist, Parts(0.0, score, bm25=score)))
                if len(hits) >= recipe.top_k:
                    break
        if not hits:
            metrics.WITHOUT_HITS.inc()
        kept = tuple(hits[: recipe.top_k])
        return Recall(kept, tuple(Candidate(hit.gist.key, hit.parts) for hit in kept))


def _text(gist: Gist) -> str:
    return " ".join(gist.content.split()).casefold()
