"""The ranker: candidates in order, each with how sure it is that one answers.

Features are scaled within the pool, and a network of one hidden layer with a linear path beside it weighs them. Its
weights were fitted by `python -m bench.fit_ranker` on conversations with questions whose evidence is known; the file
says which, and when. What comes out ranks the pool; how far each is behind the best, calibrated with how well the best
of it matches at all, becomes a probability, comparable between searches and in the order of the ranking.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from fitted import FITTED
from memory.recall.features import Pool
from utils.vectors import Floats

WEIGHTS = FITTED / "ranker.json"
NO_STRIDE = (0,)  # of a column that is the same for all, and tells nothing
CLIP = (-4.0, 8.0)  # deviations from the pool's mean
CERTAINTY = ("tokens_rare", "covered_of_all", "dense", "tokens_window")  # of the pool's best, in absolute terms


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

    def scores(self, pool: Pool) -> Floats:
        """How likely each of the pool answers, (n,) in 0..1."""
        telling = [at for at, name in enumerate(self.features) if pool.columns[name].strides != NO_STRIDE]
        features = scaled(pool, [self.features[at] for at in telling])
        behind = behind_best(self._raw(features, self.hidden[telling], self.straight[telling]))
        weights = self.calibration
        logits = weights[0] * behind + certainty(pool) @ weights[1:-1] + weights[-1]
        probabilities: Floats = 1 / (1 + np.exp(-logits))
        return probabilities

    def raw(self, features: Floats) -> Floats:
        """What the network gives for features, (n, d): (n,)."""
        return self._raw(features, self.hidden, self.straight)

    def _raw(self, features: Floats, hidden: Floats, straight: Floats) -> Floats:
        found: Floats = np.tanh(features @ hidden + self.bias) @ self.out + features @ straight
        return found


def certainty(pool: Pool) -> Floats:
    """How well the best of a pool matches at all, by `CERTAINTY`, and the logarithm of its size."""
    values = [float(pool.columns[name].max()) for name in CERTAINTY]
    return np.array([*values, np.log(pool.size)], np.float32)


def scaled(pool: Pool, names: Sequence[str]) -> Floats:
    """The features of a pool, (n, d), each with mean 0 and deviation 1; 0 where it is the same for all."""
    columns = np.array([pool.columns[name] for name in names], np.float32)
    columns -= columns[:, :1].copy()  # else rounding gives one that is the same for all a deviation
    columns -= pool.measured(columns).mean(1, keepdims=True)
    told = pool.measured(columns)
    columns /= np.sqrt(np.einsum("ij,ij->i", told, told) / told.shape[1])[:, None] + np.float32(1e-6)
    return np.clip(columns, *CLIP, out=columns).T


def behind_best(scores: Floats) -> Floats:
    """How far scores are below the highest of them, (n,), 0 or less. A share of their sum would fall with every other
    message that answers as well."""
    behind: Floats = scores - scores.max()
    return behind


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
