"""Is what is about another one no answer, and what was changed since told with the change?"""

from datetime import timedelta

import pytest

from agents.chat.changed import with_changes
from agents.chat.context import Citation
from agents.chat.statements import Sentence
from agents.chat.subjects import of_others
from agents.memory import Memory
from tests.conversations import START, UNKNOWN, say

TOLD = (
    "Acme sent me invoice INV-20931 over 1,200 euros.",
    "My flight to Oslo is LH 2456 on 3 May.",
    "My train to Bern leaves at 7:45.",
    "I meet Laura on Tuesday at 2 pm.",
    "Anna's birthday is on 12 June.",
)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("What is the invoice number from Acme?", "INV-20931"),
        ("What is the invoice number from Initech?", None),
        ("When is my flight to Oslo?", "LH 2456"),
        ("When is my flight to Paris?", None),
        ("When does my train to Bern leave?", "7:45"),
        ("When does my train to Zurich leave?", None),
        ("When do I meet Laura?", "2 pm"),
        ("When do I meet Lisa?", None),
        ("When is Anna's birthday?", "12 June"),
        ("When is Carla's birthday?", None),
    ],
)
async def test_what_was_said_of_somebody_else_is_no_answer(quiet: Memory, query: str, told: str | None) -> None:
    await say(quiet, *TOLD)
    assert (told or UNKNOWN) in await say(quiet, query, session_id="s2")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("What did Bob say about the migration?", "done by Friday"),
        ("What did Petra say about the migration?", None),
        ("What did Anna tell me?", None),
        ("What did Ben tell me?", "pregnant"),
    ],
)
async def test_what_one_said_is_not_what_another_did(quiet: Memory, query: str, told: str | None) -> None:
    await say(
        quiet,
        "Bob said that the migration is done by Friday.",
        "My boss Petra wants the quarterly report about the migration.",
        "Ben told me that Anna is pregnant.",
    )
    assert (told or UNKNOWN) in await say(quiet, query, session_id="s2")


def test_a_name_that_is_asked_for_may_be_any() -> None:
    said = Citation(0, "m1", "turn", "similar", None, "user", "My boss is Petra.", START, 0.5)
    sentences = [Sentence(said.content, said, 0.7)]
    assert of_others("Who is my boss at Google?", sentences) == set()
    assert of_others("Is Paul my boss?", sentences) == set()
    assert of_others("When does my boss at Google leave?", sentences) == {("turn", "m1")}


async def test_who_is_called_by_a_part_of_the_name_is_the_same(quiet: Memory) -> None:
    await say(quiet, "Melanie has her birthday on 12 June.")
    assert "12 June" in await say(quiet, "When is the birthday of Mel?", session_id="s2")


@pytest.mark.parametrize(
    ("before", "after", "query"),
    [
        (
            "My dentist appointment is on 14 March at 3:30 pm.",
            "Actually, my dentist appointment was moved to 21 March at 9 am.",
            "When do I have to see the dentist?",
        ),
        (
            "I have a meeting with Laura on Tuesday at 2 pm.",
            "The meeting with Laura was cancelled.",
            "When do I meet Laura?",
        ),
    ],
)
async def test_what_was_changed_is_told_with_the_change_before_it(
    quiet: Memory, before: str, after: str, query: str
) -> None:
    await say(quiet, before)
    assert before in await say(quiet, query)
    await say(quiet, after)
    answer = await say(quiet, query, session_id="s2")
    assert after in answer and before in answer
    assert answer.index(after) < answer.index(before)


async def test_another_of_the_same_month_changes_nothing(quiet: Memory) -> None:
    await say(quiet, "I have a meeting with Laura in January.", "The meeting of Sam in January was cancelled.")
    assert "Sam" not in await say(quiet, "When do I meet Laura?", session_id="s2")


async def test_another_meeting_that_was_cancelled_changes_nothing(quiet: Memory) -> None:
    await say(quiet, "I have a meeting with Laura on Tuesday at 2 pm.", "The concert of Sam was cancelled.")
    assert "concert" not in await say(quiet, "When do I meet Laura?", session_id="s2")


def test_what_says_nothing_in_words_is_changed_by_nothing() -> None:
    told = [
        Sentence(
            text, Citation(0, name, "turn", "similar", None, "user", text, START + timedelta(hours=hours), 0.5), 0.7
        )
        for hours, (name, text) in enumerate({"m1": "4711.", "m2": "The concert was cancelled."}.items())
    ]
    assert with_changes("When is it?", told[:1], told) == told[:1]
