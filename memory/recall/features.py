"""Features by which the candidates of a search are ranked.

The best rows at a first look, with what stands around them, are the pool. Each of it is described: how its words, its
embedding and its tokens answer the question, the same of its neighbours in the session, who speaks, when, and what kind
of message it is. `ranking.py` weighs the columns.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.gists import hashes
from memory.language import Ask, Question, Trait, nearness
from memory.recall.index import ROLES, Sight, UserIndex
from memory.recall.postings import Ragged, Rows, bm25, counts_in, idf, rank_within
from memory.recall.query import SCALE, Probe
from utils.text import ends_with_question_mark
from utils.vectors import Floats

SAME = np.float32(0.9995)  # cosine similarity from which on a row says what the question says
ALIKE = np.float32(0.72)  # from which on a row that asks asks the same: "Do you know where I live?" (0.728 to 0.736)
LONGER = 1.5  # times as many words has a row at most that asks the same
ROWS_AT_ONCE = 1_024  # of the matrix
USER, ASSISTANT = ROLES["user"], ROLES["assistant"]
RARE = 3  # rows that have a rare word at most
NEAR_IN_TIME = 4.0  # deviations that lie between what was said at the time asked for and the rest
POOL = 256  # rows that are looked at closely
FEEDBACK = 5  # of the best, to which others are compared
NOTHING: Floats = np.broadcast_to(np.float32(0), 1 << 40)  # what is 0 for all is a part of it; takes no memory
FADING = np.float32(0.7) ** np.arange(1, 9, dtype=np.float32)  # what messages count that far away in the session
PREVIOUS, HERE = 1, 2  # places among a row and those next to it, from two before it to two after it
TOKENS_NEAR = np.array([0.9, 0.95, 1, 0.95, 0], np.float32)[:, None]  # what a token counts there
BLEND = ("bm25", "bare", "tokens_window")  # of a first ranking, by which the pool is compared with its best
TOKENS_AT_ONCE = 512  # tokens that are multiplied at once


class Alike(NamedTuple):
    """Cosine similarities of rows with a question, each (rows,): with its text, and with it but for names."""

    dense: Floats
    bare: Floats


def alike(index: UserIndex, probe: Probe, size: int) -> Alike:
    """How alike the first so many rows are to a question. Each part of the matrix is read once for both vectors: there
    is more of it than a processor keeps."""
    if probe.bare is probe.dense:
        dense: Floats = index.matrix[:size] @ probe.dense
        return Alike(dense, dense)
    vectors, found = np.array([probe.dense, probe.bare]).T.copy(), np.empty((size, 2), np.float32)
    matrix = index.matrix[:size]
    for start in range(0, size, ROWS_AT_ONCE):
        np.dot(matrix[start : start + ROWS_AT_ONCE], vectors, out=found[start : start + ROWS_AT_ONCE])
    return Alike(*np.ascontiguousarray(found.T))


def asked_before(index: UserIndex, question: Question, dense: Floats) -> NDArray[np.bool_]:
    """The rows in which the user asked the same and told nothing, (rows,). They are no answer, though nothing is more
    alike; where it is asked what the assistant said, they are what it answered. `dense`: (rows,), cosine similarities
    with the question."""
    size = len(dense)
    found: NDArray[np.bool_] = (dense >= ALIKE) & (Ask.REPLIES not in question.asks)
    if found.any():
        asking = index.traits[:size, Trait.ASKS] == 1
        if ends_with_question_mark(question.text):
            asking |= dense >= SAME
        longest = LONGER * (len(question.stems) + len(question.filler)) + 2
        found &= asking & (index.roles[:size] == USER) & (index.terms.counts[:size] <= longest)
    return found


def asks_the_same(index: UserIndex, probe: Probe, row: int) -> bool:
    """Whether the user asked the same in a row and told nothing, as `asked_before` has it."""
    dense = np.zeros(row + 1, np.float32)
    dense[row] = index.matrix[row] @ probe.dense
    return bool(asked_before(index, probe.question, dense)[row])


class FirstLook:
    """What is computed of all rows that a search may see."""

    def __init__(self, index: UserIndex, probe: Probe, sight: Sight, likeness: Alike | None) -> None:
        self.index, self.probe, self.sight = index, probe, sight
        self.size, self.visible = len(sight.visible), sight.visible
        question = probe.question
        own, words = len(question.stems), (*question.stems, *question.filler)
        terms = list(dict.fromkeys((*words, *probe.stems)))  # those that are no words of it come last
        every = index.postings.find(hashes(terms)).among(self.visible)
        self.hits, self.all_hits = every.first(own), every.first(len(words))
        self.dense, self.bare = likeness or alike(index, probe, self.size)
        frequencies = every.frequencies(len(terms))
        weights = idf(frequencies, sight.count)
        self.idf_of = dict(zip(terms, weights.tolist(), strict=True))
        self.weights = np.where(frequencies > 0, weights, 0).astype(np.float32)[: len(words)]
        self.idf = self.weights[: len(question.stems)]
        telling = own > 1 and not question.spans
        self.rare = bool(telling and frequencies[:own].min() > 0 and frequencies[:own].max() <= RARE)
        self.bm25 = bm25(self.hits, self.idf, sight.lengths, sight.mean)

    @cached_property
    def spoken(self) -> Floats:
        """1 where the one whom the question names speaks."""
        speakers = self.index.speakers[: self.size]
        spoken = np.zeros(self.size, np.bool_)
        for named in self.probe.question.speakers:
            spoken |= speakers == named
        return spoken.astype(np.float32)

    @cached_property
    def coarse(self) -> Floats:
        """A first score of all rows, of which the pool is chosen."""
        own = _standard(self.bm25, self.visible) + 0.8 * _standard(self.bare, self.visible)
        if len(self.probe.question.speakers) == 1:
            own = own + 0.5 * self.spoken
        if self.probe.question.only_time:
            own = own + NEAR_IN_TIME * nearness(self.probe.question.spans, self.index.times[: self.size])
        return own.astype(np.float32)

    def best(self, size: int) -> Rows:
        """The rows of the pool, best first: those that score well, and those whose neighbours do."""
        every, before, after = np.arange(self.size), self.sight.before[:-1], self.sight.after[:-1]
        padded = np.append(self.coarse, np.float32(0))
        score = self.coarse + 0.4 * (padded[before] + padded[after])
        if Ask.REPLIES in self.probe.question.asks:  # of a reply, what it answers is as good
            replies = (self.index.roles[: self.size] == ASSISTANT) & (self.index.speakers[: self.size] == 0)
            score = np.where(replies, np.maximum(score, padded[before]), score)
        score[~self.visible] = -np.inf
        size = min(size, self.sight.count)
        if size < self.size:
            every = np.argpartition(-score, size - 1)[:size]
        return every[np.lexsort((every, -score[every]))][:size]


def _standard(values: Floats, among: NDArray[np.bool_]) -> Floats:
    """Scaled to mean 0 and deviation 1 among some."""
    chosen = values if among.all() else values[among]
    mean = chosen.mean()
    centred = chosen - mean
    deviation = float(np.sqrt(centred @ centred / len(chosen)))
    scaled: Floats = (values - mean) / np.float32(deviation + 1e-6)
    return scaled


@dataclass(frozen=True)
class Pool:
    """Candidates of a search. `rows`: (n,) of the index. `columns`: of their features, each (n,). `of_another`: (n,),
    those that have a number, if only the word for one, where the question names another that neither they nor what
    stands next to them has; None where it names none. `naming`: (n,), those that have it, or of a question of rare
    words alone, those that have all of them; None of any other question."""

    rows: Rows
    columns: dict[str, Floats]
    of_another: NDArray[np.bool_] | None = None
    naming: NDArray[np.bool_] | None = None


def candidates(index: UserIndex, probe: Probe, sight: Sight, size: int = POOL, likeness: Alike | None = None) -> Pool:
    """The pool of a search, of at most `size` rows. `sight`: of the index; at least one row is in it. `likeness`: of
    its rows, where it is known."""
    search = FirstLook(index, probe, sight, likeness)
    rows = search.best(size)
    around = _Around(search, rows)
    return Pool(rows, around.columns(), *around.by_codes())


class _Around:
    """What is computed of the pool and of the rows next to it."""

    def __init__(self, search: FirstLook, rows: Rows) -> None:
        self.search, self.rows = search, rows
        before, after = search.sight.before, search.sight.after
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
        self._matches(columns)
        self._beside(columns)
        self._kind(columns)
        self._ranks(columns)
        self._asked(columns)
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

    def _matches(self, columns: dict[str, Floats]) -> None:
        """How well a message answers by its words, its embedding and its tokens, and together with those next to it."""
        search, probe, weights = self.search, self.search.probe, self.search.idf
        counts = self._of_near(self.counts)
        fuller = bm25(search.all_hits, search.weights, search.sight.lengths, search.sight.mean, 0.9, 0.4)
        whole = weights.sum() + np.float32(1e-6)
        possible = np.where(weights > 0, weights, np.log1p(np.float32(search.sight.count))).sum() + np.float32(1e-6)
        matches = self._of_near(best_matches(probe.tokens, search.index.tokens, self.every))
        even = self._token_weights()
        rare = even * probe.rarity
        columns["bm25"] = search.bm25[self.rows]
        columns["bm25_all"] = fuller[self.rows]
        columns["covered_window"] = (weights @ (counts > 0).any(1).astype(np.float32)) / whole
        columns["covered_of_all"] = (weights @ (counts[:, HERE] > 0).astype(np.float32)) / possible
        columns["length"] = np.log(search.sight.lengths[self.rows])
        columns["dense"] = search.dense[self.rows]
        columns["bare"] = search.bare[self.rows]
        columns["tokens_rare"] = (rare / (rare.sum() + np.float32(1e-6))) @ matches[:, HERE]
        columns["tokens_window"] = even @ (matches * TOKENS_NEAR).max(1)

    def _token_weights(self) -> Floats:
        """The idf of each of the question's tokens, which is its word's; in sum 1."""
        search = self.search
        if not len(search.probe.tokens):
            return np.zeros(0, np.float32)
        weights = np.array([search.idf_of[stem] for stem in search.probe.stems], np.float32)
        return np.asarray(weights / weights.sum(), np.float32)

    def _beside(self, columns: dict[str, Floats]) -> None:
        """How well answers what was said shortly before and shortly after, the further away the less. People who text
        say in five messages what others say in one."""
        search = self.search
        compared = np.zeros((2, search.size + 1), np.float32)
        compared[:, :-1] = search.bare, search.bm25
        for side, links in (("before", search.sight.before), ("after", search.sight.after)):
            near = [links[self.rows]]
            while len(near) < len(FADING):
                near.append(links[near[-1]])
            beside = compared.take(np.array(near), axis=1)  # (2, 8, n); 0 where the session has no more
            columns[f"bare_{side}"], columns[f"bm25_{side}"] = FADING @ beside
        asked = self._of_near(search.index.traits[self.every, Trait.QUESTION] > 0)[PREVIOUS]
        columns["answers_bm25"] = asked * compared[1].take(search.sight.before[self.rows])

    def _kind(self, columns: dict[str, Floats]) -> None:
        """Who speaks, and what kind of message it is."""
        search, rows = self.search, self.rows
        index, roles = search.index, search.index.roles[rows]
        traits = index.traits[rows].astype(np.float32)
        columns["first_person"] = traits[:, Trait.FIRST_PERSON]
        alone = len(search.probe.question.speakers) == 1  # else nobody is the one whom the question names
        columns["speaker"] = search.spoken[rows] if alone else self.nothing
        unnamed = index.speakers[rows] == 0
        columns["user"] = ((roles == USER) & unnamed).astype(np.float32)
        columns["assistant"] = ((roles == ASSISTANT) & unnamed).astype(np.float32)

    def _ranks(self, columns: dict[str, Floats]) -> None:
        """Likeness to the best by a first blend, and the rank by it within the session."""
        index = self.search.index
        blend = _scaled(np.array([columns[name] for name in BLEND])).sum(0) + 0.5 * columns["speaker"]
        ranked = np.argsort(-blend, kind="stable")
        best = ranked[:FEEDBACK]
        share = np.exp(-np.arange(len(best), dtype=np.float32) / 2)
        centre = share @ index.matrix[self.rows[best]]
        columns["feedback"] = index.matrix.take(self.rows, axis=0) @ (centre / (np.linalg.norm(centre) + 1e-6))
        rank = np.zeros(len(ranked), np.float32)
        rank[ranked] = rank_within(index.sessions[self.rows][ranked])
        columns["session_rank"] = np.log1p(rank)

    def _asked(self, columns: dict[str, Floats]) -> None:
        """What counts where the question asks for it; nothing where it does not."""
        search, question = self.search, self.search.probe.question
        traits = search.index.traits[self.rows].astype(np.float32)
        course, replies = {Ask.ORDER, Ask.COURSE}, {Ask.REPLIES}
        for name, asks, values in (
            ("asked_times", {Ask.WHEN}, traits[:, Trait.TIMES]),
            ("asked_names", {Ask.PLACE, Ask.NAME}, traits[:, Trait.NAMES]),
            ("course_dense", course, columns["dense"]),
            ("course_length", course, columns["length"]),
            ("course_rank", course, columns["session_rank"]),
            ("replies_dense", replies, columns["assistant"] * columns["dense"]),
            ("replies_bare_before", replies, columns["assistant"] * self._of_near(search.bare[self.every])[PREVIOUS]),
        ):
            columns[name] = values if asks & question.asks else self.nothing
        columns["date"] = self.nothing
        if question.spans:
            columns["date"] = nearness(question.spans, search.index.times[self.rows]).astype(np.float32)


def _scaled(columns: Floats) -> Floats:
    """Rows of mean 0 and deviation 1."""
    centred = columns - columns.mean(1, keepdims=True)
    deviations = np.sqrt(np.einsum("ij,ij->i", centred, centred) / centred.shape[1]) + np.float32(1e-6)
    scaled: Floats = centred / deviations[:, None]
    return scaled


def best_matches(question: NDArray[np.float32], tokens: Ragged, rows: NDArray[np.intp]) -> NDArray[np.float32]:
    """For each token of a question, (n, 64), the highest cosine among the tokens of each row: (n, rows), 0 for a row
    without tokens. MaxSim, of late interaction (Khattab and Zaharia, "ColBERT", 2020)."""
    items, bounds = tokens.gather(rows)
    found = np.zeros((len(rows), len(question)), np.float32)
    full = np.flatnonzero(bounds[1:] > bounds[:-1])
    if len(full) and len(question):
        cosines = _products(items, np.ascontiguousarray((question * SCALE).T))  # so laid out, it takes two thirds
        found[full] = np.maximum.reduceat(cosines, bounds[:-1][full], axis=0)
    return np.ascontiguousarray(found.T)


def _products(items: NDArray[np.int8], question: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, 64) @ (64, m), some at a time: what is made float32 is still near when it is multiplied."""
    products = np.empty((len(items), question.shape[1]), np.float32)
    part = np.empty((TOKENS_AT_ONCE, items.shape[1]), np.float32)
    for start in range(0, len(items), TOKENS_AT_ONCE):
        taken = items[start : start + TOKENS_AT_ONCE]
        part[: len(taken)] = taken
        np.dot(part[: len(taken)], question, out=products[start : start + TOKENS_AT_ONCE])
    return products
