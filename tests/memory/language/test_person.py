"""The forms of an irregular word are one word."""

import pytest

from memory.language.person import base_of
from utils.text import stem


@pytest.mark.parametrize(
    ("base", "form"),
    [("break", "broke"), ("buy", "bought"), ("swim", "swum"), ("child", "children")],
)
def test_a_form_is_of_its_word(base: str, form: str) -> None:
    assert base_of(stem(form)) == base_of(stem(base)) == stem(base)


@pytest.mark.parametrize("word", ["live", "lives", "rose", "wound", "leaves", "ground", "vase"])
def test_what_may_be_another_word_stays(word: str) -> None:
    assert base_of(stem(word)) == stem(word)
