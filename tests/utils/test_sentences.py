"""A sentence ends where readers see an end."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.sentences import split_sentences

prose = st.text(alphabet="ab cdé.,;!? 12B\n\t-’'“”漢🙂", max_size=120)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Lee lives at No. 5. He sings.", ["Dr. Lee lives at No. 5.", "He sings."]),
        ("Version 3.5 is out", ["Version 3.5 is out"]),
        ("My boss is J. Smith. We met J. F. Kennedy.", ["My boss is J. Smith.", "We met J. F. Kennedy."]),
        (
            "That is plan B. Tom left. It has vitamin C. The end.",
            ["That is plan B.", "Tom left.", "It has vitamin C.", "The end."],
        ),
        ("Acme Inc. of the U.S. sells. It grows.", ["Acme Inc. of the U.S. sells.", "It grows."]),
        ("It is 7 a.m. in the U.S. We sleep.", ["It is 7 a.m. in the U.S.", "We sleep."]),
        ("i live in the u.s. my boss is tom", ["i live in the u.s.", "my boss is tom"]),
        ("a\nb\n\nc", ["a", "b", "c"]),
        ('He said "no." Then left.', ['He said "no.', "Then left."]),
        ("  ", []),
    ],
)
def test_sentences_end_where_readers_see_an_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text() | prose)
def test_no_letter_is_lost_in_sentences_and_none_is_blank(text: str) -> None:
    sentences = split_sentences(text)
    assert all(sentence.strip() == sentence and sentence for sentence in sentences)
    kept = [character for character in text if character.isalnum()]
    assert [character for sentence in sentences for character in sentence if character.isalnum()] == kept


@pytest.mark.parametrize(
    "sentence",
    [
        "Mein Termin ist am 12. Mai um neun.",
        "Ich fahre vom 12. bis 14. August nach Kiel.",
        "Sie kommt am 1. oder 2. Juli.",
        "Wir treffen uns am 3. 5. 2026 in Ulm.",
        "Treffen am 30. September im Büro.",
        "Ich wohne im 2. Stock.",
        "Meine Tochter geht in die 3. Klasse.",
        "Das ist mein 2. Versuch.",
        "Heute ist der 1. Advent.",
        "Er ist am 5. Februar geboren.",
        "Ich mag Obst, z. B. Äpfel und Birnen.",
        "Ich mag Obst, z.B. Äpfel und Birnen.",
        "Das gilt i. d. R. Montag bis Freitag.",
        "Er kommt später, d. h. Anna fängt an.",
        "Das kostet ca. Hundert Euro inkl. Versand.",
        "Wir suchen u. a. Köche.",
        "Mein Sohn wurde am 24.12. geboren.",
        "Das Haus kostet 2 Mio. Euro.",
        "Sie wohnt in der Hauptstr. 5 in Ulm, siehe S. 12.",
        "Vive na Av. Paulista.",
        "Hr. Meier und Fr. Schulz, Nr. 5.",
        "See e. g. Berlin, i. e. Germany, and Dr. Lee.",
        "See Fig. 3 on p. 12, due on Jan. 5 or Feb. 7.",
        "Vive con la Sra. Gómez y el Sr. Ruiz.",
        "Me gustan las frutas, p. ej. Manzanas.",
        "Je dîne avec M. Dupont, p. ex. Vendredi.",
        "Mi piace la frutta, p. es. Mele.",
        "Ik hou van fruit, bijv. Appels.",
        "Spotkanie jest 12. maja o dziewiątej.",
        "Schůzka je 12. května v devět.",
        "Mødet er den 12. maj klokken ni.",
        "Kokous on 12. toukokuuta kello yhdeksän.",
        "Ben 3. katta oturuyorum.",
        "Я люблю фрукты, т. е. Яблоки.",
        "Он живёт на ул. Ленина.",
    ],
)
def test_what_is_shortened_or_counted_ends_no_sentence(sentence: str) -> None:
    assert split_sentences(sentence) == [sentence]
    assert split_sentences(f"{sentence} {sentence}") == [sentence, sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        ["I am 42.", "Peter is 40."],
        ["I am 12.", "Mai is my sister."],
        ["There were 12.", "August is hot."],
        ["i am 12.", "tom is 40."],
        ["It costs 12.", "and so on."],
        ["I need a bike, up to 400.", "new or second hand?"],
        ["It was in 2026.", "We went home."],
        ["The score is 3.5.", "Nice work."],
        ["Ich habe 12.", "Danach kam Anna."],
        ["Der Termin ist am 12.", "Ich komme mit."],
        ["Ich kaufe Obst, Brot usw.", "Ich koche dann."],
        ["Das kostet 2 Mio.", "Wir zahlen."],
        ["Der Termin ist am 24.12.", "Peter kommt auch."],
        ["It is version 1.12.", "It works."],
        ["Wir mögen Obst u. a.", "Wir kochen."],
        ["I ate a fig.", "3 hours later I slept."],
        ["I love art.", "5 years ago I painted."],
        ["It took 5 min.", "3 people came."],
        ["I live in San Diego, CA.", "Dogs like it."],
        ["np.", "I'll do it."],
        ["I met Max.", "5 people like him."],
        ["We chose plan z.", "Bob left."],
    ],
)
def test_a_number_or_a_word_like_a_shortened_one_may_end_a_sentence(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


def test_a_number_at_the_end_of_a_line_counts_nothing_on_the_next() -> None:
    assert split_sentences("Ich nehme die 12.\nMai ist schön.") == ["Ich nehme die 12.", "Mai ist schön."]


def test_a_long_text_of_abbreviations_is_taken_apart_in_linear_time() -> None:
    text = "mr. " * 50_000
    sentences: list[str] = []
    worker = threading.Thread(target=lambda: sentences.extend(split_sentences(text)), daemon=True)
    worker.start()
    worker.join(20)  # it took minutes when it was quadratic
    assert sentences == [text.strip()]
