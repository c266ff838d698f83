"""Does an answer hold what is wanted: the time, the amount of that thing, or what is not so?"""

from datetime import UTC, datetime, timedelta

import pytest

from agents.memory import Memory
from tests.conversations import UNKNOWN, USER, say, turn
from utils.clock import now

NEAREST = "I don't know that for sure. This comes nearest:"


@pytest.mark.parametrize(
    ("told", "question", "answered"),
    [
        ("they gave me paracetamol 500, max 4x2 a day", "Which medicine must I not take?", False),
        ("The doctor says I must not take aspirin.", "Which medicine must I not take?", True),
        ("I avoid the blue pills.", "Which pills should I not take?", True),
        ("I take the blue pills at noon.", "Which pills should I take, and why not the red ones?", True),
        ("The dog treats of the blue box are fine.", "Which box has treats for dogs who can't have milk?", True),
    ],
)
async def test_what_is_not_so_is_answered_by_what_says_so(
    quiet: Memory, told: str, question: str, answered: bool
) -> None:
    await say(quiet, told, "I live in Lisbon and work as a nurse.")
    assert (await say(quiet, question)).startswith("You told me") == answered


async def test_an_amount_for_one_thing_is_not_that_for_another(quiet: Memory) -> None:
    await say(
        quiet,
        "the deposit was 2 months rent, we paid 1800 for the flat",
        "our landlord is called Brandt",
        "my car is a red Skoda",
        "the fridge is new",
    )
    assert "1800" in await say(quiet, "How much did we pay for the flat?")
    for_garage = await say(quiet, "How much rent do we pay for the garage?")
    assert for_garage.startswith((NEAREST, UNKNOWN))


@pytest.mark.parametrize(
    ("timeless", "timely", "question"),
    [
        (
            "we are planning the wedding of Ida and Tom, 120 guests",
            "ida phoned: wedding goes to 29 May, because the hall has a leak and the band could not",
            "when do Ida and Tom marry",
        ),
        (
            "the concert of the Larks is in hall 4, tickets at home",
            "Larks play on 12 June, not in May, said the venue",
            "When is the concert of the Larks?",
        ),
        (
            "my new job at the bakery is on level 2 of the mall",
            "the bakery called, I begin on 3 March, contract is in the post",
            "When do I start my new job at the bakery?",
        ),
    ],
)
async def test_when_is_answered_by_what_has_a_time(quiet: Memory, timeless: str, timely: str, question: str) -> None:
    said = [turn("m1", timeless), turn("m2", timely), turn("m3", "the bins are collected by the blue van")]
    await quiet.add(USER, "s1", said, wait=True)
    answer = await say(quiet, question, session_id="s2")
    assert answer.startswith("You told me") and timely in answer.splitlines()[0]


@pytest.mark.parametrize(
    ("told", "answered"),
    [
        ("help me plan my wedding, one of many things to do", False),
        ("my wedding is at three, and the dinner at half past six", True),
        ("my wedding is on the third", True),
        ("my wedding lasts two days", True),
    ],
)
async def test_a_number_alone_is_no_time(quiet: Memory, told: str, answered: bool) -> None:
    await say(quiet, told, "the bins are collected by the blue van")
    assert (await say(quiet, "When is my wedding?")).startswith("You told me") == answered


async def test_what_somebody_did_when_needs_no_time(quiet: Memory) -> None:
    await say(quiet, "I dropped the vase when Tom came.", "Tom came for dinner on Friday.")
    assert "vase" in (await say(quiet, "What did I drop when Tom came?")).splitlines()[0]


async def test_words_of_the_time_that_is_named_need_no_answer(quiet: Memory) -> None:
    week = now() - timedelta(days=7)
    said = [
        turn("m1", "lost my keys at the gym again, annoying", timestamp=week),
        turn("m2", "last week was terrible, nothing worked at the office", timestamp=week + timedelta(hours=1)),
    ]
    await quiet.add(USER, "s1", said, wait=True)
    answer = await say(quiet, "What did I lose last week?", session_id="s2")
    assert "keys" in answer and "terrible" not in answer


async def test_of_a_month_is_told_what_was_said_in_it(quiet: Memory) -> None:
    said = [
        turn("m1", "the dishwasher broke, 320 for the repair", timestamp=datetime(2025, 6, 20, tzinfo=UTC)),
        turn("m2", "the toaster broke, and june was so quiet", timestamp=datetime(2025, 8, 4, tzinfo=UTC)),
        turn("m3", "mum is coming over on the 12th of June", timestamp=datetime(2025, 4, 1, tzinfo=UTC)),
    ]
    await quiet.add(USER, "s1", said, wait=True)
    answer = await say(quiet, "what broke in june", session_id="s2")
    assert "dishwasher" in answer.splitlines()[0] and "mum" not in answer
