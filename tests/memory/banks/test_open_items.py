"""Open items: what is said to be done stands open no more, and nothing else goes with it."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.banks.decisions import Applied, Decision, Metadata
from memory.banks.filing import decide_by_rules
from memory.banks.markdown import parse
from memory.banks.open_items import carry_out
from memory.banks.types import BankType, template

MOMENT = datetime(2026, 11, 26, tzinfo=UTC)


Carried = tuple[dict[str, str], tuple[Applied, ...]]  # files, and what was done


def told(*said: str, kind: BankType = "project") -> Carried:
    carried: Carried = template(kind, "x"), ()
    for content in said:
        carried = carry_out(carried[0], decide_by_rules(kind, content), MOMENT)
    return carried


def section(carried: Carried, title: str) -> str:
    """What a section says, but for the times of its entries."""
    body = next(found.body for text in carried[0].values() if (found := parse(text).find(title)))
    return re.sub(r"2026-11-26 00:00 ", "", body)


LIST = "Next:\n- [ ] rotate the API keys\n- [ ] write the docs"


@pytest.mark.parametrize(
    "said",
    [
        "- [x] rotate the API keys",
        "Done: rotate the API keys",
        "Done: Rotate the  API keys.",
        "Finished: **rotate the API keys**",
        "## Done\n- rotate the API keys",
        "Done:\n\n- rotate the API keys\n- the login",
        "[file: progress.md > Done] rotate the API keys",
        "Next:\n- [x] rotate the API keys\n- [ ] write the docs",
        "1. [X] Rotate the API keys!",
        "rotate the API keys: done",
        "- **rotate the API keys**: done",
        "## Done\nrotate the API keys",
    ],
)
def test_an_item_that_is_ticked_off_stands_open_no_more(said: str) -> None:
    done = told(LIST, said)
    assert "otate the" not in section(done, "Next") and "otate the" in section(done, "Done")
    assert section(done, "Next").count("write the docs") == 1
    assert ("progress.md", "settle") in [(one.target_file, one.operation_type) for one in done[1]]


@pytest.mark.parametrize(
    "said",
    [
        "- [x] rotate the API keys of staging",
        "- [x] rotate keys",
        "Done: we rotated the API keys",
        "Done: the API keys, rotate",
        "Note: rotate the API keys",
        "The login was shipped. Rotate the API keys.",
        "- [x] do not rotate the API keys",
        "```\n- [x] rotate the API keys\n```",
        "- [x] all\n  - rotate the API keys",
        "rotate the API keys: not done",
        "Is rotate the API keys done?",
        "- [ ] rotate the API keys: done",
        "rotate the API keys is to be done",
        "When rotate the API keys is done, we ship.",
        "- [x] rotate the API keys\n- [ ] rotate the API keys",
        "Dropped:\n- the old login\n\n## Notes\n- rotate the API keys",
    ],
)
def test_what_has_other_words_is_another_item(said: str) -> None:
    assert "- [ ] rotate the API keys" in section(told(LIST, said), "Next")


@pytest.mark.parametrize(
    "left",
    ["- [ ] rotate the keys", "Next: rotate the keys.", "Blocked: Rotate the keys", "## Next\n- rotate the keys"],
)
def test_nothing_is_left_of_an_entry_that_said_nothing_else(left: str) -> None:
    done = told(left, "- [x] rotate the keys")
    assert section(done, "Next") == section(done, "Issues") == ""
    assert section(done, "Done").endswith("[x] rotate the keys")


def test_of_items_that_stand_under_others_the_one_that_is_called_is_meant() -> None:
    nested = "Next:\n- [ ] backend\n  - [ ] tests\n  - [ ] docs\n- [ ] frontend\n  - [ ] tests"
    assert section(told(nested, "- [x] tests"), "Next").count("[ ] tests") == 2
    one = told(nested, "- [ ] backend\n  - [x] tests")
    assert section(one, "Next").count("[ ] tests") == 1 and "[x] tests" in section(one, "Next")
    two = told(nested, "- [x] backend › tests")
    assert section(two, "Next").count("[ ] tests") == 1 and "[x] backend › tests" in section(two, "Done")
    assert "docs" not in section(told(nested, "- [x] docs"), "Next")
    ticked = section(told(nested, "- [x] frontend"), "Next")
    assert "- [x] frontend\n  - [ ] tests" in ticked


def test_an_item_of_several_lines_is_not_torn() -> None:
    long = "Next steps:\n- [ ] rotate the keys\n  of staging\n- [ ] write\n\n  ```\n  x\n  ```"
    kept = section(told(long, "- [x] rotate the keys\n- [x] write"), "Next")
    assert "- [x] rotate the keys\n  of staging\n- [x] write\n\n  ```\n  x\n  ```" in kept


@pytest.mark.parametrize(
    "said",
    [
        "Cancelled: write docs.",
        "- No longer needed: write docs",
        "- [x] the login\nCancelled: write docs",
        "Cancelled:\n- the login\n- write docs",
        "## Cancelled\n\nWe talked.\n\n- write docs",
        "**No longer needed**\n\n- write docs",
        "Done: the login. Next: the cart. Cancelled: write docs.",
    ],
)
def test_an_item_may_be_dropped_by_its_own_words(said: str) -> None:
    done = told("Next:\n- write docs\n- rotate keys", said)
    assert "docs" not in section(done, "Next") and "rotate keys" in section(done, "Next")
    assert "rite docs" in section(done, "Notes")


def test_what_one_has_to_do_oneself_is_settled_too() -> None:
    done = told("- [ ] call Ann", "- [x] call Ann", kind="global")
    assert section(done, "To do") == "" and "[x] call Ann" in section(done, "Notes")


@pytest.mark.parametrize(
    "said",
    [
        "Next:\n- [ ] Write the docs.\n- [ ] tag v2",
        "## Next\n- write the docs\n- rotate the API keys",
        "## Not done yet\n- Write the docs",
        "- [ ] write the docs",
        "Todo: write the docs",
    ],
)
def test_an_item_that_is_said_to_be_open_again_stands_once(said: str) -> None:
    again = told(LIST, said)
    assert section(again, "Next").lower().count("write the docs") == 1
    assert "settle" not in [one.operation_type for one in again[1]]


def test_nothing_is_changed_by_what_stands_there_already() -> None:
    again = told(LIST, LIST)
    assert [one.operation_type for one in again[1]] == ["unchanged"] and again[0] == told(LIST)[0]


def test_accents_may_be_written_in_two_ways() -> None:
    assert section(told("- [ ] call Re\u0301mi", "- [x] call R\u00e9mi"), "Next") == ""


def test_what_an_update_says_last_of_an_item_counts() -> None:
    done = told("- [ ] write the docs\n- [x] the tests\n- [x] write the docs\n- [ ] tag v2")
    assert "docs" not in section(done, "Next") and "tag v2" in section(done, "Next")
    assert "write the docs" in section(done, "Done")
    dropped = told("Next: write the docs\n\nCancelled: write the docs")
    assert section(dropped, "Next") == ""
    assert "write the docs" in section(told("- [x] write the docs\n- [ ] write the docs"), "Next")


def test_what_replaces_a_section_or_is_put_elsewhere_is_left_as_it_is() -> None:
    files = told(LIST)[0]
    decisions: list[Decision] = [
        Decision("replace", "progress.md", "- [x] write the docs\n- [ ] b", Metadata("Next")),
        Decision("append", "ideas.md", "- [ ] rotate the API keys", Metadata("Next")),
    ]
    done = carry_out(files, decisions, MOMENT)
    assert section(done, "Next") == "- [x] write the docs\n- [ ] b"
    assert "rotate the API keys" in done[0]["ideas.md"]


def test_many_items_are_settled_in_one_go() -> None:
    many = "\n".join(f"- [ ] item {number}" for number in range(5_000))
    done = told(many, many.replace("[ ]", "[x]"))
    assert section(done, "Next") == ""
    assert section(done, "Done").count("[x] item") == 5_000


@given(st.lists(st.text(alphabet="ab-x[] \n:`", max_size=120), min_size=1, max_size=4))
def test_no_word_is_lost_by_what_is_settled(said: list[str]) -> None:
    files = template("project", "x")
    for content in ("Next:\n- [ ] a\n- [ ] b\n  - [ ] a b", *said, "Done: a b"):
        files = carry_out(files, decide_by_rules("project", content), MOMENT)[0]
        words = set(re.findall(r"[ab]+", content))
        assert words <= set(re.findall(r"[ab]+", "\n".join(files.values())))


def test_a_section_that_was_written_as_a_whole_is_settled_too() -> None:
    whole = "progress.md > Next (replace):\nSoon:\n1. rotate the keys\n2. write the docs"
    done = told(LIST, whole, "Done: rotate the keys")
    assert section(done, "Next") == "Soon:\n\n2. write the docs"


def test_what_replaces_a_section_takes_nothing_that_is_put_into_it_behind_that() -> None:
    replacing = "[file: progress.md > Next] (replace)\n- c thing\n\n[file: progress.md > Next]\n- a thing"
    after = section(told("Next:\n- a thing\n- b thing", replacing), "Next")
    assert "- c thing" in after and "a thing" in after
