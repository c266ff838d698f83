"""Is what is told of another one of a kind, or of somebody else, no answer?"""

import pytest

from agents.memory import Memory
from tests.conversations import say

SURE = ("You told me", "As far as I know", "You asked me to remember")


@pytest.mark.parametrize(
    ("told", "question"),
    [
        (("Item 79 has the code 5167.", "Item 52 has the code 8812."), "What code does item 500 have?"),
        (("Invoice 1041 is paid.",), "Is invoice 1043 paid?"),
        (("Server A has 16 GB of RAM.", "Server B has 32 GB of RAM."), "How much RAM does server C have?"),
        (("Bus 5 goes to the airport.",), "Where does bus 7 go?"),
        (("My flight on 3 May is at 8:00.",), "When is my flight on 4 May?"),
        (("Trip 432 goes to Ghent.",), "Where does trip 4321 go?"),
        (("Room 12 has the projector.",), "What does room 14 have?"),
    ],
)
async def test_another_number_of_a_kind_is_no_answer(quiet: Memory, told: tuple[str, ...], question: str) -> None:
    for one in told:
        await say(quiet, one)
    assert not (await say(quiet, question)).startswith(SURE)


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        (("Item 79 has the code 5167.", "Item 52 has the code 8812."), "What code does item 52 have?", "8812"),
        (("Items 12 and 14 are sold.",), "Is item 14 sold?", "sold"),
        (("Server A has 16 GB of RAM.", "Server B has 32 GB of RAM."), "How much RAM does server B have?", "32 GB"),
        (("My flight on 3 May is at 8:00.",), "When is my flight on 3 May?", "8:00"),
        (("The 3 boxes are in the shed.",), "Where are the boxes?", "shed"),
        (("I paid 40 euros for 2 tickets.",), "How much were the 2 tickets?", "40 euros"),
        (("Version 2 of the API was released in May.",), "When was version 2 released?", "May"),
        (("We moved to floor 7.",), "Which floor did we move to?", "floor 7"),
        (("I ordered 2 chairs at Ikea.",), "Where did I buy 2 chairs?", "Ikea"),
        (("I slept 3 nights in Oslo in June.",), "Where did I stay 3 nights?", "Oslo"),
        (("I finished 10 km on Sunday.",), "When did I run 10 km?", "Sunday"),
        (("We reserved 3 rooms at the Ritz.",), "Which hotel did we reserve 3 rooms in?", "Ritz"),
    ],
)
async def test_the_same_number_or_none_is(quiet: Memory, told: tuple[str, ...], question: str, expected: str) -> None:
    for one in told:
        await say(quiet, one)
    assert expected in await say(quiet, question)


@pytest.mark.parametrize(
    ("told", "question", "wrong"),
    [
        ("My sister Anna lives in Gothenburg and works as a nurse.", "What is my job?", "nurse"),
        ("My sister Anna lives in Gothenburg and works as a nurse.", "What do I do for a living?", "nurse"),
    ],
)
async def test_what_another_one_has_is_no_answer(quiet: Memory, told: str, question: str, wrong: str) -> None:
    await say(quiet, told)
    answer = await say(quiet, question)
    assert wrong not in answer or not answer.startswith(SURE)


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        ("Our review is at 9:45.", "When is our review?", "9:45"),
        ("My sister Anna watches my dog.", "Who watches my dog?", "Anna"),
        ("Ann is my boss.", "Who is my boss?", "Ann"),
        ("We have a dog called Rex.", "What is my dog called?", "Rex"),
        ("Yesterday we got a cat called Tom.", "What is our cat called?", "Tom"),
        ("Rex is our dog.", "What is our dog called?", "Rex"),
        ("My sister and I play chess.", "What do I play?", "chess"),
        ("My dog has a red collar.", "What colour is the collar of my dog?", "red"),
    ],
)
async def test_what_others_have_to_do_with_the_users_is_told(
    quiet: Memory, told: str, question: str, expected: str
) -> None:
    await say(quiet, told)
    assert expected in await say(quiet, question)


@pytest.mark.parametrize("question", ["What is my job?", "What do I do for a living?", "what do i work as"])
async def test_the_users_own_comes_before_what_others_have(quiet: Memory, question: str) -> None:
    await say(quiet, "Hi! My name is Nora Lindqvist and I'm a marine biologist in Bergen.")
    await say(quiet, "My sister Anna lives in Gothenburg and works as a nurse.")
    assert "nurse" not in await say(quiet, question)


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        ("My kids: Leo 5, Mia 9.", "How old is Mia?", "Mia 9"),
        ("When I was ten I broke my arm.", "When did I break my arm?", "ten"),
        ("What I like most is jazz.", "What do I like most?", "jazz"),
        ("List of guests: Ann, Bob, Cleo.", "Who is on the guest list?", "Cleo"),
        ("Who we hired: Petra as CTO, Sam as designer.", "Who did we hire as CTO?", "Petra"),
        ("Which reminds me: the cabin key is under the blue pot.", "Where is the cabin key?", "blue pot"),
        ("How I make coffee: 18 g in, 36 g out, 28 seconds.", "How do I make coffee?", "36 g"),
        ("Do not call me before 9.", "When should you not call me?", "9"),
        ("Was in Rome in March.", "When was I in Rome?", "March"),
        ("Did my taxes on Monday.", "When did I do my taxes?", "Monday"),
        ("Am reading Dune by Herbert.", "What am I reading?", "Dune"),
        ("Should call the plumber on Friday.", "When should I call the plumber?", "Friday"),
        ("Name of my cat is Miso.", "What is the name of my cat?", "Miso"),
        ("Directions to the cabin: take road 7 and turn left at the mill.", "How do I get to the cabin?", "road 7"),
    ],
)
async def test_what_begins_or_ends_as_a_question_is_noted_and_told(
    quiet: Memory, told: str, question: str, expected: str
) -> None:
    assert (await say(quiet, told)).startswith("Noted")
    assert expected in await say(quiet, question)


@pytest.mark.parametrize(
    "asked", ["is my peanut allergy serious", "where did i park the scooter", "has my sister an allergy"]
)
async def test_a_question_without_its_mark_is_not_told(quiet: Memory, asked: str) -> None:
    await say(quiet, asked)
    assert asked not in await say(quiet, "What am I allergic to, and where is the scooter?")


@pytest.mark.parametrize("asked", ["Wo wohne ich, ok?"])
async def test_a_tag_makes_no_statement_of_a_question_in_another_language(quiet: Memory, asked: str) -> None:
    await say(quiet, "Ich wohne in Köln.")
    assert "Köln" in await say(quiet, asked)
