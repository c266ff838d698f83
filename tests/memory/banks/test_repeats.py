"""What is said twice stands in a bank once, and in the order in which it was said last."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.banks.decisions import Applied, Decision, Metadata, merge
from memory.banks.filing import decide_by_rules
from memory.banks.markdown import parse
from memory.banks.types import template

MOMENT = datetime(2026, 11, 26, tzinfo=UTC)


def told(*said: str) -> tuple[dict[str, str], tuple[Applied, ...]]:
    files, done = template("project", "x"), ()
    for day, content in enumerate(said):
        files, done = merge(files, decide_by_rules("project", content), MOMENT + timedelta(days=day))
    return files, done


@pytest.mark.parametrize(
    "said",
    [
        "Decision: use NATS.",
        "Decision: use NATS.\n\n```\nx\n\ny\n```",
        "Decision: use NATS.\n\nNext: the docs.\n\nDecision: use SQLite.\n\nThe sky was blue.",
        "# Report\n\nThe sky was blue.\n\n- a\n- b",
        "[file: ideas.md] A dark theme.",
    ],
)
def test_what_a_section_ends_with_is_not_added_again(said: str) -> None:
    once, _ = told(said)
    files, done = told(said, said)
    assert files == once
    assert {one.operation_type for one in done} == {"unchanged"}


def test_what_is_decided_anew_is_the_newest_decision_and_the_only_one_of_its_words() -> None:
    files, done = told("Decision: use Kafka.", "Decision: use NATS.", "Decision: use Kafka.")
    found = parse(files["decisions.md"]).find("Decisions")
    assert found is not None
    first, second = found.body.split("\n")
    assert first.endswith("use NATS.") and second.endswith("use Kafka.") and first < second
    assert [one.operation_type for one in done] == ["append"]


@pytest.mark.parametrize(
    "again", ["Decision: Use NATS.", "Decision: use NATS", "Decision: use NATS. It is fast.", "Decided: use NATS."]
)
def test_what_has_other_words_is_another_entry(again: str) -> None:
    files, _ = told("Decision: use NATS.", again)
    assert files["decisions.md"].casefold().count("use nats") == 2


def test_code_that_stands_further_in_is_other_code() -> None:
    files, _ = told("Note: so.\n\n```\nif x:\ny\n```", "Note: so.\n\n```\nif x:\n  y\n```")
    assert files["active.md"].count("if x:") == 2


def test_what_stands_in_another_section_or_was_written_there_as_a_whole_stays() -> None:
    files, _ = told("active.md > Ideas: Blue.", "active.md > Notes: Blue.")
    assert files["active.md"].count("Blue.") == 2
    files, _ = told(
        "Decision: x.", "decisions.md > Decisions (replace):\nSteps:\n- Blue.\n- Red.", "decisions.md: Blue."
    )
    assert files["decisions.md"].count("Blue.") == 2


def test_what_is_said_twice_at_once_is_kept_as_it_was_said() -> None:
    files, _ = told("The sky was blue.\n\nDecision: use NATS.\n\nThe sky was blue.")
    assert files["active.md"].count("blue") == 2


def test_what_replaced_a_section_is_followed_by_what_it_is_told_to_be() -> None:
    files, _ = told("Decision: a.")
    again = Decision("append", "decisions.md", "a.", Metadata("Decisions"))
    files, done = merge(files, [Decision("replace", "decisions.md", "See a.", Metadata("Decisions")), again], MOMENT)
    assert files["decisions.md"].count(" a.") == 2
    assert [one.operation_type for one in done] == ["replace", "append"]
