"""Do rules put content where it belongs, and leave nothing out?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.bank_decisions import Append, Create, Done, Metadata, Replace, is_file_name, merge
from memory.bank_rules import category_of, decide_by_rules, is_critical, metadata_of
from memory.bank_types import BANK_TYPES, FILES, PLACES, template
from utils.clock import now


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("We decided to use MongoDB instead of Postgres, because documents fit.", "decision"),
        ("The architecture has three layers: API, agents, core.", "architecture"),
        ("- [x] Implemented the login page and merged it.", "done"),
        ("Next steps: write the tests. TODO: the docs.", "next"),
        ("The build crashed with a traceback in src/app.py: a regression.", "issue"),
        ("I'm currently working on the search page this week.", "focus"),
        ("Open question: do we need Redis?", "question"),
        ("The user prefers short answers. Please always answer in English.", "preference"),
        ("Naming convention: always use snake_case.", "pattern"),
        ("It depends on numpy. Run pip install numpy.", "dependency"),
        ("See also https://example.org/docs for the reference.", "reference"),
        ("The sky was blue.", "note"),
    ],
)
def test_what_a_text_is_about(text: str, category: str) -> None:
    assert category_of(text) == category


def test_every_category_has_a_place_in_every_type_and_every_place_is_in_its_template() -> None:
    for kind in BANK_TYPES:
        files = {one.name: one.sections for one in FILES[kind]}
        for file, section in PLACES[kind].values():
            assert section in files[file], (kind, file, section)


def test_paragraphs_go_each_to_its_place() -> None:
    content = "We decided to use SQLite.\n\nNext steps: the tests."
    places = [(one.target_file, one.metadata.section) for one in decide_by_rules("project", content)]
    assert places == [("decisions.md", "Decisions"), ("progress.md", "Next")]


def test_items_of_a_list_go_each_to_its_place() -> None:
    content = "- We decided to use SQLite\n- TODO: write the tests"
    places = [(one.target_file, one.content) for one in decide_by_rules("project", content)]
    assert places == [("decisions.md", "- We decided to use SQLite"), ("progress.md", "- TODO: write the tests")]


@pytest.mark.parametrize(
    ("line", "file", "section"),
    [
        ("ideas.md:", "ideas.md", "Notes"),
        ("## decisions.md", "decisions.md", "Decisions"),
        ("[file: progress.md > Next]", "progress.md", "Next"),
        ("@active.md # Current focus:", "active.md", "Current focus"),
        ("`Context.md`", "context.md", "Purpose"),
    ],
)
def test_a_line_that_names_a_file_says_where_all_that_follows_goes(line: str, file: str, section: str) -> None:
    decisions = decide_by_rules("project", f"{line}\nThe sky was blue.\n\nSo was the sea.")
    assert [(one.target_file, one.metadata.section) for one in decisions] == [(file, section)]
    assert decisions[0].content == "The sky was blue.\n\nSo was the sea."


def test_a_file_that_is_spoken_of_in_passing_is_no_target() -> None:
    [decision] = decide_by_rules("project", "See decisions.md for why.\n\nThe sky was blue.")
    assert decision.target_file == "active.md"


def test_a_section_may_be_replaced_where_the_content_says_so() -> None:
    first, second = decide_by_rules("project", "active.md > Current focus (replace):\nThe tests.\n\n- And the docs.")
    assert isinstance(first, Replace)
    assert isinstance(second, Append)


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
    files, done = merge({}, [Replace("a.md", "One.", Metadata("New"))], now())
    assert "## New" in files["a.md"]
    assert done == (Done("a.md", "append", Metadata("New")),)


def test_a_bank_takes_no_more_files_than_it_may_and_loses_nothing_for_that() -> None:
    decisions = [Append(f"file{number}.md", f"content {number}") for number in range(60)]
    files, _ = merge({}, decisions, now())
    assert len(files) == 40
    assert all(any(f"content {number}" in text for text in files.values()) for number in range(60))
