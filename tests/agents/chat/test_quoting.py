"""Which passages are quoted: what is named without a question, of which one of a kind, and of whom."""

import pytest

from agents.memory import Memory
from tests.conversations import UNKNOWN, say

NOTED = "Noted. I'll remember that."
SURE = ("You told me", "As far as I know", "You asked me to remember")
TOLD = (
    "The heating engineer was here. The boiler's serial number is VX-88-20417.",
    "Pick-up code for the gate of the school: 5589.",
    "Booked! A cottage in De Koog. Confirmation number TX4471-B.",
    "The upload fails with E_QUOTA when the disk is full.",
    "The guest wifi password is plum-Otter-73.",
)
ITEMS = ("Item 79 has the code 5167.", "Item 52 has the code 8812.")
SERVERS = ("Server A has 16 GB of RAM.", "Server B has 32 GB of RAM.")
NURSE = "My sister Anna lives in Gothenburg and works as a nurse."


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
    ["dentist on Friday", "Off to Paris tomorrow!", "my wifi password: hunter2", "The upload works", "Great cottage"],
)
async def test_what_memory_has_not_or_what_tells_is_noted(quiet: Memory, query: str) -> None:
    await say(quiet, *TOLD)
    assert await say(quiet, query, session_id="s2") == NOTED


async def test_what_was_looked_for_is_no_statement(quiet: Memory) -> None:
    await say(quiet, "The guest wifi password is bluebird-77.")
    await say(quiet, "the guest wifi password", session_id="s2")
    answer = await say(quiet, "What is the code for the guest wifi?", session_id="s3")
    assert answer == "You told me: “The guest wifi password is bluebird-77.” [1]"


async def test_of_what_is_named_the_newest_comes_first(quiet: Memory) -> None:
    await say(quiet, "The guest wifi password is plum-Otter-73.", "New guest wifi password: Walrus-parade-19.")
    answer = await say(quiet, "the guest wifi password", session_id="s2")
    assert answer.index("Walrus") < answer.index("Otter")


@pytest.mark.parametrize(
    ("told", "question"),
    [
        (ITEMS, "What code does item 500 have?"),
        (("Invoice 1041 is paid.",), "Is invoice 1043 paid?"),
        (SERVERS, "How much RAM does server C have?"),
        (("Bus 5 goes to the airport.",), "Where does bus 7 go?"),
        (("My flight on 3 May is at 8:00.",), "When is my flight on 4 May?"),
        (("Trip 432 goes to Ghent.",), "Where does trip 4321 go?"),
        ((NURSE,), "What is my job?"),
        ((NURSE,), "What do I do for a living?"),
    ],
)
async def test_what_is_told_of_another_one_is_no_answer(quiet: Memory, told: tuple[str, ...], question: str) -> None:
    await say(quiet, *told)
    assert not (await say(quiet, question)).startswith(SURE)


@pytest.mark.parametrize("question", ["What is my job?", "What do I do for a living?", "what do i work as"])
async def test_the_users_own_comes_before_what_others_have(quiet: Memory, question: str) -> None:
    await say(quiet, "Hi! My name is Nora Lindqvist and I'm a marine biologist in Bergen.", NURSE)
    assert "nurse" not in await say(quiet, question)


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        (ITEMS, "What code does item 52 have?", "8812"),
        (("Items 12 and 14 are sold.",), "Is item 14 sold?", "sold"),
        (SERVERS, "How much RAM does server B have?", "32 GB"),
        (("My flight on 3 May is at 8:00.",), "When is my flight on 3 May?", "8:00"),
        (("The 3 boxes are in the shed.",), "Where are the boxes?", "shed"),
        (("I paid 40 euros for 2 tickets.",), "How much were the 2 tickets?", "40 euros"),
        (("Version 2 of the API was released in May.",), "When was version 2 released?", "May"),
        (("We moved to floor 7.",), "Which floor did we move to?", "floor 7"),
        (("I ordered 2 chairs at Ikea.",), "Where did I buy 2 chairs?", "Ikea"),
        (("I finished 10 km on Sunday.",), "When did I run 10 km?", "Sunday"),
        (("allergic to peanuts",), "What am I allergic to?", "peanuts"),
        (("spare key behind the boiler",), "Where is the spare key?", "behind the boiler"),
        (("Our review is at 9:45.",), "When is our review?", "9:45"),
        (("My sister Anna watches my dog.",), "Who watches my dog?", "Anna"),
        (("We have a dog called Rex.",), "What is my dog called?", "Rex"),
        (("Rex is our dog.",), "What is our dog called?", "Rex"),
        (("My sister and I play chess.",), "What do I play?", "chess"),
        (("My dog has a red collar.",), "What colour is the collar of my dog?", "red"),
        (("I ride a Brompton.",), "Which bike do I ride?", "Brompton"),
        (("I adore techno.",), "What music do I like?", "techno"),
        (("I'm a baker.",), "What's my job?", "baker"),
        (("Ich bin Bäcker.",), "Was bin ich von Beruf?", "Bäcker"),
        (("I hate mushrooms.", "I love figs."), "What foods do I dislike?", "mushrooms"),
        (("I can't stand olives.", "I love figs."), "What food do I hate?", "olives"),
    ],
)
async def test_what_names_the_one_asked_for_is_told(
    quiet: Memory, told: tuple[str, ...], question: str, expected: str
) -> None:
    await say(quiet, *told)
    assert expected in await say(quiet, question)


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        ("When I was ten I broke my arm.", "When did I break my arm?", "ten"),
        ("What I like most is jazz.", "What do I like most?", "jazz"),
        ("List of guests: Ann, Bob, Cleo.", "Who is on the guest list?", "Cleo"),
        ("Who we hired: Petra as CTO, Sam as designer.", "Who did we hire as CTO?", "Petra"),
        ("Which reminds me: the cabin key is under the blue pot.", "Where is the cabin key?", "blue pot"),
        ("How I make coffee: 18 g in, 36 g out, 28 seconds.", "How do I make coffee?", "36 g"),
        ("Do not call me before 9.", "When should you not call me?", "9"),
        ("Was in Rome in March.", "When was I in Rome?", "March"),
        ("Am reading Dune by Herbert.", "What am I reading?", "Dune"),
        ("Should call the plumber on Friday.", "When should I call the plumber?", "Friday"),
        ("Name of my cat is Miso.", "What is the name of my cat?", "Miso"),
    ],
)
async def test_what_begins_as_a_question_is_noted_and_told(
    quiet: Memory, told: str, question: str, expected: str
) -> None:
    assert (await say(quiet, told)).startswith("Noted")
    assert expected in await say(quiet, question)


