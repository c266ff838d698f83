"""Excerpts: the lines of a long text that the next step may need."""

import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.views import excerpts as excerpt_module
from memory.views.excerpts import excerpt
from memory.views.relevance import talk_of

TALK = talk_of(["Change my flight to Rome"])


def kept(text: str, characters: int, said: str = "Change my flight to Rome") -> list[str]:
    return excerpt(text, talk_of([said]), characters).splitlines()


def test_a_short_text_is_whole() -> None:
    assert excerpt("short\n\ntext", TALK, 11) == "short\n\ntext"
    assert len(excerpt("short text", TALK, 5)) == 5
    assert excerpt("", TALK, 5) == ""


def test_of_a_long_text_what_matters_is_kept_in_its_order() -> None:
    lines = ["first", "dull", "dull too", "a flight", "dull", "see HAT136", "dull", "last"]
    text = "\n".join(f"{line} {'.' * 40}" for line in lines)
    assert [line.split(" .")[0] for line in kept(text, 220)] == [
        "first", "…", "a flight", "…", "see HAT136", "…", "last",
    ]  # fmt: skip
    assert len([line for line in kept(text, 310) if line != "…"]) > 5  # where there is room, others stand beside


def test_failures_in_a_log_are_found_wherever_they_stand() -> None:
    lines = [f"2024-05-21T10:{at // 60:02}:{at % 60:02} INFO worker-{at % 7} served request {at}" for at in range(300)]
    lines[57] = "2024-05-21T10:00:57 ERROR worker-1 cannot reach the database: timed out"
    lines[203] = "2024-05-21T10:03:23 INFO worker-0 KeyError: 'user'"
    found = kept("\n".join(lines), 500, "Why did the service crash last night?")
    assert lines[57] in found and lines[203] in found


def test_in_a_huge_text_what_the_user_named_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpt_module, "READ", 4_000)
    lines = [f"order ORD-{at:04} shipped" for at in range(2_000)]
    talk = talk_of(["What happened to order ORD-1377?"], ["What happened to order ORD-1377?"])
    found = excerpt("\n".join(lines), talk, 300).splitlines()
    assert lines[1377] in found and found[0] == lines[0] and found[-1] == lines[-1]


def test_in_a_huge_text_the_failure_in_the_middle_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpt_module, "READ", 4_000)
    lines = [f"INFO request {at} done, 0 errors" if at % 500 else f"INFO request {at}" for at in range(4_000)]
    lines[1_377] = "ERROR checkout payment gateway refused: certificate expired"
    assert lines[1_377] in excerpt("\n".join(lines), talk_of(["Why does it not go?"]), 300).splitlines()


def test_in_a_huge_text_each_name_has_its_share_of_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpt_module, "READ", 4_000)
    lines = [f"order ORD-{at:04} of pg-main-1 shipped" for at in range(2_000)]
    lines[1_377] += " late, INC-48213"
    asked = ["Was pg-main-1 in INC-48213?"]
    assert lines[1_377] in excerpt("\n".join(lines), talk_of(asked, asked), 300).splitlines()


def test_of_a_huge_line_what_stands_around_a_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpt_module, "READ", 8_000)
    sentences = [f"PartOfList {at} of it is dull." for at in range(4_000)]
    sentences[2_345] = "The valve V-77123 leaked at noon."
    asked = ["What of V-77123?"]
    assert sentences[2_345] in excerpt(" ".join(sentences), talk_of(asked, asked), 300).splitlines()


