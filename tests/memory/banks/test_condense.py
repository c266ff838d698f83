"""Condensing by rules: what stays of a bank."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from config.recipes import BankRecipe
from memory.banks.condense import condense, shortened
from memory.banks.decisions import Decision, Metadata, merge
from memory.banks.markdown import items, parse, tokens_of
from memory.banks.types import template

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
RECIPE = BankRecipe()
LONG = "It was discussed at some length, with no end in sight. " * 8


def bank(*said: tuple[str, str, str, int]) -> dict[str, str]:
    """A project's files, with what was said: file, section, content, days ago."""
    files = template("project", "loci")
    for file, section, content, days in said:
        decision = Decision("append", file, content, Metadata(section))
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
    assert whole[0] > whole[1] > whole[2] > 0


def test_every_section_keeps_its_newest_however_much_the_others_have() -> None:
    places = [("architecture.md", "Components"), ("decisions.md", "Decisions")]
    places += [("progress.md", section) for section in ("Done", "Next", "Issues")]
    places += [("active.md", section) for section in ("Current focus", "Open questions", "Notes")]
    said = "as was said at the meeting, where all of the team agreed that it should be so"
    files = bank(*[(file, section, f"{number:03} {said}", 0) for number in range(120) for file, section in places])
    short = condensed(files)
    for file, name in places:
        section = parse(short[file]).find(name)
        assert section is not None
        whole = [int(found) for found in re.findall(rf"(\d{{3}}) {said}", section.body)]
        assert len(whole) >= (5 if name in ("Open questions", "Notes") else 12)
        assert whole == list(range(120 - len(whole), 120))


def test_old_discussion_goes_before_what_is_new() -> None:
    old = [("active.md", "Notes", f"old {number}: {LONG}", 60) for number in range(40)]
    new = [("progress.md", "Next", f"new {number}: {LONG}", 0) for number in range(40)]
    short = condensed(bank(*old, *new))
    assert short["progress.md"].count(f": {LONG}".strip()) > 4 * short["active.md"].count(f": {LONG}".strip())


OPEN = [
    ("progress.md", "Next", "Next: the migration, before anything else."),
    ("progress.md", "Issues", "Blocked: the vendor has not sent the key."),
    ("active.md", "Notes", "- [ ] Ask Ann about the logo."),
    ("decisions.md", "Decisions", "Talked of colours.\n- [x] red\n- [ ] blue, which Ann must see first"),
    ("ideas.md", "Ideas", "To do: name the cat."),
]


def test_what_is_left_to_be_done_stays_however_old_it_is() -> None:
    old = [(file, section, text, 900) for file, section, text in OPEN]
    places = [
        (file, section) for file in ("active.md", "decisions.md", "ideas.md") for section in ("Notes", "Decisions")
    ]
    files = bank(*old, *[(*place, f"{number}: {LONG}", 1) for number in range(40) for place in places])
    short = condensed(files)
    assert tokens_of(short) <= RECIPE.target
    for file, _, text in OPEN:
        assert text.rpartition("\n")[2].removeprefix("- ") in short[file]


def test_what_is_done_stays_no_longer_for_having_been_planned() -> None:
    said = [("progress.md", "Next", f"- [x] {number}: {LONG}", 900) for number in range(20)]
    short = condensed(bank(*said, *[("progress.md", "Done", f"{number}: {LONG}", 1) for number in range(200)]))
    assert f"0: {LONG}".strip() not in short["progress.md"].partition("## Next")[2]


def test_what_is_left_to_be_done_leaves_room_for_the_rest() -> None:
    left = [("progress.md", "Next", f"- [ ] {number}: {LONG}", 1) for number in range(200)]
    files = bank(*left, *[("decisions.md", "Decisions", f"{number}: {LONG}", 1) for number in range(60)])
    short = condensed(files)
    whole = [short[file].count(LONG.strip()) for file in ("progress.md", "decisions.md")]
    assert whole[0] >= 20 and whole[1] >= 10
    assert f"[ ] 199: {LONG}".strip() in short["progress.md"]


def test_what_was_condensed_stays_as_it_is() -> None:
    files = bank(*[("progress.md", "Next", f"{number}: {LONG}", number) for number in range(200)])
    short = condensed(files)
    assert tokens_of(short) <= RECIPE.target
    assert condensed(short) == short