@pytest.mark.parametrize(
    "asked",
    [
        "is my peanut allergy serious",
        "where did i park the scooter",
        "has my sister an allergy",
    ],
)
async def test_a_question_without_its_mark_is_not_told(quiet: Memory, asked: str) -> None:
    await say(quiet, asked)
    assert asked not in await say(quiet, "What am I allergic to, and where is the scooter?")


@pytest.mark.parametrize(
    ("misspelt", "question"),
    [
        ("whats my sheo size", "What is my shoe size?"),
        ("wats my favourite colour", "What is my favourite colour?"),
    ],
)
async def test_a_misspelt_question_is_not_quoted_back(quiet: Memory, misspelt: str, question: str) -> None:
    await say(quiet, misspelt)
    for asked in (misspelt, question):
        assert (await say(quiet, asked, session_id="s2")).startswith(UNKNOWN)


async def test_a_speaker_in_what_was_pasted_does_not_answer_for_the_user(quiet: Memory) -> None:
    await say(quiet, "I live in Ghent.", "Anna: Hi! I live in Paris.")
    answer = await say(quiet, "Where do I live?", session_id="s2")
    assert "Ghent" in answer and "Paris" not in answer


@pytest.mark.parametrize(
    ("told", "question", "named"),
    [
        ("If I owned a vineyard, I would sleep in the cellar.", "Do I own a vineyard?", "Where would I sleep?"),
        ("I wish I lived in Porto.", "Where do I live?", "Where do I wish I lived?"),
        ("Wenn ich Tierarzt wäre, würde ich in Graz arbeiten.", "Wo arbeite ich?", "Wo würde ich arbeiten?"),
        ("Our landlord wrote: I live in Malaga now", "Where do I live now?", "What did our landlord write?"),
        ("Translate into Italian: I work at the harbour", "Where do I work?", None),
        ("Can you correct this letter?\n\nDear Mr Faber,\nI live in Antwerp.\nYours, Jo", "Where do I live?", None),
        (
            'Our slogan reads "my sister works at the best bakery".',
            "Where does my sister work?",
            "How does our slogan read?",
        ),
        ("> I work at the harbour\nThat made me laugh.", "Where do I work?", None),
        ("Anna: Hi! I live in Paris.", "Where do I live?", None),
        ("Anna: I live in Paris.\nI have two cats.\nTom: Nice.", "How many cats do I have?", None),
    ],
)
async def test_what_is_not_told_of_the_user_is_quoted_only_where_it_is_meant(
    quiet: Memory, told: str, question: str, named: str | None
) -> None:
    await say(quiet, told)
    assert "[1]" not in await say(quiet, question, session_id="s2")
    assert named is None or told in await say(quiet, named, session_id="s3")


async def test_a_tag_makes_no_statement_of_a_question_in_another_language(quiet: Memory) -> None:
    await say(quiet, "Ich wohne in Köln.")
    assert "Köln" in await say(quiet, "Wo wohne ich, ok?")
