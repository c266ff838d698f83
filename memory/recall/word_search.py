"""Recall by BM25 alone: no embedding is asked for, and none is needed."""

import asyncio

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory import metrics
from memory.domain import Candidate, Gist, Hit, Parts, Recall
from memory.gists import GistReader, Terms
from memory.recall.index import UserIndex
from memory.recall.kept_indexes import KeptIndexes
from memory.recall.postings import Hits, bm25, idf
from memory.recall.ranking import Scope, of_kinds
from memory.recall.scored import DECIMALS
from memory.recall.word_terms import Sought, sought

CHARACTERS_AT_ONCE = 2_000  # of a query that is read without leaving the event loop
ROWS_AT_ONCE = 20_000
SPARE = 4  # texts read beyond those asked for, to take the place of repeated ones


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
