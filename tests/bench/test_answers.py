"""The measure of answers by rules: how replies are judged, and that the data holds what it says."""

from collections import Counter

import pytest

from bench.answers import DATA, TURNS_DATA, Line, Quote, Reply, Searched, Verdict, read_data, verdict
from utils.text import folded

NEWER = Line("replaced", "en", "which stall is mine", ("2",), ("1",), (), ("31",))
TWO = Line("joined", "en", "which stall is mine, and when is the market", ("2",), (), (), ("31",), ("Saturday",))
NOTHING = Line("none", "en", "which stall is Ann's", near=("2",))


def reply(text: str, *ids: str) -> Reply:
    return Reply(text, tuple(Quote(identifier, "") for identifier in ids))


@pytest.mark.parametrize(
    ("line", "given", "expected"),
    [
        (NEWER, reply("It is stall 31 now.", "2", "1"), "right"),
        (NEWER, reply("Stall 14. It is stall 31 now.", "1", "2"), "among"),
        (NEWER, reply("They moved me.", "2"), "among"),
        (NEWER, reply("I have stall 14.", "1"), "wrong"),
        (NEWER, reply("Noted."), "silent"),
        (TWO, reply("It is stall 31 now. It is on Saturday.", "2", "3"), "right"),
        (TWO, reply("It is stall 31 now.", "2"), "among"),
        (NOTHING, reply("It is stall 31 now.", "2"), "wrong"),
        (NOTHING, reply("I don't know."), "right"),
    ],
)
def test_a_reply_is_judged_by_what_it_quotes_first(line: Line, given: Reply, expected: Verdict) -> None:
    assert verdict(line, given) == expected


def test_a_floor_quotes_the_best_hits_but_no_questions() -> None:
    texts = ("what is my stall", "stall 31", "stall 14", "stalls", "a stall", "tea")
    quotes = tuple(Quote(str(place), text) for place, text in enumerate(texts))
    searched = Searched(quotes, (0.9, 0.8, 0.7, 0.6, 0.5, 0.1))
    assert [quote.text for quote in searched.above(0.2).quotes] == ["stall 31", "stall 14", "stalls"]
    assert [quote.text for quote in searched.above(0.75).quotes] == ["stall 31"]


def test_every_answer_stands_in_its_evidence() -> None:
    for history in read_data(DATA).histories:
        messages = {message.id: message for message in history.messages}
        for line in history.asked:
            assert bool(line.evidence) == bool(line.answers) == (line.kind in ("single", "replaced", "assistant"))
            assert bool(line.replaced) == (line.kind == "replaced")
            assert messages.keys() >= {*line.evidence, *line.replaced, *line.near}
            for identifier in line.evidence:
                assert any(folded(answer) in folded(messages[identifier].text) for answer in line.answers)
                assert messages[identifier].role == ("assistant" if line.kind == "assistant" else "user")


def test_there_are_as_many_lines_of_each_kind_as_described() -> None:
    kinds = Counter(line.kind for history in read_data(DATA).histories for line in history.asked)
    assert kinds == {"single": 190, "replaced": 30, "assistant": 20, "none": 50, "task": 10, "small talk": 60}


def test_the_lines_about_turns_have_their_answers_in_the_evidence() -> None:
    histories = read_data(TURNS_DATA).histories
    for history in histories:
        messages = {message.id: message.text for message in history.messages}
        for line in history.asked:
            assert bool(line.evidence) == bool(line.answers)
            assert all(any(answer in messages[one] for answer in line.answers) for one in line.evidence)
            assert all(any(one in text for text in messages.values()) for one in line.also)
    assert sum(len(history.asked) for history in histories) == 60
