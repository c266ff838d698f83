"""Is a question about what the assistant said answered with what it said, and no other one?"""

from datetime import timedelta

import pytest

from agents.chat.replies import LONGEST
from agents.memory import Memory
from memory.domain import Role
from tests.conversations import START, USER, say, settle, turn

CHAT: tuple[tuple[Role, str], ...] = (
    ("user", "Any ideas what to call the new hamster?"),
    ("assistant", "How about Nutmeg, Biscuit or Pip?"),
    ("user", "My sister Ida's hamster is called Bolt."),
    ("assistant", "Noted."),
    ("user", "The nightly import is slow."),
    ("assistant", "Two things:\n1. Batches of 500.\n2. Drop the index first."),
)


async def told(memory: Memory, *messages: tuple[Role, str], name: str | None = None) -> None:
    turns = [
        turn(f"m{place}", text, role, name=name if role == "assistant" else None)
        for place, (role, text) in enumerate(messages)
    ]
    await memory.add(USER, "chat", turns)
    await settle(memory)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which hamster names did you propose?", "I told you: “How about Nutmeg, Biscuit or Pip?” [1]"),
        ("your ideas for the hamster again?", "I told you: “How about Nutmeg, Biscuit or Pip?” [1]"),
        (
            "What was your advice on the slow import?",
            "I told you: “Two things:\n1. Batches of 500.\n2. Drop the index first.” [1]",
        ),
    ],
)
async def test_a_reply_is_told_as_it_stands_though_it_has_no_word_of_the_question(
    memory: Memory, question: str, expected: str
) -> None:
    await told(memory, *CHAT)
    assert await say(memory, question) == expected


async def test_of_a_long_reply_the_beginning_is_told(memory: Memory) -> None:
    await told(memory, ("user", "How do I descale the machine?"), ("assistant", "Vinegar, then water. " * 90))
    answer = await say(memory, "How did you say to descale the machine?")
    assert answer.startswith("I told you: “Vinegar, then water. Vinegar") and answer.endswith("…” [1]")
    assert len(answer) < LONGEST + 30


@pytest.mark.parametrize(
    "question",
    [
        "What did I say you called my sister's hamster?",
        "As you said you would remember: what is the name of my sister's hamster?",
        "What is the name of my sister's hamster?",
    ],
)
async def test_what_the_user_told_is_told_as_ever(memory: Memory, question: str) -> None:
    await told(memory, *CHAT)
    assert "Bolt" in await say(memory, question)


async def test_a_reply_of_another_time_than_was_asked_for_is_not_told(memory: Memory) -> None:
    await told(memory, *CHAT)
    other = START - timedelta(days=40)
    assert "Pip" in await say(memory, f"Which hamster names did you propose on {START:%-d %B %Y}?")
    assert "Pip" not in await say(memory, f"Which hamster names did you propose on {other:%-d %B %Y}?")


async def test_what_a_person_said_is_not_what_the_assistant_said(memory: Memory) -> None:
    await told(memory, *CHAT[:2], name="Mia")
    assert "I told you" not in await say(memory, "Which hamster names did you propose?")
