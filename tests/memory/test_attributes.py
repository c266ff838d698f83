"""Are statements on one thing kept beside each other, where they say different things of it?"""

import pytest

from memory.attributes import attribute_of, keys_beside, place_beside
from memory.extract import key_and_value, statement_to_remember, values_stated


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
