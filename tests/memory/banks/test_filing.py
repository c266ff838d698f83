"""Do rules put content where it belongs, and leave nothing out?"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.banks import decisions as bank_decisions
from memory.banks.decisions import MOST_DONE, Append, Create, Done, Metadata, Replace, is_file_name, merge
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
        ("- [ ] a\n  - [x] b done", [("Next", "- [ ] a"), ("Done", "- [x] a › b done")]),
        (
            "- [x] release\n\t- [ ] notes\n\t- [x] tests",
            [("Done", "- [x] release\n\t- [x] tests"), ("Next", "- [ ] release › notes")],
        ),
        (
            "Progress on login:\n* [ ] docs\n* [x] build",
            [("Next", "* [ ] Progress on login › docs"), ("Done", "* [x] Progress on login › build")],
        ),
        ("Done:\n- [x] a\n- [ ] b\n- c", [("Done", "Done:\n- [x] a\n- c"), ("Next", "- [ ] b")]),
        ("progress.md:\n1. [ ] a\n2. [x] b", [("Next", "1. [ ] a"), ("Done", "2. [x] b")]),
        ("# Status\n1) [x] a\n2) [ ] b", [("Done", "# Status\n\n1) [x] a"), ("Next", "2) [ ] b")]),
        (
            "- [x] a\n  ```\n  - [ ] in code\n  ```\n- [ ] b",
            [("Done", "- [x] a\n  ```\n  - [ ] in code\n  ```"), ("Next", "- [ ] b")],
        ),
        ("- [ ] write what was done, shipped and merged", [("Next", "- [ ] write what was done, shipped and merged")]),
        (
            "- Decision: use A\n  - Open: which B\n  - Next: do C",
            [("Decisions", "- Decision: use A"), ("Open questions", "- Open: which B"), ("Next", "- Next: do C")],
        ),
        ("[x] fix build\n[ ] write docs", [("Done", "[x] fix build"), ("Next", "[ ] write docs")]),
        ("☑ fix build\n☐ write docs", [("Done", "☑ fix build"), ("Next", "☐ write docs")]),
        (
            "Today: fix build\n[x] the build\n[ ] the docs",
            [("Current focus", "Today: fix build"), ("Done", "[x] the build"), ("Next", "[ ] the docs")],
        ),
    ],
)
def test_what_is_open_is_not_done_item_by_item(content: str, places: list[tuple[str, str]]) -> None:
    assert placed(content) == places


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


def test_paragraphs_go_each_to_its_place() -> None:
    content = "Decided: we use SQLite.\n\nNext steps: the tests."
    places = [(one.target_file, one.metadata.section) for one in decide_by_rules("project", content)]
    assert places == [("decisions.md", "Decisions"), ("progress.md", "Next")]


def test_paragraphs_under_a_heading_that_says_nothing_go_each_to_its_place() -> None:
    said = ["Fixed: the login bug.", "Decided: SQLite.", "TODO: the tests.", "The sky was blue."]
    decisions = decide_by_rules("project", "\n\n".join(["# Session notes", *said]))
    assert [(one.metadata.section, one.content) for one in decisions] == [
        ("Done", f"# Session notes\n\n{said[0]}"),
        ("Decisions", said[1]),
        ("Next", said[2]),
        ("Notes", said[3]),
    ]


def test_what_stands_under_a_heading_stays_together_where_it_belongs_to_one_place() -> None:
    for text in ("# Sky\n\nIt was blue.\n\nThen grey.", "## Decisions\n\nWe chose ruff.\n\nFixed the bug."):
        assert [one.content for one in decide_by_rules("project", text)] == [text]


def test_items_of_a_list_go_each_to_its_place() -> None:
    content = "- Decision: we use SQLite\n- TODO: write the tests"
    places = [(one.target_file, one.content) for one in decide_by_rules("project", content)]
    assert places == [("decisions.md", "- Decision: we use SQLite"), ("progress.md", "- TODO: write the tests")]


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
    decisions = [Append("a.md", "x", Metadata(f"Section {number}")) for number in range(MOST_DONE + 5)]
    files, done = merge({}, decisions, now())
    assert len(done) == MOST_DONE
    assert files["a.md"].count("## Section ") == MOST_DONE + 5


def test_code_that_does_not_end_swallows_nothing() -> None:
    files = template("project", "x", "Begins with:\n```\ncode")
    files, _ = merge(files, [Create("ideas.md", "~~~~\nmore code")], now())
    for number in range(2):
        files, _ = merge(
            files,
            [
                Append("context.md", f"No cloud {number}.", Metadata("Constraints")),
                Append("ideas.md", f"Idea {number}.", Metadata("Ideas")),
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
        decision = Append("decisions.md", f"Number {number}.", Metadata("C#"))
        files, _ = merge(files, [decision], now())
    assert [section.title for section in parse(files["decisions.md"]).sections] == ["Decisions", "C#"]


@given(st.text(max_size=300), st.sampled_from(BANK_TYPES))
def test_any_text_can_be_placed_and_merged(content: str, kind: str) -> None:
    bank = next(one for one in BANK_TYPES if one == kind)
    files, done = merge(template(bank, "x"), decide_by_rules(bank, content), now())
    assert all(is_file_name(name) for name in files)
    assert bool(done) == bool(content.strip()) or not content.strip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029 \t")


def test_a_new_file_is_made_and_a_second_time_added_to() -> None:
    files, done = merge({}, [Create("ideas.md", "# Ideas\n\nOne."), Create("ideas.md", "Two.")], now())
    assert files["ideas.md"].startswith("# Ideas\n\nOne.")
    assert "Two." in files["ideas.md"]
    assert [one.operation_type for one in done] == ["create", "append"]


def test_a_section_that_is_not_there_cannot_be_replaced_and_is_made() -> None:
    files, done = merge({"a.md": "# A"}, [Replace("a.md", "One.", Metadata("New"))], now())
    assert "## New" in files["a.md"]
    assert done == (Done("a.md", "append", Metadata("New")),)
    _, done = merge({}, [Append("b.md", "One.", Metadata("New"))], now())
    assert done == (Done("b.md", "create", Metadata("New")),)


def test_items_for_a_file_go_into_its_sections() -> None:
    done, left = decide_by_rules("project", "[file: progress.md]\n- [x] the login\n- [ ] todo: the cart")
    assert (done.metadata.section, left.metadata.section) == ("Done", "Next")
    [named] = decide_by_rules("project", "[file: progress.md > Done]\n- [x] the login\n- [ ] todo: the cart")
    assert named.metadata.section == "Done"
    [replaced] = decide_by_rules("project", "progress.md (replace):\n- [x] the login\n- [ ] todo: the cart")
    assert isinstance(replaced, Replace)


def test_a_bank_takes_no_more_files_than_it_may_and_loses_nothing_for_that() -> None:
    decisions = [Append(f"file{number}.md", f"content {number}") for number in range(60)]
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


@pytest.mark.parametrize("before", ["- [ ] a\n- [x] b", "[file: ideas.md]", "Notes | x\n\n| a | b |"])
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
    assert (decision.metadata.section if isinstance(decision, Replace) else None) == section
