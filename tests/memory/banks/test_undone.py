"""Is work that is not done told from what is done?"""

import pytest

from memory.banks.place import decide_by_rules
from memory.banks.undone import has_open_row, is_undone, without_undone


@pytest.mark.parametrize(
    "said",
    [
        "Tests are not done.",
        "The release was not completed because of the outage.",
        "The export is not implemented yet.",
        "The PR hasn't been merged yet.",
        "None of the migrations has been finished.",
        "Not all of the endpoints are implemented.",
        "The export was never finished.",
        "The importer is almost finished.",
        "The migration is 80% done.",
        "The migration has not\nbeen merged.",
        "The docs are still unfinished.",
        "The docs have yet to be written.",
        "We could not finish the migration.",
        "We failed to release v2.",
    ],
)
def test_what_is_not_done_is_next(said: str) -> None:
    assert is_undone(said)
    assert [one.metadata.section for one in decide_by_rules("project", said)] == ["Next"]


@pytest.mark.parametrize(
    ("said", "section"),
    [
        ("Implemented the import, not the export.", "Done"),
        ("Not only was the release completed, but the docs were merged.", "Done"),
        ("The bug does not show any more since it was fixed.", "Done"),
        ("Fixed the bug where the file was not closed.", "Done"),
        ("No tests failed and the release was completed.", "Done"),
        ("Everything is done, nothing is left.", "Done"),
        ("100% done.", "Done"),
        ("Added tests so that the cache is not cleared twice.", "Done"),
        ("Implemented retries, so requests are not lost.", "Done"),
        ("Wrote the docs and shipped them, no open points.", "Done"),
        ("We could not fix the crash.", "Issues"),
        ("Shipped v1 when the tests were done.", "Done"),
        ("Do not touch the finished part.", "Constraints"),
        ("PRs must not be merged without review.", "Constraints"),
        ("The login bug is not fixed yet.", "Issues"),
        ("The crash is still unresolved.", "Issues"),
        ("Not sure whether the migration is finished.", "Open questions"),
        ("The login is finished and merged, but the tests are not done.", "Next"),
        ("The login page will be implemented next week.", "Next"),
        ("Wait until the release is completed.", "Notes"),
    ],
)
def test_a_denial_is_of_its_own_clause(said: str, section: str) -> None:
    assert [one.metadata.section for one in decide_by_rules("project", said)] == [section]


def test_what_is_not_done_is_told_apart_from_what_is() -> None:
    decisions = decide_by_rules("project", "The login is done. The tests are not done. The cart was shipped.")
    assert [(one.metadata.section, one.content) for one in decisions] == [
        ("Done", "The login is done."),
        ("Next", "The tests are not done."),
        ("Done", "The cart was shipped."),
    ]
    [kept] = decide_by_rules("project", "We met Kim. The tests are not done.")
    assert kept.metadata.section == "Next"
    first, second = decide_by_rules("project", "Done: the login. The tests are not finished.")
    assert (first.metadata.section, second.metadata.section) == ("Done", "Next")


@pytest.mark.parametrize(
    ("row", "is_open"),
    [
        ("| write docs | open |", True),
        ("write docs | to do", True),
        ("| docs | In progress | Kim |", True),
        ("| the open sea | done |", False),
        ("| docs | done |", False),
        ("The door is open", False),
    ],
)
def test_a_cell_of_a_table_may_say_that_something_is_open(row: str, is_open: bool) -> None:
    assert has_open_row(row) is is_open


def test_a_table_of_which_a_row_is_open_is_not_done() -> None:
    table = "| Task | State |\n|---|---|\n| write docs | {} |\n| tests | done |"
    for state, section in (("open", "Next"), ("done", "Done")):
        [decision] = decide_by_rules("project", table.format(state))
        assert decision.metadata.section == section


@pytest.mark.parametrize("text", ["not a " * 200_000, "not " + "a" * 1_000_000, "until " * 200_000, "no\n" * 300_000])
def test_the_longest_text_is_read_in_no_time(text: str) -> None:
    assert without_undone(text)[1:] == (0, 0)
