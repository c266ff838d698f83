"""Do rules answer in other languages than English what was told in the same one or another, and nothing else?"""

import pytest

from agents.memory import Memory
from tests.conversations import say


@pytest.mark.parametrize(
    "asked",
    ["Fasse unser Gespräch zusammen.", "Résume notre conversation", "Resume la conversación", "总结一下我们的对话"],
)
async def test_a_summary_may_be_asked_for_in_other_languages(quiet: Memory, asked: str) -> None:
    await say(quiet, "Mein Hund heißt Biscuit und ist ein Spaniel.")
    await say(quiet, "Ich bin letzte Woche nach Berlin gezogen.")
    answer = await say(quiet, asked)
    assert "Biscuit" in answer and "Berlin" in answer and "nothing" not in answer


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What is my dog called?", "Biscuit"),
        ("¿Cómo se llama mi perro?", "Biscuit"),
        ("我的狗叫什么名字?", "Biscuit"),
        ("Who is my dentist?", "Krüger"),
    ],
)
async def test_what_was_told_in_one_language_is_asked_for_in_another(quiet: Memory, asked: str, told: str) -> None:
    await say(quiet, "Mein Hund heißt Biscuit und ist ein Spaniel.")
    await say(quiet, "Meine Zahnärztin ist Frau Dr. Krüger.")
    assert told in await say(quiet, asked, session_id="s2")


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My dog is called Biscuit.", "Wie heißt mein Hund?"),
        ("My sister lives in Vienna.", "Wo wohnt meine Schwester?"),
        ("My car is green.", "Welche Farbe hat mein Auto?"),
        ("My car is green.", "De quelle couleur est ma voiture ?"),
        ("My car is green.", "Какого цвета моя машина?"),
        ("Mi perro se llama Galleta.", "Wie heißt mein Hund?"),
    ],
)
async def test_what_was_told_in_english_is_asked_for_in_other_languages(quiet: Memory, told: str, asked: str) -> None:
    await say(quiet, told)
    assert told in await say(quiet, asked, session_id="s2")


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Mi gato se llama Pimienta.", "¿Cómo se llama mi perro?"),
        ("Mi gato se llama Pimienta.", "What is my dog called?"),
        ("Мой кот — Барсик.", "Как зовут мою собаку?"),
        ("我的猫叫咪咪。", "我的狗叫什么名字?"),
        ("猫の名前はタマです。", "犬の名前は何ですか?"),
        ("Kedimin adı Pamuk.", "Köpeğimin adı ne?"),
        ("Mój kot wabi się Mruczek.", "Jak wabi się mój pies?"),
        ("Mijn kat heet Poes.", "Hoe heet mijn hond?"),
        ("Il mio gatto si chiama Fufi.", "Come si chiama il mio cane?"),
        ("Mon frère habite à Nice.", "Où habite ma sœur ?"),
    ],
)
async def test_what_was_told_of_one_kind_is_no_answer_about_another(quiet: Memory, told: str, asked: str) -> None:
    await say(quiet, told)
    assert told not in await say(quiet, asked, session_id="s2")
