"""Scores of the rows of a user's index for a query. Pure functions over arrays.

The ranker scales features within the pool, and a network of one hidden layer with a linear path beside it weighs them.
Its weights were fitted by `python -m bench.fit_ranker` on conversations with questions whose evidence is known; the
file says which, and when. What comes out ranks the pool; how far each is behind the best, calibrated with how well the
best of it matches at all, becomes a probability, comparable between searches and in the order of the ranking.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from config.recipes import Recipe
from fitted import FITTED
from memory.domain import SAID
from memory.language import DAY, Ask, Question, Trait
from memory.recall.features import POOL, SAME, Pool, alike, asked_before, candidates
from memory.recall.index import Sight, UserIndex
from memory.recall.postings import Rows
from memory.recall.query import Probe
from memory.recall.scored import Scored
from utils.vectors import Floats

WEIGHTS = FITTED / "ranker.json"
NO_STRIDE = (0,)  # of a column that is the same for all, and tells nothing
CLIP = (-4.0, 8.0)  # deviations from the pool's mean
CERTAINTY = ("tokens_rare", "covered_of_all", "dense", "tokens_window")  # of the pool's best, in absolute terms
RECENCY_DAYS = 30.0  # the proxy's document: recency = exp(-age_days / 30)
TIMELY = np.float32(0.3)  # how likely a message of the time asked for answers a question that asks for nothing else
OF_ANOTHER_TIME = np.float32(0.2)  # the share that one of another time keeps then
SHORTLY_AFTER = np.float32(0.5)  # how near to that time one was said that is none, where there is no other
A_LITTLE = np.float32(0.05)  # of what is missing to certainty, by which what says just that comes before the rest
LIKELY = np.float32(0.3)  # the share of the best's likelihood from which on a message may be the last that is asked for
OF_SAME = np.float32(0.55)  # cosine similarity from which on two messages may be about the same thing
OF_ANOTHER = np.float32(0.3)  # the share of its likelihood that a message about another one of the same kind keeps
OF_QUESTION = np.float32(0.15)  # and a short question, which tells nothing
BY_WORDS = np.float32(0.5)  # how likely a message with all words of a question answers of which no meaning is known
LONGEST_QUESTION = 12  # terms of a short one
GLOBAL = "global"  # the session that an isolated request recalls from beside its own

_SIGHTS: WeakKeyDictionary[UserIndex, tuple[object, Sight]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Scope:
    """What a search may see besides its recipe. `kinds`: None for all. Times in seconds since 1970. `timezone`: whose
    days the query speaks of; UTC's where it is None. `reach`: messages on each side of the best hits that whoever
    asks reads next, so that they are read with these."""

    session_id: str | None = None  # the session that the query was asked in
    only_session: bool = False
    kinds: tuple[str, ...] | None = SAID
    since: float | None = None
    until: float | None = None
    exclude: frozenset[str] = frozenset()
    among: frozenset[str] | None = None  # None for all
    sessions: tuple[str, ...] | None = None  # these alone
    timezone: str | None = None
    reach: int = 0

    @classmethod
    def of_conversation(cls, session_id: str, **limits: Any) -> "Scope":
        """What an isolated request recalls from: a conversation, and what is said to be known in all of them (the
        proxy's document)."""
        return cls(session_id, sessions=tuple(dict.fromkeys((session_id, GLOBAL))), **limits)


def score(index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, pool: int = POOL) -> Scored | None:
    """The rows that are looked at closely; None where nothing is visible.

    `now`: seconds since 1970. `pool`: how many are described by features, where all that is known is fused.
    O(rows · dimensions), and a logarithm of the times that a question names.
    """
    sight = sight_of(index, recipe, scope)
    if not sight.count:
        return None
    if recipe.ranking == "fused":
        likeness = alike(index, probe, len(sight.visible))
        sight = sight.without(index, asked_before(index, probe.question, likeness.dense))
        if not sight.count:
            return None
        found = candidates(index, probe, sight, pool, likeness)
        rows, dense, base = found.rows, found.columns["dense"], likelihoods(index, probe, found)
        bm25: NDArray[np.float32] | None = found.columns["bm25"] / (1 + found.columns["bm25"])
    else:
        rows = _compared(index, recipe, scope, sight.visible)
        dense = base = _cosines(index.matrix, rows, probe.dense)
        bm25 = None
    dense, base = np.clip(dense, 0.0, 1.0), np.clip(base, 0.0, 1.0)
    age = np.maximum(now - index.times[rows], 0.0) / DAY
    recency = np.exp(-age / RECENCY_DAYS) if recipe.recency_weight else None
    silent = bool(base.max() < recipe.silence or (recipe.silence > 0 and probe.question.idle))
    base = base if recipe.prior is None else at_even_odds(base, recipe.prior)
    scopes = len(scope.sessions) if scope.sessions else 1
    return Scored(index, recipe, rows, dense, base, bm25, recency, silent, scopes)


def likelihoods(index: UserIndex, probe: Probe, pool: Pool) -> Floats:
    """How likely each of a pool answers, (n,) in 0..1: by the ranker, and by what it knows too little of."""
    question = probe.question
    telling, asks = index.traits[pool.rows, Trait.ASKS] != 1, only_ask(index, question, pool)
    replies = Ask.REPLIES in question.asks
    found = load_ranker().scores(pool, among_which(question, asks))
    if not probe.known:
        covered = pool.columns["covered_of_all"]
        found = np.where(covered > 0, np.maximum(found, BY_WORDS * covered), 0)
    if question.only_time:  # of which there are too few examples to learn from
        found = _timely(found, pool.columns["date"], alone=not question.speakers)
    if pool.of_another is not None:
        found = np.where(pool.of_another, OF_ANOTHER * found, found)
    found = np.where(asks, OF_QUESTION * found, found)
    if question.latest is not None:
        found = _foremost(found, _at_end(found, index, pool.rows, last=question.latest))
    elif question.current:
        found = _foremost(found, _newest_like_best(found, index, pool.rows))
    naming = telling & pool.naming if pool.naming is not None and not replies else None
    if question.asking:
        return found if naming is None else _foremost(found, naming)
    same = telling & (pool.columns["dense"] >= SAME)
    if naming is not None:
        found = _foremost(found, naming & ~same)
    return _foremost(found, same)


def only_ask(index: UserIndex, question: Question, pool: Pool) -> NDArray[np.bool_]:
    """Which of a pool are short questions that tell nothing, (n,); not an assistant's where its replies are asked
    for."""
    asks = pool.columns["user"] > 0
    if Ask.REPLIES not in question.asks:
        asks |= pool.columns["assistant"] > 0
    short = index.terms.counts[pool.rows] <= LONGEST_QUESTION
    return np.asarray(asks & short & (index.traits[pool.rows, Trait.ASKS] == 1))


def among_which(question: Question, asks: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Which of a pool may be its best, (n,), by which of it `only_ask`: what does takes nothing from what answers. None
    for all: where it is asked what was asked; and where a reply is, what it replies to tells (of 20 such questions of
    `bench.answers` three more are answered).
    """
    return None if question.asking or Ask.REPLIES in question.asks else ~asks


def _at_end(found: Floats, index: UserIndex, rows: Rows, *, last: bool) -> NDArray[np.bool_]:
    """The one of likely rows, (n,), that was said last, or first."""
    likely = (found >= LIKELY * found.max()) & (index.traits[rows, Trait.ASKS] != 1)
    times = np.where(likely, index.times[rows] if last else -index.times[rows], -np.inf)
    return np.asarray(likely & (times == times.max()))


def _newest_like_best(found: Floats, index: UserIndex, rows: Rows) -> NDArray[np.bool_]:
    """The one of likely rows that are about the same as the best of them, (n,), that was said last."""
    telling = np.where(index.traits[rows, Trait.ASKS] != 1, found, 0)
    vectors = index.matrix.take(rows, axis=0)
    of_same = (telling >= LIKELY * found.max()) & (vectors @ vectors[telling.argmax()] >= OF_SAME)
    times = np.where(of_same, index.times[rows], -np.inf)
    return np.asarray(of_same & (times == times.max()))


def _timely(found: Floats, date: Floats, *, alone: bool) -> Floats:
    """Likelihoods where it is asked what there was at a time, (n,). `date`: how near each is to it, 1 within. `alone`:
    no speaker is named; what others did, they tell later."""
    near = found + TIMELY * date * (1 - found)
    if not alone:
        return near
    told = date == 1
    return np.where(told if told.any() else date >= SHORTLY_AFTER, near, OF_ANOTHER_TIME * near)


def _foremost(found: Floats, those: NDArray[np.bool_]) -> Floats:
    """Likelihoods, (n,), with the best of those, if there is one, before all others."""
    if not those.any():
        return found
    best, others = int(np.where(those, found, -1).argmax()), found[~those]
    raised = found.copy()
    if len(others) and found[best] <= (top := others.max()):
        raised[best] = top + (1 - top) * A_LITTLE
    return raised


def at_even_odds(probabilities: Floats, prior: float) -> Floats:
    """What probabilities, (n,), would be where as many answer as do not, instead of a share `prior` of them: by Bayes'
    rule, in the same order.

    The floor of the proxy's document is for the sigmoid of a cross-encoder, which is trained on as many of either kind.
    """
    answering, other = probabilities * np.float32(1 - prior), (1 - probabilities) * np.float32(prior)
    return np.asarray(answering / (answering + other), np.float32)


def _compared(index: UserIndex, recipe: Recipe, scope: Scope, visible: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The rows that a recipe of cosines alone looks at: all, or the newest, the session's own before others."""
    rows = np.flatnonzero(visible)
    if recipe.candidates is not None and len(rows) > recipe.candidates:
        inside = index.sessions[rows] == index.code("session", scope.session_id or "")
        newest = np.lexsort((index.times[rows], inside))[-recipe.candidates :]
        rows = rows[np.sort(newest)]
    return rows


def sight_of(index: UserIndex, recipe: Recipe, scope: Scope) -> Sight:
    """What a search may see. The last one of each index is kept for as long as nothing comes or goes."""
    wanted = index.changes, scope, recipe.expand_below
    kept = _SIGHTS.get(index)
    if kept is not None and kept[0] == wanted:
        return kept[1]
    sight = Sight.of(index, _visible_rows(index, recipe, scope))
    if index.changes == wanted[0]:  # else something came or went while a thread looked
        _SIGHTS[index] = wanted, sight
    return sight


def _visible_rows(index: UserIndex, recipe: Recipe, scope: Scope) -> NDArray[np.bool_]:
    """Which rows a search may see, (rows,)."""
    size = len(index)
    mask: NDArray[np.bool_] = index.alive[:size].copy()
    for identifier in scope.exclude:
        mask[index.rows_of(identifier)] = False
    if scope.among is not None:
        mask &= np.isin(np.arange(size), [row for key in scope.among for row in index.rows_of(key)])
    if scope.kinds is not None:
        mask &= of_kinds(index, scope.kinds, size)
    if scope.sessions is not None:
        mask &= np.isin(index.sessions[:size], [index.code("session", session) for session in scope.sessions])
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


def of_kinds(index: UserIndex, kinds: tuple[str, ...], size: int) -> NDArray[np.bool_]:
    """Which of the first rows are of some kinds, (size,). For a few kinds it takes a tenth of what `np.isin` does."""
    column, mask = index.kinds[:size], np.zeros(size, np.bool_)
    for kind in kinds:
        mask |= column == index.code("kind", kind)
    return mask


def _cosines(matrix: NDArray[np.float32], rows: NDArray[np.intp], query: NDArray[np.float32]) -> NDArray[np.float32]:
    if 2 * len(rows) > len(matrix):
        scores: NDArray[np.float32] = (matrix @ query)[rows]
        return scores
    return matrix[rows] @ query


@dataclass(frozen=True)
class Ranker:
    """`features`: names of the columns, d of them. `hidden`: (d, h), `bias`: (h,), `out`: (h,), `straight`: (d,).
    `calibration`: the weights of how far a candidate is behind the best, of what `certainty` gives, and a constant."""

    features: tuple[str, ...]
    hidden: Floats
    bias: Floats
    out: Floats
    straight: Floats
    calibration: Floats

    def scores(self, pool: Pool, among: NDArray[np.bool_] | None = None) -> Floats:
        """How likely each of the pool answers, (n,) in 0..1. `among`: which of it may be the best, for what only asks
        takes nothing from what answers; None for all."""
        known = [at for at, name in enumerate(self.features) if pool.columns[name].strides != NO_STRIDE]
        features = scaled(pool, [self.features[at] for at in known])
        behind = behind_best(self._raw(features, self.hidden[known], self.straight[known]), among)
        weights = self.calibration
        logits = weights[0] * behind + certainty(pool, among) @ weights[1:-1] + weights[-1]
        probabilities: Floats = 1 / (1 + np.exp(-logits))
        return probabilities

    def raw(self, features: Floats) -> Floats:
        """What the network gives for features, (n, d): (n,)."""
        return self._raw(features, self.hidden, self.straight)

    def _raw(self, features: Floats, hidden: Floats, straight: Floats) -> Floats:
        found: Floats = np.tanh(features @ hidden + self.bias) @ self.out + features @ straight
        return found


def certainty(pool: Pool, among: NDArray[np.bool_] | None = None) -> Floats:
    """How well the best of a pool, or of some of it, matches at all, by `CERTAINTY`, and the logarithm of its size."""
    values = [float(_best(pool.columns[name], among)) for name in CERTAINTY]
    return np.array([*values, np.log(len(pool.rows))], np.float32)


def scaled(pool: Pool, names: Sequence[str]) -> Floats:
    """The features of a pool, (n, d), each with mean 0 and deviation 1; 0 where it is the same for all."""
    columns = np.array([pool.columns[name] for name in names], np.float32)
    columns -= columns[:, :1].copy()  # else rounding gives one that is the same for all a deviation
    columns -= columns.mean(1, keepdims=True)
    columns /= np.sqrt(np.einsum("ij,ij->i", columns, columns) / columns.shape[1])[:, None] + np.float32(1e-6)
    return np.clip(columns, *CLIP, out=columns).T


def behind_best(scores: Floats, among: NDArray[np.bool_] | None = None) -> Floats:
    """How far scores are below the highest of them, or of some of them, (n,). A share of their sum would fall with
    every other message that answers as well."""
    behind: Floats = scores - _best(scores, among)
    return behind


def _best(values: Floats, among: NDArray[np.bool_] | None) -> np.float32:
    best: np.float32 = (values if among is None or not among.any() else values[among]).max()
    return best


@cache
def load_ranker(path: Path = WEIGHTS) -> Ranker:
    """The ranker in a file that `bench.fit_ranker` wrote."""
    stored = json.loads(path.read_text(encoding="utf-8"))

    def array(name: str) -> Floats:
        return np.array(stored[name], np.float32)

    return Ranker(
        tuple(stored["features"]),
        array("hidden"),
        array("bias"),
        array("out"),
        array("straight"),
        array("calibration"),
    )
