"""What a search found, and which of it is kept: rows with the parts of their scores, ordered and chosen from."""

import logging
from typing import TYPE_CHECKING

from memory.gists import GistReader, piece_in, spoken
from memory.store import Standing
from utils.errors import ModelError

if TYPE_CHECKING:
    from utils.reranker import Reranker  # onnxruntime takes 0.2 s to import
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from memory.domain import Drop, Parts
from memory.recall.index import UserIndex
from memory.recall.postings import Rows, rank_within
from utils.vectors import Floats

POOL_PER_ITEM = 3  # the proxy's document: candidates per item returned, before MMR
RELEVANT = 0.06  # the share of the best's score that is relevant, too, where it is new or different
SPARE = 2  # kept, and read, beyond top_k, to take the place of what is repeated
DECIMALS = 4  # of a score that are shown, and count: of rows that differ behind those the newer is the better
EXTRA = 8  # candidates below the cut that a receipt still lists
MOST_READ = 64  # rows that a cross-encoder looks at, and texts that it reads, whatever is asked for

log = logging.getLogger(__name__)

Reads = Mapping[int, float]  # what a cross-encoder says of rows, 0..1; of those that it read
UNREAD: Reads = {}


class Ranked(NamedTuple):
    """One row of the index, kept (`dropped` is None) or not. `otherwise`: why it is left out if others fill the room:
    they are better, or it would be among them by its score alone."""

    row: int
    parts: Parts
    dropped: Drop | None = None
    otherwise: Drop = "top_k"


