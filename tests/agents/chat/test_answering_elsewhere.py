"""Answers without a model in other languages than English, to what was told in the same one or another."""

import pytest

from agents.chat.keeper_agent import IN_ENGLISH
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
        ("Mi perro se llama Galleta.", "Wie heißt mein Hund?"),
    ],
)
async def test_what_was_told_in_english_is_asked_for_in_other_languages(quiet: Memory, told: str, asked: str) -> None:
    await say(quiet, told)
    assert told in await say(quiet, asked, session_id="s2")


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Мой кот — Барсик.", "Как зовут мою собаку?"),
        ("我的猫叫咪咪。", "我的狗叫什么名字?"),
        ("Kedimin adı Pamuk.", "Köpeğimin adı ne?"),
        ("Mijn kat heet Poes.", "Hoe heet mijn hond?"),
        ("Mon frère habite à Nice.", "Où habite ma sœur ?"),
    ],
)
async def test_what_was_told_of_one_kind_is_no_answer_about_another(quiet: Memory, told: str, asked: str) -> None:
    await say(quiet, told)
    assert told not in await say(quiet, asked, session_id="s2")


@pytest.mark.parametrize(
    ("told", "newer", "asked"),
    [
        ("Ich wohne in Bremen.", "Ich bin nach Köln gezogen.", "Wo wohne ich?"),
        ("Vivo en Granada.", "Me mudé a Valencia.", "¿Dónde vivo?"),
        ("J'habite à Lyon.", "J'ai déménagé à Lille.", "Où est-ce que j'habite ?"),
        ("Mieszkam w Poznaniu.", "Przeprowadziłam się do Gdyni.", "W jakim mieście mieszkam?"),
        ("Я живу в Перми.", "Я переехала в Москву.", "Где я живу?"),
        ("我住在南京。", "我搬到武汉了。", "我住在哪里？"),
        ("저는 대구에 살아요.", "서울로 이사했어요.", "저는 어디에 살아요?"),
        ("أسكن في بيروت.", "انتقلت إلى صيدا.", "أين أسكن؟"),
        ("मैं कानपुर में रहता हूँ।", "मैं मुंबई चला गया हूँ, अब वहीं रहता हूँ।", "मैं कहाँ रहता हूँ?"),
        ("Sono impiegato alle Poste.", "Adesso lavoro in un ristorante.", "Dove lavoro?"),
        ("O meu telefone é o 912 345 678.", "O meu novo número de telefone é o 934 111 222.", "Qual é o meu telefone?"),
        ("Telefon numaram 0532 111 22 33.", "Telefon numaram değişti, artık 0555 444 55 66.", "Telefon numaram ne?"),
        ("我的电话是13812345678。", "我的电话换成13998877665了。", "我的电话是多少？"),
        ("Bydlím v Brně.", "Přestěhovala jsem se do Plzně.", "Kde bydlím?"),
        ("Locuiesc la Cluj.", "M-am mutat la Brașov.", "Unde locuiesc?"),
    ],
)
async def test_the_newer_of_two_statements_comes_first(quiet: Memory, told: str, newer: str, asked: str) -> None:
    await say(quiet, told)
    await say(quiet, newer)
    answer = await say(quiet, asked, session_id="s2")
    assert newer in answer
    assert told not in answer or answer.index(newer) < answer.index(told)


@pytest.mark.parametrize(
    ("told", "of_another", "asked"),
    [
        ("Ich wohne in Bremen.", "Meine Schwester ist nach Köln gezogen.", "Wo wohne ich?"),
        ("Ich wohne in Bremen.", "Anna ist nach Köln gezogen.", "Wo wohne ich?"),
        ("Vivo en Granada.", "Mi hermano se mudó a Valencia.", "¿Dónde vivo?"),
        ("Vivo en Granada.", "Ahora trabajo en un hotel.", "¿Dónde vivo?"),
        ("J'habite à Lyon.", "Mon voisin a déménagé à Lille.", "Où est-ce que j'habite ?"),
        ("我住在南京。", "我妹妹搬到武汉了。", "我住在哪里？"),
    ],
)
async def test_a_change_of_something_else_comes_before_nothing(
    quiet: Memory, told: str, of_another: str, asked: str
) -> None:
    await say(quiet, told)
    await say(quiet, of_another)
    answer = await say(quiet, asked, session_id="s2")
    assert told in answer
    assert of_another not in answer or answer.index(told) < answer.index(of_another)


