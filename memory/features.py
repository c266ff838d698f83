"""By which features are the candidates of a search ranked?

Of all rows the words and the embedding are compared; the best of them, with what stands around them, become the pool.
Each of the pool is then described: how its words, its embedding and its tokens answer the question, the same of its
neighbours in the session, who speaks, when, and what kind of message it is. `memory.ranker` weighs the columns.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memory.index import UserIndex
from memory.lexical import bm25, counts_in, idf, saturated
from memory.links import visible_neighbours
from memory.maxsim import best_matches
from memory.question import Ask, Question, is_question
from memory.ragged import Rows
from memory.spans import nearness
from memory.terms import hashes
from memory.traits import Trait
from utils.text import stem
from utils.vectors import Floats

SAME = np.float32(0.9995)  # cosine similarity from which on a row says what the question says
ALIKE = np.float32(0.73)  # from which on a row that asks asks the same: "Do you know where I live?"
LONGER = 1.5  # times as many words has a row at most that asks the same
POOL = 256  # rows that are looked at closely
FEEDBACK = 5  # of the best, to which others are compared
USER, ASSISTANT = 0, 1
FADING = np.float32(0.7) ** np.arange(1, 9, dtype=np.float32)  # what messages count that far away in the session
NEAR_IN_TIME = 4.0  # deviations that lie between what was said at the time asked for and the rest
BLEND = ("bm25", "bm25_window", "bare", "bare_window", "tokens")
BLEND_WEIGHTS = np.array([1, 0.5, 0.6, 0.4, 1], np.float32)


@dataclass(frozen=True)
class Probe:
    """A question as vectors. `dense`: (dimensions,) of the text; `bare`: without the names of speakers. `tokens`:
    (n, 64), rows of length 1. `rarity`: (n,), how much a token counts; `stems`: the stem of each one's word. `known`:
    whether the encoder knows any of its words."""

    question: Question
    dense: Floats
    bare: Floats
    tokens: Floats
    rarity: Floats
    stems: tuple[str, ...]
    known: bool = True


@dataclass(frozen=True)
class Pool:
    """Candidates of a search. `rows`: (n,) of the index. `columns`: of their features, each (n,). `once`: (n,), those
    by which the others are measured: of rows that are the question itself, one alone; None for all. `of_another`: (n,),
    those that have a number, if only the word for one, where the question names another that neither they nor what
    stands next to them has; None where it names none."""

    rows: Rows
    columns: dict[str, Floats]
    once: NDArray[np.bool_] | None = None
    of_another: NDArray[np.bool_] | None = None

    @property
    def size(self) -> int:
        """How many of them are different."""
        return len(self.rows) if self.once is None else int(self.once.sum())

    def measured(self, columns: Floats) -> Floats:
        """Of (d, n), what the others are measured by."""
        return columns if self.once is None else columns[:, self.once]


def asked_before(index: UserIndex, question: Question, dense: Floats) -> NDArray[np.bool_]:
    """The rows in which the user asked the same and told nothing, (rows,). They are no answer, though nothing is more
    alike; where it is asked what the assistant said, they are what it answered. `dense`: (rows,), cosine similarities
    with the question."""
    size = len(dense)
    found: NDArray[np.bool_] = (dense >= ALIKE) & (question.asks[Ask.REPLIES] == 0)
    if found.any():
        asks = index.traits[:size, Trait.ASKS] > 0
        if is_question(question.text):
            asks |= dense >= SAME
        longest = LONGER * (len(question.stems) + len(question.filler)) + 2
        found &= asks & (index.roles[:size] == USER) & (index.terms.counts[:size] <= longest)
    return found


def candidates(
    index: UserIndex, probe: Probe, visible: NDArray[np.bool_], size: int = POOL, dense: Floats | None = None
) -> Pool:
    """The pool of a search, of at most `size` rows. `visible`: (rows,) of the index, at least one of them. `dense`:
    (rows,), cosine similarities with the question, where they are known."""
    search = _Search(index, probe, visible, dense)
    rows = search.best(size)
    pool = Pool(rows, {}, search.once_among(rows))
    around = _Around(search, pool)
    return replace(pool, columns=around.columns(), of_another=around.of_another())


class _Search:
    """What is computed of all rows."""

    def __init__(self, index: UserIndex, probe: Probe, visible: NDArray[np.bool_], dense: Floats | None) -> None:
        self.index, self.probe = index, probe
        self.size = len(visible)
        self.visible, self.count = visible, int(visible.sum())
        self.before = visible_neighbours(index.links.before, visible)
        self.after = visible_neighbours(index.links.after, visible)
        self.lengths = index.terms.counts[: self.size].astype(np.float32) + 1
        self.mean = float(self.lengths[visible].mean())
        question = probe.question
        own, words = len(question.stems), (*question.stems, *question.filler)
        self.names = tuple(dict.fromkeys(stem(word) for word in sorted(question.name_words)))
        terms = list(dict.fromkeys((*words, *probe.stems, *self.names)))  # those that are no words of it come last
        self.places = {term: place for place, term in enumerate(terms)}
        self.every = every = index.postings.find(hashes(terms)).among(visible)
        self.hits, self.all_hits = every.first(own), every.first(len(words))
        self.dense = index.matrix[: self.size] @ probe.dense if dense is None else dense
        self.once = self._once()
        counted = visible if self.once is None else visible & self.once
        frequencies = every.among(counted).frequencies(len(terms))
        weights = idf(frequencies, int(counted.sum()))
        self.idf_of = dict(zip(terms, weights.tolist(), strict=True))
        self.weights = np.where(frequencies > 0, weights, 0).astype(np.float32)[: len(words)]
        self.idf = self.weights[: len(question.stems)]
        self.bare = self.dense if probe.bare is probe.dense else index.matrix[: self.size] @ probe.bare
        self.bm25 = bm25(self.hits, self.idf, self.lengths, self.mean)

    def _once(self) -> NDArray[np.bool_] | None:
        """All rows, but of those that are the question itself the last alone; None where there are not several. Else
        each time that it is asked would make its words more common, and what answers it less likely."""
        asked = np.flatnonzero(self.visible & (self.dense >= SAME))
        if len(asked) < 2:
            return None
        once = np.ones(self.size, np.bool_)
        once[asked[:-1]] = False
        return once

    def once_among(self, rows: Rows) -> NDArray[np.bool_] | None:
        """The same of some rows, best first, of which the first stands for all that are the question itself."""
        if self.once is None:
            return None
        asked = np.flatnonzero(self.dense[rows] >= SAME)
        once = np.ones(len(rows), np.bool_)
        once[asked[1:]] = False
        return once

    @cached_property
    def spoken(self) -> Floats:
        """1 where the one whom the question names speaks."""
        speakers = self.index.speakers[: self.size]
        spoken = np.zeros(self.size, np.bool_)
        for named in self.probe.question.speakers:
            spoken |= speakers == named
        return spoken.astype(np.float32)

    @cached_property
    def naming(self) -> Floats:
        """1 where the one whom the question names is named by another."""
        found = np.zeros(self.size, np.float32)
        for name in self.names:
            found[self.every.rows[self.every.terms == self.places[name]]] = 1
        found *= 1 - self.spoken
        return found

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
        every = np.arange(self.size)
        padded = np.append(self.coarse, np.float32(0))
        score = self.coarse + 0.4 * (padded[self.before[:-1]] + padded[self.after[:-1]])
        if self.probe.question.asks[Ask.REPLIES]:  # of a reply, what it answers is as good
            replies = (self.index.roles[: self.size] == ASSISTANT) & (self.index.speakers[: self.size] == 0)
            score = np.where(replies, np.maximum(score, padded[self.before[:-1]]), score)
        score[~self.visible] = -np.inf
        size = min(size, self.count)
        if size < self.size:
            every = np.argpartition(-score, size - 1)[:size]
        return every[np.lexsort((every, -score[every]))][:size]


def _standard(values: Floats, among: NDArray[np.bool_]) -> Floats:
    """Scaled to mean 0 and deviation 1 among some."""
    chosen = values if among.all() else values[among]
    centred = chosen - chosen.mean()
    deviation = float(np.sqrt(centred @ centred / len(chosen)))
    scaled: Floats = (values - chosen.mean()) / (deviation + 1e-6)
    return scaled


class _Around:
    """What is computed of the pool and of the rows next to it."""

    def __init__(self, search: _Search, pool: Pool) -> None:
        self.search, self.pool, self.rows = search, pool, pool.rows
        rows = pool.rows
        before, after = search.before, search.after
        near = {-2: before[before[rows]], -1: before[rows], 0: rows, 1: after[rows], 2: after[after[rows]]}
        wanted = np.zeros(search.size + 1, np.bool_)  # the last is what -1 stands for
        for found in near.values():
            wanted[found] = True
        self.every = np.flatnonzero(wanted[:-1])
        places = np.full(search.size + 1, len(self.every))
        places[self.every] = np.arange(len(self.every))
        self.at = {offset: places[found] for offset, found in near.items()}  # the last one stands for none

    def _padded(self, values: Floats) -> Floats:
        return np.concatenate([values, np.zeros((*values.shape[:-1], 1), values.dtype)], axis=-1)

    def _of(self, padded: Floats, offset: int) -> Floats:
        found: Floats = padded.take(self.at[offset], axis=-1)
        return found

    def columns(self) -> dict[str, Floats]:
        search, rows = self.search, self.rows
        index, probe, question = search.index, search.probe, search.probe.question
        columns: dict[str, Floats] = {}
        self._words(columns)
        self._meaning(columns)
        self._tokens(columns)
        traits = index.traits[: search.size][rows].astype(np.float32)
        self._neighbours(columns, question)
        self._beside(columns)
        self._kind(columns, traits, question)
        columns["date"] = nearness(question.spans, index.times[: search.size][rows]).astype(np.float32)
        self._feedback(columns, probe)
        return columns

    def of_another(self) -> NDArray[np.bool_] | None:
        """As `Pool` has it."""
        search, stems = self.search, self.search.probe.question.stems
        codes = [stems.index(code) for code in search.probe.question.codes]
        if not codes:
            return None
        counts = self._padded(counts_in(search.hits, len(search.idf), self.every))[codes].sum(0)
        named = np.any([self._of(counts, offset) > 0 for offset in self.at], axis=0)
        return np.asarray(~named & (search.index.traits[self.rows, Trait.NUMBERS] > 0))

    def _words(self, columns: dict[str, Floats]) -> None:
        search = self.search
        counts = self._padded(counts_in(search.hits, len(search.idf), self.every))
        lengths = self._padded(search.lengths[self.every])
        own, weights = self._of(counts, 0), search.idf[:, None]
        window, length = own.copy(), self._of(lengths, 0).copy()
        for offset, share in ((-2, 0.5), (-1, 1.0), (1, 0.7), (2, 0.4)):
            window += share * self._of(counts, offset)
            length += share * self._of(lengths, offset)
        whole = float(search.idf.sum()) + 1e-6
        possible = np.where(search.idf > 0, search.idf, np.log(1 + search.count))
        columns["bm25"] = search.bm25[self.rows]
        fuller = bm25(search.all_hits, search.weights, search.lengths, search.mean, 0.9, 0.4)
        columns["bm25_all"] = fuller[self.rows]
        columns["bm25_window"] = (weights * saturated(window, length, search.mean, 0.9, 0.3)).sum(0)
        columns["covered"] = (weights * (own > 0)).sum(0) / whole
        columns["covered_window"] = (weights * (window > 0)).sum(0) / whole
        columns["covered_of_all"] = (weights * (own > 0)).sum(0) / float(possible.sum() + 1e-6)
        columns["rarest"] = (weights * (own > 0)).max(0, initial=0)
        columns["length"] = np.log(self._of(lengths, 0))

    def _meaning(self, columns: dict[str, Floats]) -> None:
        search = self.search
        columns["dense"] = search.dense[self.rows]
        columns["bare"] = search.bare[self.rows]
        padded = self._padded(search.bare[self.every])
        window = columns["bare"].copy()
        for offset, share in ((-2, 0.5), (-1, 1.0), (1, 1.0), (2, 0.5)):
            window += np.float32(share) * self._of(padded, offset)
        columns["bare_window"] = window

    def _tokens(self, columns: dict[str, Floats]) -> None:
        search, probe = self.search, self.search.probe
        matches = self._padded(best_matches(probe.tokens, search.index.tokens, self.every))
        own = self._of(matches, 0)
        weights = self._token_weights()
        even = np.full(len(weights), 1 / max(1, len(weights)), np.float32)
        rare = weights * probe.rarity
        rare = rare / (rare.sum() + 1e-6)
        window = own.copy()
        for offset, share in ((-2, 0.9), (-1, 0.95), (1, 0.95)):
            window = np.maximum(window, np.float32(share) * self._of(matches, offset))
        columns["tokens"] = weights @ own
        columns["tokens_rare"] = rare @ own
        columns["tokens_even"] = even @ own
        columns["tokens_window"] = weights @ window
        columns["tokens_near"] = rare @ np.where(own > 0.6, own, 0)
        every = weights @ matches
        for offset in (-2, -1, 1, 2):
            columns[f"tokens{offset:+d}"] = self._of(every, offset)

    def _token_weights(self) -> Floats:
        """The idf of each of the question's tokens, which is its word's; in sum 1."""
        search = self.search
        if not len(search.probe.tokens):
            return np.zeros(0, np.float32)
        weights = np.array([search.idf_of[stem] for stem in search.probe.stems], np.float32)
        return np.asarray(weights / weights.sum(), np.float32)

    def _neighbours(self, columns: dict[str, Floats], question: Question) -> None:
        search = self.search
        for name, values in (("bm25", search.bm25), ("bare", search.bare)):
            padded = self._padded(values[self.every])
            for offset in (-2, -1, 1, 2):
                columns[f"{name}{offset:+d}"] = self._of(padded, offset)
        asked = self._padded((search.index.traits[self.every, Trait.QUESTION] > 0).astype(np.float32))
        after_question = self._of(asked, -1)
        columns["answers"] = after_question
        for name in ("bm25", "bare", "tokens"):
            columns[f"answers_{name}"] = after_question * columns[f"{name}-1"]

    def _beside(self, columns: dict[str, Floats]) -> None:
        """How well answers what was said shortly before and shortly after: the best of it, and all of it, the further
        away the less. People who text say in five messages what others say in one."""
        search = self.search
        compared = {"bare": np.append(search.bare, np.float32(0)), "bm25": np.append(search.bm25, np.float32(0))}
        for side, links in (("before", search.before), ("after", search.after)):
            near = [links[self.rows]]
            while len(near) < len(FADING):
                near.append(links[near[-1]])
            places = np.stack(near)  # (8, n); -1, the place of the zeros, where the session has no more
            for name, values in compared.items():
                beside = values[places]
                columns[f"{name}_{side}"] = FADING @ beside
                columns[f"{name}_best_{side}"] = beside.max(0)

    def _kind(self, columns: dict[str, Floats], traits: Floats, question: Question) -> None:
        search, rows = self.search, self.rows
        index, asks = search.index, question.asks
        one = np.float32(len(question.speakers) == 1)
        named = (index.speakers[rows] > 0).astype(np.float32)
        spoken = search.spoken[rows] * one
        columns["speaker"], columns["other_speaker"] = spoken, (1 - search.spoken[rows]) * one * named
        for name in ("bm25", "bare", "tokens"):
            columns[f"speaker_{name}"] = spoken * columns[name]
        columns["naming"] = search.naming[rows] * one
        for name in ("bm25", "bare", "tokens"):
            columns[f"naming_{name}"] = columns["naming"] * columns[name]
        user = (index.roles[rows] == USER) * (1 - named)
        columns["user"], columns["assistant"] = user, (index.roles[rows] == ASSISTANT) * (1 - named)
        for name in ("dense", "tokens"):
            columns[f"user_{name}"] = user * columns[name]
        for trait in Trait:
            columns[trait.name.lower()] = traits[:, trait]
        columns["user_asks"] = user * traits[:, Trait.ASKS]
        for name in ("bm25", "dense"):
            columns[f"user_asks_{name}"] = columns["user_asks"] * columns[name]
        columns["when_times"] = asks[Ask.WHEN] * traits[:, Trait.TIMES]
        columns["when_numbers"] = asks[Ask.WHEN] * traits[:, Trait.NUMBERS]
        columns["count_numbers"] = asks[Ask.COUNT] * traits[:, Trait.NUMBERS]
        columns["place_names"] = asks[Ask.PLACE] * traits[:, Trait.NAMES]
        columns["name_names"] = asks[Ask.NAME] * traits[:, Trait.NAMES]
        columns["instruction_dense"] = traits[:, Trait.INSTRUCTION] * columns["dense"]
        columns["user_reply"] = user * traits[:, Trait.REPLY]
        columns["own_user"] = asks[Ask.OWN] * user
        columns["replies_user"] = asks[Ask.REPLIES] * user
        columns["replies_assistant"] = asks[Ask.REPLIES] * columns["assistant"]
        for name in ("dense", "bm25-1", "bare-1", "tokens-1"):
            columns[f"replies_{name}"] = columns["replies_assistant"] * columns[name]
        for ask in (Ask.ORDER, Ask.COURSE):
            name = ask.name.lower()
            columns[f"{name}_user"] = asks[ask] * user
            columns[f"{name}_reply"] = asks[ask] * traits[:, Trait.REPLY]
            columns[f"{name}_length"] = asks[ask] * columns["length"]
            columns[f"{name}_dense"] = asks[ask] * columns["dense"]

    def _feedback(self, columns: dict[str, Floats], probe: Probe) -> None:
        """Likeness to the best by a first blend, and the rank by it within the session."""
        search = self.search
        blend = BLEND_WEIGHTS @ self._scaled(np.stack([columns[name] for name in BLEND])) + 0.5 * columns["speaker"]
        columns["blend"] = blend
        best = np.argsort(-blend, kind="stable")[:FEEDBACK]
        share = np.exp(-np.arange(len(best), dtype=np.float32) / 2)
        centre = share @ search.index.matrix[self.rows[best]]
        columns["feedback"] = search.index.matrix.take(self.rows, axis=0) @ (centre / (np.linalg.norm(centre) + 1e-6))
        sessions = search.index.sessions[self.rows]
        order = np.lexsort((-blend, sessions))
        starts = np.flatnonzero(np.append(True, sessions[order][1:] != sessions[order][:-1]))
        rank = np.zeros(len(order), np.float32)
        rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
        columns["session_rank"] = np.log1p(rank)
        for ask in (Ask.ORDER, Ask.COURSE):
            columns[f"{ask.name.lower()}_rank"] = probe.question.asks[ask] * columns["session_rank"]

    def _scaled(self, columns: Floats) -> Floats:
        """Rows of mean 0 and deviation 1."""
        centred = columns - self.pool.measured(columns).mean(1, keepdims=True)
        told = self.pool.measured(centred)
        deviations = np.sqrt(np.einsum("ij,ij->i", told, told) / told.shape[1]) + np.float32(1e-6)
        scaled: Floats = centred / deviations[:, None]
        return scaled
