"""Markdown stays whole when it is taken apart, put into a section, and put together again."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memory.banks.decisions import section_title
from memory.banks.markdown import (
    Page,
    Section,
    closed,
    entry,
    heading_in,
    items,
    joined,
    nested,
    paragraphs,
    parse,
    render,
    time_of,
)

NOW = datetime(2026, 11, 22, 14, 32, tzinfo=UTC)
MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B",
            "## C",
            "## C#",
            "## C# ##",
            "### D",
            "text",
            "- item",
            "",
            "```",
            "~~~~",
            "```py",
            "    code",
            "1. one",
            "> q",
            "##x",
        ]
    ),
    max_size=30,
).map("\n".join)


def words(text: str) -> list[str]:
    """The lines but for what stands around headings: marks and blanks."""
    lines = [line.strip().lstrip("#").removesuffix(" ##").strip() for line in text.split("\n")]
    return [line for line in lines if line]


def test_a_file_is_its_lead_and_its_sections() -> None:
    page = parse("# Title\n\nlead\n\n## One\n\nfirst\n\n## Two\nsecond\n")
    assert page == Page("# Title\n\nlead", (Section("One", "first"), Section("Two", "second")))
    assert render(page) == "# Title\n\nlead\n\n## One\n\nfirst\n\n## Two\n\nsecond\n"


def test_a_heading_within_code_begins_no_section() -> None:
    page = parse("## One\n\n```\n## not\n```\n\n## Two")
    assert [section.title for section in page.sections] == ["One", "Two"]


@given(MARKDOWN)
def test_what_was_rendered_is_parsed_again(text: str) -> None:
    page = parse(text)
    assert parse(render(page)) == page


@given(MARKDOWN)
def test_no_line_is_lost_when_a_file_is_parsed_and_rendered(text: str) -> None:
    assert words(render(parse(text))) == words(text)


@given(MARKDOWN, MARKDOWN)
def test_what_is_put_into_a_section_stays_in_it(text: str, after: str) -> None:
    body = nested(text)
    page = parse(render(Page("# T", (Section("One", body), Section("Two", "end")))))
    assert [section.title for section in page.sections] == ["One", "Two"]
    assert page.sections[1].body == "end"
    assert page.sections[0].body == body


@given(MARKDOWN)
def test_nested_text_has_the_lines_that_it_had_and_perhaps_the_end_of_its_code(text: str) -> None:
    said, kept = words(text), words(nested(text))
    assert kept[: len(said)] == said
    assert len(kept) - len(said) <= 1


def test_headings_in_an_entry_stand_below_its_own() -> None:
    assert nested("# A\n## B\n###### C") == "#### A\n##### B\n###### C"
    assert nested("#### A") == "#### A"


def test_a_line_becomes_an_item_and_more_an_entry_under_its_time() -> None:
    assert entry("- We use ruff. ", NOW) == "- 2026-11-22 14:32 We use ruff."
    assert entry("## Ruff", NOW) == "- 2026-11-22 14:32 Ruff"
    assert entry("one\ntwo", NOW) == "### 2026-11-22 14:32\n\none\ntwo"
    assert entry("x" * 500, NOW).startswith("### ")


def test_a_line_keeps_the_marks_that_make_no_heading() -> None:
    said = "We decided to write the backend in C# and the solver in F# now"
    assert entry(said, NOW) == f"- 2026-11-22 14:32 {said}"
    assert entry("### Written in F#", NOW) == "- 2026-11-22 14:32 Written in F#"


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("C#", "C#"),
        ("C# ##", "C#"),
        ("C ##", "C"),
        ("C # #", "C"),
        ("##", ""),
        ("# #", ""),
        ("a#b", "a#b"),
        ("C\xa0#", "C"),
    ],
)
def test_only_marks_after_a_blank_close_a_heading(heading: str, title: str) -> None:
    assert parse(f"## {heading}\n\nx").sections == (Section(title, "x"),)
    assert heading_in(f"### {heading}") == (3, title)


@given(st.text(alphabet="aC# \t\xa0", max_size=150))
def test_a_sections_title_is_read_as_it_was_written(said: str) -> None:
    title = section_title(said)
    assert parse(render(Page("", (Section(title, "x"),)))).find(title) == Section(title, "x")


def test_an_entrys_time_is_utc_and_can_be_read() -> None:
    madrid = NOW.astimezone(timezone(timedelta(hours=1)))
    assert time_of(entry("x", madrid)) == NOW
    assert time_of(entry("x\ny", madrid)) == NOW
    assert time_of("- 2026-99-99 14:32 x") is time_of("- x") is None


def test_items_are_list_items_paragraphs_and_entries() -> None:
    body = "- a\n- b\n  more\n\npara\nsame\n\n### 2026-11-22 14:32\n\nlong\n\n- inside\n- 2026-11-22 14:33 next"
    assert items(body) == [
        "- a",
        "- b\n  more",
        "para\nsame",
        "### 2026-11-22 14:32\n\nlong\n\n- inside",
        "- 2026-11-22 14:33 next",
    ]
    assert items(joined(items(body))) == items(body)


@given(MARKDOWN)
def test_items_and_paragraphs_have_all_lines(text: str) -> None:
    for parts in (items(text), paragraphs(text)):
        assert words("\n".join(parts)) == words(text)


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("```\nopen", "```\nopen\n```"),
        ("- a\n  ```\n  code", "- a\n  ```\n  code\n  ```"),
        ("1. a\n   ~~~~sh\n   code", "1. a\n   ~~~~sh\n   code\n   ~~~~"),
        ("- ```\n  code", "- ```\n  code\n  ```"),
        ("- a\n  - b\n    ```\n    code", "- a\n  - b\n    ```\n    code\n    ```"),
        ("- a\n  ```\nno code any more", "- a\n  ```\nno code any more"),
        ("- a\n  ```\n  code\n```\nNext: tests", "- a\n  ```\n  code\n  ```\nNext: tests"),
        ("    ```\nindented", "    ```\nindented"),
        ("> ```\n> quoted", "> ```\n> quoted"),
    ],
)
def test_code_ends_where_markdown_says_that_it_does(text: str, ended: str) -> None:
    assert closed(text) == ended == closed(ended)


LISTED = ["- a", "  - b", "1. c", "```", "~~~", "  ```", "   ```sh", "    ```", "- ```", "text", "  text", "", "> q"]


@given(st.lists(st.sampled_from(LISTED), max_size=9).map("\n".join))
def test_what_follows_a_text_is_not_taken_for_its_code(text: str) -> None:
    found = MarkdownIt("commonmark").parse(f"{closed(text)}\n\n## What follows\n\nx")
    assert "What follows" in [token.content for token in found if token.type == "inline"]
