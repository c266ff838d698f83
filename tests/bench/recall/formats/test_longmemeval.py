"""LongMemEval's files are read, each question with a history of its own."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bench.recall.corpus import Conversation, UnreadableCorpus
from bench.recall.formats.longmemeval import read_longmemeval


def read(**changes: Any) -> Conversation:
    item = {
        "question_id": "q7",
        "question_type": "multi-session",
        "question": "How many hives do I have?",
        "answer": 3,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s", "s"],
        "haystack_dates": ["2023/05/22 (Mon) 10:00", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "A third hive came today.", "has_answer": True},
                {"role": "assistant", "content": " "},
            ],
            [
                {"role": "user", "content": "I have two hives.", "has_answer": True},
                {"role": "assistant", "content": "Lovely.", "has_answer": False},
            ],
        ],
        "answer_session_ids": ["s"],
    } | changes
    return read_longmemeval([item], "longmemeval_s").conversations[0]


def test_sessions_come_in_time_order_and_have_ids_of_their_own() -> None:
    conversation = read()
    assert [(one.id, one.session, one.role, one.text) for one in conversation.messages] == [
        ("1:0", "1", "user", "I have two hives."),
        ("1:1", "1", "assistant", "Lovely."),
        ("0:0", "0", "user", "A third hive came today."),
    ]
    assert conversation.messages[0].timestamp == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert conversation.messages[0].speaker is None


def test_turns_that_have_the_answer_are_the_evidence() -> None:
    (question,) = read().questions
    assert (question.id, question.category, question.evidence) == ("q7", "multi-session", ("1:0", "0:0"))


def test_an_abstention_question_has_no_evidence() -> None:
    (question,) = read(question_id="q7_abs").questions
    assert (question.category, question.evidence) == ("abstention", ())


def test_a_session_without_a_time_is_refused() -> None:
    with pytest.raises(UnreadableCorpus, match="q7: 'May' is not a time"):
        read(haystack_dates=["May", "2023/05/20 (Sat) 02:21"])
    with pytest.raises(UnreadableCorpus, match="q7 has not one date for each session"):
        read(haystack_dates=[])
