"""What a search surely means comes before what is only like it."""

from datetime import timedelta

import pytest

from agents.memory import Memory
from config.recipes import SEARCH
from memory.recall.recaller import with_overrides
from tests.conversations import START, USER, turn
from utils.clock import now


async def tell(memory: Memory, *texts: str, days: int = 1) -> None:
    """Tells one after the other, the last of them yesterday, so many days between two."""
    last = now() - timedelta(days=1)
    turns = [
        turn(f"m{at}", text, timestamp=last - timedelta(days=days * (len(texts) - 1 - at)))
        for at, text in enumerate(texts)
    ]
    await memory.add(USER, "s1", turns, wait=True)


async def found(memory: Memory, query: str, **overrides: float) -> list[str]:
    recipe = with_overrides(SEARCH, **overrides) if overrides else SEARCH
    return [hit.gist.id for hit in (await memory.search(USER, query, recipe)).hits]


DIARY = (
    "went climbing with Ola, got up a 6a",
    "paid the gas bill, 63 pounds",
    "the bus was late again, 12 minutes",
    "cooked lasagne for the neighbours",
    "read 40 pages of Piranesi",
    "took mum to the clinic, her wrist hurts",
    "bought plums at the market",
)


@pytest.mark.parametrize("question", ["What did I do on {}?", "What happened on {}?", "what did I tell you on {}"])
@pytest.mark.parametrize("at", [1, 3, 5])
async def test_what_was_said_on_a_day_comes_before_what_was_said_around_it(
    quiet: Memory, question: str, at: int
) -> None:
    await tell(quiet, *DIARY)
    day = now() - timedelta(days=len(DIARY) - at)
    assert (await found(quiet, question.format(f"{day.day} {day:%B %Y}")))[0] == f"m{at}"


@pytest.mark.parametrize("question", ["{}", "What happened to {}?", "Who worked on {}?", "What do you know about {}?"])
async def test_the_one_that_names_a_code_comes_before_its_neighbours(quiet: Memory, question: str) -> None:
    await tell(quiet, "Ann closed OPS-1903, errors of billing", "Cleo reviewed OPS-1910", "Bo closed OPS-1917, typos")
    assert (await found(quiet, question.format("OPS-1910")))[0] == "m1"


async def test_a_short_code_is_one(quiet: Memory) -> None:
    await tell(quiet, "db-01 has 16 GB of memory", "db-02 has 64 GB of memory", "db-03 has 8 GB of memory")
    assert (await found(quiet, "How much memory has db-02?"))[0] == "m1"


async def test_the_one_that_has_all_the_rare_words_comes_first_however_long_it_is(quiet: Memory) -> None:
    things = " ".join(f"thing{at} was moved to room {at}." for at in range(300))
    await tell(quiet, "read 103 pages of Wolf Hall", f"{things} Quirinius Halloway signed the lease. {things}", "dal")
    assert (await found(quiet, "Quirinius Halloway"))[0] == "m1"
    assert (await found(quiet, "Who is Quirinius Halloway?"))[0] == "m1"


async def test_who_looks_for_the_last_or_the_first_time_gets_it(quiet: Memory) -> None:
    await tell(
        quiet,
        "went climbing with Ola, got up a 5c",
        "went climbing with Jin, got up a 6a",
        "Sam cooked dal",
        "went climbing with Beth, got up a 5a",
        "the gas bill came",
        days=20,
    )
    assert (await found(quiet, "Who did I go climbing with most recently?"))[0] == "m3"
    assert (await found(quiet, "When did I last go climbing?"))[0] == "m3"
    assert (await found(quiet, "When did I first go climbing?"))[0] == "m0"


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("our team standup moved to 10:15", "the standup is now at 11, i stopped caring", "What time is standup {}?"),
        ("the entry code for the street door is 4417#", "the door code changed: 8802#", "What is the door code {}?"),
        ("bought a used Skoda Fabia, 5,650 pounds", "sold the Fabia, we bought a Kia Niro", "Which car do we have {}?"),
    ],
)
@pytest.mark.parametrize("when", ["now", "these days", "at the moment", "currently"])
async def test_what_holds_now_is_what_was_said_of_it_last(
    quiet: Memory, older: str, newer: str, asked: str, when: str
) -> None:
    await tell(quiet, *DIARY[:3], older, *DIARY[3:5], newer, *DIARY[5:], days=10)
    assert (await found(quiet, asked.format(when)))[:2] == ["m6", "m3"]


async def test_what_was_said_last_of_something_else_holds_for_nothing_else(quiet: Memory) -> None:
    await tell(quiet, "the code for the street door is 4417#", "the code of the library card is 2 9041", *DIARY)
    assert (await found(quiet, "What is the current code for the street door?"))[0] == "m0"


async def test_of_a_time_in_which_nothing_was_said_nothing_is_likely(quiet: Memory) -> None:
    await tell(quiet, *DIARY, days=3)
    turns = [turn("asks", "What happened?", "assistant", timestamp=now() - timedelta(days=2))]
    await quiet.add(USER, "s1", turns, wait=True)
    hits = (await quiet.search(USER, f"What happened in March {now().year - 3}?")).hits
    assert hits and all(hit.score < 0.1 for hit in hits)
    assert hits[0].gist.id != "asks"


async def test_who_types_what_was_said_finds_it(quiet: Memory) -> None:
    texts = [f"spent £{price} on headphones" for price in (104, 88, 121, 86)]
    await tell(quiet, *texts)
    for at, text in enumerate(texts):
        assert (await found(quiet, text))[0] == f"m{at}"


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("The plumber charges 85 an hour. Is that a lot?", "How much does the plumber charge?"),
        pytest.param(
            "My blood pressure was 151 over 94 this morning, should I worry?",
            "What was my blood pressure?",
            marks=pytest.mark.xfail(strict=True, reason="“Blood test on Friday.” stands first"),
        ),
        ("We named the baby Leonie Marit. Do you like it?", "What is the baby's name?"),
        pytest.param(
            "We named the baby Leonie Marit, do you like it?",
            "What is the baby's name?",
            marks=pytest.mark.xfail(strict=True, reason="another name stands first"),
        ),
    ],
)
async def test_what_tells_before_it_asks_is_found(quiet: Memory, told: str, asked: str) -> None:
    others = ["The gardener charges per visit.", "Blood test on Friday.", "My mother-in-law is called Beatrix."]
    await tell(quiet, others[0], told, *others[1:])
    assert (await found(quiet, asked))[0] == "m1"


async def test_what_has_nothing_to_do_with_it_is_new_or_different_in_vain(quiet: Memory) -> None:
    await quiet.add(USER, "s0", [turn("old", "My rent is 1,190 a month.", timestamp=START)], wait=True)
    await tell(quiet, *DIARY)
    assert (await found(quiet, "How much is my rent?", recency_weight=0.5))[0] == "old"
    await quiet.add(USER, "s2", [turn("new", "The rent of the garage is 90 a month.", timestamp=START)], wait=True)
    assert set((await found(quiet, "How much is my rent?", mmr_lambda=0.3))[:2]) == {"old", "new"}
