"""Is a question known that is mistyped, or asked in another language and without its mark?"""

import pytest

from memory.language.question_words import asks_in_another_language, with_question_word


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wher is my boat", "where is my boat"),
        ("Waht's for dinner", "what's for dinner"),
        ("ok, whcih one", "ok, which one"),
        ("where is it", "where is it"),
        ("wherry hire", "wherry hire"),
        ("the wher is", "the wher is"),
        ("wher", "wher"),
        ("", ""),
    ],
)
def test_a_mistyped_question_word_is_read_as_it_was_meant(typed: str, meant: str) -> None:
    assert with_question_word(typed) == meant


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("wo wohnt mein Onkel", True),
        ("Wer ist der Übersetzer von dem Buch", True),
        ("wie heißt mein Hund", True),
        ("Wo ich wohne ist es schön", False),
        ("Was für ein Tag das war", False),
        ("Wie schön das ist", False),
        ("Mein Onkel wohnt, wo er will", False),
        ("dónde vive mi hermana", True),
        ("como se llama mi primo", True),
        ("Como mucho arroz con mi hermana", False),
        ("quel est mon fromage favori", True),
        ("Quand nous étions à la plage il faisait beau", False),
        ("qual è il mio colore preferito", True),
        ("onde mora a minha avó", True),
        ("waar woont mijn oom", True),
        ("Waar ik woon is het stil", False),
        ("Dove is a soap", False),
        ("What a day", False),
        ("wo wohnt mein Onkel. Ich weiß es nicht", False),
        ("wo wohnt mein " + "sehr " * 40, False),
    ],
)
def test_a_question_in_another_language_needs_no_mark(text: str, asks: bool) -> None:
    assert asks_in_another_language(text) == asks
