"""Is what a message tells seen as told, and with what takes it back?"""

from datetime import UTC, datetime

import pytest

from agents.chat.context import HistoryItem
from agents.memory import Memory
from tests.conversations import UNKNOWN, USER, request, say, turn


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


SENT = (
    HistoryItem("system", "The pool opens at five."),
    HistoryItem("user", "My locker at the pool is number 418."),
    HistoryItem("assistant", "The locker's code is 7731, as you said."),
    HistoryItem("user", "Which locker has my sister?"),
)


@pytest.mark.parametrize("use_memory", [True, False])
async def test_what_the_user_says_in_the_history_that_is_sent_along_is_told_uncited(
    quiet: Memory, use_memory: bool
) -> None:
    asked = request("Which number is my locker?", history=SENT, use_memory=use_memory)
    answer = (await quiet.chat(asked)).answer
    assert "You told me: “My locker at the pool is number 418.”" in answer.text
    assert "[1]" not in answer.text
    assert not answer.citations


@pytest.mark.parametrize("question", ["What is the code of my locker?", "When does the pool open?"])
async def test_what_others_say_in_the_history_is_nothing_that_the_user_told(quiet: Memory, question: str) -> None:
    answer = await say(quiet, question, history=SENT)
    assert "7731" not in answer
    assert "five" not in answer


async def test_what_memory_has_is_cited_though_the_history_has_it_too(quiet: Memory) -> None:
    await say(quiet, SENT[1].content)
    answer = (await quiet.chat(request("Which number is my locker?", history=SENT))).answer
    assert answer.text == "You told me: “My locker at the pool is number 418.” [1]"
    assert len(answer.citations) == 1


async def test_of_a_long_history_the_newest_is_read(quiet: Memory) -> None:
    padding = HistoryItem("user", "la " * 50_000)
    asked = "Which number is my locker?"
    assert "418" in await say(quiet, asked, history=(padding, SENT[1]))
    assert "418" not in await say(quiet, asked, history=(SENT[1], padding), session_id="s2")


async def test_of_what_the_history_says_the_later_comes_first_and_no_day_is_made_up(quiet: Memory) -> None:
    sent = (HistoryItem("user", "My meeting is on Tuesday at 3."), HistoryItem("user", "sorry, I meant Wednesday"))
    answer = await say(quiet, "When is my meeting?", history=sent)
    assert answer == "You told me: “sorry, I meant Wednesday”\nYou told me: “My meeting is on Tuesday at 3.”"


async def test_where_a_question_between_statements_is_left_out_dots_stand(quiet: Memory) -> None:
    await say(quiet, "its raining. i hate it!! bought an umbrella?? yes, a green one")
    assert await say(quiet, "do i hate rain?") == "You told me: “its raining. i hate it!! … yes, a green one” [1]"


async def test_where_what_is_asked_after_a_statement_is_left_out_dots_stand(quiet: Memory) -> None:
    await say(quiet, "The knee hurts after running, what could it be? The doctor is on holiday.")
    answer = await say(quiet, "When does my knee hurt?")
    assert "“The knee hurts after running … The doctor is on holiday.”" in answer


async def test_what_is_left_out_before_and_behind_has_no_dots(quiet: Memory) -> None:
    await say(quiet, "Guess what? The boat is sold. Are you glad?")
    assert await say(quiet, "Is the boat sold?") == "You told me: “The boat is sold.” [1]"


async def test_what_is_told_with_surprise_answers(quiet: Memory) -> None:
    await say(
        quiet,
        "also turns out im allergic to ibuprofen?? got hives all over",
        "they gave me paracetamol 500, max 4x2 a day",
        "my sister is allergic to cats",
    )
    for asked in ("Am I allergic to anything?", "What am I allergic to?", "am i allergic to something"):
        answer = await say(quiet, asked)
        assert answer.startswith("You told me: “also turns out im allergic to ibuprofen??") and "cats" not in answer


async def test_what_names_a_matter_as_a_question_does_and_then_tells_answers(quiet: Memory) -> None:
    await say(quiet, "ok what about the present for anneliese, birthday is 3 december, she turns 34", "we need a cake")
    assert "3 december" in await say(quiet, "When is Anneliese's birthday?")


@pytest.mark.parametrize("length", ["short", "long"])
async def test_a_courtesy_beside_what_asks_or_tells_is_not_told_of_a_month(quiet: Memory, length: str) -> None:
    told = "The desk is in the small room now. " + "The shelf, the lamp and the chair stand there, too. " * 4
    reply = f"Good. {told}" if length == "long" else "Good. What comes next?"
    said = [
        turn("m1", "Moved the desk into the small room.", timestamp=datetime(2025, 7, 4, tzinfo=UTC)),
        turn("m2", reply, "assistant", timestamp=datetime(2025, 7, 4, 1, tzinfo=UTC)),
    ]
    await quiet.add(USER, "s1", said, wait=True)
    answer = await say(quiet, "What happened in July?", session_id="s2")
    assert "Moved the desk" in answer
    assert "“Good.”" not in answer
