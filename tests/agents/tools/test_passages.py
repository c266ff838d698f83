"""Passages: the part of a long message that is shown."""

from agents.tools.record_part import passage
from utils.text import GAP


def test_a_short_message_is_shown_whole() -> None:
    assert passage("My dog is called Biscuit.", "quantum", 100) == "My dog is called Biscuit."


def test_of_a_long_message_the_sentences_are_shown_that_the_query_speaks_of() -> None:
    text = " ".join([*["It rained over the harbour again."] * 200, "The key is with Ada.", *["It was dull."] * 200])
    shown = passage(text, "Who has the key?", 300)
    assert "The key is with Ada." in shown and len(shown) <= 300 and GAP in shown


def test_of_one_endless_sentence_is_shown_what_stands_around_the_words() -> None:
    text = f"{'rain and ' * 2_000}the key is with Ada and {'rain and ' * 2_000}"
    shown = passage(text, "Who has the key?", 300)
    assert "the key is with Ada" in shown and len(shown) <= 300
    assert shown.startswith(GAP) and shown.endswith(GAP)


def test_a_long_message_without_a_word_of_the_query_is_cut() -> None:
    assert len(passage("rain and " * 2_000, "key", 300)) <= 300
