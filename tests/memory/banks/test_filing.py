"""Filing: content stands where it says that it belongs, and nothing is left out."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.banks import decisions as bank_decisions
from memory.banks.decisions import MOST_DONE, Applied, Decision, Metadata, is_file_name, merge
from memory.banks.filing import decide_by_rules, is_critical, metadata_of
from memory.banks.markdown import Page, parse
from memory.banks.types import BANK_TYPES, FILES, PLACES, BankType, template
from utils.clock import now


def placed(content: str, kind: BankType = "project") -> list[tuple[str, str]]:
    return [(one.metadata.section, one.content) for one in decide_by_rules(kind, content)]


@pytest.mark.parametrize(
    ("content", "places"),
    [
        ("1. [ ] write docs\n2. [x] fix build", [("Next", "1. [ ] write docs"), ("Done", "2. [x] fix build")]),
        (
            "- [ ] write docs\n- [x] fix build\n1. first",
            [("Next", "- [ ] write docs"), ("Done", "- [x] fix build"), ("Notes", "1. first")],
        ),
        ("Done:\n- [x] a\n- [ ] b\n- c", [("Done", "- [x] a"), ("Next", "- [ ] b"), ("Done", "- c")]),
        ("progress.md:\n1. [ ] a\n2. [x] b", [("Next", "1. [ ] a"), ("Done", "2. [x] b")]),
        ("# Status\n1) [x] a\n2) [ ] b", [("Done", "# Status\n1) [x] a"), ("Next", "2) [ ] b")]),
        (
            "- [x] a\n  ```\n  - [ ] in code\n  ```\n- [ ] b",
            [("Done", "- [x] a\n  ```\n  - [ ] in code\n  ```"), ("Next", "- [ ] b")],
        ),
        ("- [ ] write what was done, shipped and merged", [("Next", "- [ ] write what was done, shipped and merged")]),
        ("[x] fix build\n[ ] write docs", [("Done", "[x] fix build"), ("Next", "[ ] write docs")]),
        ("☑ fix build\n☐ write docs", [("Done", "☑ fix build"), ("Next", "☐ write docs")]),
        (
            "Today: fix build\n[x] the build\n[ ] the docs",
            [("Current focus", "Today: fix build"), ("Done", "[x] the build"), ("Next", "[ ] the docs")],
        ),
        ("rotate the keys: done", [("Done", "rotate the keys: done")]),
    ],
)
def test_what_is_open_is_not_done_item_by_item(content: str, places: list[tuple[str, str]]) -> None:
    assert placed(content) == places


@pytest.mark.parametrize(
    "item",
    [
        "- [ ] a\n  - [x] b",
        "- [x] release\n\t- [ ] notes\n\t- [x] tests",
        "- Decision: use A\n  - Open: which B\n\n  Next: C",
    ],
)
def test_an_item_stays_whole_with_all_that_stands_within_it(item: str) -> None:
    assert [content for _, content in placed(f"{item}\n- last")] == [item, "- last"]


@pytest.mark.parametrize(
    ("content", "places"),
    [
        (
            "We met. Decision: we use Postgres. It is free. Next: write the migration. Blocked: no key.",
            [
                ("Notes", "We met."),
                ("Decisions", "Decision: we use Postgres. It is free."),
                ("Next", "Next: write the migration."),
                ("Issues", "Blocked: no key."),
            ],
        ),
        (
            "Next steps:\n- the tests\n- the docs\nBlocked:\n- Ann is away",
            [("Next", "Next steps:\n- the tests\n- the docs"), ("Issues", "Blocked:\n- Ann is away")],
        ),
        ("1. Next: the tests.\n2. Done: the docs.", [("Next", "1. Next: the tests."), ("Done", "2. Done: the docs.")]),
        (
            "# Meeting\n\nDone: the login. Next: the cart.",
            [("Done", "# Meeting\n\nDone: the login."), ("Next", "Next: the cart.")],
        ),
        (
            "The login:\n* [ ] docs\n* [x] it",
            [("Next", "The login:\n* [ ] docs"), ("Done", "* [x] it")],
        ),
        (
            "**Next steps**\n\n- the tests\n- the docs\n\nThe sky was blue.",
            [("Next", "**Next steps**\n\n- the tests\n- the docs"), ("Notes", "The sky was blue.")],
        ),
        ("Next steps:\n\nDone: the login.", [("Done", "Next steps:\n\nDone: the login.")]),
        (
            "TODO:\n\n- the tests\n\n- [x] the docs\n\nThe sky was blue.",
            [("Next", "TODO:\n\n- the tests"), ("Done", "- [x] the docs"), ("Notes", "The sky was blue.")],
        ),
        (
            "- [ ] the tests\nCancelled: the keys\nDone: the login",
            [("Next", "- [ ] the tests"), ("Notes", "Cancelled: the keys"), ("Done", "Done: the login")],
        ),
        ("Blocked: no key.\n- [ ] the docs", [("Issues", "Blocked: no key.\n- [ ] the docs")]),
        ("- [ ] the tests\n  Done: the login", [("Next", "- [ ] the tests\n  Done: the login")]),
        ("- [ ] the tests\nNote: all of them", [("Next", "- [ ] the tests\nNote: all of them")]),
        ("Done: a. Next: b. Cancelled: c.", [("Done", "Done: a."), ("Next", "Next: b."), ("Notes", "Cancelled: c.")]),
        ("## Not done yet\n- the docs", [("Next", "## Not done yet\n- the docs")]),
        (
            "We met. Done: the login.\n- Next: the cart\n- Blocked: the key",
            [
                ("Notes", "We met."),
                ("Done", "Done: the login."),
                ("Next", "- Next: the cart"),
                ("Issues", "- Blocked: the key"),
            ],
        ),
    ],
)
def test_what_stands_behind_a_label_goes_where_it_says(content: str, places: list[tuple[str, str]]) -> None:
    assert placed(content) == places


@pytest.mark.parametrize(
    "whole",
    [
        "Next: the tests. To do: the docs.",
        "Note: the port is 80. Caution: it is open.",
        "The log said what is next: nothing. It is done: good.",
        "Decision: as below.\n```\nNext: x\n```",
        "# Sky\n\nIt was blue.\n\nThen grey.",
    ],
)
def test_a_paragraph_stays_whole_where_its_labels_say_nothing_new(whole: str) -> None:
    assert [content for _, content in placed(whole)] == [whole]


@pytest.mark.parametrize(
    ("content", "places"),
    [
        (
            "## Next\n- [x] tests\n- [ ] changelog\n- Decision: tag with v2",
            [("Done", "- [x] tests"), ("Next", "- [ ] changelog"), ("Decisions", "- Decision: tag with v2")],
        ),
        ("# Done\n\n- login\n- [ ] cart", [("Done", "- login"), ("Next", "- [ ] cart")]),
        ("## Decisions\n\nWe chose ruff.\n\nFixed the bug.", [("Decisions", "We chose ruff.\n\nFixed the bug.")]),
        (
            "## Done\nThe login.\n\nNext: the cart.\n\nBlocked:\n- the key\n\nThe docs.",
            [
                ("Done", "The login."),
                ("Next", "Next: the cart."),
                ("Issues", "Blocked:\n- the key"),
                ("Done", "The docs."),
            ],
        ),
        (
            "## Issues\n1. the login crashes\n2. [x] the cart crashes\n\n   seen by Kim\n\n3. Task: ask Kim",
            [
                ("Issues", "1. the login crashes"),
                ("Done", "2. [x] the cart crashes\n\n   seen by Kim"),
                ("Next", "3. Task: ask Kim"),
            ],
        ),
        ("[file: progress.md]\n## Next\n- [x] tests\n- [ ] docs", [("Done", "- [x] tests"), ("Next", "- [ ] docs")]),
        (
            "## Done\n### Backend\n- a\n### Docs\n- b\n## Odd\nx",
            [("Done", "### Backend\n- a"), ("Done", "### Docs\n- b"), ("Notes", "## Odd\nx")],
        ),
        ("## Next", [("Notes", "## Next")]),
        ("[file: ideas.md]\n## Next\n- a", [("Notes", "## Next\n- a")]),
    ],
)
def test_only_what_says_so_leaves_the_heading_of_a_section(content: str, places: list[tuple[str, str]]) -> None:
    assert placed(content) == places


def test_a_list_for_what_one_has_to_do_oneself_is_left_too() -> None:
    assert placed("## To do\n- [x] call Kim\n- [ ] call Ann", "global") == [
        ("Notes", "- [x] call Kim"),
        ("To do", "- [ ] call Ann"),
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
        "Blocked:\n- [ ] the key",
        "[file: progress.md > Next]\n## Next\n- [x] tests\n- [ ] docs",
        "[file: progress.md]\n## Next\n- Decision: tag with v2\n- [ ] docs",
    ],
)
def test_what_says_nothing_else_stays_under_its_heading(content: str) -> None:
    assert len({section for section, _ in placed(content)}) == 1


def test_lists_within_lists_may_be_as_deep_as_an_update_is_long() -> None:
    deep = "\n".join(f"{' ' * depth}- [x] item {depth}" for depth in range(1_200))
    assert "".join(text for _, text in placed(deep)).count("item") == 1_200


def test_every_category_has_a_place_in_every_type_and_every_place_is_in_its_template() -> None:
    for kind in BANK_TYPES:
        files = {one.name: one.sections for one in FILES[kind]}
        for file, section in PLACES[kind].values():
            assert section in files[file], (kind, file, section)


@pytest.mark.parametrize(
    "said",
    ["We ended up with DuckDB.", "Wir nehmen Postgres statt MySQL.", "The login was fixed; the docs are not."],
)
@pytest.mark.parametrize("kind", BANK_TYPES)
def test_what_does_not_say_where_it_belongs_goes_to_the_notes_as_it_stands(said: str, kind: BankType) -> None:
    assert placed(f"{said}\n\n# Talk\n\n{said}", kind) == [("Notes", said), ("Notes", f"# Talk\n\n{said}")]


@pytest.mark.parametrize(
    "text",
    ["a/" * 500_000, "a." * 500_000, "a/b." * 250_000, "Next: x. " * 100_000, "**A " * 200_000, "x\n\n" * 50_000],
)
def test_the_longest_text_is_kept_whole(text: str) -> None:
    files, _ = merge(template("project", "x"), decide_by_rules("project", text), now())
    assert "".join(text.split()) in "".join("".join(files.values()).split())


@pytest.mark.parametrize("many", [50, 200])
def test_many_items_are_merged_in_one_go_and_told_of_as_one(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parsing(text: str) -> Page:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(bank_decisions, "parse", parsing)
    content = "\n".join(f"- {'TODO: ' * (number % 2)}item {number}" for number in range(many))
    files, done = merge(template("project", "x"), decide_by_rules("project", content), now())
    assert len(parsed) == 2  # each file that takes some, however many it takes
    assert [(one.target_file, one.metadata.section) for one in done] == [
        ("active.md", "Notes"),
        ("progress.md", "Next"),
    ]
    assert files["active.md"].count("item ") == files["progress.md"].count("item ") == many // 2


def test_what_is_told_of_an_update_cannot_outgrow_a_document() -> None:
    decisions = [Decision("append", "a.md", "x", Metadata(f"Section {number}")) for number in range(MOST_DONE + 5)]
    files, done = merge({}, decisions, now())
    assert len(done) == MOST_DONE
    assert files["a.md"].count("## Section ") == MOST_DONE + 5


def test_code_that_does_not_end_swallows_nothing() -> None:
    files = template("project", "x", "Begins with:\n```\ncode")
    files, _ = merge(files, [Decision("create", "ideas.md", "~~~~\nmore code")], now())
    for number in range(2):
        files, _ = merge(
            files,
            [
                Decision("append", "context.md", f"No cloud {number}.", Metadata("Constraints")),
                Decision("append", "ideas.md", f"Idea {number}.", Metadata("Ideas")),
            ],
            now(),
        )
    assert [section.title for section in parse(files["context.md"]).sections] == [
        "Purpose",
        "Requirements",
        "Constraints",
    ]
    assert [section.title for section in parse(files["ideas.md"]).sections] == ["Ideas"]


def test_a_description_with_headings_stays_in_its_section() -> None:
    page = parse(template("project", "x", "# What\n\n## Decisions")["context.md"])
    assert [section.title for section in page.sections] == ["Purpose", "Requirements", "Constraints"]


def test_metadata_is_found_by_patterns() -> None:
    known = metadata_of("[critical] By 2026-12-01, see #12, ABC-3, src/app.py, https://x.org/y #Infra", "Next", "next")
    assert known == Metadata(
        "Next", "next", ("critical", "infra"), ("2026-12-01",), ("#12", "ABC-3", "src/app.py", "https://x.org/y")
    )
    assert is_critical("a #critical thing")
    assert not is_critical("a critical thing")


@given(st.text(alphabet="ab#-. \n`:/>[]", max_size=200))
def test_nothing_of_a_text_is_left_out(content: str) -> None:
    kept = "".join("".join(one.content.split()) for one in decide_by_rules("project", content))
    assert kept == "".join(content.split())


@given(st.lists(st.text(alphabet="ab#-. \n`", max_size=200), min_size=1, max_size=3))
def test_no_word_of_a_text_is_lost_on_its_way_into_the_files(said: list[str]) -> None:
    files = template("project", "x")
    for content in said:
        files, _ = merge(files, decide_by_rules("project", content), now())
    kept = Counter("\n".join(files.values()).split())
    for content in said:  # what is said again stands there once
        assert not Counter(word for word in content.split() if set(word) & set("ab")) - kept


def test_a_section_whose_title_ends_in_a_mark_is_one_section() -> None:
    files = template("project", "x")
    for number in range(3):
        decision = Decision("append", "decisions.md", f"Number {number}.", Metadata("C#"))
        files, _ = merge(files, [decision], now())
    assert [section.title for section in parse(files["decisions.md"]).sections] == ["Decisions", "C#"]


@given(st.text(max_size=300), st.sampled_from(BANK_TYPES))
def test_any_text_can_be_placed_and_merged(content: str, kind: str) -> None:
    bank = next(one for one in BANK_TYPES if one == kind)
    files, done = merge(template(bank, "x"), decide_by_rules(bank, content), now())
    assert all(is_file_name(name) for name in files)
    assert bool(done) == bool(content.strip()) or not content.strip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029 \t")


def test_a_new_file_is_made_and_a_second_time_added_to() -> None:
    files, done = merge(
        {}, [Decision("create", "ideas.md", "# Ideas\n\nOne."), Decision("create", "ideas.md", "Two.")], now()
    )
    assert files["ideas.md"].startswith("# Ideas\n\nOne.")
    assert "Two." in files["ideas.md"]
    assert [one.operation_type for one in done] == ["create", "append"]


def test_a_section_that_is_not_there_cannot_be_replaced_and_is_made() -> None:
    files, done = merge({"a.md": "# A"}, [Decision("replace", "a.md", "One.", Metadata("New"))], now())
    assert "## New" in files["a.md"]
    assert done == (Applied("a.md", "append", Metadata("New")),)
    _, done = merge({}, [Decision("append", "b.md", "One.", Metadata("New"))], now())
    assert done == (Applied("b.md", "create", Metadata("New")),)


def test_items_for_a_file_go_into_its_sections() -> None:
    done, left = decide_by_rules("project", "[file: progress.md]\n- [x] the login\n- [ ] todo: the cart")
    assert (done.metadata.section, left.metadata.section) == ("Done", "Next")
    [named] = decide_by_rules("project", "[file: progress.md > Done]\n- [x] the login\n- [ ] todo: the cart")
    assert named.metadata.section == "Done"
    replaced = decide_by_rules("project", "progress.md (replace):\n- [x] the login\n- [ ] todo: the cart")
    assert [(one.operation, one.metadata.section) for one in replaced] == [("replace", "Done"), ("replace", "Next")]


def test_a_bank_takes_no_more_files_than_it_may_and_loses_nothing_for_that() -> None:
    decisions = [Decision("append", f"file{number}.md", f"content {number}") for number in range(60)]
    files, _ = merge({}, decisions, now())
    assert len(files) == 40
    assert all(any(f"content {number}" in text for text in files.values()) for number in range(60))


@pytest.mark.parametrize(
    ("said", "section"),
    [
        ("Note: in the review, budget and retry were discussed at length.", "Notes"),
        ("**Note:** the deadline is fixed.", "Notes"),
        ("FYI: the schema was changed by Ann.", "Notes"),
        ("Is the budget safe when the token restarts?", "Open questions"),
        ("Is the gateway safe (Z1003)? Who owns the deadline? [critical]", "Open questions"),
        ("- Does the component need a budget?", "Open questions"),
        ("- [ ] Is the budget safe?", "Next"),
        ("## Budget\n\nIs it safe?", "Constraints"),
        ("The cart is slow. Is the budget safe?", "Notes"),
        ("Decision: we use SQLite. Note: it must run on ARM.", "Decisions"),
    ],
)
def test_a_label_and_a_question_mark_outweigh_words(said: str, section: str) -> None:
    assert [one.metadata.section for one in decide_by_rules("project", said)] == [section]


TABLE = "| harbour | state |\n|---|---|\n| A | done. Next: B |"


@pytest.mark.parametrize(
    ("content", "sections"),
    [
        (f"Decision: the limits are as follows.\n\n{TABLE}", ["Decisions"]),
        (f"We met. Decision: the limits are as follows.\n\n{TABLE}", ["Notes", "Decisions"]),
        (f"# Report\n\nDecision: the limits.\n\n{TABLE}\n\nThe sky was blue.", ["Decisions", "Notes"]),
        (f"decisions.md: The limits.\n\n{TABLE}", ["Decisions"]),
    ],
)
def test_a_table_stays_with_the_paragraph_before_it(content: str, sections: list[str]) -> None:
    decisions = decide_by_rules("project", content)
    assert [one.metadata.section for one in decisions] == sections
    [whole] = [one.content for one in decisions if "harbour" in one.content]
    assert "the limits" in whole.lower() and TABLE in whole


@pytest.mark.parametrize("before", ["[file: ideas.md]", "Notes | x\n\n| a | b |"])
def test_a_table_is_its_own_where_no_paragraph_stands_before_it(before: str) -> None:
    assert TABLE in [one.content.rpartition("\n\n")[2] for one in decide_by_rules("project", f"{before}\n\n{TABLE}")]


def test_what_says_nothing_is_not_under_done() -> None:
    [decision] = decide_by_rules("project", "progress.md: The sky was blue.")
    assert (decision.target_file, decision.metadata.section) == ("progress.md", "Notes")


@pytest.mark.parametrize(
    ("content", "section"),
    [
        ("progress.md (replace): Next: only the tests are left.", "Next"),
        ("progress.md (replace): Only the tests are left.", None),
        ("decisions.md (replace): The sky was blue.", "Decisions"),
        ("progress.md (replace): The sky was blue.", None),
        ("context.md (replace): The sky was blue.", None),
    ],
)
def test_no_section_is_replaced_by_a_guess(content: str, section: str | None) -> None:
    [decision] = decide_by_rules("project", content)
    assert (decision.metadata.section if (decision.operation == "replace") else None) == section
