"""Our own format is read as it is written."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from bench.recall.corpus import Message, Question, UnreadableCorpus
from bench.recall.formats.prepared import read_prepared


def data(**question: Any) -> dict[str, Any]:
    said = {"session": 1, "speaker": "Ann", "role": "user"}
    return {
        "corpus": "little",
        "conversations": [
            {
                "id": "c1",
                "speakers": ["Ann", "Bob"],
                "messages": [
                    {"id": "m1", "date": "2025-03-01T12:00:00", "text": "I keep bees.", **said},
                    {"id": "m2", "date": "2025-03-01T13:00:00+01:00", "text": " ", **said},
                ],
                "questions": [
                    {"id": "q1", "question": "Who keeps bees?", "answer": "Ann", "category": "x", "evidence": ["m1"]}
                    | question
                ],
            }
        ],
    }


def test_messages_and_questions_are_read_and_blank_messages_left_out() -> None:
    corpus = read_prepared(data())
    assert corpus.name == "little"
    (conversation,) = corpus.conversations
    moment = datetime(2025, 3, 1, 12, tzinfo=UTC)
    assert conversation.messages == (Message("m1", "1", "user", "I keep bees.", moment, "Ann"),)
    assert conversation.questions == (Question("q1", "Who keeps bees?", "x", ("m1",), "Ann"),)


def test_evidence_that_names_no_message_is_refused() -> None:
    with pytest.raises(UnreadableCorpus, match="the evidence of q1 names no message: m7"):
        read_prepared(data(evidence=["m1", "m7"]))


def test_a_field_that_is_missing_is_refused() -> None:
    wrong = data()
    del wrong["conversations"][0]["messages"][0]["role"]
    with pytest.raises(ValidationError):
        read_prepared(wrong)


def test_a_question_without_evidence_counts_only_where_its_category_has_none() -> None:
    def counts(category: str) -> bool:
        return read_prepared(data(evidence=[], category=category)).conversations[0].questions[0].counts

    assert counts("abstention")
    assert not counts("temporal")
