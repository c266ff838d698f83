"""Is what holds now told before what held once, and with its day?"""

import re
from datetime import timedelta

import pytest

from agents.chat.changed import asks_for_now
from agents.memory import Memory
from tests.conversations import START, USER, say, settle, turn

DAYS = re.compile(r"told me on 2025-\d\d-\d\d")


async def remember(memory: Memory, *texts: str) -> None:
    """Each said ten days after the one before."""
    said = [turn(f"m{at}", text, timestamp=START + timedelta(days=10 * at)) for at, text in enumerate(texts)]
    await memory.add(USER, "s1", said, wait=True)
    await settle(memory)


@pytest.mark.parametrize(
    ("before", "after", "query"),
    [
        ("Decision: we use RabbitMQ for the events.", "We threw out RabbitMQ. Too heavy.", "Do we still use RabbitMQ?"),
        (
            "Anselm lost his wedding ring in the dunes, we didn't find it.",
            "A miracle: a man with a metal detector found the ring!",
            "Did Anselm get his ring back?",
        ),
        ("Ben owes me 50 euros for the concert.", "Ben paid me back, all good.", "How much does Ben owe me?"),
        ("My bike is a red Cube.", "I sold the Cube and got a Canyon.", "Which bike do I have?"),
        ("We meet at Cafe Luna on Thursday at 6.", "The Luna date is called off.", "When do we meet at Cafe Luna?"),
        (
            "Drum lessons with Mr. Bellamy cost 28 euros.",
            "Mr. Bellamy raised it to 31 euros.",
            "What do drum lessons cost?",
        ),
        ("Shoe sizes: Linus 29, Pia 35.", "Pia grew like mad, she needs size 37 now.", "What shoe size has Pia now?"),
        ("My phone is a Fairphone.", "My phone is a Pixel now.", "What phone do I have these days?"),
        ("Seeing my physio on thursdays 7pm.", "physio moved to tuesdays 6pm btw", "When do I see the physio?"),
        ("My chess rating is 1710 now", "chess 1804!! the slav works", "What is my chess rating?"),
        ("Delphine offers me the shop for 38,000.", "Delphine came down to 34,000!", "What does the shop cost?"),
        ("My mortgage rate is 3%.", "The mortgage rate is 5% per the letter", "What is my mortgage rate?"),
        ("Tramontana takes 2.5 mg of her thyroid pills.", "thyroid pills: 5 mg", "What dose of thyroid pills?"),
    ],
)
async def test_what_was_undone_or_replaced_comes_behind_what_holds_now(
    quiet: Memory, before: str, after: str, query: str
) -> None:
    await remember(quiet, before, after)
    answer = await say(quiet, query)
    assert after in answer and before in answer
    assert answer.index(after) < answer.index(before)
    assert len(DAYS.findall(answer)) == 2


@pytest.mark.parametrize(
    ("before", "after", "query"),
    [
        (
            "Pia has an appointment at the dentist on 22 January.",
            "Pia sold her old bike.",
            "When does Pia see the dentist?",
        ),
        ("The garage wants 940 for the brakes.", "I want to sell 120 stollen.", "What did the garage want?"),
        ("staging runs on port 7443, prod on 8443", "staging has port 7553", "What port does prod run on?"),
        ("Anselm lost his ring in the dunes.", "Anselm found a new job.", "Where did Anselm lose his ring?"),
        ("I have a cat called Pixel.", "I sold my car.", "Do I have a cat?"),
        ("Peter owes me money for the boat.", "Peter paid for dinner on Friday.", "Who owes me money?"),
        ("The party is on 3 May at the lake.", "The party at the lake was never cancelled.", "When is the party?"),
    ],
)
async def test_the_end_of_something_else_is_no_change(quiet: Memory, before: str, after: str, query: str) -> None:
    await remember(quiet, before, after)
    answer = await say(quiet, query)
    assert before in answer and after not in answer


async def test_a_newer_value_of_another_thing_does_not_come_before_what_is_asked_for(quiet: Memory) -> None:
    await remember(quiet, "My rent is 940 euros a month.", "The office rent is 2200 euros.")
    answer = await say(quiet, "How much is my rent?")
    assert answer.index("940") < answer.index("2200")


async def test_what_was_taken_back_in_the_next_message_comes_behind_what_was_meant(quiet: Memory) -> None:
    said = ["My meeting is on Tuesday at 3.", "Noted.", "sorry, I meant Wednesday"]
    await say(quiet, said[0], said[2], "The weather is fine.")
    answer = await say(quiet, "When is my meeting?", session_id="s2")
    assert answer.index("I meant Wednesday") < answer.index("on Tuesday at 3")


async def test_what_is_taken_back_of_something_else_is_no_change(quiet: Memory) -> None:
    await say(quiet, "My meeting is on Tuesday at 3.", "My bike is blue.", "sorry, I meant green")
    assert "green" not in await say(quiet, "When is my meeting?", session_id="s2")


async def test_what_does_not_ask_for_now_is_told_without_days(quiet: Memory) -> None:
    await remember(quiet, "My dog is called Biscuit.", "I like jazz.")
    assert await say(quiet, "What is my dog called?") == "You told me: “My dog is called Biscuit.” [1]"


def test_words_for_the_present_ask_for_now() -> None:
    assert asks_for_now("Do we still use it?") and asks_for_now("Where do I live now?")
    assert not asks_for_now("Where did I live?")
