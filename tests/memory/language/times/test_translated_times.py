"""Times that are named in other languages are understood as they are in English."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.times.spans import spans_of
from memory.language.times.translated_times import LONGEST, in_english, stems_in_english
from memory.language.words import WORDS
from tests.memory.calendar_days import NOW, between, days, month

# What a query names on Wednesday, 12 March 2025, and the same in English.
SAME = [
    ("Was habe ich im Juli erzählt?", "in July"),
    ("Was war im Mai?", "in May"),
    ("Was war letzten Montag?", "last Monday"),
    ("Was ist am Freitag passiert?", "on Friday"),
    ("Was habe ich gestern gemacht?", "yesterday"),
    ("Was habe ich heute Morgen gesagt?", "this morning"),
    ("Fasse zusammen, was im Mai war", "in May"),
    ("Was habe ich vorgestern gekauft?", "the day before yesterday"),
    ("Was mache ich morgen?", "tomorrow"),
    ("Was habe ich naechste Woche vor?", "next week"),
    ("Was ist vor drei Tagen passiert?", "three days ago"),
    ("Was haben wir vor einem Jahr besprochen?", "a year ago"),
    ("Was war in den letzten 3 Monaten?", "in the last three months"),
    ("Was haben wir Ende Mai gemacht?", "at the end of May"),
    ("Was war seit April?", "since April"),
    ("Was war zwischen März und Mai?", "between March and May"),
    ("Was war im letzten Sommer?", "last summer"),
    ("Was habe ich im März 2024 gesagt?", "in March 2024"),
    ("¿Qué pasó en junio?", "in June"),
    ("¿Qué te conté el mes pasado?", "last month"),
    ("¿Qué hice ayer?", "yesterday"),
    ("¿Qué hice anteayer?", "the day before yesterday"),
    ("¿Qué hago mañana?", "tomorrow"),
    ("¿Qué dije hace tres días?", "three days ago"),
    ("¿Qué hicimos el lunes pasado?", "last Monday"),
    ("¿Qué hago el próximo viernes?", "next Friday"),
    ("¿Qué hago la semana que viene?", "next week"),
    ("¿Qué pasó en los últimos doce meses?", "in the last twelve months"),
    ("¿Qué pasó entre marzo y mayo?", "between March and May"),
    ("¿Qué dije este año?", "this year"),
    ("Qu'est-ce qui s'est passé hier ?", "yesterday"),
    ("Qu’est-ce que j’ai dit la semaine dernière ?", "last week"),
    ("Qu'est-ce qu'on a fait il y a trois jours ?", "three days ago"),
    ("Qu'est-ce qui s'est passé en août ?", "in August"),
    ("Qu'est-ce qu'on a fait l'été dernier ?", "last summer"),
    ("Qu'est-ce qu'on a fait lundi dernier ?", "last Monday"),
    ("Où est-ce que j'ai été en mai ?", "in May"),
    ("Cosa è successo a giugno?", "in June"),
    ("Cosa ho detto la settimana scorsa?", "last week"),
    ("Cosa abbiamo fatto due mesi fa?", "two months ago"),
    ("Cosa ho fatto l'altro ieri?", "the day before yesterday"),
    ("O que aconteceu em junho?", "in June"),
    ("O que eu disse no mês passado?", "last month"),
    ("O que fizemos três dias atrás?", "three days ago"),
    ("O que aconteceu na segunda-feira passada?", "last Monday"),
    ("O que o Marco disse ontem?", "yesterday"),
    ("Wat gebeurde er vorige week?", "last week"),
    ("Wat heb ik in juli verteld?", "in July"),
    ("Wat deed ik drie dagen geleden?", "three days ago"),
    ("Wat heb ik afgelopen maandag gedaan?", "last Monday"),
]


@pytest.mark.parametrize(("query", "english"), SAME, ids=[query for query, _ in SAME])
def test_a_time_is_understood_as_the_same_in_english(query: str, english: str) -> None:
    assert spans_of(query, NOW) == spans_of(f"What did we do {english}?", NOW) != ()


@pytest.mark.parametrize(
    "query",
    [
        "Was ist am 3. Mai 2024 passiert?",
        "Was war am Freitag, den 3. Mai 2024?",
        "Was habe ich am 03.05.2024 gesagt?",
        "¿Qué pasó el 3 de mayo de 2024?",
        "¿Qué dije el 3/5/2024?",
        "Que s'est-il passé le 3 mai 2024 ?",
        "Cosa è successo il 3 maggio 2024?",
        "O que aconteceu em 3 de maio de 2024?",
        "Wat is er op 3 mei 2024 gebeurd?",
    ],
)
def test_a_day_of_a_month_is_understood(query: str) -> None:
    assert spans_of(query, NOW) == tuple(days((2024, 5, 3)))


def test_from_one_time_to_another_is_one_time() -> None:
    assert spans_of("Was war vom 3. bis 7. Mai 2024?", NOW) == (between((2024, 5, 3), (2024, 5, 8)),)
    assert spans_of("¿Qué pasó de marzo a mayo de 2024?", NOW) == (between((2024, 3, 1), (2024, 6, 1)),)


def test_the_first_of_a_month_is_understood() -> None:
    assert spans_of("Qu'est-ce que j'ai dit le 1er mars 2024 ?", NOW) == tuple(days((2024, 3, 1)))


@pytest.mark.parametrize(("name", "lead"), [("german", "Was war wohl nicht im"), ("spanish", "¿Qué pasó en")])
def test_every_month_has_a_name(name: str, lead: str) -> None:
    for number, names in enumerate(WORDS[name].times.months.replace("?", "").split(), 1):
        for one in names.split("|"):
            assert spans_of(f"{lead} {one} 2024?", NOW) == (month(2024, number),)


@pytest.mark.parametrize(("counted", "number"), [("zwei", 2), ("fünf", 5), ("zwoelf", 12), ("11", 11)])
def test_numbers_are_words_or_digits(counted: str, number: int) -> None:
    assert spans_of(f"Was war vor {counted} Wochen?", NOW) == spans_of(f"{number} weeks ago", NOW)


@pytest.mark.parametrize(
    "query",
    [
        "What did Juan say about hier and gestern?",
        "Is Mayo a place, or is it what we eat?",
        "Wer war jeden Montag da?",
        "Guten Morgen, wie geht es dir?",
        "Ist meine Frau noch da?",
    ],
)
def test_no_time_is_read_where_none_is_named(query: str) -> None:
    assert spans_of(query, NOW) == ()


def test_a_query_in_english_stays_as_it_is() -> None:
    for query in ("What did we do last week?", "Where  is\tit?", "5/7/2023"):
        assert in_english(query) == query
    assert stems_in_english("What did we do last week?") == ["last", "week"]


@given(
    st.text(max_size=60),
    st.sampled_from(["ich habe nicht ", "¿qué pasó el ", "il y a ", "cosa è ", "não há ", "wat heb ik "]),
)
def test_no_text_is_too_odd(text: str, lead: str) -> None:
    assert isinstance(spans_of(f"{lead}{text}", NOW), tuple)


@pytest.mark.parametrize("piece", ["am 3. ", "vor drei ", "letzten ", "3 bis ", "il y a ", "el próximo ", "três "])
def test_a_long_query_is_read_in_no_time(piece: str) -> None:
    for lead in ("ich habe nicht ", "qu'est-ce que j'ai ", "qué quién dónde ", "não você "):
        in_english((lead + piece)[:LONGEST])
        started = time.process_time()
        spans_of((lead + piece * LONGEST)[:LONGEST], NOW)
        assert time.process_time() - started < 0.5


@pytest.mark.parametrize("query", ["Wie alt ist August?", "Qui est Avril Lavigne?"])
def test_who_is_called_as_a_month_is_no_time(query: str) -> None:
    assert spans_of(query, NOW) == ()
