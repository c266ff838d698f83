"""Is that answered plainly which no memory answers?"""

import pytest

from agents.chat.plain_replies import DELETING, HELPING
from agents.memory import Memory
from tests.conversations import say
from utils.clock import now


@pytest.mark.parametrize("said", ["Delete this conversation", "please clear the whole chat", "Wipe this chat!"])
async def test_who_wants_a_conversation_deleted_is_told_how(quiet: Memory, said: str) -> None:
    assert await say(quiet, said) == DELETING


@pytest.mark.parametrize("said", ["help", "Help me!", "How do I use this?"])
async def test_who_asks_for_help_is_told_what_can_be_said(quiet: Memory, said: str) -> None:
    assert await say(quiet, said) == HELPING


@pytest.mark.parametrize("said", ["No, that's wrong.", "that's not what I asked", "You are wrong"])
async def test_who_finds_an_answer_wrong_may_say_what_is_right(quiet: Memory, said: str) -> None:
    assert (await say(quiet, said)).startswith("I'm sorry.")


async def test_off_the_record_nothing_is(quiet: Memory) -> None:
    assert (await say(quiet, "Off the record: I hate my boss.")).startswith("What is said here is kept.")


@pytest.mark.parametrize("asked", ["What day is it today?", "what time is it", "What's today's date?"])
async def test_today_is_known(quiet: Memory, asked: str) -> None:
    assert f"{now():It is %A, %Y-%m-%d}" in await say(quiet, "The party is on Monday.", asked)


@pytest.mark.parametrize(
    "said",
    [
        "Write a poem about the sea",
        "Repeat after me: one, two",
        "Book a table for two",
        "Translate: good morning",
        "Find out who is the mayor",
        "Suggest a film that has robots",
        "Create a list: milk",
    ],
)
async def test_tasks_need_a_model(quiet: Memory, said: str) -> None:
    assert (await say(quiet, said)).startswith("I can't do that without a language model.")


async def test_a_long_task_needs_a_model_too(quiet: Memory) -> None:
    assert (await say(quiet, "Translate: " + "good morning, " * 100)).startswith("I can't do that")


@pytest.mark.parametrize(
    "said",
    [
        "Book club is on Thursdays.",
        "Order 66 was shipped on Monday.",
        "Call with Ann moved to 5.",
        "Play rehearsal starts at 6.",
        "Search party: Ann, Bo and Cleo.",
        "Find attached my CV: 5 years at Siemens.",
        "Delete key is broken on my keyboard.",
    ],
)
async def test_what_begins_as_a_task_and_tells_is_noted(quiet: Memory, said: str) -> None:
    assert (await say(quiet, said)).startswith("Noted.")
