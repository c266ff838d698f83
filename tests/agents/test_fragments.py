"""What is named without a question is answered, and what is told is noted."""

import pytest

from agents.memory import Memory
from tests.conversations import say

NOTED = "Noted. I'll remember that."
TOLD = (
    "The heating engineer was here. The boiler's serial number is VX-88-20417.",
    "Pick-up code for the gate of the school: 5589.",
    "Booked! A cottage in De Koog. Confirmation number TX4471-B.",
    "The upload fails with E_QUOTA when the disk is full.",
    "The guest wifi password is plum-Otter-73.",
)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("serial number of the heating", "VX-88-20417"),
        ("code for the school gate", "5589"),
        ("TX4471", "cottage"),
        ("E_QUOTA", "disk"),
        ("the guest wifi password", "plum-Otter-73"),
        ("boiler", "VX-88-20417"),
    ],
)
async def test_what_is_named_without_a_question_is_told(quiet: Memory, query: str, told: str) -> None:
    await say(quiet, *TOLD)
    assert told in await say(quiet, query, session_id="s2")


@pytest.mark.parametrize(
    "query",
    [
        "dentist on Friday",
        "Off to Paris tomorrow!",
        "my wifi password: hunter2",
        "The upload works",
        "Great cottage",
    ],
)
async def test_what_memory_has_not_or_what_tells_is_noted(quiet: Memory, query: str) -> None:
    await say(quiet, *TOLD)
    assert await say(quiet, query, session_id="s2") == NOTED


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("allergic to peanuts", "What am I allergic to?"),
        ("spare key behind the boiler", "Where is the spare key?"),
    ],
)
async def test_few_words_that_alone_answer_are_told(quiet: Memory, told: str, asked: str) -> None:
    await say(quiet, told)
    assert told in await say(quiet, asked, session_id="s2")


async def test_what_was_looked_for_is_no_statement(quiet: Memory) -> None:
    await say(quiet, "The guest wifi password is bluebird-77.")
    await say(quiet, "the guest wifi password", session_id="s2")
    answer = await say(quiet, "What is the code for the guest wifi?", session_id="s3")
    assert answer == "You told me: “The guest wifi password is bluebird-77.” [1]"


async def test_of_what_is_named_the_newest_comes_first(quiet: Memory) -> None:
    await say(quiet, "The guest wifi password is plum-Otter-73.", "New guest wifi password: Walrus-parade-19.")
    answer = await say(quiet, "the guest wifi password", session_id="s2")
    assert answer.index("Walrus") < answer.index("Otter")