def test_more_than_may_be_kept_is_condensed_though_it_is_critical_and_the_file_says_so() -> None:
    files = bank(*[("decisions.md", "Decisions", f"[critical] {number}: {LONG}", 1) for number in range(400)])
    short = condensed(files)
    assert RECIPE.target < tokens_of(short) <= RECIPE.most
    assert f"[critical] 399: {LONG}".strip() in short["decisions.md"]
    assert re.search(r"\d+ entries shortened or left out", short["decisions.md"])


@pytest.mark.parametrize(
    "lead",
    ["# T\n" + "line of text\n" * 30_000, "# " + "x" * 300_000, "_Condensed on\n" + "more\n" * 30_000 + "of it._"],
)
def test_what_stands_before_the_first_section_does_not_keep_it_large(lead: str) -> None:
    assert tokens_of(condensed(bank() | {"ideas.md": lead})) <= RECIPE.most


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


def entries(critical: str = "") -> dict[str, str]:
    """Twelve of some 5 kB, in paragraphs, the second of which may be tagged."""
    said = [[f"{number}.{at}: {LONG}" for at in range(11)] for number in range(12)]
    for one in said:
        one[1] = f"{critical}{one[1]}"
    return bank(*[("active.md", "Notes", "\n\n".join(one), 12 - number) for number, one in enumerate(said)])


@pytest.mark.parametrize("critical", ["", "[critical] "])
def test_of_a_long_entry_the_heading_stays_with_what_stays_under_it(critical: str) -> None:
    notes = parse(condensed(entries(critical))["active.md"]).find("Notes")
    assert notes is not None
    assert not re.search(r"^- .*###", notes.body, re.MULTILINE)
    found = items(notes.body)
    assert not [one for one in found if re.fullmatch(r"### \S+ \S+", one)]
    assert any(one.startswith("### 2026-11-21 12:00\n\n") and "\n\n11.0: It was" in one for one in found)
    assert len(found) == 12


def test_a_tag_before_all_of_a_long_entry_is_for_all_of_it() -> None:
    said = "\n\n".join(["[critical]", *[f"{at} of it: {LONG}" for at in range(6)]])
    many = [("active.md", "Notes", f"{number}: {LONG}", 1) for number in range(200)]
    short = condensed(bank(("active.md", "Notes", said, 900), *many))["active.md"]
    assert all(f"{at} of it: {LONG}".strip() in short for at in range(6))


def test_what_a_file_says_that_went_counts_no_headings() -> None:
    files = entries("[critical] ")
    short = condensed(files)["active.md"]
    told = re.search(r"(\d+) entr(?:y|ies) shortened", short)
    assert told is not None
    whole = len(re.findall(rf"\d+\.\d+: {LONG.strip()}", short))
    assert int(told[1]) == 12 * 11 - whole


def test_a_time_without_an_entry_goes() -> None:
    files = bank(*[("active.md", "Notes", f"{number}: {LONG}", 9) for number in range(200)])
    files["active.md"] += "\n### 2026-11-20 14:24\n\n### 2026-11-20 14:25\n- 2026-11-21 12:00 Last.\n"
    short = condensed(files)["active.md"]
    assert "14:24" not in short
    assert "14:25" not in short
    assert "- 2026-11-21 12:00 Last." in short


def test_a_short_form_is_the_first_sentence_with_the_time() -> None:
    assert shortened("### 2026-11-22 14:32\n\n#### Head\nFirst one. Second one.") == "- 2026-11-22 14:32 First one."
    assert shortened("- 2026-11-22 14:32 Only one.") == "- 2026-11-22 14:32 Only one."
    assert shortened("### Mine") == "- Mine"
    assert len(shortened("y" * 5_000)) < 170


@pytest.mark.timeout(20)
def test_a_long_item_of_many_parts_is_condensed_in_one_pass() -> None:
    short, long = (f"Part {at}." for at in range(32_000)), (f"Told {at}." for at in range(32_000))
    files = {"active.md": "# Active\n\n## Notes\n### Everything\n" + "\n\n".join([*short, " ".join(long)])}
    done = condense("project", files, 7, NOW, RECIPE)
    assert "### Everything" in done["active.md"]


@pytest.mark.parametrize("critical", ["", "[critical] "])
def test_of_a_long_note_the_beginning_stays(critical: str) -> None:
    said = "\n\n".join(
        f"{critical}The service number {at} uses port {9_000 + at}, owned by {LONG}." for at in range(400)
    )
    short = condensed(bank(("active.md", "Notes", said, 0)))["active.md"]
    assert "number 0 uses" in short and "number 399 uses" not in short
