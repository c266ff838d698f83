"""The metrics say what one gets by hand."""

from math import log2

import pytest

from bench.recall.metrics import measure, precision


def test_half_of_the_evidence_among_the_first_five_is_half_a_recall() -> None:
    marks = measure(["a", "x", "b", "y", "z", "u", "c", "v", "d"], ["a", "b", "c", "d"])
    assert [marks[f"recall@{k}"] for k in (5, 8, 10, 20)] == [0.5, 0.75, 1.0, 1.0]
    assert [marks[f"hit@{k}"] for k in (5, 8, 10, 20)] == [1.0, 1.0, 1.0, 1.0]
    assert [marks[f"full@{k}"] for k in (5, 8, 10, 20)] == [0.0, 0.0, 1.0, 1.0]


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    best = 1 + 1 / log2(3)
    assert measure(["x", "a", "y", "b"], ["a", "b"])["nDCG@5"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / best)
    assert measure(["a", "b", "x"], ["b", "a"])["nDCG@5"] == pytest.approx(1.0)
    assert measure([*"abcde"], [*"abcdefgh"])["nDCG@5"] == pytest.approx(1.0)  # the best that has room
    nothing = measure([], ["a"])
    assert {nothing[f"{name}@8"] for name in ("recall", "hit", "full", "nDCG")} == {0.0}


def test_more_evidence_than_room_lowers_the_ceiling() -> None:
    marks = measure([], [f"e{number}" for number in range(16)])
    assert [marks[f"ceiling@{k}"] for k in (5, 8, 10, 20)] == [5 / 16, 0.5, 10 / 16, 1.0]


def test_what_is_found_or_wanted_twice_counts_once() -> None:
    assert measure(["x", "x", "x", "x", "x", "a"], ["a", "a", "b"]) == measure(["x", "a"], ["a", "b"])


def test_precision_counts_all_that_was_returned() -> None:
    assert precision([(["a", "x", "y", "z"], ["a"]), ([], ["b"]), (["b", "c"], ["b", "c"])], 8) == 3 / 6
    assert precision([(["x"] * 1 + ["y", "a"], ["a"])], 2) == 0.0
    assert precision([([], ["a"])], 8) is None