def log_of(count: int) -> list[str]:
    lines = [f"2026-05-21T10:00 INFO worker-{at % 7} processed job {at}" for at in range(count)]
    lines[count // 2] = "2026-05-21T10:00 ERROR host db-7 refused connection"
    return lines


def jsonl_of(count: int) -> list[str]:
    rows = [{"job": at, "worker": f"worker-{at % 7}", "status": "processed"} for at in range(count)]
    return [json.dumps(row if at != count // 2 else row | {"status": "failed"}) for at, row in enumerate(rows)]


def with_long_lines(count: int) -> list[str]:
    """Lines that the reading is cut in: at its beginning, at its end, and around a failure in between."""
    lines = log_of(count)
    for at in (count // 4, count // 2, count - count // 4):
        lines[at] = f"{'dull words ' * 20_000}{lines[at]}{' and more' * 20_000}"
    return lines


@pytest.mark.parametrize("lines_of", [log_of, jsonl_of, with_long_lines])
@pytest.mark.parametrize("count", [500, 12_000])
@pytest.mark.parametrize("characters", [300, 20_000])
def test_lines_are_whole_and_gaps_are_marked_whatever_the_size(
    lines_of: Callable[[int], list[str]], count: int, characters: int
) -> None:
    lines = lines_of(count)
    asked = ["What of job 5123?"]
    places = {line: at for at, line in enumerate(lines)}
    shown = excerpt("\n".join(lines), talk_of(asked, asked), characters).splitlines()
    for line in shown:
        assert line in places or line.startswith("…") or line.endswith("…"), line[:80]
    for line, following in pairwise(shown):
        if line in places and following in places:
            assert places[following] == places[line] + 1


def test_lines_that_are_like_many_others_go_before_facts() -> None:
    jobs = [f"job-export-{at}-abcde            0/1  Completed  0  3d" for at in range(60)]
    pods = ["cart-6f7c9d5b8-x2k4p         1/1  Running    0  12d", "payments-84c7d9-mmn2k        1/1  Running    1  9d"]
    found = kept("\n".join(["NAME READY STATUS RESTARTS AGE", *jobs[:30], *pods, *jobs[30:]]), 400)
    assert all(pod in found for pod in pods)
    logs = [f"2026-11-25T10:00:{at:02}Z INFO request served status=200" for at in range(60)]
    logs[33] = "2026-11-25T10:00:33Z INFO cache grew to 231 MiB"
    assert logs[33] in kept("\n".join(logs), 300)
    mail = "Terms apply. " * 60 + "Your gate is in the north. " + "Terms apply. " * 60
    found = kept(mail, 100)
    assert "Your gate is in the north." in found


def test_a_cut_falls_between_lines() -> None:
    text = "\n\n".join(f"the fact {at} is told here" for at in range(60))
    for characters in range(100, 400, 7):
        found = kept(text, characters)
        assert all(line in text.splitlines() or line == "…" for line in found)


def test_lines_come_with_those_that_they_are_indented_under() -> None:
    tree = ["├── src", "│   ├── web", *[f"│   │   ├── page{at}.html" for at in range(40)],
            "│   └── auth", "│       ├── jwt.py", "└── end"]  # fmt: skip
    found = kept("\n".join(tree), 120, "Fix the jwt expiry bug")
    assert found[0] == "├── src"
    assert found[found.index("│       ├── jwt.py") - 1] == "│   └── auth"
    code = [
        "import os",
        "class Store:",
        *[f"    # {at} words" for at in range(60)],
        "    def refund(self):",
        "        pass",
    ]
    assert "class Store:" in kept("\n".join(code), 100, "Where is the refund?")


def test_a_heading_that_is_spoken_of_comes_with_the_table_below_it() -> None:
    story = [f"We like people and people like us, as it says in part {at}." for at in range(60)]
    table = ["Users Monthly", "10 99", "50 399", "unlimited 1999"]
    found = kept("\n".join([*story, "The Enterprise plan", *table, *story]), 400, "What is the enterprise plan?")
    assert found[found.index("The Enterprise plan") :][1:5] == table


def test_failures_come_before_what_is_spoken_of_and_rare_words_before_common_ones() -> None:
    def one_of(*lines: str) -> str:
        dull = ["dull line of the text"] * 9
        return kept("\n".join([*dull, *lines, *dull]), 30, "Book a flight to Rome")[1]

    assert one_of("a flight to Rome now", "it failed for good") == "it failed for good"
    assert one_of(*["flights to Rome here"] * 9, "where one can book it") == "where one can book it"


def test_what_names_a_thing_lends_nothing_to_the_lines_below_it() -> None:
    before, below = ([f"{name} {at} of it" for at in range(20)] for name in ("line", "row"))
    found = kept("\n".join([*before, "see HAT136", *below, "end"]), 110, "Which?")
    assert "see HAT136" in found and below[0] not in found and before[1] in found


def test_a_text_of_one_line_is_read_by_sentences() -> None:
    sentences = f"It begins. {'Dull words. ' * 20} To Rome then. It ends."
    assert kept(sentences, 45) == ["It begins.", "…", "To Rome then.", "It ends."]


def test_a_line_that_is_too_long_is_cut() -> None:
    assert len(excerpt("x1" * 5_000, TALK, 300)) <= 300
    assert len(excerpt("\n".join(["y" * 900] * 9), TALK, 300)) <= 300


def test_of_a_huge_text_the_beginning_and_the_end_are_read() -> None:
    text = "\n".join(["It begins", *["dull words"] * 100_000, "ERROR in the end", "the last"])
    found = kept(text, 200)
    assert found[0] == "It begins" and found[-2:] == ["ERROR in the end", "the last"]


@pytest.mark.parametrize("text", ["<!--" * 50_000, "<html>" + "<script" * 50_000, " " * 300_000 + "x", "│" * 300_000])
def test_odd_texts_take_no_longer(text: str) -> None:
    assert len(excerpt(text, TALK, 500)) <= 500


@given(st.lists(st.text(max_size=40), max_size=30), st.integers(1, 200))
def test_no_excerpt_is_longer_than_it_may_be(lines: list[str], characters: int) -> None:
    text = "\n".join(lines)
    found = excerpt(text, TALK, characters)
    assert len(found) <= characters
    assert found == text or len(text) > characters


def test_an_excerpt_of_an_excerpt_has_one_mark_for_each_gap() -> None:
    lines = [f"the line {at} says nothing" for at in range(200)]
    lines[60], lines[120] = "ERROR: the first of them", "ERROR: the second of them"
    talk = talk_of(["Why?"])
    again = excerpt(excerpt("\n".join(lines), talk, 300), talk, 70)
    assert "ERROR: the first of them\n…\nERROR: the second of them" in again and "…\n…" not in again
