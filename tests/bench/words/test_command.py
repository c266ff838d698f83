"""The benchmark of recall by words."""

import sys
from pathlib import Path

import pytest

from bench.recall.reading import read_corpus
from bench.words.__main__ import PeerFailed, Texts, agreement, ask_peer, line, main, texts_of

SMALL = Path(__file__).parents[3] / "bench" / "data" / "small.json"
ONE = Texts(("a", "b", "c"), ("a?", "b?"), ((0,), (1, 2)))


def test_questions_without_an_answer_are_left_out() -> None:
    conversation = read_corpus(SMALL).conversations[0]
    made = texts_of(conversation)
    answered = [question for question in conversation.questions if question.evidence]
    assert made.questions == tuple(question.text for question in answered)
    assert [[conversation.messages[at].id for at in places] for places in made.evidence] == [
        list(question.evidence) for question in answered
    ]


def test_a_ranking_is_measured_in_percent() -> None:
    assert line("x", [ONE], [[[0, 1], [1, 2]]]) == "x: nDCG@10 100.00, recall@10 100.00"
    assert line("x", [ONE], [[[0], [1]]]).endswith("recall@10 75.00")
    assert line("x", [ONE], [[[], []]]) == "x: nDCG@10 0.00, recall@10 0.00"


def test_agreement_is_about_the_first() -> None:
    assert agreement([[[0, 1], [1]]], [[[0, 2], [2]]]) == 50
    assert agreement([[[], [1]]], [[[], [1]]]) == 100


def test_an_interpreter_without_the_reference_is_told_of() -> None:
    with pytest.raises(PeerFailed, match="bm25s"):
        ask_peer(Path(sys.executable), [ONE])


def test_the_command_ranks_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"bench\.words"):
        main(["nothing.json"])
    main([])
    printed = capsys.readouterr().out
    assert "Loci: nDCG@10" in printed and "questions" in printed
