"""The report tells what the run found."""

import re

from bench.recall.report import drawing, report
from tests.bench.recall.rows import row, run

NOW = run(
    row("q1", ["a"], ["a"], "temporal"),
    row("q2", ["x", "b"], ["a", "b"], "multi_hop"),
    row("q3", ["x"], ["a"], "adversarial"),
    row("q4", [], [], "small_talk"),
)
BEFORE = run(row("q1", ["x"], ["a"], "temporal"), row("q9", ["x"], ["a"], "open_domain"))


def cells(text: str, first: str, heading: str) -> list[str]:
    """The cells of a table's line that begins with `first`; the first table after the heading that has one."""
    line = next(one for one in text.split(heading, 1)[1].splitlines() if re.match(rf"\| {first} +\|", one))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_report_has_every_category_with_its_figures() -> None:
    text = report(NOW)
    overall = cells(text, "overall", "## little")
    assert overall == ["overall", "2", *["75.0"] * 4, *["100.0"] * 4, "66.7"]
    assert cells(text, "adversarial", "## little")[-1] == "–"
    assert "Conversations: 1, messages: 9." in text
    assert "a system; 20 items asked for." in text
    assert cells(text, "little", "## Times") == ["little", "9", "5.00", "2.50", "7.25"]
    assert "Compared" not in text
    assert "No question had evidence." in report(run(row("q4", [], [], "small_talk")))


def test_a_report_tells_what_is_returned_where_nothing_should_be() -> None:
    heading = "### When there is nothing to find"
    text = report(NOW)
    assert cells(text, "answerable", heading) == ["answerable", "2", "1.5", "0.0", "0.900", "0.900"]
    assert cells(text, "small_talk", heading) == ["small_talk", "1", "0.0", "100.0", "–", "–"]


def test_a_compared_run_stands_beside() -> None:
    text = report(NOW, BEFORE)
    assert cells(text, "temporal", "### Compared")[1:6] == ["recall@8", "1", "0.0", "100.0", "+100.0"]
    assert "## The compared run" in text
    assert "open_domain" not in text


def test_runs_of_other_questions_are_not_compared() -> None:
    assert "The runs have no question in common." in report(NOW, run(row("q8", ["a"], ["a"])))
    assert "### Compared" not in report(NOW, run(row("q1", ["a"], ["a"]), corpus="another"))


def test_the_plot_is_linked_and_has_a_bar_for_each_category() -> None:
    assert "![recall@8 by category](run.svg)" in report(NOW, plot="run.svg")
    alone = drawing(NOW)
    assert all(f">{name}</text>" in alone for name in ("overall", "temporal", "multi_hop", "adversarial"))
    both = drawing(NOW, BEFORE)
    assert ">little, questions of both</text>" in both and ">100.0 (+100.0)</text>" in both
    assert ">multi_hop</text>" not in both
