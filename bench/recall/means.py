"""The means of the metrics by category."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.recall.corpus import UNANSWERABLE
from bench.recall.metrics import measure, precision
from bench.recall.results import Row

OVERALL = "overall"
PRECISION_K = 8


@dataclass(frozen=True)
class Means:
    """The means of a category's questions, by names such as `recall@8`.

    `precision`: of what stood among the first eight of all its answerable questions, the share that was evidence; None
    where nothing stood there, or none is answerable.
    """

    category: str
    questions: int
    values: Mapping[str, float]
    precision: float | None


def with_evidence(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Questions that have evidence by category, the answerable ones also under `OVERALL`, which comes first;
    categories that are not in it come last."""
    groups: dict[str, list[Row]] = {OVERALL: []}
    for row in sorted(rows, key=lambda row: (row.category in UNANSWERABLE, row.category)):
        if row.evidence:
            groups.setdefault(row.category, []).append(row)
        if row.answerable:
            groups[OVERALL].append(row)
    return {name: group for name, group in groups.items() if group}


def means(rows: Iterable[Row]) -> list[Means]:
    """One for each category that has evidence; an overall one first."""
    return [_means(name, group) for name, group in with_evidence(rows).items()]


def _means(category: str, rows: Sequence[Row]) -> Means:
    measured = [measure(row.found, row.evidence) for row in rows]
    values = {name: float(np.mean([one[name] for one in measured])) for name in measured[0]}
    answerable = [(row.found, row.evidence) for row in rows if row.answerable]
    return Means(category, len(rows), values, precision(answerable, PRECISION_K))
