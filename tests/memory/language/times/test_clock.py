"""Questions for the day or the time that it is."""

import pytest

from memory.language import asks_for_present


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which day of the week is it?", "day"),
        ("hey, can you tell me what month it is", "day"),
        ("What’s the current year?", "day"),
        ("do you know what time it is now?", "time"),
        ("Welches Datum haben wir heute?", "day"),
        ("Wie viel Uhr ist es gerade?", "time"),
        ("Quelle est la date d'aujourd'hui ?", "day"),
        ("¿Qué día es hoy?", "day"),
        ("Che ore sono?", "time"),
        ("Que horas são?", "time"),
        ("Welke dag is het vandaag?", "day"),
        ("What day is the concert?", None),
        ("What did I do today?", None),
        ("what time?", None),
        ("Is today the day of the exam?", None),
        ("Welcher Tag war das?", None),
    ],
)
def test_a_question_for_the_present_alone_is_told_by_all_its_words(question: str, asked: str | None) -> None:
    assert asks_for_present(question) == asked
