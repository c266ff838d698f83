"""The first look: how well each row answers by its words and its embedding, and by those of its neighbours."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.gists import hashes
from memory.language import Ask, Question, Trait, nearness
from memory.recall.index import ROLES, Sight, UserIndex
from memory.recall.postings import bm25, idf
from memory.recall.ragged import Rows
from utils.text import ends_with_question_mark, stem
from utils.vectors import Floats

SAME = np.float32(0.9995)  # cosine similarity from which on a row says what the question says
ALIKE = np.float32(0.72)  # from which on a row that asks asks the same: "Do you know where I live?" (0.728 to 0.736)
LONGER = 1.5  # times as many words has a row at most that asks the same
AT_ONCE = 1_024  # rows
USER, ASSISTANT = ROLES["user"], ROLES["assistant"]
RARE = 3  # rows that have a rare word at most
NEAR_IN_TIME = 4.0  # deviations that lie between what was said at the time asked for and the rest


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
    for start in range(0, size, AT_ONCE):
        np.dot(matrix[start : start + AT_ONCE], vectors, out=found[start : start + AT_ONCE])
    return Alike(*np.ascontiguousarray(found.T))


def asked_before(index: UserIndex, question: Question, dense: Floats) -> NDArray[np.bool_]:
    """The rows in which the user asked the same and told nothing, (rows,). They are no answer, though nothing is more
    alike; where it is asked what the assistant said, they are what it answered. `dense`: (rows,), cosine similarities
    with the question."""
    size = len(dense)
    found: NDArray[np.bool_] = (dense >= ALIKE) & (question.asks[Ask.REPLIES] == 0)
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
        self.names = tuple(dict.fromkeys(stem(word) for word in sorted(question.name_words)))
        terms = list(dict.fromkeys((*words, *probe.stems, *self.names)))  # those that are no words of it come last
        self.places = {term: place for place, term in enumerate(terms)}
        self.every = every = index.postings.find(hashes(terms)).among(self.visible)
        self.hits, self.all_hits = every.first(own), every.first(len(words))
        self.dense, self.bare = likeness or alike(index, probe, self.size)
        self.once = self._once()
        counted = self.visible if self.once is None else self.visible & self.once
        frequencies = every.among(counted).frequencies(len(terms))
        weights = idf(frequencies, int(counted.sum()))
        self.idf_of = dict(zip(terms, weights.tolist(), strict=True))
        self.weights = np.where(frequencies > 0, weights, 0).astype(np.float32)[: len(words)]
        self.idf = self.weights[: len(question.stems)]
        telling = own > 1 and not question.spans
        self.rare = bool(telling and frequencies[:own].min() > 0 and frequencies[:own].max() <= RARE)
        self.bm25 = bm25(self.hits, self.idf, sight.lengths, sight.mean)

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
        every, before, after = np.arange(self.size), self.sight.before[:-1], self.sight.after[:-1]
        padded = np.append(self.coarse, np.float32(0))
        score = self.coarse + 0.4 * (padded[before] + padded[after])
        if self.probe.question.asks[Ask.REPLIES]:  # of a reply, what it answers is as good
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
