"""What `bench.acts` takes for asking and for telling, before anything reads it."""

from bench.acts import FORMS, labelled
from bench.recall.reading import corpus_of

HISTORY = {
    "corpus": "tiny",
    "conversations": [
        {
            "id": "c",
            "messages": [
                {"id": str(at), "session": 1, "date": "2025-03-04T20:15:00", "role": "user", "text": text}
                for at, text in enumerate(
                    ("Where is the key?", "You lost the key?", "The key is gone.", "Why?", "It is gone. Is it?")
                )
            ],
            "questions": [{"id": "q", "question": "What is gone?", "category": "single", "evidence": ["2"]}],
        }
    ],
}


def test_what_asks_and_what_tells_is_known_by_how_it_begins_and_ends() -> None:
    found = [(one.text, one.asks) for one in labelled(corpus_of(HISTORY, "tiny"))]
    assert found == [("What is gone?", True), ("Where is the key?", True), ("The key is gone.", False)]


def test_texts_are_read_as_hasty_people_type_them() -> None:
    assert FORMS["small, no mark"]("Where is Ada?") == "where is ada"
    assert FORMS["with a slip"]("Where is the lighthouse?") != "where is the lighthouse"
