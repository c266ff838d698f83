"""Requests to remember or to forget, and what they speak of."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain import KeyValue
from memory.facts.rules.attributes import (
    attribute_meant,
    named_in,
    value_given,
)
from memory.facts.rules.keeping import (
    KEY_CHARACTERS,
    fact_meant,
    facts_near,
    key_and_value,
    keys_beside,
    keys_of_the_same,
    place_beside,
    statement_to_forget,
    statement_to_remember,
)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("remember that my wifi password is hunter2", "wifi password", "hunter2"),
        ("Remember my dog is called Biscuit.", "dog", "Biscuit"),
        ("please remember: my car is red!", "car", "red"),
        ("Please don’t forget: my flight is at 9", "flight", "at 9"),
        ("don't forget my sister's birthday is 3 May", "sister's birthday", "3 May"),
        ("don't forget to buy milk", "to buy milk", "to buy milk"),
        ("Hey, can you remember that my dog is Biscuit?", "dog", "Biscuit"),
        ("could you please remember my locker code is 4711?", "locker code", "4711"),
        ("I want you to remember that I live in Rome", "live in", "Rome"),
        ("keep in mind that I am allergic to nuts", "allergic to", "nuts"),
        ("note that I prefer tea", "i prefer tea", "I prefer tea"),
        ("note: door code = 1234", "door code", "1234"),
        ("save this: wifi: hunter2", "wifi", "hunter2"),
        ("make a note of this: the meeting is on Monday", "meeting", "on Monday"),
        ("memorise my address: 5 High Street", "address", "5 High Street"),
        ("remember my name's Ann", "name", "Ann"),
        ("Remember that my cats are named “Tom and Jerry”", "cats", "Tom and Jerry"),
        ("remember that my password is a=b: c", "password", "a=b: c"),
        ("remember\nthat my\nbike is\ngreen", "bike", "green"),
        ("remember !!!", "!!!", "!!!"),
        ("Remind me that the gate code is 4711", "gate code", "4711"),
        ("Note to self: buy milk", "buy milk", "buy milk"),
    ],
)
def test_a_request_to_remember_gives_a_key_and_a_value(text: str, key: str, value: str) -> None:
    statement = statement_to_remember(text)
    assert statement is not None
    assert key_and_value(statement) == (key, value)


@pytest.mark.parametrize(
    "text",
    [
        "do you remember my dog?",
        "can you remember my dog's name?",
        "remember me?",
        "remember me",
        "Remember you!",
        "Please remember us!",
        "Remember what I told you about Rome",
        "remember when we met",
        "I remember my dog",
        "I can't remember my password",
        "remember",
        "remember that",
        "please remember this, please",
        "Save money with these tips",
        "Notes on the meeting",
        "never forget where you came from",
        "What should I remember?",
        "",
    ],
)
def test_what_only_speaks_of_remembering_is_no_request(text: str) -> None:
    assert statement_to_remember(text) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("forget my wifi password", "my wifi password"),
        ("Please forget everything about my dog.", "my dog"),
        ("forget what I said about Ana", "Ana"),
        ("forget that I live in Paris", "I live in Paris"),
        ("can you forget my address?", "my address"),
        ("delete my address", "my address"),
        ("erase all about my dog", "my dog"),
        ("don't forget my dog", None),
        ("do not forget the milk", None),
        ("I forgot my keys", None),
        ("did you forget my birthday?", None),
        ("forget-me-nots are blue", None),
        ("delete duplicates in SQL", None),
        ("remove the stopwords from this list", None),
        ("", None),
    ],
)
def test_a_request_to_forget_says_what(text: str, meant: str | None) -> None:
    assert statement_to_forget(text) == meant


def facts(*pairs: tuple[str, str]) -> list[KeyValue]:
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    return [KeyValue(key, value, moment, moment, 1, 1) for key, value in pairs]


KNOWN = facts(
    ("wifi password", "hunter2"),
    ("dog", "Biscuit"),
    ("dog food", "Acana"),
    ("live in", "Paris"),
    ("i prefer tea to coffee", "I prefer tea to coffee"),
    ("email", "ann@example.org"),
)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("my wifi password", "wifi password"),
        ("my Wi-Fi", None),
        ("the password", None),
        ("hunter2", "wifi password"),
        ("my dog", "dog"),
        ("my dogs", "dog"),
        ("my dog Biscuit", "dog"),
        ("Biscuit", "dog"),
        ("my dog's food", "dog food"),
        ("my dog's birthday", None),
        ("I live in Paris", "live in"),
        ("I prefer tea", "i prefer tea to coffee"),
        ("it, let's talk about dogs", None),
        ("my cat", None),
        ("my food", None),
        ("it", None),
        ("everything", None),
    ],
)
def test_only_the_fact_that_was_meant_is_forgotten(text: str, key: str | None) -> None:
    fact = fact_meant(text, KNOWN)
    assert (fact.key if fact else None) == key


def test_of_two_facts_that_suit_alike_none_is_forgotten() -> None:
    assert fact_meant("Paris", facts(("live in", "Paris"), ("born in", "Paris"))) is None


def test_a_part_of_a_key_does_not_name_the_fact_but_is_near_it() -> None:
    only = facts(("dog food", "Acana"), ("car", "red"))
    assert fact_meant("my dog", only) is None
    assert [fact.key for fact in facts_near("my dog", only)] == ["dog food"]


@given(st.text(min_size=1))
def test_any_text_has_a_key_that_is_short_and_a_value(text: str) -> None:
    key, value = key_and_value(text)
    assert len(key) <= KEY_CHARACTERS
    assert value
    if text.strip():
        assert key


@given(
    st.text(), st.sampled_from(["remember ", "remember that my ", "forget ", "please don't forget: ", "save this: "])
)
def test_any_request_is_understood_or_refused_without_failing(text: str, lead: str) -> None:
    statement = statement_to_remember(lead + text)
    if statement is not None:
        key, value = key_and_value(statement)
        assert key
        assert value
    statement_to_forget(lead + text)
    fact_meant(text, KNOWN)


@pytest.mark.parametrize(
    ("kept", "said", "place"),
    [
        ({}, "my wife is called Elin", ("wife", "Elin")),
        ({"wife": "Elin"}, "my wife is a teacher", ("wife's job", "a teacher")),
        ({"wife": "Elin", "wife's job": "a teacher"}, "my wife is a nurse", ("wife's job", "a nurse")),
        ({"wife": "Elin"}, "my wife is called Ada", ("wife", "Ada")),
        ({"wife": "Elin"}, "my wife is funny", ("my wife is funny", "my wife is funny")),
        ({"son": "Leo"}, "my son is 7", ("son's age", "7")),
        ({"dog": "Rex"}, "my dog is allergic to wheat", ("my dog is allergic to wheat", "my dog is allergic to wheat")),
        ({"locker": "number 12"}, "my locker is number 40", ("locker", "number 40")),
        ({"locker": "number 12"}, "my locker is in the basement", ("locker's place", "in the basement")),
        ({"shift": "on Monday"}, "my shift is on Friday", ("shift", "on Friday")),
        ({"wifi password": "hunter2"}, "my wifi password is Correct Horse", ("wifi password", "Correct Horse")),
        ({"toast": "to Ada " * 9}, "my toast is " + "to Bo " * 11 + "cheers", ("toast", "to Bo " * 11 + "cheers")),
        ({"allergic to": "nuts"}, "I'm allergic to cats", ("i'm allergic to cats", "I'm allergic to cats")),
    ],
)
def test_what_says_something_else_of_the_same_is_kept_beside_it(
    kept: dict[str, str], said: str, place: tuple[str, str]
) -> None:
    key, value = key_and_value(said)
    assert place_beside(said, key, value, kept) == place
    assert place[0] in keys_beside(said, key)


def test_what_else_is_kept_of_a_thing_is_found_by_its_key() -> None:
    keys = ["wife", "wife's job", "my wife is funny", "wifi", "housewife's job"]
    assert keys_of_the_same("wife", keys) == ["wife's job", "my wife is funny"]


@pytest.mark.parametrize(
    ("meant", "sentence", "value"),
    [
        ("my passport number", "Btw, my passport number is 5332.", "5332"),
        ("my nut allergy", "I've got a nut allergy.", "a nut allergy"),
        ("where I live", "I live in Oulu.", "The user lives in Oulu."),
        ("my job", "I'm a plumber.", "The user is a plumber."),
        ("how old I am", "I'm 52 years old.", "The user is 52 years old."),
        ("my passport number", "Is my passport number 5332?", None),
        ("my passport number", "My sister's passport number is 5332.", None),
        ("where I live", "My sister lives in Oulu.", None),
        ("my job", "My brother is a plumber.", None),
    ],
)
def test_an_attribute_is_given_by_the_sentences_that_say_it_of_the_user(
    meant: str, sentence: str, value: str | None
) -> None:
    attribute = attribute_meant(meant)
    assert attribute is not None
    given = value_given(sentence, attribute)
    assert given == value if value is None or " " not in value else (given or "").endswith(value.removeprefix("a "))


@pytest.mark.parametrize("text", ["Elin", "that my cat is grey", "I live in Oslo"])
def test_what_names_more_than_an_attribute_means_none(text: str) -> None:
    assert attribute_meant(text) is None


def test_a_key_is_found_whatever_letters_it_ends_with() -> None:
    assert re.search(named_in("café"), "My café is shut.", re.ASCII)
    assert not re.search(named_in("caf"), "My cafe is shut.", re.ASCII)
