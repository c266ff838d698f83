"""Times are summed up and compared as they should be."""

import pytest

from bench.speed.times import Times, ratio, timed, times


def test_percentiles_lie_between_neighbours() -> None:
    assert times([4.0, 1.0, 3.0, 2.0]) == Times(4, 2.5, pytest.approx(3.85))


def test_one_time_is_both_percentiles() -> None:
    assert times([7.0]) == Times(1, 7.0, 7.0)


def test_each_argument_is_timed_once() -> None:
    called: list[str] = []
    assert timed(called.append, ["a", "b", "c"]).count == 3
    assert called == ["a", "b", "c"]


def test_nothing_is_no_multiple_of_nothing() -> None:
    assert ratio(3.0, 1.5) == 2.0
    assert ratio(3.0, 0.0) is None
    assert ratio(None, 1.0) is None
    assert ratio(1.0, None) is None
