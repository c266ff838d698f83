"""Is what is somebody else's no answer to what is asked of the user, or of one who is named?"""

from datetime import UTC, datetime
from time import perf_counter

import pytest

from agents.chat.context import Citation
from agents.chat.possessors import has_other_owner, is_of_another
from agents.chat.statements import Sentence
from agents.memory import Memory
from tests.conversations import UNKNOWN, USER, say, settle, turn


def said(text: str, name: str | None = None) -> Sentence:
    source = Citation(0, "m1", "turn", "similar", None, "user", text, datetime(2025, 3, 1, tzinfo=UTC), 0.5, name)
    return Sentence(text, source, 0.5)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What is my phone number?", "Mr. Osei's number is 0221 555 0147."),
        ("What is my phone number?", "The electrician is Mr. Osei, phone 0221 555 0147."),
        ("When is my birthday?", "My sister's birthday is on 3 May."),
        ("Who is Pia's teacher?", "Linus's teacher is Mr. Novak."),
        ("What is my brother's name?", "My dog's name is Rex."),
        ("Where do I live?", "My sister Ida lives in Oslo."),
        ("What am I allergic to?", "My colleague Wendy is allergic to bees."),
        ("How many children do I have?", "The party is on Saturday. Eleven children."),
    ],
)
def test_what_somebody_else_has_or_does_is_theirs(query: str, text: str) -> None:
    assert is_of_another(query, said(text), set())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("When is my birthday?", "My birthday is on 3 May, my sister's is in June."),
        ("When is my dentist appointment?", "Dentist appointment with Dr. Kim at 3."),
        ("Where do I live?", "I live in Rome and my sister lives in Oslo."),
        ("When is my daughter's birthday?", "Pia's birthday is on 14 February."),
        ("What is my favourite restaurant?", "Luigi's restaurant is my favourite."),
        ("What is my boss's name?", "My boss is Petra, her dog's name is Rex."),
        ("What is our budget?", "The project's budget is 10k."),
        ("What sport do I play?", "Ben plays tennis with me on Mondays."),
        ("When is Tom's flight?", "His flight leaves at 9."),
        ("How many cats do I have?", "I have two cats, Tom and Jerry."),
        ("What is my locker number?", "Locker number: 12"),
        ("Where do I live?", "The user lives in Graz."),
        ("How many kids do I have?", "The user has three kids."),
        ("How many dogs do I have?", "The two dogs are Rex and Bello."),
    ],
)
def test_what_may_be_the_users_own_is_not_another_ones(query: str, text: str) -> None:
    assert not is_of_another(query, said(text), set())


def test_what_one_says_of_their_own_is_not_of_another_who_is_named() -> None:
    assert is_of_another("Does Jonas have a sister?", said("My sister Ottilie runs too.", "Mara"), {"Mara", "Jonas"})
    assert not is_of_another("Does Mara have a sister?", said("My sister Ottilie runs too.", "Mara"), {"Mara", "Jonas"})


def test_a_name_that_the_user_goes_by_is_the_users() -> None:
    assert not is_of_another("When is my birthday?", said("My birthday is on 3 May.", "Ruth"), {"Ruth"})


async def test_of_several_who_write_none_is_known_to_ask(quiet: Memory) -> None:
    wendy, karl = "I'm allergic to bees.", "My number is 0170 5554433."
    await quiet.add(USER, "s1", [turn("m1", wendy, name="Wendy"), turn("m2", karl, name="Karl")], wait=True)
    await settle(quiet)
    assert (await say(quiet, "What am I allergic to?", session_id="s2")).startswith(UNKNOWN)
    assert wendy in await say(quiet, "What is Wendy allergic to?", session_id="s2")


async def test_a_yes_or_no_of_one_who_is_named_is_not_that_of_another(quiet: Memory) -> None:
    await say(quiet, "Linus can't have hazelnuts.")
    assert (await say(quiet, "Is Pia allergic to hazelnuts?")).startswith(UNKNOWN)
    assert "hazelnuts" in await say(quiet, "What is Linus allergic to?", session_id="s2")


def test_what_was_somebody_elses_is_not_the_same_thing() -> None:
    assert has_other_owner("My neighbour sold his car.", "I have a Honda car.", {"car"})
    assert not has_other_owner("I sold my car.", "I have a Honda car.", {"car"})
    assert not has_other_owner("Tom's car was sold.", "Tom drives a Honda car.", {"car"})


def test_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    began = perf_counter()
    is_of_another("When is my birthday?", said("A-" * 100_000), set())
    assert perf_counter() - began < 2
