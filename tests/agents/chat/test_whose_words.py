"""What counts as told: what stands in a question, and not tasks, pasted texts, mails and what assistants say."""

import pytest

from agents.chat.answering import NEEDS_MODEL, NOT_KNOWN
from agents.memory import Memory
from memory.language import told_in_question
from tests.conversations import say, told


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Did you know that we sold the flat?", "We sold the flat."),
        ("do you know I play the oboe?", "I play the oboe."),
        ("Do you remember that we have a boat?", None),
        ("Do you know where I live?", None),
        ("Do you know that film?", None),
    ],
)
def test_a_question_that_asks_only_whether_it_is_known_tells(text: str, statement: str | None) -> None:
    assert told_in_question(text) == statement


async def test_what_is_told_in_a_question_answers(quiet: Memory) -> None:
    assert await say(quiet, "Do you know that my tortoise is called Hilda?") == "Noted. I'll remember that."
    assert "Hilda" in await say(quiet, "What is my tortoise called?", session_id="s2")


@pytest.mark.parametrize("moved", ["I moved to Derby.", "Do you know that I moved to Derby?"])
async def test_where_the_user_moved_is_where_they_live_whatever_else_is_known(quiet: Memory, moved: str) -> None:
    await say(quiet, "I work at Nokia.", moved)
    assert "I moved to Derby." in await say(quiet, "Where do I live?", session_id="s2")


async def test_a_correction_that_is_of_another_person_does_not_answer_for_the_user(quiet: Memory) -> None:
    await say(quiet, "I live in Rome.", "No, I meant my sister lives in Rome.")
    assert "sister" not in await say(quiet, "Where do I live?", session_id="s2")


@pytest.mark.parametrize("task", ["Suggest a name for my new dog", "I need a recipe for my aunt's cake"])
async def test_a_task_without_a_full_stop_is_not_told(quiet: Memory, task: str) -> None:
    assert await say(quiet, task) == NEEDS_MODEL
    assert task not in await say(quiet, "What do you know about me?", session_id="s2")


@pytest.mark.parametrize(
    ("mail", "asked"),
    [
        ("From: Bob <bob@example.org>\nTo: me\n\nI live at 5 Mill Lane now.", "Where do I live?"),
        ("Das kam heute:\nVon: Ina Weber\nBetreff: Umzug\n\nIch wohne jetzt in Ulm.", "Wo wohne ich?"),
    ],
)
async def test_a_mail_is_not_what_the_user_says(quiet: Memory, mail: str, asked: str) -> None:
    await say(quiet, mail)
    assert (await say(quiet, asked, session_id="s2")).startswith(NOT_KNOWN)


async def test_a_list_that_looks_like_a_mail_is_the_users(quiet: Memory) -> None:
    await say(quiet, "From: Rome\nTo: Lisbon\nI live in Rome.")
    assert "Rome" in await say(quiet, "Where do I live?", session_id="s2")


async def test_a_text_to_work_on_is_not_what_is_known_of_the_user(quiet: Memory) -> None:
    await say(quiet, "Can you check my essay?\n\nMy grandfather was a miner in Essen.")
    assert "miner" not in await say(quiet, "What do you know about me?", session_id="s2")


async def test_what_an_assistant_said_of_the_user_is_no_evidence(quiet: Memory) -> None:
    await told(quiet, ("2024-02-02", "Your favourite cheese is Gouda."), role="assistant")
    assert (await say(quiet, "What is my favourite cheese?", session_id="s2")).startswith(NOT_KNOWN)
