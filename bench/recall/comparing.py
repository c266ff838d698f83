"""Whether one run is better than another or only seems so: a paired bootstrap over the questions of both."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.recall.means import with_evidence
from bench.recall.metrics import measure
from bench.recall.results import Row

COMPARED = ("recall@8", "recall@20", "nDCG@10")
RESAMPLES = 2_000
SEED = 0
INTERVAL = (2.5, 97.5)  # percentiles


@dataclass(frozen=True)
class Difference:
    """A metric of the questions that both runs asked: its means, and the 95 % interval of what came on top."""

    category: str
    metric: str
    questions: int
    before: float
    now: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out that there is no difference."""
        return self.low > 0 or self.high < 0


def compare(now: Sequence[Row], before: Sequence[Row], metrics: Sequence[str] = COMPARED) -> list[Difference]:
    """By category and metric; questions that only one of the runs asked are left out."""
    earlier = {row.key: row for row in before}
    differences: list[Difference] = []
    for category, rows in with_evidence(in_common(now, before)).items():
        new = [measure(row.found, row.evidence) for row in rows]
        old = [measure(earlier[row.key].found, row.evidence) for row in rows]
        for metric in metrics:
            was, is_now = np.array([one[metric] for one in old]), np.array([one[metric] for one in new])
            low, high = interval(is_now - was)
            means = float(was.mean()), float(is_now.mean())
            differences.append(Difference(category, metric, len(rows), *means, low, high))
    return differences


def in_common(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """The rows of one run whose questions another asked too."""
    keys = {row.key for row in others}
    return [row for row in rows if row.key in keys]


def interval(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean of paired differences, (n,), n > 0, by percentiles of resampled means (Efron and
    Tibshirani, 1993). The same for the same differences. Questions of one conversation are taken as independent,
    which they are not quite."""
    generator = np.random.default_rng(SEED)
    size = len(differences)
    resampled = differences[generator.integers(0, size, (RESAMPLES, size))].mean(axis=1)
    low, high = np.percentile(resampled, INTERVAL)
    return float(low), float(high)
