"""Are statements on one thing kept beside each other, where they say different things of it?"""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory.facts.rules.attributes import KEY_CHARACTERS, attribute_of, keys_beside, place_beside
from memory.facts.rules.keeping import key_and_value, statement_to_remember, values_stated


def kept_after(*statements: str) -> dict[str, str]:
    """What is kept after statements that are to be remembered, one by one."""
    kept: dict[str, str] = {}
    for one in statements:
        statement = statement_to_remember(f"remember that {one}") or one
        key, value = key_and_value(statement)
        known = {name: kept[name] for name in keys_beside(statement, key, value) if name in kept}
        place, told = place_beside(statement, key, value, known)
        kept[place] = told
    return kept


@pytest.mark.parametrize(
    ("statements", "kept"),
    [
        (["my wife is called Elin", "my wife is a teacher"], {"wife": "Elin", "wife's job": "a teacher"}),
        (["my wife is a teacher", "my wife is called Elin"], {"wife's job": "a teacher", "wife": "Elin"}),
        (["my wife is Elin", "my wife is 34"], {"wife": "Elin", "wife's age": "34"}),
        (["my boss is Tom", "my boss is Italian"], {"boss": "Tom", "boss's nationality": "Italian"}),
        (["my brother is Max", "my brother is vegan"], {"brother": "Max", "brother's diet": "vegan"}),
        (["my sister is Eva", "my sister is in Rome"], {"sister": "Eva", "sister's place": "in Rome"}),
        (["my dog is Rex", "my dog is brown"], {"dog": "Rex", "dog's colour": "brown"}),
        (
            ["my dog is Rex", "my dog is afraid of thunder"],
            {"dog": "Rex", "my dog is afraid of thunder": "my dog is afraid of thunder"},
        ),
        (
            ["Anna is my sister", "Anna is allergic to nuts"],
            {"anna": "my sister", "anna is allergic to nuts": "Anna is allergic to nuts"},
        ),
        (
            ["Anna is allergic to nuts", "Anna is my sister", "Anna is a nurse"],
            {
                "anna is allergic to nuts": "Anna is allergic to nuts",
                "anna": "my sister",
                "anna's job": "a nurse",
            },
        ),
        (
            ["I'm allergic to nuts", "I'm allergic to eggs"],
            {"allergic to": "nuts", "i'm allergic to eggs": "I'm allergic to eggs"},
        ),
        (
            ["the meeting is at 10 on Monday", "the meeting is at 15 on Tuesday"],
            {"meeting": "at 10 on Monday", "meeting on tuesday": "at 15 on Tuesday"},
        ),
        (["my flight is LH123", "my flight is at 9:45"], {"flight": "LH123", "flight's time": "at 9:45"}),
        (["my car is red", "my car is in the garage"], {"car": "red", "car's place": "in the garage"}),
        (
            ["my locker is number 12", "my locker is near the door"],
            {"locker": "number 12", "locker's place": "near the door"},
        ),
    ],
)
def test_what_says_something_else_is_kept_beside(statements: list[str], kept: dict[str, str]) -> None:
    assert kept_after(*statements) == kept
    assert kept_after(*statements, *statements) == kept


