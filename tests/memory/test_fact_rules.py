"""Facts by rules: what a message states, and what becomes of facts in force."""

import pytest

from memory.fact_decisions import Add, Delete, Keep, Known, Update, decide_by_rules
from memory.fact_rules import MOST, extract_by_rules
from memory.person import third_person


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I live in Madrid.", ["The user lives in Madrid."]),
        ("i live in oslo", ["The user lives in oslo."]),
        ("Hi! I'm Tom and I'm a nurse from Leeds.", ["The user's name is Tom.", "The user is a nurse from Leeds."]),
        ("I moved to Berlin and I work at Siemens.", ["The user moved to Berlin.", "The user works at Siemens."]),
        ("We have two kids, Leo and Mia.", ["The user has two kids, Leo and Mia."]),
        ("My dog is called Biscuit.", ["The user's dog is called Biscuit."]),
        ("Actually, my sister's flight is at 9:45.", ["The user's sister's flight is at 9:45."]),
        (
            "I live in Madrid with my dog Biscuit.",
            ["The user lives in Madrid with their dog Biscuit.", "The user has a dog called Biscuit."],
        ),
        ("I'm 34", ["The user is 34 years old."]),
        ("I was born on 5 May 1990 in Porto.", ["The user was born on 5 May 1990 in Porto."]),
        ("I'm allergic to nuts, but I love figs.", ["The user is allergic to nuts.", "The user loves figs."]),
        ("I don't eat meat anymore.", ["The user does not eat meat anymore."]),
        (
            "I've been vegan since 2019; my wife isn't.",
            ["The user has been vegan since 2019.", "The user's wife isn't."],
        ),
        ("I'm going to visit my aunt in Lisbon in June.", ["The user is going to visit their aunt in Lisbon in June."]),
        ("Remember that my locker is number 12.", ["The user's locker is number 12."]),
        ("Where do I live? I live in Rome.", ["The user lives in Rome."]),
    ],
)
def test_what_users_say_of_themselves_is_a_fact(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("Ana has a PhD in chemistry.", ["Ana has a PhD in chemistry."]),
        (
            "Ana is my colleague. She has a PhD in chemistry.",
            ["Ana is the user's colleague.", "Ana has a PhD in chemistry."],
        ),
        (
            "My wife's name is Clara and she works as a judge.",
            ["The user's wife's name is Clara.", "Clara works as a judge."],
        ),
        (
            "My brother lives abroad. His boat is called Nixe.",
            ["The user's brother lives abroad.", "The user's brother's boat is called Nixe."],
        ),
        ("She has a PhD.", []),
    ],
)
def test_the_subject_of_a_fact_is_kept(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts


@pytest.mark.parametrize(
    "message",
    [
        "",
        "What is the capital of France?",
        "Do you know that I live in Rome?",
        "Thanks, that's great!",
        "I'd like you to write a poem.",
        "I want to know how rain forms.",
        "I need help with my essay.",
        "I have a question about taxes.",
        "I think it will rain.",
        "If I lived in Rome I would be happy.",
        "I wish I had a dog.",
        "I ate pasta.",
        "I'm fine.",
        "Write a story about a king. Make it long.",
        "It is raining in Paris.",
        "This is wonderful.",
    ],
)
def test_what_states_nothing_that_lasts_is_no_fact(message: str) -> None:
    assert extract_by_rules(message) == []


def test_a_long_message_has_a_bounded_number_of_facts() -> None:
    assert len(extract_by_rules(" ".join(f"I own {n} boats." for n in range(100)))) == MOST


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("I live with my sister", "The user lives with their sister"),
        ("we live with our sister", "The user lives with their sister"),
        ("I really don't like it", "The user really does not like it"),
        ("I can't swim", "The user cannot swim"),
        ("I've lost my keys", "The user has lost their keys"),
        ("I'll marry Ana, who loves me", "The user will marry Ana, who loves them"),
        ("I study because I'm curious", "The user studies because they are curious"),
        ("I teach", "The user teaches"),
        ("my mother and I bake", "The user's mother and they bake"),
        ("Ana is my friend", "Ana is the user's friend"),
    ],
)
def test_the_first_person_becomes_the_third(first: str, third: str) -> None:
    assert third_person(first) == third


def known(*texts: str) -> list[Known]:
    return [Known(str(number), text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Madrid.", "The user moved to Berlin."),
        ("User lives in Madrid", "The user now lives in Berlin."),
        ("Lives in Madrid", "The user lives in Berlin."),
        ("The user's dog is called Biscuit.", "The user's dog's name is Rex."),
        ("The user works at Siemens.", "The user joined Lidl."),
        ("The user's favourite colour is green.", "The user's favorite color is blue."),
        ("The user is 34 years old.", "The user turned 35."),
        ("The user's flight is at 9:45 on Friday.", "The user's flight is at 10:15."),
        ("The user's flight to Oslo is on Friday.", "The user's flight to Oslo is on Saturday."),
        ("The user's locker is number 12.", "The user's locker is number 40."),
        ("The user loves sushi.", "The user hates sushi."),
        ("The user is single.", "The user got married."),
        ("Ana lives in Rome.", "Ana moved to Paris."),
        ("The user's sister Ana lives in Rome.", "Ana moved to Paris."),
        ("The user has a cat.", "The user has a cat named Miso."),
        ("The user drives a Volvo.", "The user sold their Volvo."),
        ("The user eats meat.", "The user does not eat meat anymore."),
        ("The user lives in Madrid.", "The user no longer lives in Madrid."),
        ("The user no longer lives in Madrid.", "The user lives in Oslo."),
    ],
)
def test_a_new_value_takes_the_place_of_the_old(old: str, new: str) -> None:
    assert decide_by_rules([new], known("The user plays chess.", old)) == [Update("1", new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user loves sushi.", "The user loves ramen."),
        ("The user has a dog.", "The user has a cat."),
        ("Ana lives in Rome.", "The user lives in Paris."),
        ("The user's dog is called Rex.", "The user's cat is called Miso."),
        ("The user lives in Madrid.", "The user lived in Lisbon until 2019."),
        ("The user lives in Madrid.", "The user is moving to Berlin in June."),
        ("The user's dog is brown.", "The user's dog is clever."),
        ("The user plays chess.", "The user no longer plays golf."),
        ("The user plays chess and tennis.", "The user no longer plays tennis."),
    ],
)
def test_what_can_hold_side_by_side_is_added(old: str, new: str) -> None:
    assert decide_by_rules([new], known(old)) == [Add(new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Berlin.", "The user lives in Berlin."),
        ("The user lives in Berlin, near the canal.", "The user lives in Berlin."),
        ("The user loves sushi.", "The user really loves sushi."),
    ],
)
def test_the_same_again_changes_nothing(old: str, new: str) -> None:
    assert decide_by_rules([new], known(old)) == [Keep("0")]


def test_of_several_values_one_is_replaced_and_the_others_end() -> None:
    facts = known("The user lives in Madrid.", "The user lives in Rome.")
    assert decide_by_rules(["The user lives in Oslo."], facts) == [Update("1", "The user lives in Oslo."), Delete("0")]


def test_no_fact_in_force_is_replaced_twice() -> None:
    new = ["The user lives in Oslo.", "The user lives in Bergen."]
    decisions = decide_by_rules(new, known("The user lives in Madrid."))
    assert decisions[0] == Update("0", new[0])
    assert decisions[1] == Add(new[1])