@pytest.mark.parametrize(
    "asked",
    [
        "Vergiss meine Telefonnummer",
        "Olvida mi número",
        "Oublie mon adresse",
        "Dimentica la mia password",
        "Zapomnij mój numer konta",
        "Забудь мой пароль",
        "Şifremi unut",
        "忘掉我的电话",
        "私の住所を忘れて",
        "मेरा पता भूल जाओ",
        "شماره تلفنم را فراموش کن",
    ],
)
async def test_a_request_to_forget_is_told_that_nothing_was_deleted_and_quoted_never(quiet: Memory, asked: str) -> None:
    assert await say(quiet, asked) == IN_ENGLISH
    assert asked not in await say(quiet, "What is my phone number?", session_id="s2")
    assert asked not in await say(quiet, "Fasse unser Gespräch zusammen")
    assert await say(quiet, asked, session_id="s3", isolated=True) == IN_ENGLISH


@pytest.mark.parametrize(
    "told",
    [
        "Ich habe meinen Schlüssel vergessen.",
        "Vergiss nicht, dass ich keine Nüsse vertrage.",
        "Se me olvidó el paraguas en el tren.",
        "J'ai oublié de fermer la porte.",
        "Мой дед всё забывает.",
        "我忘了带伞。",
        "Wo ich wohne, gibt es keinen Bäcker.",
        "Mein Chef will bis Freitag eine Zusammenfassung.",
    ],
)
async def test_a_statement_stays_one(quiet: Memory, told: str) -> None:
    assert await say(quiet, told) == "Noted. I'll remember that."


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Ich arbeite in einer Bäckerei.", "Sag mir, wo ich arbeite"),
        ("Mój brat pracuje w szpitalu.", "gdzie pracuje mój brat"),
        ("J'habite à Rennes.", "Dis-moi où j'habite"),
        ("Vivo en Bilbao.", "Dime dónde vivo"),
        ("من در تبریز زندگی می‌کنم.", "بگو کجا زندگی می‌کنم"),
        ("Μένω στα Χανιά.", "Πού μένω;"),
        ("मैं भोपाल में रहता हूँ।", "मुझे बताओ मैं कहाँ रहता हूँ"),
        ("मैं भोपाल में रहता हूँ।", "मैं कहाँ रहता हूँ?"),
        ("मेरी बहन जयपुर में रहती है।", "मेरी बहन कहाँ रहती है?"),
    ],
)
async def test_what_is_asked_without_a_mark_is_answered(quiet: Memory, told: str, asked: str) -> None:
    await say(quiet, told)
    await say(quiet, "Danke für gestern.")
    answer = await say(quiet, asked, session_id="s2")
    assert told in answer and "Noted" not in answer
    assert asked not in await say(quiet, asked, session_id="s3")


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("Fasse zusammen, was ich über meinen Hund gesagt habe", "Podsumuj wszystko o mojej pracy"),
        ("Resume todo sobre mi perro", "Résume ce que j'ai dit de mon chien"),
    ],
)
async def test_a_summary_of_one_subject_tells_that_and_no_request(quiet: Memory, asked: str, other: str) -> None:
    await say(quiet, "Mein Hund heißt Biscuit und ist ein Spaniel.")
    await say(quiet, "Ich esse kein Fleisch.")
    for one in (other, asked, asked):
        answer = await say(quiet, one)
        assert asked not in answer and other not in answer
    assert "Biscuit" in answer and "Fleisch" not in answer


async def test_former_requests_for_a_summary_are_in_no_summary_that_is_made_in_the_background(quiet: Memory) -> None:
    await say(quiet, "Ich wohne in Bremen.", "Fasse zusammen, was ich dir bisher erzählt habe")
    for _ in range(9):
        await say(quiet, "Alles gut.")
    [summary] = await quiet.engine.chats.summaries.of_session("ann", "s1")
    assert "Bremen" in summary.text and "Fasse" not in summary.text


async def test_a_chinese_summary_has_what_was_told(quiet: Memory) -> None:
    await say(quiet, "我的电话是13812345678。", "我住在南京。")
    answer = await say(quiet, "总结一下我们的对话")
    assert "南京" in answer and "13812345678" in answer
