"""Each question has one slip, and always the same."""

import pytest

from bench.recall.corpus import Conversation, Corpus, Question
from bench.recall.misspelling import misspelt
from memory.recall.query import slips


def asked(text: str, number: int = 1) -> str:
    corpus = Corpus("little", (Conversation("c1", (), (Question(f"q{number}", text, "single_hop", ("m1",)),)),))
    found = misspelt(corpus)
    assert found.name == "little-misspelt" and found == misspelt(corpus)
    [conversation] = found.conversations
    [question] = conversation.questions
    assert question.evidence == ("m1",)
    return question.text


@pytest.mark.parametrize("number", range(12))
def test_the_longest_word_that_carries_meaning_has_a_slip(number: int) -> None:
    found = asked("Where is the allotment of Melanie?", number)
    assert found.startswith("Where is the ") and found.endswith(" of Melanie?")
    assert found.split()[3] in {*slips("allotment")}


def test_a_slip_always_changes_the_word() -> None:
    assert all(asked("the address", number) != "the address" for number in range(100))
    assert {len(asked("the allotment", number)) for number in range(20)} == {12, 13, 14}


def test_how_many_questions_have_a_slip_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    questions = (Question("q1", "the allotment", "c", ()), Question("q2", "Who is Anna?", "c", ()))
    misspelt(Corpus("little", (Conversation("c1", (), questions),)))
    assert capsys.readouterr().out == "little: 1 of 2 questions have a slip\n"


@pytest.mark.parametrize("text", ["Who is Anna?", "Where would which?", "", "KX-21?"])
def test_a_question_without_such_a_word_stays_as_it_is(text: str) -> None:
    assert asked(text) == text