@dataclass(frozen=True)
class Scored:
    """Rows that were looked at closely, and their parts, each (n,).

    `base`: what recall says itself, 0..1. `bm25`: None where only cosines are compared. `recency`: None where the
    recipe has none. `silent`: whether nothing is to be returned. `scopes`: sessions that were searched, where MMR's
    pool is taken of each.
    """

    index: UserIndex
    recipe: Recipe
    rows: Rows
    dense: Floats
    base: Floats
    bm25: Floats | None
    recency: NDArray[np.float64] | None
    silent: bool
    scopes: int = 1
    reads: Reads = field(default_factory=dict)

    def read(self, reads: Reads) -> "Scored":
        """The same with what a cross-encoder says."""
        return replace(self, reads=reads)

    @cached_property
    def scores(self) -> NDArray[Any]:
        """In 0..1, (n,). Recency comes after a cross-encoder (the proxy's document)."""
        if self._counted is None:
            return self._relevance
        weight = self.recipe.recency_weight
        scores: NDArray[Any] = (1 - weight) * self._relevance + weight * self._counted
        return scores

    @cached_property
    def _counted(self) -> NDArray[np.float64] | None:
        """Recency as it counts, (n,). Likelihoods are small, so what has nothing to do with a question would come first
        by being new: that is new in vain."""
        if self.recency is None or self.recipe.ranking != "fused" or self.recipe.recency_weight >= 1:
            return self.recency
        return np.where(self._relevance >= RELEVANT * self._relevance.max(), self.recency, 0.0)

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Which are below the floor, (n,); all where the search is silent. The floor is for what recall says itself, or
        for what a cross-encoder says where that alone counts."""
        if self.silent:
            return np.ones(len(self.base), np.bool_)
        judged = self._relevance if self.recipe.rerank_share == 1 else self.base
        return judged < self.recipe.floor

    @cached_property
    def _relevance(self) -> NDArray[Any]:
        """In 0..1, (n,), whatever the age."""
        share = self.recipe.rerank_share
        return _blended(self.base, self.rows, self.reads, share) if self.reads else self.base

    @property
    def passed(self) -> int:
        """How many rows pass the floor."""
        return len(self.failed) - int(self.failed.sum())

    def shortlist(self, most: int) -> list[int]:
        """The rows that a cross-encoder is to read, by what recall says itself, best first: those that pass the floor,
        where the floor is not for the cross-encoder."""
        alone = self.recipe.rerank_share == 1 and not self.silent
        passed = np.arange(len(self.rows)) if alone else np.flatnonzero(~self.failed)
        best = passed[self._sorted(passed, -self.base[passed].round(DECIMALS))][:most]
        rows: list[int] = self.rows[best].tolist()
        return rows

    def select(self, spare: int = 0) -> list[Ranked]:
        """The best rows, best first: at most `recipe.top_k` and `spare` more kept, and after them some that were
        dropped."""
        top_k, weight = self.recipe.top_k + spare, self.recipe.mmr_lambda
        pool = top_k if weight is None else POOL_PER_ITEM * top_k
        found = self._ranked(self._best(pool + EXTRA))
        kept, rest = self._of_each_scope([one for one in found if one.dropped is None], pool)
        if weight is not None:
            relevant = sum(one.parts.score >= RELEVANT * kept[0].parts.score for one in kept)
            best = [one._replace(otherwise="mmr") for one in kept[: self.recipe.top_k]]
            kept, less = _diverse(self.index, best + kept[self.recipe.top_k :], relevant, top_k, weight)
            rest = less + rest
        failed = [one for one in found if one.dropped is not None]
        return [*kept, *(one._replace(dropped=one.otherwise) for one in rest), *failed]

    @property
    def _scoped(self) -> bool:
        """Whether each session has a pool of its own, of which results are chosen for being different (the proxy's
        document)."""
        return self.scopes > 1 and self.recipe.mmr_lambda is not None

    def _best(self, most: int) -> Rows:
        """Places of the best rows, at most so many, of each session where each has a pool; best first."""
        if self._scoped:
            best = np.arange(len(self.rows))
        else:
            most = min(len(self.rows), most)
            last = np.partition(self._order, most - 1)[most - 1]
            best = np.flatnonzero(self._order <= last)  # with all that are equal to the last, for rows to choose from
        best = best[self._sorted(best, self._order[best])]
        best = best if self._scoped else best[:most]
        return best[rank_within(self.index.sessions[self.rows[best]]) < most] if self._scoped else best

    def _of_each_scope(self, ranked: list[Ranked], most: int) -> tuple[list[Ranked], list[Ranked]]:
        """The best, or the best of each session where each has a pool; and the others."""
        if not self._scoped:
            return ranked[:most], ranked[most:]
        within = rank_within(self.index.sessions[[one.row for one in ranked]]) < most
        kept = [one for one, inside in zip(ranked, within, strict=True) if inside]
        return kept, [one for one, inside in zip(ranked, within, strict=True) if not inside]

    def place_of(self, row: int) -> tuple[int, Ranked] | None:
        """Where a row comes in the order, 0 for the best, before any was chosen; None where it was not looked at."""
        at = np.flatnonzero(self.rows == row)
        if not len(at):
            return None
        equal = np.flatnonzero(self._order == self._order[at[0]])
        before = equal[self._sorted(equal, self._order[equal])].tolist().index(at[0])
        return int((self._order < self._order[at[0]]).sum()) + before, self._ranked(at)[0]

    def _sorted(self, some: Rows, order: NDArray[Any]) -> Rows:
        """What sorts some places by their order, (places,), and of equals the newest first."""
        rows = self.rows[some]
        return np.lexsort((rows, -self.index.times[rows], order))

    @cached_property
    def _order(self) -> NDArray[np.float64]:
        """Lower is better; what passes the floor comes first, for 1 outweighs every score."""
        order: NDArray[np.float64] = self.failed - self.scores.astype(np.float64).round(DECIMALS)
        return order

    def _ranked(self, chosen: Rows) -> list[Ranked]:
        """Some of the rows, in the order given."""
        low: Drop = "silent" if self.silent else "below_floor"
        columns = zip(
            self.rows[chosen].tolist(),
            self.dense[chosen].tolist(),
            self.scores[chosen].tolist(),
            _column(self._counted, chosen),
            _column(self.bm25, chosen),
            _column(self.base if self.bm25 is not None else None, chosen),
            self.failed[chosen].tolist(),
            strict=True,
        )
        return [
            Ranked(row, Parts(alike, score, age, None, words, fused, self.reads.get(row)), low if failed else None)
            for row, alike, score, age, words, fused, failed in columns
        ]


def _blended(base: Floats, rows: Rows, reads: Reads, share: float) -> NDArray[np.float64]:
    """What recall and a cross-encoder say of each row, (n,), the latter with a share of the say. A row that was not
    read counts as 0: it is less likely than those that were, and so comes after them.

    Each knows what the other does not: a cross-encoder reads question and text together, and recall knows who speaks,
    when, and what was said around it, without which "Yes, on Sunday!" answers nothing. Most cross-encoders say nearly 0
    or nearly 1, so the mean goes by them where they tell texts apart, and by recall where they do not.
    """
    read = np.array([reads.get(row, 0.0) for row in rows.tolist()])
    blended: NDArray[np.float64] = (1 - share) * base + share * read
    return blended


def _column(values: NDArray[Any] | None, rows: Rows) -> list[float | None]:
    return [None] * len(rows) if values is None else values[rows].tolist()


def _diverse(
    index: UserIndex, pool: list[Ranked], relevant: int, top_k: int, weight: float
) -> tuple[list[Ranked], list[Ranked]]:
    """Maximal marginal relevance (Carbonell and Goldstein, 1998), redundancy by cosine, as the proxy's document has it.
    `relevant`: so many of the best are chosen from before others."""
    if not pool:
        return [], []
    vectors = index.matrix[[one.row for one in pool]]
    alike = np.clip(vectors @ vectors.T, 0.0, 1.0)
    worth = weight * np.array([one.parts.score for one in pool], np.float32)
    redundancy = np.zeros(len(pool), np.float32)
    kept: list[Ranked] = []
    for chosen in range(min(top_k, len(pool))):
        among = relevant if chosen < relevant else len(pool)
        at = int((worth[:among] - (1 - weight) * redundancy[:among]).round(DECIMALS).argmax())
        worth[at] = -np.inf
        parts = pool[at].parts
        kept.append(pool[at]._replace(parts=parts._replace(mmr=float(redundancy[at]))))
        np.maximum(redundancy, alike[at], out=redundancy)
    return kept, [pool[at] for at in np.flatnonzero(worth > -np.inf)]


class Reranking:
    """Has the best candidates of searches read by a cross-encoder, where there is one.

    It reads the question and each text together, which takes milliseconds a text: so it reads only the best by the
    fused score. That score decides silence still: it is a probability, and what a cross-encoder gives means something
    else with every model. It decides the floor, too, but where the cross-encoder alone says what is relevant (the
    proxy's document). Recency and diversity come after."""

    def __init__(self, gists: GistReader, reranker: "Reranker") -> None:
        self._gists = gists
        self._reranker = reranker

    async def of(
        self, owner: str, query: str, scored: Scored, standing: Standing | None, read: Reads = UNREAD
    ) -> Reads:
        """What the cross-encoder says of the best rows, as `Scored.shortlist` has them; nothing where it fails, which
        the log tells. A text that stands in several rows is read once. `standing`: the owner's, as it was just read.
        `read`: what it said of some rows by now, whose texts are not read again."""
        index, recipe = scored.index, scored.recipe
        rows = scored.shortlist(MOST_READ)
        found = await self._gists.by_keys(owner, [index.gist_of(row) for row in rows], standing)
        said: dict[str, list[int]] = {}
        for row in rows:
            gist = found.get(index.gist_of(row))
            if gist is not None:
                text = piece_in(gist, index.piece_of(row)) or gist.content
                said.setdefault(spoken(gist.name, gist.role, text), []).append(row)
        texts = list(said)[: max(recipe.rerank, recipe.top_k + SPARE)]
        scores = {text: read[row] for text in texts for row in said[text] if row in read}
        unread = [text for text in texts if text not in scores]
        try:
            scores |= zip(unread, (await self._reranker.scores(query, unread)).tolist(), strict=True)
        except ModelError as error:
            log.warning("search without the cross-encoder: %s", error.detail)
            return UNREAD
        return {row: scores[text] for text in texts for row in said[text]}