@pytest.mark.parametrize(
    ("statements", "kept"),
    [
        (["my dog is Rex", "my dog is Biscuit"], {"dog": "Biscuit"}),
        (["my dog is rex", "my dog is biscuit"], {"dog": "biscuit"}),
        (["my wife is called Elin", "my wife is called Eva"], {"wife": "Eva"}),
        (["my wife is a teacher", "my wife is a nurse"], {"wife's job": "a nurse"}),
        (
            ["my wife is called Elin", "my wife is a teacher", "my wife is a stonemason", "my wife is Eva"],
            {"wife": "Eva", "wife's job": "a stonemason"},
        ),
        (["my car is red", "my car is blue"], {"car": "blue"}),
        (["my PIN is 4711", "my PIN is secret"], {"pin": "secret"}),
        (["my favourite colour is green", "my favourite colour is between red and blue"], None),
        (["my wifi password is hunter2", "my wifi password is Garden"], {"wifi password": "Garden"}),
        (["my wifi is hunter2", "my wifi is Garden"], {"wifi": "Garden"}),
        (["my gate is B12", "my gate is C3"], {"gate": "C3"}),
        (["my flight is on Friday", "my flight is on Saturday"], {"flight": "on Saturday"}),
        (["the meeting is at 10 on Monday", "the meeting is at 11 on Monday"], {"meeting": "at 11 on Monday"}),
        (["the meeting is at 10 on Monday", "the meeting is at 11"], {"meeting": "at 11"}),
        (
            ["the meeting is at 10 on Monday", "the meeting is now at 15 on Tuesday"],
            {"meeting": "now at 15 on Tuesday"},
        ),
        (["the meeting is at 10 on Monday", "the meeting moved to Tuesday at 15"], {"meeting": "Tuesday at 15"}),
        (
            [
                "the meeting is at 10 on Monday",
                "the meeting is at 15 on Tuesday",
                "the meeting is at 16 on Tuesday",
            ],
            {"meeting": "at 10 on Monday", "meeting on tuesday": "at 16 on Tuesday"},
        ),
        (["I live in Rome", "I live in Oslo"], {"live in": "Oslo"}),
        (["my sister is single", "my sister is married to Tom"], {"sister's status": "married to Tom"}),
        (["my plan is to stay", "my plan is Rome"], {"plan": "Rome"}),
        (["my project is late", "my project is done"], None),
    ],
)
def test_another_value_of_the_same_takes_its_place(statements: list[str], kept: dict[str, str] | None) -> None:
    found = kept_after(*statements)
    assert found == kept if kept is not None else len(found) == 1


def test_what_was_kept_under_the_old_key_is_replaced_there() -> None:
    statement = "my wife is a nurse"
    assert place_beside(statement, "wife", "a nurse", {"wife": "a teacher"}) == ("wife", "a nurse")
    assert place_beside("my wife is called Elin", "wife", "Elin", {"wife": "a teacher"}) == ("wife's name", "Elin")


@pytest.mark.parametrize(
    ("value", "attribute"),
    [
        ("a teacher", "job"),
        ("my teacher", "relation"),
        ("Tom's sister", "relation"),
        ("Italian", "nationality"),
        ("Elin", "name"),
        ("dark red", "colour"),
        ("at 10 on Monday", "time"),
        ("3 May", "time"),
        ("at home", "place"),
        ("12A", "number"),
        ("hunter", "word"),
        ("late", "state"),
        ("the one that I bought in Rome", None),
    ],
)
def test_a_value_tells_of_what_it_is(value: str, attribute: str | None) -> None:
    assert attribute_of(value) == attribute


def test_what_is_said_of_a_thing_is_kept_under_its_attribute() -> None:
    assert [one.value for one in values_stated("My wife is a teacher.", "wife's job")] == ["a teacher"]
    assert [one.value for one in values_stated("My wife's job is teaching.", "wife's job")] == ["teaching"]
    assert values_stated("My wife is Elin.", "wife's job") == []


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (["my husband is called Jonas", "my husband is a plumber"], ["Jonas", "plumber"]),
        (["my son is called Emil", "my son is 7"], ["Emil", "7"]),
        (["my boss is Ms Lind", "my boss is on holiday until Monday"], ["Lind", "holiday"]),
        (["my cat is Miso", "my cat is allergic to chicken"], ["Miso", "chicken"]),
        (["my dentist is Dr. Brown", "my dentist is in Elm Street"], ["Brown", "Elm"]),
        (["Tom is my brother", "Tom is a vegetarian"], ["brother", "vegetarian"]),
        (["Tom is my brother", "Tom is 34"], ["brother", "34"]),
        (["Eva is a nurse", "Eva is pregnant"], ["nurse", "pregnant"]),
        (["my sister is pregnant", "my sister is called Lea"], ["pregnant", "Lea"]),
        (["my car is a red Toyota", "my car is parked on level 3"], ["Toyota", "level 3"]),
        (["my bike is green", "my bike is in the cellar"], ["green", "cellar"]),
        (["my dog is a poodle", "my dog is called Bello"], ["poodle", "Bello"]),
        (
            ["the dentist appointment is at 9 on Monday", "the dentist appointment is at 11 on Thursday"],
            ["Monday", "Thursday"],
        ),
        (["the exam is on 3 June", "the exam is in room 12"], ["3 June", "room 12"]),
        (["I'm allergic to nuts", "I am allergic to cats"], ["nuts", "cats"]),
        (["my flat is in Oslo", "my flat is 60 square metres"], ["Oslo", "60"]),
        (["my daughter is Mia", "my daughter is afraid of dogs"], ["Mia", "afraid"]),
        (["my landlord is Mr. Klein", "my landlord is very strict"], ["Klein", "strict"]),
        (["my passport is in the drawer", "my passport is valid until 2030"], ["drawer", "2030"]),
        (["my wife is Elin", "my wife is from Sweden"], ["Elin", "Sweden"]),
        (["our teacher is Ms Poe", "our teacher is ill"], ["Poe", "ill"]),
    ],
)
def test_neither_is_lost(statements: list[str], told: list[str]) -> None:
    kept = str(kept_after(*statements))
    assert all(one in kept for one in told)


