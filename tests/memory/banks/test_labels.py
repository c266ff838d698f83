"""Does what stands behind a label, such as "Next:", go where the label says?"""

import pytest

from memory.banks.filing import decide_by_rules
from memory.banks.types import BankType


def places(content: str, kind: BankType = "project") -> list[tuple[str, str]]:
    return [(one.metadata.section, one.content) for one in decide_by_rules(kind, content)]


def test_what_a_label_says_goes_to_its_place_wherever_in_a_paragraph_it_stands() -> None:
    assert places("We met. Decision: we use Postgres. It is free. Next: write the migration. Blocked: no key.") == [
        ("Notes", "We met."),
        ("Decisions", "Decision: we use Postgres. It is free."),
        ("Next", "Next: write the migration."),
        ("Issues", "Blocked: no key."),
    ]
    assert places("Next:\n- the tests\n- the docs\nBlocked:\n- Ann is away") == [
        ("Next", "Next:\n- the tests\n- the docs"),
        ("Issues", "Blocked:\n- Ann is away"),
    ]
    assert places("1. Next: the tests.\n2. Done: the docs.") == [
        ("Next", "1. Next: the tests."),
        ("Done", "2. Done: the docs."),
    ]
    assert places("# Meeting\n\nDone: the login. Next: the cart.") == [
        ("Done", "# Meeting\n\nDone: the login."),
        ("Next", "Next: the cart."),
    ]
    assert places("[file: progress.md]\nDone: the login. Next: the cart.")[1] == ("Next", "Next: the cart.")


def test_a_paragraph_stays_whole_where_its_labels_say_nothing_new() -> None:
    for whole in (
        "Next: the tests. To do: the docs.",
        "Note: the port is 80. Caution: it is open.",
        "The log said what is next: nothing. It is done: good.",
        "Decision: as below.\n```\nNext: x\n```",
    ):
        assert [content for _, content in places(whole)] == [whole]


def test_a_label_alone_is_that_of_the_block_after_it() -> None:
    assert places("**Next steps**\n\n- the tests\n- the docs\n\nThe sky was blue.") == [
        ("Next", "**Next steps**\n\n- the tests\n- the docs"),
        ("Notes", "The sky was blue."),
    ]
    assert [section for section, _ in places("Next:\n\nDone: the login.")] == ["Next", "Done"]
    assert places("TODO:\n\n- the tests\n\n- [x] the docs\n\n- the login\n\nThe sky was blue.") == [
        ("Next", "TODO:\n\n- the tests\n\n- the login"),
        ("Done", "- [x] the docs"),
        ("Notes", "The sky was blue."),
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "- [ ] the tests\nCancelled: the keys\nDone: the login",
            [("Next", "- [ ] the tests"), ("Notes", "Cancelled: the keys"), ("Done", "Done: the login")],
        ),
        ("- [x] the tests\nNext:\n- the docs", [("Done", "- [x] the tests"), ("Next", "Next:\n- the docs")]),
        ("Blocked: no key.\n- [ ] the docs", [("Issues", "Blocked: no key."), ("Next", "- [ ] the docs")]),
        ("Blocked:\n- [ ] the key", [("Issues", "Blocked:\n- [ ] the key")]),
        ("- [ ] the tests\n  Done: the login", [("Next", "- [ ] the tests\n  Done: the login")]),
        ("- [ ] the tests\nNote: all of them", [("Next", "- [ ] the tests\nNote: all of them")]),
        ("- [ ] the tests\n```\nDone: x\n```", [("Next", "- [ ] the tests\n```\nDone: x\n```")]),
        ("Done: a. Next: b. Cancelled: c.", [("Done", "Done: a."), ("Next", "Next: b."), ("Notes", "Cancelled: c.")]),
        ("## Not done yet\n- the docs", [("Next", "## Not done yet\n- the docs")]),
    ],
)
def test_a_line_with_a_label_behind_a_list_is_no_item_of_it(content: str, expected: list[tuple[str, str]]) -> None:
    assert places(content) == expected
