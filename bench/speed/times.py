"""Measured times: percentiles of single ones, and one as a multiple of another."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Times:
    """Milliseconds. `count`: how many times they are of."""

    count: int
    p50: float
    p95: float


def times(milliseconds: Sequence[float]) -> Times:
    """Percentiles of at least one time, interpolated between neighbours."""
    p50, p95 = np.percentile(np.array(milliseconds), [50, 95])
    return Times(len(milliseconds), float(p50), float(p95))


def timed(call: Callable[[T], object], arguments: Sequence[T]) -> Times:
    """How long each call takes, one after the other."""
    taken = []
    for argument in arguments:
        began = time.perf_counter()
        call(argument)
        taken.append(milliseconds_since(began))
    return times(taken)


def milliseconds_since(began: float) -> float:
    """Since a reading of `time.perf_counter`."""
    return 1_000 * (time.perf_counter() - began)


def ratio(value: float | None, to: float | None) -> float | None:
    """How many times the other; None where one is missing or the other is nothing."""
    return None if value is None or not to else value / to
