"""Which rows of a user's index answer a query best? Pure functions over arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory.domain import Drop, Parts
from memory.features import POOL, Probe, candidates
from memory.index import UserIndex
from memory.ranker import load_ranker

RECENCY_DAYS = 30.0  # seed 3: recency = exp(-age_days / 30)
POOL_PER_ITEM = 3  # seed 3: candidates per item returned, before MMR
EXTRA = 8  # candidates below the cut that a receipt still lists
DAY = 86_400.0

Reranked = Mapping[int, float]  # what a cross-encoder says of rows, 0..1; of those that it read
UNREAD: Reranked = {}


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


def rank(
    index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, reranked: Reranked = UNREAD
) -> list[Ranked]:
    """The best rows, best first: at most `recipe.top_k` kept, and after them some that were dropped.

    `now`: seconds since 1970. O(rows · dimensions).
    """
    found = _score(index, probe, recipe, scope, now, reranked)
    if found is None:
        return []
    most = min(len(found.rows), (1 if recipe.mmr_lambda is None else POOL_PER_ITEM) * recipe.top_k + EXTRA)
    order = found.order
    best = np.argpartition(order, most - 1)[:most]
    best = best[np.lexsort((found.rows[best], -found.scores[best], found.failed[best]))]
    return _select(index, found.ranked(best), recipe)


def shortlist(index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, most: int) -> list[int]:
    """The rows that a cross-encoder is to read: those that pass the floor, by what the floor is for, best first."""
    found = _score(index, probe, recipe, scope, now)
    if found is None:
        return []
    passed = np.flatnonzero(~found.failed)
    best = passed[np.lexsort((found.rows[passed], -found.base[passed]))][:most]
    rows: list[int] = found.rows[best].tolist()
    return rows


def place_of(
    row: int,
    index: UserIndex,
    probe: Probe,
    recipe: Recipe,
    scope: Scope,
    now: float,
    reranked: Reranked = UNREAD,
) -> tuple[int, Ranked] | None:
    """Where a row comes in the order of a search, 0 for the best, before any was chosen; None where it is not looked at
    closely."""
    found = _score(index, probe, recipe, scope, now, reranked)
    if found is None or row not in found.rows:
        return None
    at = np.flatnonzero(found.rows == row)
    place = int((found.order < found.order[at[0]]).sum())
    return place, found.ranked(at)[0]


@dataclass(frozen=True)
class _Scored:
    """Rows and their parts, each (n,). `base`: what the floor is for. `failed`: which are below it. `bm25`: None where
    only cosines are compared; `recency`: None where the recipe has none."""

    rows: NDArray[np.intp]
    dense: NDArray[np.float32]
    base: NDArray[np.float32]
    bm25: NDArray[np.float32] | None
    scores: NDArray[Any]
    recency: NDArray[np.float64] | None
    failed: NDArray[np.bool_]
    reranked: Reranked

    @property
    def order(self) -> NDArray[np.float64]:
        """Lower is better; what passes the floor comes first, for 1 outweighs every score."""
        order: NDArray[np.float64] = self.failed - self.scores.astype(np.float64)
        return order

    def ranked(self, chosen: NDArray[np.intp]) -> list[Ranked]:
        """Some of the rows, in the order given."""
        columns = zip(
            self.rows[chosen].tolist(),
            self.dense[chosen].tolist(),
            self.scores[chosen].tolist(),
            _column(self.recency, chosen),
            _column(self.bm25, chosen),
            _column(self.base if self.bm25 is not None else None, chosen),
            self.failed[chosen].tolist(),
            strict=True,
        )
        return [
            Ranked(
                row,
                Parts(alike, score, age, None, words, fused, self.reranked.get(row)),
                "below_floor" if low else None,
            )
            for row, alike, score, age, words, fused, low in columns
        ]


def _score(
    index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, reranked: Reranked = UNREAD
) -> _Scored | None:
    """Every row that is looked at closely; None where nothing is visible."""
    visible = _visible(index, recipe, scope)
    if not visible.any():
        return None
    if recipe.ranking == "fused":
        pool = candidates(index, probe, visible, max(POOL, POOL_PER_ITEM * recipe.top_k))
        rows, dense, base = pool.rows, pool.columns["dense"], load_ranker().scores(pool)
        bm25: NDArray[np.float32] | None = pool.columns["bm25"] / (1 + pool.columns["bm25"])
    else:
        rows = _compared(index, recipe, scope, visible)
        dense = base = _cosines(index.matrix, rows, probe.dense)
        bm25 = None
    dense, base = np.clip(dense, 0.0, 1.0), np.clip(base, 0.0, 1.0)
    scores: NDArray[Any] = _blended(base, rows, reranked) if reranked else base
    recency: NDArray[np.float64] | None = None
    if recipe.recency_weight:
        age = np.maximum(now - index.times[rows], 0.0) / DAY
        recency = np.exp(-age / RECENCY_DAYS)
        scores = (1 - recipe.recency_weight) * scores + recipe.recency_weight * recency
    silent = base.max() < recipe.silence or (recipe.silence > 0 and probe.question.idle)
    failed = np.ones(len(base), np.bool_) if silent else base < recipe.floor
    return _Scored(rows, dense, base, bm25, scores, recency, failed, reranked)


def _blended(base: NDArray[np.float32], rows: NDArray[np.intp], reranked: Reranked) -> NDArray[np.float64]:
    """The mean of what recall and a cross-encoder say of each row, (n,). A row that was not read counts as 0: it is
    less likely than those that were, and so comes after them.

    Each knows what the other does not: a cross-encoder reads question and text together, and recall knows who speaks,
    when, and what was said around it, without which "Yes, on Sunday!" answers nothing. Most cross-encoders say nearly 0
    or nearly 1, so the mean goes by them where they tell texts apart, and by recall where they do not.
    """
    mean: NDArray[np.float64] = (base + np.array([reranked.get(row, 0.0) for row in rows.tolist()])) / 2
    return mean


def _compared(index: UserIndex, recipe: Recipe, scope: Scope, visible: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The rows that a recipe of cosines alone looks at: all, or the newest, the session's own before others."""
    rows = np.flatnonzero(visible)
    if recipe.candidates is not None and len(rows) > recipe.candidates:
        inside = index.sessions[rows] == index.code("session", scope.session_id or "")
        newest = np.lexsort((index.times[rows], inside))[-recipe.candidates :]
        rows = rows[np.sort(newest)]
    return rows


def _column(values: NDArray[Any] | None, rows: NDArray[np.intp]) -> list[float | None]:
    return [None] * len(rows) if values is None else values[rows].tolist()


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
        kept, rest = _diverse(index, passed[: POOL_PER_ITEM * recipe.top_k], recipe.top_k, recipe.mmr_lambda)
        rest, over = rest + passed[POOL_PER_ITEM * recipe.top_k :], "mmr"
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
        kept.append(Ranked(pool[at].row, parts._replace(mmr=float(redundancy[at]))))
        redundancy = np.maximum(redundancy, np.clip(vectors @ vectors[at], 0.0, 1.0))
    return kept, [pool[at] for at in left]
