"""A query on its way to what an index is searched with."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memory.language import MOST_NAMES, Question, capitalised, doing, read_question
from memory.recall.aliases import speaker_called
from memory.recall.features import SCALE
from memory.recall.first_look import Probe
from memory.recall.index import UserIndex
from memory.recall.spelling import strange_words
from utils.embeddings import Embedder, LocalEmbedder
from utils.text import STOPWORDS, stem
from utils.vectors import Floats
from utils.vocabulary import UNKNOWN

_MOST_FREQUENT, _VOCABULARY = 100, 250_002  # ids of the encoder's vocabulary, which are in the order of frequency


async def probe_of(question: Question, vector: Floats, embedder: Embedder, reader: LocalEmbedder) -> Probe:
    """What an index is searched with for a question. `vector`: the embedding of its text.

    Raises `ModelError` where the question without the names in it cannot be embedded.
    """
    bare = vector if question.bare == question.text else (await embedder.embed([question.bare]))[0]
    [reading] = await reader.read([question.text])
    spelt = {part for word in question.name_words for part in word.split("'")}  # as the encoder takes words apart
    kept = [at for at, word in enumerate(reading.words) if word not in spelt]
    kept = kept or list(range(len(reading.words)))
    return Probe(
        replace(question, does=doing(reading.sentence, question.text)),
        vector,
        bare,
        reading.tokens[kept] * SCALE,
        _rarity(np.array([reading.ids[at] for at in kept])),
        tuple(stem(reading.words[at]) for at in kept),
        reading.known,
    )


def question_for(query: str, index: UserIndex, now: float) -> Question:
    """A query as those understand it who know who speaks in an index. `now`: seconds since 1970."""
    return Understood.of(query, index, now).question


@dataclass(frozen=True)
class Understood:
    """A question as those understand it who know who speaks in an index. `names`: of these, and their codes.
    `changes`: of the index by then, where it was asked who is greeted by a word of the question. `strange`: its words
    that are none in English."""

    question: Question
    index: UserIndex
    names: Mapping[str, int]
    changes: int | None
    strange: Sequence[re.Match[str]]

    @classmethod
    def of(cls, query: str, index: UserIndex, now: float) -> "Understood":
        """`now`: seconds since 1970."""
        greeted = _greeted(query, index)
        question = read_question(query, index.names | _called(greeted, index), now)
        changes = index.changes if greeted else None
        return cls(question, index, dict(index.names), changes, strange_words(query))

    def holds_for(self, index: UserIndex) -> bool:
        """Whether it would be understood the same by what an index has now."""
        return self.index is index and self.names == index.names and self.changes in (None, index.changes)


def _greeted(query: str, index: UserIndex) -> list[str]:
    """Words of a query that may be names by which speakers are greeted."""
    return sorted(capitalised(query) - STOPWORDS - index.names.keys())[:MOST_NAMES] if index.names else []


def _called(names: Iterable[str], index: UserIndex) -> dict[str, int]:
    """The codes of the speakers who are greeted by such names."""
    index.refresh()
    called = {name: speaker_called(name, index) for name in names}
    return {name: code for name, code in called.items() if code is not None}


def _rarity(tokens: NDArray[np.intp]) -> Floats:
    """How rare tokens are at large, 0..1, squared; what the vocabulary lacks is as rare as can be."""
    ranks = np.where(tokens == UNKNOWN, _VOCABULARY, np.maximum(tokens - _MOST_FREQUENT, 2))
    rarity: Floats = ((np.log(ranks) / np.log(_VOCABULARY)) ** 2).astype(np.float32)
    return rarity
