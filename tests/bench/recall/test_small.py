"""The conversation that ships with the benchmark is one that it can run on."""

from collections import Counter

from bench.recall.__main__ import SMALL
from bench.recall.reading import read_corpus


def test_the_small_conversation_has_questions_of_every_category() -> None:
    (conversation,) = read_corpus(SMALL).conversations
    counts = Counter(question.category for question in conversation.questions)
    assert counts.keys() == {"single_hop", "multi_hop", "temporal", "open_domain", "adversarial", "abstention"}
    assert counts["adversarial"] >= 3
    assert all(question.counts for question in conversation.questions)


def test_the_small_conversation_runs_through_some_weeks_in_order() -> None:
    (conversation,) = read_corpus(SMALL).conversations
    moments = [message.timestamp for message in conversation.messages]
    assert moments == sorted(moments)
    assert (moments[-1] - moments[0]).days > 28
    assert len({message.session for message in conversation.messages}) == 5
    assert {message.speaker for message in conversation.messages} == {"Nora", "Felix"}
