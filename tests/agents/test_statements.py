"""Is what a message tells seen as told, and with what takes it back?"""

import pytest

from agents.memory import Memory
from tests.conversations import UNKNOWN, say


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        ("My aunt went up the tower, 533 steps, can you believe it?", "How many steps has the tower?", "533"),
        ("My aunt's flight leaves at 9, right?", "When does my aunt's flight leave?", "at 9"),
        ("The blue key is for the cellar, isn't it?", "What is the blue key for?", "cellar"),
    ],
)
async def test_what_is_told_with_a_tag_is_told(quiet: Memory, told: str, question: str, expected: str) -> None:
    await say(quiet, told)
    assert expected in await say(quiet, question)


@pytest.mark.parametrize(
    "asked", ["What a tower, right?", "Is the tower high, or no?", "Shall we climb the tower, ok?"]
)
async def test_what_asks_with_a_tag_tells_nothing(quiet: Memory, asked: str) -> None:
    await say(quiet, asked)
    assert (await say(quiet, "How high is the tower?")).startswith(UNKNOWN)


@pytest.mark.parametrize("taken_back", ["no wait, ", "Scratch that: ", "Sorry, I meant ", "Correction: "])
async def test_what_takes_back_a_sentence_of_a_long_message_is_told_with_it(quiet: Memory, taken_back: str) -> None:
    await say(
        quiet,
        "They changed their mind on the order of the picking list again: by aisle, and then by light things first, as "
        f"heavy ones would crush all the rest of it... {taken_back}heavy ones first for pallets.",
    )
    answer = await say(quiet, "How is the picking list ordered?")
    assert "light things first" in answer and "heavy ones first for pallets" in answer