@pytest.mark.parametrize(
    ("statements", "former"),
    [
        (["my husband is called Jonas", "my husband is called Jens"], "Jonas"),
        (["my sister is a nurse", "my sister is a doctor"], "nurse"),
        (["my sister is 20", "my sister is 21"], "20"),
        (["my car is in the garage", "my car is on the street"], "garage"),
        (["my bike is green", "my bike is black"], "green"),
        (["my locker is 12", "my locker is 40"], "12"),
        (["my gym is Fitwerk", "my gym is Holmes Place"], "Fitwerk"),
        (["my flight is at 9:45", "my flight is at 10:15"], "9:45"),
        (["the exam is on 3 June", "the exam is on 9 June"], "3 June"),
        (["the exam is on 3 June", "the exam has moved to 9 June"], "3 June"),
        (["the meeting is on Monday", "the meeting is on Tuesday instead"], "Monday"),
        (["my door code is 1234", "my door code is 9999"], "1234"),
        (["my favourite film is Heat", "my favourite film is alien"], "Heat"),
        (["my boss is Tom", "my boss is Kim"], "Tom"),
        (["my doctor is Dr. Brown", "my doctor is Dr. Lee"], "Brown"),
        (["my email is a@b.org", "my email is c@d.org"], "a@b.org"),
        (["I work at Acme", "I work at Bosch"], "Acme"),
        (["my brother is single", "my brother is engaged"], "single"),
        (["my project is in planning", "my project is in testing"], "planning"),
        (["my rent is 800 euros", "my rent is 900 euros"], "800"),
        (["my wifi is called Nest", "my wifi is called Hive"], "Nest"),
        (["my computer is slow", "my computer is fast"], "slow"),
    ],
)
def test_the_former_value_is_kept_no_more(statements: list[str], former: str) -> None:
    assert former not in str(kept_after(*statements))


@given(
    st.text(min_size=1),
    st.text(min_size=1),
    st.sampled_from(["my wife is ", "", "Anna is ", "the meeting is at 9 on "]),
)
def test_the_place_of_any_statement_is_one_that_was_looked_at(said: str, before: str, lead: str) -> None:
    statement = lead + said
    assume(statement.strip())
    key, value = key_and_value(statement)
    keys = keys_beside(statement, key, value)
    for kept in ({}, {key: before}, dict.fromkeys(keys, before)):
        place, told = place_beside(statement, key, value, kept)
        assert place in keys and len(place) <= KEY_CHARACTERS and told


@pytest.mark.timeout(10)
@pytest.mark.parametrize("run", ["a ", "my ", "is ", "on ", "now ", "1", "an a-", "monday ", "'s "])
def test_a_long_run_of_anything_has_its_place_in_time(run: str) -> None:
    long = run * (20_000 // len(run))
    for statement in (f"my wife is {long}x", f"{long}is {long}"):
        key, value = key_and_value(statement)
        place_beside(statement, key, value, {key: long})
