"""Floors: the least that a search or a write could cost. The same data in this process, by plain means."""

import importlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.embedded import Raw
from bench.speed.conversation import BEGAN
from bench.speed.material import Material
from bench.speed.searching import TOP_K
from bench.speed.times import Times, timed
from memory.domain import Turn
from memory.gists.gists import document_of
from utils.vectors import Floats


@dataclass(frozen=True)
class Floor:
    """`times`: None where it could not be measured, for the reason in `note`."""

    name: str
    times: Times | None
    note: str = ""


def floors(material: Material, messages: int) -> tuple[Floor, ...]:
    """Of a search in so many messages."""
    return cosine(material, messages), words(material, messages)


def cosine(material: Material, messages: int) -> Floor:
    """Exact: the product of a float32 matrix with the question's vector, and the best of it."""
    matrix = material.matrix(messages)

    def best(vector: Floats) -> object:
        scores = matrix @ vector
        found = np.argpartition(-scores, TOP_K)[:TOP_K]
        return found[np.argsort(-scores[found])]

    return Floor("NumPy, exact cosine", timed(best, list(material.question_vectors)))


def words(material: Material, messages: int) -> Floor:
    """BM25 by the package bm25s, where it is there; the question's words are found beforehand."""
    name = "bm25s"
    try:
        bm25s: Any = importlib.import_module("bm25s")
    except ImportError as error:
        return Floor(name, None, f"{name} is not measured: {error}")
    logging.getLogger(name).setLevel(logging.WARNING)  # it sets itself to tell everything
    texts = material.texts
    said = [texts[n % len(texts)] for n in range(messages)]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(said, show_progress=False), show_progress=False)
    asked = [bm25s.tokenize([text], show_progress=False) for text in material.questions]
    return Floor(
        f"{name} {bm25s.__version__}", timed(lambda one: index.retrieve(one, k=TOP_K, show_progress=False), asked)
    )


def sqlite(texts: Sequence[str], batch: int, calls: int) -> Floor:
    """So many calls that insert a batch of messages as BSON under two unique keys, each with a COMMIT in full sync."""
    turns = [Turn(f"said-{n}", "user", texts[n % len(texts)], BEGAN) for n in range(batch * calls)]
    documents = [document_of("one", f"in-{n // batch}", turn, n % batch) for n, turn in enumerate(turns)]
    batches = [documents[first : first + batch] for first in range(0, len(documents), batch)]
    with TemporaryDirectory() as folder:
        raw = Raw(Path(folder) / "raw.db")
        times = timed(raw.insert, batches)
        raw.connection.close()
    return Floor("SQLite, a COMMIT a call", times)
