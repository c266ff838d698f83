"""Which rows of a user's index answer a query best? Pure functions over arrays."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory.domain import Drop, Parts
from memory.index import UserIndex

RECENCY_DAYS = 30.0  # seed 3: recency = exp(-age_days / 30)
POOL = 3  # seed 3: candidates per item returned, before MMR
EXTRA = 8  # candidates below the cut that a receipt still lists
DAY = 86_400.0


@dataclass(frozen=True)
class Scope:
    """What a search may see besides its recipe. Times in seconds since 1970."""

    session_id: str | None = None  # the session that the query was asked in
    only_session: bool = False
    kinds: tuple[str, ...] | None = None
    since: float | None = None
    until: float | None = None
    exclude: frozenset[str] = frozenset()


class Ranked(NamedTuple):
    """One row of the index, kept (`dropped` is None) or not."""

    row: int
    parts: Parts
    dropped: Drop | None = None


def rank(index: UserIndex, query: NDArray[np.float32], recipe: Recipe, scope: Scope, now: float) -> list[Ranked]:
    """The best rows, best first: at most `recipe.top_k` kept, and after them some that were dropped.

    `query`: (dimensions,) float32, L2-normalised. `now`: seconds since 1970. O(rows · dimensions).
    """
    rows = np.flatnonzero(_visible(index, recipe, scope))
    if not len(rows):
        return []
    if recipe.candidates is not None and len(rows) > recipe.candidates:
        inside = index.sessions[rows] == index.code("session", scope.session_id or "")
        newest = np.lexsort((index.times[rows], inside))[-recipe.candidates :]
        rows = rows[np.sort(newest)]
    dense = np.clip(_cosines(index.matrix, rows, query), 0.0, 1.0)
    recency: NDArray[np.float64] | None = None
    scores: NDArray[Any] = dense
    if recipe.recency_weight:
        age = np.maximum(now - index.times[rows], 0.0) / DAY
        recency = np.exp(-age / RECENCY_DAYS)
        scores = (1 - recipe.recency_weight) * dense + recipe.recency_weight * recency
    most = min(len(rows), (1 if recipe.mmr_lambda is None else POOL) * recipe.top_k + EXTRA)
    failed = dense < recipe.floor
    order = failed - scores  # what passes the floor comes first: 1 outweighs every score
    best = np.argpartition(order, most - 1)[:most]
    best = best[np.lexsort((rows[best], order[best]))]
    ages: list[float | None] = [None] * most if recency is None else recency[best].tolist()
    columns = zip(
        rows[best].tolist(), dense[best].tolist(), scores[best].tolist(), ages, failed[best].tolist(), strict=True
    )
    found = [
        Ranked(row, Parts(alike, score, age), "below_floor" if low else None) for row, alike, score, age, low in columns
    ]
    return _select(index, found, recipe)


def _visible(index: UserIndex, recipe: Recipe, scope: Scope) -> NDArray[np.bool_]:
    size = len(index)
    mask: NDArray[np.bool_] = index.alive[:size].copy()
    for identifier in scope.exclude:
        row = index.row_of(identifier)
        if row is not None:
            mask[row] = False
    if scope.kinds is not None:
        mask &= np.isin(index.kinds[:size], [index.code("kind", kind) for kind in scope.kinds])
    if scope.since is not None:
        mask &= index.times[:size] >= scope.since
    if scope.until is not None:
        mask &= index.times[:size] <= scope.until
    if scope.session_id is not None:
        inside = mask & (index.sessions[:size] == index.code("session", scope.session_id))
        enough = recipe.expand_below is not None and int(inside.sum()) >= recipe.expand_below
        if scope.only_session or enough:
            mask = inside
    return mask


def _cosines(matrix: NDArray[np.float32], rows: NDArray[np.intp], query: NDArray[np.float32]) -> NDArray[np.float32]:
    if 2 * len(rows) > len(matrix):
        scores: NDArray[np.float32] = (matrix @ query)[rows]
        return scores
    return matrix[rows] @ query


def _select(index: UserIndex, found: list[Ranked], recipe: Recipe) -> list[Ranked]:
    passed = [one for one in found if one.dropped is None]
    failed = [one for one in found if one.dropped is not None]
    if recipe.mmr_lambda is None:
        kept, rest = passed[: recipe.top_k], passed[recipe.top_k :]
        over: Drop = "top_k"
    else:
        kept, rest = _diverse(index, passed[: POOL * recipe.top_k], recipe.top_k, recipe.mmr_lambda)
        rest, over = rest + passed[POOL * recipe.top_k :], "mmr"
    return [*kept, *(Ranked(one.row, one.parts, over) for one in rest), *failed]


def _diverse(index: UserIndex, pool: list[Ranked], top_k: int, weight: float) -> tuple[list[Ranked], list[Ranked]]:
    """Maximal marginal relevance (Carbonell and Goldstein, 1998), redundancy by cosine, as seed 3 has it."""
    if not pool:
        return [], []
    vectors = index.matrix[[one.row for one in pool]]
    scores = np.array([one.parts.score for one in pool], np.float32)
    redundancy = np.zeros(len(pool), np.float32)
    left = list(range(len(pool)))
    kept: list[Ranked] = []
    while left and len(kept) < top_k:
        at = max(left, key=lambda i: (weight * scores[i] - (1 - weight) * redundancy[i], -i))
        left.remove(at)
        parts = pool[at].parts
        kept.append(Ranked(pool[at].row, Parts(parts.dense, parts.score, parts.recency, float(redundancy[at]))))
        redundancy = np.maximum(redundancy, np.clip(vectors @ vectors[at], 0.0, 1.0))
    return kept, [pool[at] for at in left]
