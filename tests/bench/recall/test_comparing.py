"""The bootstrap tells better from worse, and from neither."""

import numpy as np

from bench.recall.comparing import compare, in_common, interval
from bench.recall.results import Row
from tests.bench.recall.rows import row

LATE = ["x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "a"]


def rows(found: int, of: int = 40, category: str = "temporal") -> list[Row]:
    """So many questions whose evidence stands first, and the others' ninth."""
    return [row(f"q{n}", ["a"] if n < found else LATE, ["a"], category) for n in range(of)]


def test_equal_runs_differ_by_nothing() -> None:
    for one in compare(rows(20), rows(20)):
        assert one.low == one.high == one.now - one.before == 0.0
        assert not one.clear


def test_gains_and_losses_that_are_even_are_not_clear() -> None:
    before = [row(f"q{n}", ["a"] if n % 2 else LATE, ["a"]) for n in range(40)]
    now = [row(f"q{n}", LATE if n % 2 else ["a"], ["a"]) for n in range(40)]
    (one,) = [one for one in compare(now, before, ["recall@8"]) if one.category == "overall"]
    assert one.low < 0 < one.high and not one.clear


def test_a_better_run_is_better_and_a_worse_one_worse() -> None:
    better = {one.metric: one for one in compare(rows(36), rows(10)) if one.category == "temporal"}
    assert (better["recall@8"].before, better["recall@8"].now) == (0.25, 0.9)
    assert 0 < better["recall@8"].low < 0.65 < better["recall@8"].high <= 1
    assert better["recall@8"].clear
    worse = {one.metric: one for one in compare(rows(10), rows(36)) if one.category == "temporal"}
    assert worse["recall@8"].high < 0
    assert better["recall@20"].low == better["recall@20"].high == 0.0
    assert compare(rows(36), rows(10)) == compare(rows(36), rows(10))


def test_the_interval_is_that_of_the_mean() -> None:
    normal = np.random.default_rng(7).normal(0.2, 1.0, 400)
    low, high = interval(normal)
    error = 1.96 * normal.std() / 20
    assert abs(low - (normal.mean() - error)) < 0.02
    assert abs(high - (normal.mean() + error)) < 0.02


def test_only_questions_of_both_runs_are_compared() -> None:
    assert [one.question for one in in_common(rows(2, of=5), rows(2, of=3))] == ["q0", "q1", "q2"]
    assert {one.questions for one in compare(rows(2, of=5), rows(2, of=3))} == {3}
    assert compare(rows(2), []) == []


def test_adversarial_questions_are_compared_apart() -> None:
    now = [*rows(4, of=8), *(row(f"a{n}", ["a"], ["a"], "adversarial") for n in range(3))]
    counted = {(one.category, one.questions) for one in compare(now, now)}
    assert counted == {("overall", 8), ("temporal", 8), ("adversarial", 3)}
