"""Is a question about what the assistant said answered with what it said?"""

import pytest

from agents.context import Citation
from agents.memory import Memory
from agents.replies import LIKELY, reply_asked_for
from agents.statements import Sentence
from memory.domain import Role
from tests.conversations import START, USER, say, settle, turn

CHAT: tuple[tuple[Role, str], ...] = (
    ("user", "Any ideas what to call the new hamster?"),
    ("assistant", "Nutmeg, Biscuit or Pip would suit."),
    ("user", "My sister Ida's hamster is called Bolt."),
    ("assistant", "Noted."),
    ("user", "The nightly import is slow."),
    ("assistant", "Two things:\n1. Batches of 500.\n2. Drop the index first."),
)


def of(role: str, text: str, score: float | None) -> Sentence:
    return Sentence(text, Citation(0, text, "turn", "similar", None, role, f"{text} And more. ", START, score), 0.5)


async def told(memory: Memory) -> None:
    await memory.add(USER, "chat", [turn(f"m{place}", text, role) for place, (role, text) in enumerate(CHAT)])
    await settle(memory)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which hamster names did you propose?", "I told you: “Nutmeg, Biscuit or Pip would suit.” [1]"),
        ("your ideas for the hamster again?", "I told you: “Nutmeg, Biscuit or Pip would suit.” [1]"),
        ("What was your advice on the slow import?", "Drop the index first."),
    ],
)
async def test_a_reply_is_told_whole_though_it_has_no_word_of_the_question(
    memory: Memory, question: str, expected: str
) -> None:
    await told(memory)
    assert expected in await say(memory, question)


async def test_what_the_user_told_is_told_as_ever(memory: Memory) -> None:
    await told(memory)
    assert "Bolt" in await say(memory, "What is the name of my sister's hamster?")


def test_the_likeliest_reply_is_told_with_all_that_it_says() -> None:
    sentences = [of("assistant", "One.", 0.4), of("user", "Two.", 0.9), of("assistant", "Three.", 0.6)]
    reply = reply_asked_for("What did you say?", sentences)
    assert reply is not None
    assert reply.text == "Three. And more."


def test_without_a_likely_reply_there_is_none() -> None:
    sentences = [of("assistant", "One.", LIKELY / 2), of("user", "Two.", 0.9), of("assistant", "Three.", None)]
    assert reply_asked_for("What did you say?", sentences) is None
    assert reply_asked_for("What did I say?", [of("assistant", "One.", 0.9)]) is None
