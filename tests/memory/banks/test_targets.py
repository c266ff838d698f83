"""Content goes where it says itself that it belongs."""

import pytest

from memory.banks.decisions import Decision, Metadata
from memory.banks.filing import decide_by_rules
from memory.banks.targets import told_of_misunderstood

BLANKS = " " * 900_000


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


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("[file: ideas.md] Cats are black.", ("ideas.md", "Notes")),
        ("- [file: progress.md > Next] Cats are black.", ("progress.md", "Next")),
        ("**[file: ideas.md]** Cats are black.", ("ideas.md", "Notes")),
        ("[file: ideas.md]: Cats are black.", ("ideas.md", "Notes")),
        ("[file: ideas.md > Cats] (replace) Cats are black.", ("ideas.md", "Cats")),
        ("[file: ideas.md > Cats (replace)] Cats are black.", ("ideas.md", "Cats")),
    ],
)
def test_a_file_in_brackets_may_have_its_text_behind_it(line: str, place: tuple[str, str]) -> None:
    first, second = decide_by_rules("project", f"{line}\n[file: context.md] Dogs are white.")
    assert (first.target_file, first.metadata.section, first.content) == (*place, "Cats are black.")
    assert (first.operation == "replace") == ("(replace)" in line)
    assert (second.target_file, second.content) == ("context.md", "Dogs are white.")


@pytest.mark.parametrize(
    "line", ["[notes.md](https://x.org) is a link.", "[file: notes.md](https://x.org) is one.", "File notes.md is old."]
)
def test_a_link_names_no_target(line: str) -> None:
    [decision] = decide_by_rules("project", line)
    assert (decision.target_file, decision.content) == ("active.md", line)


def test_a_file_that_is_spoken_of_in_passing_is_no_target() -> None:
    [decision] = decide_by_rules("project", "See decisions.md for why.\n\nThe sky was blue.")
    assert decision.target_file == "active.md"


@pytest.mark.parametrize(
    "line",
    [
        "[file: progress.md > Next (replace)]",
        "[file: progress.md > Next] (replace)",
        "[file: progress.md > Next] (replace):",
        "progress.md > Next (replace):",
        "progress.md > Next: (replace)",
        "## progress.md > Next (replace)",
        "**progress.md > Next** (replace)",
    ],
)
def test_replace_may_stand_wherever_one_would_write_it(line: str) -> None:
    [decision] = decide_by_rules("project", f"{line}\nOnly this is next.")
    assert decision == Decision("replace", "progress.md", "Only this is next.", Metadata("Next", "note"))


@pytest.mark.parametrize("line", ["context.md: (replace)", "context.md (replace):", "[file: context.md] (replace)"])
def test_a_file_without_a_section_is_replaced_in_those_that_the_content_is_for(line: str) -> None:
    decisions = decide_by_rules("project", f"{line}\n## Purpose\nA chat.\n\n## Constraints\nNo cloud.\n\n## Odd\nx")
    told = [(one.operation, one.target_file, one.metadata.section, one.content) for one in decisions]
    assert told == [
        ("replace", "context.md", "Purpose", "A chat."),
        ("replace", "context.md", "Constraints", "No cloud."),
        ("append", "context.md", "Purpose", "## Odd\nx"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        f"a.md{BLANKS}x",
        f"a.md > {BLANKS}x(",
        f"a.md:{BLANKS}x",
        f"[file: a.md > b{BLANKS}] (replace) x",
        f"[file: a.md{BLANKS}] (replace){BLANKS}x",
        f"**Next{BLANKS}x",
        f"Next{BLANKS}: x",
        f"x.{BLANKS}x",
        f"{BLANKS}x",
        "#" * len(BLANKS),
    ],
)
def test_the_longest_line_is_told_from_one_that_names_a_file(line: str) -> None:
    decisions = decide_by_rules("project", line)  # for hours, if a pattern went back over what it took
    assert "".join(one.content for one in decisions).replace(" ", "")[-1:] in ("x", "(", "#")


@pytest.mark.parametrize(
    "line",
    [
        "[file: ünï.md > Ä/Ö] The sky was blue.",
        "[file: evil.exe] The sky was blue.",
        "[file: a/b.md] The sky was blue.",
        "- **[target_file: .md]** The sky was blue.",
        "[file: ideas.md > A (b)] The sky was blue.",
        "[file: ideas.md The sky was blue.",
        "[file:] (replace) The sky was blue.",
    ],
)
def test_a_line_that_was_meant_to_name_a_file_is_kept_as_content_and_told_of(line: str) -> None:
    content = f"decisions.md:\nWe use Z.\n\n{line}"
    first, second = decide_by_rules("project", content)
    assert (first.target_file, first.content) == ("decisions.md", "We use Z.")
    assert (second.target_file, second.content) == ("active.md", line)
    assert "in line 4 of" in (told_of_misunderstood(content) or "")


@pytest.mark.parametrize(
    "content",
    [
        "[file: ideas.md] x",
        "See [file: a/b.md] for more.",
        "[file: notes](https://example.org)",
        "```\n[file: evil.exe]\n```",
        "src/a.md: x",
        "The file: evil.exe",
    ],
)
def test_what_was_not_meant_so_is_not_told_of(content: str) -> None:
    assert told_of_misunderstood(content) is None


def test_of_many_lines_that_are_not_understood_some_are_told() -> None:
    told = told_of_misunderstood("[file: x] y\r\n" * 9)
    assert told is not None and "in line 1, 2, 3, 4, 5 and others of" in told and "x" not in told.split()
