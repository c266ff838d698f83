"""Kinds of facts, by how much is lost where one is not known, told by the encoder in any language."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from utils.embeddings import LocalEmbedder
from utils.vectors import Floats

SPREAD = 0.05  # cosine similarity by which one kind is e times as likely as another: `python -m bench.profile`
KINDS = "kinds.toml"


@dataclass(frozen=True)
class Kind:
    """`need`: in 0..1, as `kinds.toml` has it. `descriptions`: of such facts, a sentence each."""

    name: str
    need: float
    descriptions: tuple[str, ...]


@cache
def kinds() -> tuple[Kind, ...]:
    read = tomllib.loads(files(__package__).joinpath(KINDS).read_text("utf-8"))
    return tuple(Kind(name, kind["need"], tuple(kind["descriptions"])) for name, kind in read.items())


def likely_kinds(vectors: Floats, described: Sequence[Floats]) -> NDArray[np.float64]:
    """How likely facts are of each kind, shape (facts, kinds). `described`: the vectors of each kind's descriptions,
    of which the one most alike counts."""
    alike = np.stack([(vectors @ one.T).max(axis=1) for one in described], axis=1).astype(np.float64)
    odds = np.exp((alike - alike.max(axis=1, keepdims=True)) / SPREAD)
    likely: NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
    return likely


class Needs:
    """Tells of facts how much they are needed, in 0..1."""

    def __init__(self, reader: LocalEmbedder) -> None:
        self._reader = reader
        self._described: list[Floats] = []

    async def of(self, vectors: Sequence[Floats]) -> list[float]:
        """`vectors`: of the facts, by the reader, each (384,)."""
        if not vectors:
            return []
        if not self._described:
            self._described = [await self._reader.embed(kind.descriptions) for kind in kinds()]
        needs: list[float] = (
            likely_kinds(np.stack(vectors), self._described) @ [kind.need for kind in kinds()]
        ).tolist()
        return needs
