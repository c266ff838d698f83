"""Are the sentences chosen that answer, where words are few, names are words too, or no word is shared?"""

import pytest

from agents.chat.asked_words import written_otherwise
from agents.memory import Memory
from tests.conversations import UNKNOWN, USER, say, turn

NEAREST = "I don't know that for sure. This comes nearest:"


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        ("All writes fail with SYS-5030 while the flag is set.", "What does SYS-5030 mean?", "flag"),
        ("Go was updated to 1.23 in all modules.", "What Go version do we use?", "1.23"),
        ("My mug is chipped.", "What is wrong with my mug?", "chipped"),
        ("Grandma Hedwig bakes the cake for the party.", "tell me everything about Hedwig", "cake"),
    ],
)
async def test_words_of_asking_need_not_be_in_the_answer(
    quiet: Memory, told: str, question: str, expected: str
) -> None:
    await say(quiet, told, "The import takes eleven minutes.", "The version that we used takes long.")
    assert expected in await say(quiet, question, session_id="s2")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is Callum vegetarian?", "“Callum is vegetarian.”"),
        ("Does Isolde marry?", "“Isolde does not marry.”"),
        ("Has Tom sold the car?", "“Tom has sold the car.”"),
        ("Is Tom vegetarian?", None),
        ("Who is Callum?", "“Callum is vegetarian.”"),
    ],
)
async def test_what_is_asked_for_may_be_said_in_just_these_words(
    quiet: Memory, question: str, expected: str | None
) -> None:
    await say(quiet, "Callum is vegetarian.", "Isolde does not marry.", "Tom has sold the car.")
    answer = await say(quiet, question, session_id="s2")
    assert expected in answer if expected else not answer.startswith("You told me")


async def test_a_name_is_not_answered_with_the_same_word(quiet: Memory) -> None:
    await say(quiet, "We wrote the backend in Go.", "Licence check: the barcode library we use is GPL, has to go.")
    assert "GPL" not in await say(quiet, "Which Go do we use?")


def test_a_word_is_no_name_where_another_text_has_the_name() -> None:
    texts = ["The backend is in Go.", "It has to go."]
    assert written_otherwise("What Go version is it?", texts) == [set(), {"go"}]
    assert written_otherwise("What Go version is it?", texts[1:]) == [set()]


async def test_what_has_a_name_is_found_by_what_it_is(quiet: Memory) -> None:
    await say(
        quiet,
        "The hamster moved in today. He's called Sir Crumbs.",
        "Sad news. Sir Crumbs died. The children buried him under the fig tree.",
        "Our son Linus is five.",
        "Careful: Linus swelled up like a balloon from hazelnuts.",
    )
    assert "fig tree" in await say(quiet, "Where is the hamster buried?", session_id="s2")
    assert "hazelnuts" in await say(quiet, "From which nuts did my son swell up?", session_id="s2")


async def test_only_who_says_so_has_a_name(quiet: Memory) -> None:
    await say(quiet, "Hi, I'm Ruth.", "That is the best band name.", "The name on the door is wrong.")
    answer = await say(quiet, "What is my name?", session_id="s2")
    assert "Ruth" in answer and "band" not in answer and "door" not in answer


@pytest.mark.parametrize(("told", "known"), [("He turns 9 in May.", True), ("He was here on the 8th of June.", False)])
async def test_an_age_is_not_the_day_of_a_month(quiet: Memory, told: str, known: bool) -> None:
    await say(quiet, f"My nephew Tom came. {told}")
    assert (await say(quiet, "How old is Tom?", session_id="s2")).startswith(UNKNOWN) is not known


async def test_a_phone_number_has_five_digits(quiet: Memory) -> None:
    await say(quiet, "My phone is a Fairphone 4.")
    assert (await say(quiet, "What is my phone number?", session_id="s2")).startswith(UNKNOWN)
    await say(quiet, "My phone number is 0170 555 44 33.")
    assert "0170" in await say(quiet, "What is my phone number?", session_id="s2")


@pytest.mark.parametrize("query", ["?", "???", "…?"])
async def test_a_question_without_words_is_asked_back(quiet: Memory, query: str) -> None:
    await say(quiet, "My dog is called Biscuit.")
    assert await say(quiet, query) == "What would you like to know?"


async def test_what_stands_out_is_told_as_the_nearest(quiet: Memory) -> None:
    await say(
        quiet,
        "Substitute for Rafael is Mireille, a freelancer from Lyon, 95 euros an hour, starting 4 May.",
        "The bins are collected on Tuesday.",
        "My dog is called Biscuit.",
    )
    answer = await say(quiet, "What are Mireille's rates?", session_id="s2")
    assert answer.startswith(NEAREST) and "95 euros" in answer


async def test_what_is_told_of_somebody_else_is_not_the_nearest(quiet: Memory) -> None:
    await say(quiet, "Imke has two cats, Pixel and Byte.", "The bins are collected on Tuesday.")
    assert "Imke" not in await say(quiet, "What is the name of Mara's cat?", session_id="s2")


async def test_what_loci_said_is_the_nearest_where_loci_is_asked(quiet: Memory) -> None:
    said = [
        turn("m1", "The bowls came out of the kiln full of craters."),
        turn("m2", "Pinholing: gas escapes late. Fire the clay hotter before the glaze comes on.", "assistant"),
        turn("m3", "The bins are collected on Tuesday."),
    ]
    await quiet.add(USER, "s1", said, wait=True)
    answer = await say(quiet, "why did my glazes get holes, according to you?", session_id="s2")
    assert answer.startswith(NEAREST) and "I told you on 2025-03-01: “Pinholing" in answer


@pytest.mark.parametrize(
    "told",
    [
        "zbigniew says the timing belt has to be changed at 120000 km",
        "Zbigniew from the garage says that the timing belt lasts 120000 km",
        "zbigniew: the timing belt lasts 120000 km",
    ],
)
async def test_who_said_something_may_be_written_small_or_be_told_more_of(quiet: Memory, told: str) -> None:
    await say(quiet, told, "My dog is called Biscuit.")
    answer = await say(quiet, "What did Zbigniew say about the timing belt?", session_id="s2")
    assert answer.startswith("You told me") and "120000 km" in answer
