"""What stays of a bank that is condensed by rules?"""

from datetime import UTC, datetime, timedelta

import pytest

from config.recipes import BankRecipe
from memory.bank_condense import condense, shortened, tokens_of
from memory.bank_decisions import Append, Metadata, merge
from memory.bank_markdown import parse
from memory.bank_types import template

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
RECIPE = BankRecipe()
LONG = "It was discussed at some length, with no end in sight. " * 8


def bank(*said: tuple[str, str, str, int]) -> dict[str, str]:
    """A project's files, with what was said: file, section, content, days ago."""
    files = template("project", "loci")
    for file, section, content, days in said:
        decision = Append(file, content, Metadata(section))
        files, _ = merge(files, [decision], NOW - timedelta(days=days))
    return files


def condensed(files: dict[str, str]) -> dict[str, str]:
    return condense("project", files, 7, NOW, RECIPE)


def test_it_has_no_more_tokens_than_it_may_and_is_not_emptied() -> None:
    files = bank(*[("active.md", "Notes", f"{number}: {LONG}", number) for number in range(200)])
    assert tokens_of(files) > 2 * RECIPE.most
    assert RECIPE.least <= tokens_of(condensed(files)) <= RECIPE.most


def test_what_is_critical_stays_however_old_it_is() -> None:
    said = [("active.md", "Notes", f"{number}: {LONG}", 1) for number in range(200)]
    files = bank(("active.md", "Notes", "[critical] The key of the vault is under the mat.", 900), *said)
    assert "[critical] The key of the vault is under the mat." in condensed(files)["active.md"]


def test_architecture_stays_before_implementation_before_discussion() -> None:
    places = [("architecture.md", "Components"), ("progress.md", "Done"), ("active.md", "Notes")]
    files = bank(*[(file, section, f"{number}: {LONG}", 5) for number in range(40) for file, section in places])
    short = condensed(files)
    whole = [short[file].count("no end in sight. It was") for file, _ in places]
    assert whole[0] == 40 * 7
    assert whole[0] > whole[1] > whole[2]


def test_of_one_section_the_newest_stay() -> None:
    files = bank(*[("active.md", "Notes", f"item {number}: {LONG}", 300 - number) for number in range(300)])
    short = condensed(files)["active.md"]
    assert f"item 299: {LONG}".strip() in short
    assert f"item 0: {LONG}".strip() not in short


def test_the_file_says_in_which_version_the_rest_is() -> None:
    files = bank(*[("active.md", "Notes", f"{number}: {LONG}", 1) for number in range(200)])
    short = condensed(files)
    assert "version 7 has all of it" in short["active.md"]
    assert "version 7" not in short["decisions.md"]
    again = condense("project", short | {"active.md": short["active.md"] + f"\n{LONG * 60}"}, 9, NOW, RECIPE)
    assert again["active.md"].count("_Condensed on") == 1


def test_a_bank_that_is_small_stays_as_it_is() -> None:
    files = bank(("decisions.md", "Decisions", "We use SQLite.", 3), ("active.md", "Mine", "one\n\ntwo", 1))
    assert condensed(files) == files


@pytest.mark.parametrize(
    "content",
    [
        "word " * 100_000,
        "line\n" * 50_000,
        "para graph\n\n" * 20_000,
        "x" * 400_000,
        "```\ncode\n" * 20_000,
        "[critical] y. " * 9_000,
    ],
)
def test_one_huge_entry_is_cut_to_what_fits(content: str) -> None:
    assert tokens_of(condensed(bank(("active.md", "Notes", content, 1)))) <= RECIPE.most


def test_headings_of_many_sections_do_not_keep_it_large() -> None:
    files = bank() | {
        "ideas.md": "# Ideas\n" + "".join(f"\n## Section {number}\n\nSome idea.\n" for number in range(9_000))
    }
    short = condensed(files)
    assert tokens_of(short) <= RECIPE.most
    assert [section.title for section in parse(short["active.md"]).sections] == [
        "Current focus",
        "Open questions",
        "Notes",
    ]


def test_a_short_form_is_the_first_sentence_with_the_time() -> None:
    assert shortened("### 2026-11-22 14:32\n\n#### Head\nFirst one. Second one.") == "- 2026-11-22 14:32 First one."
    assert shortened("- 2026-11-22 14:32 Only one.") == "- 2026-11-22 14:32 Only one."
    assert len(shortened("y" * 5_000)) < 170
