"""Metrics: how well a ranked list answers a question whose answering messages are known.

`recall@k` is LoCoMo's own measure of retrieval, except that questions without evidence are left out here instead of
counted as answered. nDCG has binary relevance and the discount 1 / log2(rank + 1).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KS = (5, 8, 10, 20)


@dataclass(frozen=True)
class Marks:
    """Which places of a ranking, best first, hold evidence. `wanted`: how many messages are evidence, at least one."""

    right: NDArray[np.bool_]
    wanted: int


def mark(found: Sequence[str], evidence: Sequence[str]) -> Marks:
    """A ranking held against the evidence; what is found twice counts at its first place."""
    wanted = set(evidence)
    return Marks(np.array([one in wanted for one in dict.fromkeys(found)], np.bool_), len(wanted))


def recall(marks: Marks, k: int) -> float:
    """The share of the evidence that is among the first k."""
    return int(marks.right[:k].sum()) / marks.wanted


def hit(marks: Marks, k: int) -> float:
    """1 where any evidence is among the first k, else 0."""
    return float(marks.right[:k].any())


def full(marks: Marks, k: int) -> float:
    """1 where all evidence is among the first k, else 0."""
    return float(marks.right[:k].sum() == marks.wanted)


def ndcg(marks: Marks, k: int) -> float:
    """The discounted gain of the first k as a share of what the best order would gain."""
    discounts = 1 / np.log2(np.arange(k) + 2)
    gained = discounts[: len(marks.right)][marks.right[:k]].sum()
    return float(gained / discounts[: marks.wanted].sum())


def ceiling(marks: Marks, k: int) -> float:
    """The best recall@k that any ranking can reach: below 1 where there is more evidence than room."""
    return min(k, marks.wanted) / marks.wanted


METRICS: Mapping[str, Callable[[Marks, int], float]] = {
    "recall": recall,
    "hit": hit,
    "full": full,
    "nDCG": ndcg,
    "ceiling": ceiling,
}


def measure(found: Sequence[str], evidence: Sequence[str]) -> dict[str, float]:
    """Every metric at every k, by names such as `recall@8`. `evidence` must not be empty."""
    marks = mark(found, evidence)
    return {f"{name}@{k}": metric(marks, k) for name, metric in METRICS.items() for k in KS}


def precision(rankings: Sequence[tuple[Sequence[str], Sequence[str]]], k: int) -> float | None:
    """Of all that stands among the first k of the rankings, the share that is evidence; None where nothing stands.

    `rankings`: what was found, and the evidence. A ranking that is shorter than k counts with what it has, so a system
    that leaves out what does not matter is rewarded.
    """
    marks = [mark(found, evidence) for found, evidence in rankings]
    returned = sum(len(one.right[:k]) for one in marks)
    return sum(int(one.right[:k].sum()) for one in marks) / returned if returned else None
