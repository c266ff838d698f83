"""It is seen how often nothing is returned, and how sure recall is of what is."""

from bench.recall.silence import Silence, silences
from tests.bench.recall.rows import row


def test_what_is_returned_is_told_for_each_group() -> None:
    rows = [
        row("q1", ["a", "b"], ["a"]),
        row("q2", [], ["a"]),
        row("q3", ["x", "y", "z"], ["a"], "adversarial"),
        row("q4", [], [], "small_talk"),
        row("q5", [], [], "small_talk"),
        row("q6", ["x"], [], "open_domain"),
    ]
    assert silences(rows) == [
        Silence("answerable", 2, items=1.0, nothing=0.5, median=0.9, p90=0.9),
        Silence("adversarial", 1, items=3.0, nothing=0.0, median=0.9, p90=0.9),
        Silence("small_talk", 2, items=0.0, nothing=1.0, median=None, p90=None),
    ]
