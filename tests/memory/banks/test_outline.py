"""Does what is done, decided or open leave a heading that says something else?"""

import pytest

from memory.banks.filing import decide_by_rules
from memory.banks.types import BankType


def places(content: str, kind: BankType = "project") -> list[tuple[str, str]]:
    return [(one.metadata.section, one.content) for one in decide_by_rules(kind, content)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "## Next\n- [x] tests\n- [ ] changelog\n- Decision: tag with v2",
            [("Done", "- [x] tests"), ("Next", "## Next\n\n- [ ] changelog"), ("Decisions", "- Decision: tag with v2")],
        ),
        ("# Done\n\n- login\n- [ ] cart", [("Done", "# Done\n\n- login"), ("Next", "- [ ] cart")]),
        ("## Next\n- [x] tests", [("Done", "- [x] tests")]),
        (
            "## Done\nThe login.\n\nNext: the cart.\n\nBlocked:\n- the key\n\nThe docs.",
            [
                ("Done", "## Done\n\nThe login."),
                ("Next", "Next: the cart."),
                ("Issues", "Blocked:\n- the key"),
                ("Done", "The docs."),
            ],
        ),
        (
            "## Next\n- [ ] docs\n\nDecision: tag with v2.",
            [("Next", "## Next\n\n- [ ] docs"), ("Decisions", "Decision: tag with v2.")],
        ),
        (
            "## Next\nSoon:\n\n- release\n  - [x] tests\n  - [ ] notes",
            [("Next", "## Next\n\nSoon:\n\n- release\n  - [ ] notes"), ("Done", "- [x] release › tests")],
        ),
        (
            "## Issues\n1. the login crashes\n2. [x] the cart crashes\n\n   seen by Kim\n\n3. Task: ask Kim",
            [
                ("Issues", "## Issues\n\n1. the login crashes"),
                ("Done", "2. [x] the cart crashes\n\n   seen by Kim"),
                ("Next", "3. Task: ask Kim"),
            ],
        ),
        (
            "[file: progress.md]\n## Next\n- [x] tests\n- [ ] docs",
            [("Done", "- [x] tests"), ("Next", "## Next\n\n- [ ] docs")],
        ),
    ],
)
def test_items_leave_a_heading_as_they_leave_a_label(content: str, expected: list[tuple[str, str]]) -> None:
    assert places(content) == expected


def test_a_list_for_what_one_has_to_do_oneself_leaves_it_too() -> None:
    assert places("## To do\n- [x] call Kim\n- [ ] call Ann", "global") == [
        ("Notes", "- [x] call Kim"),
        ("To do", "## To do\n\n- [ ] call Ann"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "## Next\n- tests\n- changelog",
        "## Done\nThe login.\n\nNote: it was hard.\n\nReference: the wiki",
        "## Done\nThe login: next to nothing left.\n\n```\nNext: x\n```",
        "## Next\n- Status: slow\n- Note: Kim is away\n- Reference: the wiki",
        "## Requirements\n- [x] offline use\n- [ ] dark mode",
        "## Open questions\n- [ ] which queue?\n- who pays?",
        "## Done\n- login\n\n```\n- [ ] in code\n```",
        "[file: progress.md > Next]\n## Next\n- [x] tests\n- [ ] docs",
        "[file: progress.md]\n## Next\n- Decision: tag with v2\n- [ ] docs",
    ],
)
def test_what_says_nothing_else_stays_under_its_heading(content: str) -> None:
    assert len(places(content)) == 1


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("Done:\n- the docs\n* Not done yet: the keys\n- the bank", "* Not done yet: the keys"),
        ("**Done**\n\n- TODO: write tests\n- the docs\n- the bank", "- TODO: write tests"),
    ],
)
def test_of_a_list_behind_a_label_only_what_says_so_leaves_it(content: str, left: str) -> None:
    found = dict(places(content))
    stays = found.pop("Done", "") + found.pop("Decisions", "")
    assert list(found.values()) == [left]
    assert stays.replace("\n\n", "\n") == content.replace("\n\n", "\n").replace(f"\n{left}", "")


def test_what_stands_behind_a_sentence_is_no_list_of_it() -> None:
    assert places("We met. Done: the login.\n- Next: the cart\n- Blocked: the key")[1:] == [
        ("Done", "Done: the login."),
        ("Next", "- Next: the cart"),
        ("Issues", "- Blocked: the key"),
    ]
