"""Silence: what is returned where there is nothing to find, and how often that is nothing.

Adversarial and abstention questions and small talk are better met with silence, answerable questions are not; where
the scores of their best items overlap, no lower bound of a score tells them apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.recall.corpus import ABSTENTION, ADVERSARIAL, SMALL_TALK
from bench.recall.results import Row

ANSWERABLE = "answerable"


@dataclass(frozen=True)
class Silence:
    """How much is returned for a group of questions. `items`: the mean of how many. `nothing`: the share for which
    there is none. `median`, `p90`: of the best item's score, None where nothing was ever returned."""

    group: str
    questions: int
    items: float
    nothing: float
    median: float | None
    p90: float | None


def silences(rows: Sequence[Row]) -> list[Silence]:
    """One for the answerable questions, and one for each group that should rather be met with silence."""
    groups = {ANSWERABLE: [row for row in rows if row.answerable]}
    for category in (ADVERSARIAL, ABSTENTION, SMALL_TALK):
        groups[category] = [row for row in rows if row.category == category]
    return [_silence(name, group) for name, group in groups.items() if group]


def _silence(group: str, rows: Sequence[Row]) -> Silence:
    best = [row.scores[0] for row in rows if row.scores]
    median, p90 = map(float, np.percentile(best, [50, 90])) if best else (None, None)
    counts = np.array([len(row.found) for row in rows])
    return Silence(group, len(rows), float(counts.mean()), float((counts == 0).mean()), median, p90)
