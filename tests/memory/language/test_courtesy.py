"""Courtesies say nothing by which something could be found."""

import pytest

from bench.recall.small_talk import TEXTS
from memory.language.courtesy import LONGEST, is_courtesy

IDLE = (
    "How's your day been so far?", "Thanks! Can't wait to hear about it. Bye!", "that's so funny lol", "what's up?",
    "Good, and you?", "😂😂", "?!", "", "OK.", "Talk to you later!", "I’m so happy for you", "never mind", "Noted.",
)  # fmt: skip
ASKING = (
    "What did I say?", "remember?", "what's my name?", "Who am I?", "What was it again?", "Tell me everything",
    "Did she come?", "my dog", "thanks, and where is Ana?", "Good morning! When is my flight?", "How are the bees?",
    "How many are there?", "which one?", "ok, remind me", "What did we do last night?", "Do I have a cat?", "42",
    "猫", "Tag", "Morgen", "danke, und wo ist Ana?", "happy days",
)  # fmt: skip
ELSEWHERE = (
    "Merci beaucoup", "Danke schön!", "Danke dir, alles klar", "Guten Morgen", "¿Qué tal?", "Buenos días",
    "muchas gracias", "bonne nuit", "谢谢", "شكرا", "спасибо", "ありがとう", "Merci, s'il vous plaît",
    "Happy birthday!", "got it", "You’re the best!",
)  # fmt: skip


@pytest.mark.parametrize("text", [*TEXTS, *IDLE, *ELSEWHERE])
def test_courtesies_say_nothing(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize("text", ASKING)
def test_what_asks_or_names_anything_is_not(text: str) -> None:
    assert not is_courtesy(text)


def test_a_long_text_says_something() -> None:
    assert not is_courtesy("thanks " * LONGEST)


@pytest.mark.parametrize(
    "text",
    [
        "Vielen lieben Dank für deine Hilfe!", "Danke, das ist super!", "Muchas gracias por tu ayuda",
        "Спасибо за помощь", "Спокойной ночи", "谢谢你的帮助", "おやすみなさい", "Çok teşekkür ederim", "İyi geceler",
        "Wie geht's?", "¿Cómo estás?", "Как дела?",
    ],
)  # fmt: skip
def test_courtesies_of_other_languages_are_some(text: str) -> None:
    assert is_courtesy(text)
