"""Indexes of a few messages whose words are all that they mean.

Every word points in a direction of its own; a text points where its words do. So the same word is a cosine of 1,
another one is near 0, and no model is needed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memory.domain import Role
from memory.gists.gists import Imprint, terms_of, to_document
from memory.language.heads import Doing
from memory.language.questions import read_question
from memory.language.traits import traits_of
from memory.recall.features import Pool
from memory.recall.index import UserIndex
from memory.recall.query import Probe
from tests.conversations import START
from utils.encoder import TOKEN_DIMENSIONS
from utils.mongo import Document
from utils.text import STOPWORDS, stem, words
from utils.vectors import to_binary

MODEL = "words"
DIMENSIONS = 48
NOW = START.timestamp()

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Said:
    """A message. `place`: -1 for none; None for the next one of its session. `days`: how long ago."""

    text: str
    session: str = "s1"
    role: Role = "user"
    name: str | None = None
    kind: str = "turn"
    days: float = 0.0
    place: int | None = None
    imprint: bool = True


@cache
def direction(word: str, dimensions: int = DIMENSIONS) -> Floats:
    chance = np.random.default_rng(crc32(word.encode()))
    vector = chance.normal(size=dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def vector_of(text: str) -> Floats:
    """Of length 1, also for a text without words."""
    summed = sum((direction(word) for word in words(text)), np.zeros(DIMENSIONS, np.float32))
    if not summed.any():
        return direction("")
    return (summed / np.linalg.norm(summed)).astype(np.float32)


def tokens_of(text: str) -> Floats:
    """A row of length 1 for each word that carries meaning."""
    telling = [word for word in words(text) if word not in STOPWORDS]
    return np.array([direction(word, TOKEN_DIMENSIONS) for word in telling], np.float32).reshape(-1, TOKEN_DIMENSIONS)


def imprint_of(text: str) -> Imprint:
    return Imprint(terms_of(text), np.rint(127 * tokens_of(text)).astype(np.int8), traits_of(text))


def documents(said: Sequence[Said]) -> list[Document]:
    """As they stand in `vectors`; their ids are their numbers."""
    following: dict[str, int] = {}
    made: list[Document] = []
    for number, one in enumerate(said):
        place = following.get(one.session, 0) if one.place is None else one.place
        following[one.session] = max(place + 1, following.get(one.session, 0))
        made.append(
            {
                "_id": str(number),
                "embedding_model": MODEL,
                "embedding": to_binary(vector_of(one.text)),
                "timestamp": START - timedelta(days=one.days),
                "session_id": one.session,
                "kind": one.kind,
                "role": one.role,
                "message_index": place,
            }
            | ({"recall": to_document(imprint_of(one.text))} if one.imprint else {})
            | ({"name": one.name} if one.name else {})
        )
    return made


def index_of(said: Sequence[Said], dropped: Iterable[int] = ()) -> UserIndex:
    """Rows in the order in which it was said; some of them deleted again."""
    index = UserIndex(MODEL, DIMENSIONS)
    index.put(documents(said))
    index.drop([str(number) for number in dropped])
    index.refresh()
    return index


def asked(text: str, index: UserIndex, does: Doing | None = None) -> Probe:
    """A question as an index is searched with it. `does`: what it does; None for by its mark. Every word is as
    rare as its length says."""
    question = replace(read_question(text, index.names, NOW), does=does)
    spoken = [word.removesuffix("'s") for word in words(text) if word not in STOPWORDS]
    kept = [word for word in spoken if word not in question.name_words]
    dense = vector_of(text)
    return Probe(
        question,
        dense,
        dense if question.bare == text else vector_of(question.bare),
        tokens_of(" ".join(kept)),
        np.array([min(1.0, len(word) / 10) for word in kept], np.float32),
        tuple(stem(word) for word in kept),
    )


def column(pool: Pool, name: str) -> dict[int, float]:
    """A column by row."""
    return dict(zip(pool.rows.tolist(), pool.columns[name].tolist(), strict=True))
