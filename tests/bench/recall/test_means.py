"""Questions are counted where they belong."""

import pytest

from bench.recall.means import means
from tests.bench.recall.rows import row

ROWS = [
    row("q1", ["a"], ["a"], "temporal"),
    row("q2", ["x"], ["a"], "temporal"),
    row("q3", ["a", "x"], ["a"], "multi_hop"),
    row("q4", ["x"], ["a"], "adversarial"),
    row("q5", ["x"], [], "abstention"),
    row("q6", ["x"], [], "small_talk"),
    row("q7", ["x"], [], "temporal"),
]


def test_adversarial_questions_are_not_in_the_overall_means() -> None:
    found = [(one.category, one.questions, one.values["recall@8"]) for one in means(ROWS)]
    assert found == [
        ("overall", 3, pytest.approx(2 / 3)),
        ("multi_hop", 1, 1.0),
        ("temporal", 2, 0.5),
        ("adversarial", 1, 0.0),
    ]
    assert means(ROWS[4:]) == []  # without evidence


def test_precision_is_of_answerable_questions_alone() -> None:
    found = {one.category: one.precision for one in means(ROWS)}
    assert found == {"overall": 2 / 4, "multi_hop": 1 / 2, "temporal": 1 / 2, "adversarial": None}
