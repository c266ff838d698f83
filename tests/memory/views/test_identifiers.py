"""Identifiers, which things are called by, are told from words."""

import pytest

from memory.views.identifiers import LOOKED_AT, identifiers, is_identifier


@pytest.mark.parametrize(
    "text", ["HAT136", "abcd1", "ann_lee_3668", "2024-05-21", "#W123456", "a.b@c1", "x1/y2", "ORDERED", "10:30", "USD1"]
)
def test_codes_and_words_with_a_digit_look_as_what_things_are_called_by(text: str) -> None:
    assert is_identifier(text)


@pytest.mark.parametrize("text", ["", "abc", "a1", "Rome", "two words 1", "USD", "ABCDEFGHIJKLM", "Ordered", "---- "])
def test_words_do_not(text: str) -> None:
    assert not is_identifier(text)


def test_identifiers_come_once_in_their_order_keys_among_them() -> None:
    value = {"card_12": {"of": "USER77"}, "list": ["HAT136", ["card_12", 12345]], "more": ["HAT200", None]}
    assert identifiers(value) == ["card_12", "USER77", "HAT136", "HAT200"]


def test_of_a_huge_value_the_beginning_is_looked_at() -> None:
    assert identifiers(["HAT136", *["none"] * LOOKED_AT, "HAT200"]) == ["HAT136"]
