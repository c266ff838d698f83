"""Features by which the candidates of a search are ranked.

The best rows at a first look, with what stands around them, are the pool. Each of it is described: how its words, its
embedding and its tokens answer the question, the same of its neighbours in the session, who speaks, when, and what kind
of message it is. `memory.ranker` weighs the columns.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.language import Ask, Trait, nearness
from memory.recall.first_look import ASSISTANT, USER, Alike, FirstLook, Probe
from memory.recall.index import Sight, UserIndex
from memory.recall.maxsim import best_matches
from memory.recall.postings import bm25, counts_in, saturated
from memory.recall.ragged import Rows, rank_within
from utils.vectors import Floats

POOL = 256  # rows that are looked at closely
FEEDBACK = 5  # of the best, to which others are compared
NOTHING: Floats = np.broadcast_to(np.float32(0), 1 << 40)  # what is 0 for all is a part of it; takes no memory
FADING = np.float32(0.7) ** np.arange(1, 9, dtype=np.float32)  # what messages count that far away in the session
OFFSETS = (-2, -1, 0, 1, 2)  # of the rows next to one in its session
HERE = 2  # the place of 0 among them
# What rows at these offsets count beside one: of words, of meaning, and of the best token.
WORDS_NEAR = np.array([0.5, 1, 1, 0.7, 0.4], np.float32)
MEANING_NEAR = np.array([0.5, 1, 1, 1, 0.5], np.float32)
TOKENS_NEAR = np.array([0.9, 0.95, 1, 0.95, 0], np.float32)[:, None]
TRAITS = tuple(trait.name.lower() for trait in Trait)
ASKED_FOR = {  # columns that count once more where the question asks for it
    Ask.WHEN: ("times", "numbers"),
    Ask.COUNT: ("numbers",),
    Ask.PLACE: ("names",),
    Ask.NAME: ("names",),
    Ask.OWN: ("user",),
    Ask.REPLIES: ("user", "assistant"),
    Ask.ORDER: ("user", "reply", "length", "dense"),
    Ask.COURSE: ("user", "reply", "length", "dense"),
}
BLEND = ("bm25", "bm25_window", "bare", "bare_window", "tokens")
BLEND_WEIGHTS = np.array([1, 0.5, 0.6, 0.4, 1], np.float32)


@dataclass(frozen=True)
class Pool:
    """Candidates of a search. `rows`: (n,) of the index. `columns`: of their features, each (n,). `once`: (n,), those
    by which the others are measured: of rows that are the question itself, one alone; None for all. `of_another`: (n,),
    those that have a number, if only the word for one, where the question names another that neither they nor what
    stands next to them has; None where it names none. `naming`: (n,), those that have it, or of a question of rare
    words alone, those that have all of them; None of any other question."""

    rows: Rows
    columns: dict[str, Floats]
    once: NDArray[np.bool_] | None = None
    of_another: NDArray[np.bool_] | None = None
    naming: NDArray[np.bool_] | None = None

    @property
    def size(self) -> int:
        """How many of them are different."""
        return len(self.rows) if self.once is None else int(self.once.sum())

    def measured(self, columns: Floats) -> Floats:
        """Of (d, n), what the others are measured by."""
        return columns if self.once is None else columns[:, self.once]


def candidates(index: UserIndex, probe: Probe, sight: Sight, size: int = POOL, likeness: Alike | None = None) -> Pool:
    """The pool of a search, of at most `size` rows. `sight`: of the index; at least one row is in it. `likeness`: of
    its rows, where it is known."""
    search = FirstLook(index, probe, sight, likeness)
    rows = search.best(size)
    pool = Pool(rows, {}, search.once_among(rows))
    around = _Around(search, pool)
    of_another, naming = around.by_codes()
    return replace(pool, columns=around.columns(), of_another=of_another, naming=naming)


class _Around:
    """What is computed of the pool and of the rows next to it."""

    def __init__(self, search: FirstLook, pool: Pool) -> None:
        self.search, self.pool, self.rows = search, pool, pool.rows
        rows, before, after = pool.rows, search.sight.before, search.sight.after
        near = np.array([before[before[rows]], before[rows], rows, after[rows], after[after[rows]]])
        wanted = np.zeros(search.size + 1, np.bool_)  # the last is what -1 stands for
        wanted[near] = True
        self.every = np.flatnonzero(wanted[:-1])
        places = np.full(search.size + 1, len(self.every))  # the last one stands for none
        places[self.every] = np.arange(len(self.every))
        self.near = places[near]  # (5, n), by `OFFSETS`
        self.nothing = NOTHING[: len(rows)]

    def _of_near(self, values: NDArray[Any]) -> Floats:
        """Of values, (..., every), those of the pool's rows and of the rows next to them, (..., 5, n)."""
        padded = np.zeros((*values.shape[:-1], len(self.every) + 1), np.float32)
        padded[..., :-1] = values
        near: Floats = padded.take(self.near, axis=-1)
        return near

    def columns(self) -> dict[str, Floats]:
        columns: dict[str, Floats] = {}
        self._words(columns)
        self._meaning(columns)
        self._tokens(columns)
        self._beside(columns)
        self._kind(columns)
        self._asked(columns)
        self._feedback(columns)
        return columns

    def by_codes(self) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
        """`Pool.of_another` and `Pool.naming`."""
        search, stems = self.search, self.search.probe.question.stems
        codes = [stems.index(code) for code in search.probe.question.codes]
        if not codes:
            own = np.searchsorted(self.every, self.rows)
            return None, np.asarray((self.counts[:, own] > 0).all(0)) if search.rare else None
        near = self._of_near(self.counts[codes].sum(0)) > 0
        others = ~near.any(0) & (search.index.traits[self.rows, Trait.NUMBERS] > 0)
        return np.asarray(others), np.asarray(near[HERE])

    @cached_property
    def counts(self) -> Floats:
        """How often each row has each word of the question, (words, every)."""
        return counts_in(self.search.hits, len(self.search.idf), self.every)

    def _words(self, columns: dict[str, Floats]) -> None:
        search, weights = self.search, self.search.idf
        counts = self._of_near(self.counts)
        lengths, scores = self._of_near(np.array([search.sight.lengths[self.every], search.bm25[self.every]]))
        window = saturated(WORDS_NEAR @ counts, WORDS_NEAR @ lengths, search.sight.mean, 0.9, 0.3)
        fuller = bm25(search.all_hits, search.weights, search.sight.lengths, search.sight.mean, 0.9, 0.4)
        there = (counts[:, HERE] > 0).astype(np.float32)
        covered, whole = weights @ there, weights.sum() + np.float32(1e-6)
        possible = np.where(weights > 0, weights, np.log1p(np.float32(search.sight.count))).sum() + np.float32(1e-6)
        columns |= _by_offset("bm25", scores)
        columns["bm25_all"] = fuller[self.rows]
        columns["bm25_window"] = weights @ window
        columns["covered"] = covered / whole
        columns["covered_window"] = (weights @ (window > 0).astype(np.float32)) / whole
        columns["covered_of_all"] = covered / possible
        columns["rarest"] = (weights[:, None] * there).max(0, initial=0)
        columns["length"] = np.log(lengths[HERE])

    def _meaning(self, columns: dict[str, Floats]) -> None:
        bare = self._of_near(self.search.bare[self.every])
        columns["dense"] = self.search.dense[self.rows]
        columns |= _by_offset("bare", bare)
        columns["bare_window"] = MEANING_NEAR @ bare

    def _tokens(self, columns: dict[str, Floats]) -> None:
        search, probe = self.search, self.search.probe
        matches = self._of_near(best_matches(probe.tokens, search.index.tokens, self.every))
        own = matches[:, HERE]
        weights = self._token_weights()
        even = np.full(len(weights), 1 / max(1, len(weights)), np.float32)
        rare = weights * probe.rarity
        rare = rare / (rare.sum() + np.float32(1e-6))
        near = weights @ matches.reshape(len(weights), self.near.size)
        columns |= _by_offset("tokens", near.reshape(self.near.shape))
        columns["tokens_rare"] = rare @ own
        columns["tokens_even"] = even @ own
        columns["tokens_window"] = weights @ (matches * TOKENS_NEAR).max(1)
        columns["tokens_near"] = rare @ np.where(own > 0.6, own, 0)

    def _token_weights(self) -> Floats:
        """The idf of each of the question's tokens, which is its word's; in sum 1."""
        search = self.search
        if not len(search.probe.tokens):
            return np.zeros(0, np.float32)
        weights = np.array([search.idf_of[stem] for stem in search.probe.stems], np.float32)
        return np.asarray(weights / weights.sum(), np.float32)

    def _beside(self, columns: dict[str, Floats]) -> None:
        """How well answers what was said shortly before and shortly after: the best of it, and all of it, the further
        away the less. People who text say in five messages what others say in one."""
        search = self.search
        compared = np.zeros((2, search.size + 1), np.float32)
        compared[:, :-1] = search.bare, search.bm25
        for side, links in (("before", search.sight.before), ("after", search.sight.after)):
            near = [links[self.rows]]
            while len(near) < len(FADING):
                near.append(links[near[-1]])
            beside = compared.take(np.array(near), axis=1)  # (2, 8, n); 0 where the session has no more
            fading, best = FADING @ beside, beside.max(1)
            for at, name in enumerate(("bare", "bm25")):
                columns[f"{name}_{side}"], columns[f"{name}_best_{side}"] = fading[at], best[at]

    def _kind(self, columns: dict[str, Floats]) -> None:
        """Who speaks, and what kind of message it is."""
        search, rows = self.search, self.rows
        index = search.index
        traits = np.ascontiguousarray(index.traits[rows].T, np.float32)
        columns |= zip(TRAITS, traits, strict=True)
        columns["asks"] = np.minimum(columns["asks"], 1)
        self._speakers(columns)
        unnamed = index.speakers[rows] == 0
        roles = index.roles[rows]
        columns["user"] = user = ((roles == USER) & unnamed).astype(np.float32)
        columns["assistant"] = ((roles == ASSISTANT) & unnamed).astype(np.float32)
        for name in ("dense", "tokens"):
            columns[f"user_{name}"] = user * columns[name]
        columns["user_asks"] = user * columns["asks"]
        for name in ("bm25", "dense"):
            columns[f"user_asks_{name}"] = columns["user_asks"] * columns[name]
        columns["user_reply"] = user * columns["reply"]
        columns["instruction_dense"] = columns["instruction"] * columns["dense"]
        asked = self._of_near(index.traits[self.every, Trait.QUESTION] > 0)[HERE - 1]
        columns["answers"] = asked
        for name in ("bm25", "bare", "tokens"):
            columns[f"answers_{name}"] = asked * columns[f"{name}-1"]

    def _speakers(self, columns: dict[str, Floats]) -> None:
        """Whether the one whom the question names speaks, or is named; nothing where it names none, or several."""
        search, rows = self.search, self.rows
        names = ("bm25", "bare", "tokens")
        if len(search.probe.question.speakers) != 1:
            of_names = [f"{kind}_{name}" for kind in ("speaker", "naming") for name in names]
            columns |= dict.fromkeys(("speaker", "other_speaker", "naming", *of_names), self.nothing)
            return
        columns["speaker"], columns["naming"] = search.spoken[rows], search.naming[rows]
        columns["other_speaker"] = (1 - search.spoken[rows]) * (search.index.speakers[rows] > 0)
        for kind in ("speaker", "naming"):
            for name in names:
                columns[f"{kind}_{name}"] = columns[kind] * columns[name]

    def _asked(self, columns: dict[str, Floats]) -> None:
        """What counts where the question asks for it; nothing where it does not."""
        question = self.search.probe.question
        for ask, names in ASKED_FOR.items():
            wanted = question.asks[ask] > 0
            for name in names:
                columns[f"{ask.name.lower()}_{name}"] = columns[name] if wanted else self.nothing
        for name in ("dense", "bm25-1", "bare-1", "tokens-1"):
            replies = columns["replies_assistant"]
            columns[f"replies_{name}"] = replies if replies is self.nothing else replies * columns[name]
        columns["date"] = self.nothing
        if question.spans:
            times = self.search.index.times[self.rows]
            columns["date"] = nearness(question.spans, times).astype(np.float32)

    def _feedback(self, columns: dict[str, Floats]) -> None:
        """Likeness to the best by a first blend, and the rank by it within the session."""
        search = self.search
        index, asks = search.index, search.probe.question.asks
        blend = BLEND_WEIGHTS @ self._scaled(np.array([columns[name] for name in BLEND])) + 0.5 * columns["speaker"]
        columns["blend"] = blend
        ranked = np.argsort(-blend, kind="stable")
        best = ranked[:FEEDBACK]
        share = np.exp(-np.arange(len(best), dtype=np.float32) / 2)
        centre = share @ index.matrix[self.rows[best]]
        columns["feedback"] = index.matrix.take(self.rows, axis=0) @ (centre / (np.linalg.norm(centre) + 1e-6))
        rank = np.zeros(len(ranked), np.float32)
        rank[ranked] = rank_within(index.sessions[self.rows][ranked])
        columns["session_rank"] = np.log1p(rank)
        for ask in (Ask.ORDER, Ask.COURSE):
            columns[f"{ask.name.lower()}_rank"] = columns["session_rank"] if asks[ask] else self.nothing

    def _scaled(self, columns: Floats) -> Floats:
        """Rows of mean 0 and deviation 1."""
        centred = columns - self.pool.measured(columns).mean(1, keepdims=True)
        told = self.pool.measured(centred)
        deviations = np.sqrt(np.einsum("ij,ij->i", told, told) / told.shape[1]) + np.float32(1e-6)
        scaled: Floats = centred / deviations[:, None]
        return scaled


def _by_offset(name: str, values: Floats) -> dict[str, Floats]:
    """Columns of what stands next to rows, (5, n), by `OFFSETS`."""
    return {f"{name}{offset:+d}" if offset else name: of for offset, of in zip(OFFSETS, values, strict=True)}
