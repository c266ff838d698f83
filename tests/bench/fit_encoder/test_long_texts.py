"""Long texts made of conversations, and what is looked for in them."""

import random
from datetime import UTC, datetime

from bench.fit_encoder.long_texts import MOST_TEXTS, READ, WORDS, long_texts
from bench.recall.corpus import Message, Question

MOMENT = datetime(2024, 5, 21, tzinfo=UTC)


def message(at: int, text: str) -> Message:
    return Message(f"m{at}", "s", "user", text, MOMENT, "Ann")


SAID = [message(at, f"On day {at} we went out and saw the heron number{at} by the mill again.") for at in range(120)]


def test_texts_are_messages_in_a_row_and_what_is_asked_is_in_one_of_them() -> None:
    questions = [Question("q", "Which heron was seen on day 3?", "single_hop", ("m3",))]
    texts, sought = long_texts(SAID, questions, random.Random(0))
    assert 1 < len(texts) <= MOST_TEXTS
    assert all(len(text.split()) <= max(WORDS) + len(SAID[0].text.split()) + 2 for text in texts)
    assert sought[0].query == questions[0].text and sought[0].answers == {0}
    assert all(one.query.lower() in texts[at].lower() for one in sought[1:] for at in one.answers)
    assert all(
        one.answers == {at for at, text in enumerate(texts) if one.query.lower() in text.lower()} for one in sought[1:]
    )


def test_what_stands_behind_what_is_read_is_not_asked_for() -> None:
    long = message(0, "word " * (READ + 1))
    texts, sought = long_texts([long], [Question("q", "What?", "single_hop", ("m0",))], random.Random(0))
    assert len(texts) == 1 and sought == []
    assert long_texts([message(0, "So it is.")], [], random.Random(0)) == (["Ann: So it is."], [])
