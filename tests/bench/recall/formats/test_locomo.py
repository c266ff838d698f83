"""LoCoMo's file is read, with its photos and its misspelt evidence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bench.recall.corpus import Conversation, UnreadableCorpus
from bench.recall.formats.locomo import read_locomo


def read(qa: list[dict[str, Any]] | None = None, **conversation: Any) -> Conversation:
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_10_date_time": "12:05 am on 2 June, 2023",
            "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "Back again."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "Look! ", "blip_caption": "a photo of a hive"},
                {"speaker": "Bob", "dia_id": "D2:2", "text": "", "img_url": ["https://example.org/x.jpg"]},
                {"speaker": "Bob", "dia_id": "D2:3", "text": "How nice."},
            ],
            "session_11_date_time": "3:00 pm on 3 June, 2023",
            **conversation,
        },
        "qa": qa or [],
        "event_summary": {},
    }
    corpus = read_locomo([sample], "locomo10")
    assert corpus.name == "locomo10"
    return corpus.conversations[0]


def test_sessions_come_in_the_order_of_their_numbers_with_their_times() -> None:
    messages = read().messages
    assert [(one.id, one.session, one.speaker, one.role) for one in messages] == [
        ("D2:1", "2", "Ann", "user"),
        ("D2:3", "2", "Bob", "assistant"),
        ("D10:1", "10", "Bob", "assistant"),
    ]
    assert messages[0].timestamp == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert messages[1].timestamp > messages[0].timestamp
    assert messages[2].timestamp == datetime(2023, 6, 2, 0, 5, tzinfo=UTC)


def test_a_photo_is_told_by_its_caption_and_a_turn_without_words_left_out() -> None:
    assert [one.text for one in read().messages][:2] == ["Look! [shares photo: a photo of a hive]", "How nice."]


def test_categories_have_names() -> None:
    qa: list[dict[str, Any]] = [
        {"question": "?", "answer": 2022, "category": number, "evidence": []} for number in range(1, 6)
    ]
    questions = read(qa).questions
    assert [one.category for one in questions] == ["multi_hop", "temporal", "open_domain", "single_hop", "adversarial"]
    assert [one.id for one in questions][:2] == ["conv-1-q0", "conv-1-q1"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["D2:1", "D2:3"], ("D2:1", "D2:3")),
        (["D2:1; D10:1"], ("D2:1", "D10:1")),
        (["D10:1 D2:3 D2:3"], ("D10:1", "D2:3")),
        (["D:10:1"], ("D10:1",)),
        (["D10:01"], ("D10:1",)),
        (["D", "D2:2", "D9:9"], ()),
    ],
)
def test_evidence_is_understood_however_it_is_written(written: list[str], meant: tuple[str, ...]) -> None:
    assert read([{"question": "?", "category": 4, "evidence": written}]).questions[0].evidence == meant


def test_a_session_without_a_time_is_refused() -> None:
    with pytest.raises(UnreadableCorpus, match="conv-1, session 2: 'last summer' is not a time"):
        read(session_2_date_time="last summer")
