"""A query in another language is known as one, its function words are left out, and English stays as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import fit_lexicon
from memory.language.languages import ENGLISH, LEXICON, LONGEST, are_words, hashes_of, is_foreign, language_of
from utils.text import STOPWORDS, content_stems


@pytest.mark.parametrize(
    ("query", "language", "telling"),
    [
        ("Wie hoch ist meine Miete?", "german", ["hoch", "miet"]),
        ("Was kostet der Lieferwagen?", "german", ["kostet", "lieferwagen"]),
        ("WANN IST MEIN TERMIN?", "german", ["termin"]),
        ("Was kann ich fuer meine Mutter kochen?", "german", ["mutter", "kochen"]),
        ("¿Cuándo es la boda de mi prima?", "spanish", ["boda", "prima"]),
        ("Cuando es la boda de mi prima", "spanish", ["boda", "prima"]),
        ("El código de la alarma", "spanish", ["codigo", "alarma"]),
        ("Où est-ce que j'habite ?", "french", ["j'habit"]),
        ("Qui est mon médecin ?", "french", ["medecin"]),
        ("Come si chiama il mio gatto?", "italian", ["chiama", "gatto"]),
        ("Qual é o nome do meu gato?", "portuguese", ["nome", "gato"]),
        ("Wat is mijn adres?", "dutch", ["adr"]),
    ],
)
def test_words_that_carry_no_meaning_in_a_language_are_left_out(query: str, language: str, telling: list[str]) -> None:
    assert language_of(query).name == language
    assert language_of(query).stems(query) == telling


@pytest.mark.parametrize(
    "query",
    [
        "What did I say about die Zeit?",
        "Was Die Hard good?",
        "was die hard good",
        "Who plays in Das Boot and in La La Land?",
        "Los Angeles trip",
        "Plans for Cinco de Mayo",
        "Café de Flore in May",
        "Where is the Musée de la Vie romantique?",
        "a man in a hat come in",
        "me, no?",
        "Do I have the CEO of the CI team in Como?",
        "See ya!",
        "",
        "?!",
        "42",
        "日本語の質問です",
        "Когда я переезжаю?",
    ],
)
def test_words_that_english_has_too_and_names_make_no_query_foreign(query: str) -> None:
    assert language_of(query) is ENGLISH


@given(st.lists(st.sampled_from([*sorted(STOPWORDS), "dog", "Melanie", "June", "was", "die"]), max_size=12))
def test_what_english_says_with_its_own_words_is_english(said: list[str]) -> None:
    query = " ".join(["what", "did", *said, "they"])
    assert language_of(query) is ENGLISH
    assert language_of(query).stems(query) == content_stems(query)


def test_a_long_query_is_known_by_how_it_begins() -> None:
    query = "Wie hoch ist meine Miete? ".ljust(LONGEST) + "what should they have been about there? " * 50
    assert language_of(query).name == "german"


@given(st.text())
def test_no_query_is_too_odd(query: str) -> None:
    assert language_of(f"Wie {query}").filler


@pytest.mark.parametrize(
    "text",
    [
        "Oublie mon adresse",
        "Powiedz mi, gdzie mieszkam",
        "Lupakan nomor telepon saya",
        "Dimentica la mia password",
        "我住在南京",
    ],
)
def test_a_text_without_english_words_is_foreign(text: str) -> None:
    assert is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "Forget my adres",
        "wifi password office",
        "dentist appointment Kruger Tuesday",
        "Krzysztof",
        "pin 4471",
        "Delete it",
        "",
    ],
)
def test_english_is_not_foreign_with_slips_or_without_small_words(text: str) -> None:
    assert not is_foreign(text)


def test_words_of_english_are_known_and_others_are_not() -> None:
    words = ["scone", "trowel", "allotments", "insured", "colour", "color", "kestrel", "padel", "backend"]
    assert are_words(words).all()
    assert not are_words(["alotment", "lisence", "wohnung", "kubectx", "qzxwv", ""]).any()
    assert are_words([]).shape == (0,)


def test_the_command_takes_the_words_at_the_beginning_of_lines(tmp_path, monkeypatch) -> None:
    made = tmp_path / "words.npy"
    monkeypatch.setattr(fit_lexicon, "LEXICON", made)
    listed = tmp_path / "list.txt"
    listed.write_text("\ufeffScone 123\nTrowel\nthe\nmother-in-law\nit\u2019s\ncaf\u00e9s\nscone\n", "utf-8")
    short = tmp_path / "short.txt"
    short.write_text("van 7\nox\n", "utf-8")
    fit_lexicon.main([str(listed)], [str(short)])
    assert np.load(made).tolist() == sorted(hashes_of(["scone", "trowel", "van"]).tolist())


def test_the_list_is_in_order() -> None:
    stored = np.load(LEXICON)
    assert (stored[1:] > stored[:-1]).all()
