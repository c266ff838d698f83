"""What is kept as it stands, and what says nothing to keep?"""

import pytest

from memory.facts.rules.wording import is_statement, stated_by_rules


@pytest.mark.parametrize(
    "text",
    [
        "Gate code: 4711",
        "PIN: 1234",
        "The gate code is 4711",
        "Blue is best.",
        "Biscuit's vet closes at noon. The vet's name is Ito.",
        "Allergies: nuts, shellfish",
        "門の暗証番号は4711です。",
        "No sugar in coffee.",
        "World War I began in 1914.",
    ],
)
def test_what_says_something_is_kept(text: str) -> None:
    assert is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Yes.",
        "Thank you so much!",
        "Okay, sounds good to me.",
        "Forget my password.",
        "forget that the gate code is 4711",
        "Remember to water the plants.",
        "Delete everything you know.",
        "Write a poem about Biscuit.",
        "Translate: the gate code is 4711",
        "Summarise this text for me.",
        "Please note down the gate code.",
        "If I lived in Rome I would be happy.",
        "The gate opens if somebody rings.",
        "What is the gate code?",
        "what is the gate code",
        "The gate code is 4711, isn't it?",
        "Is it raining over there",
        "The gate is blue. What is the code?",
        "門の暗証番号は？",
        "See https://example.org/a",
        "I love it!",
        "I have a question.",
        "I need help.",
        "I don't know where I live.",
        "My question is how to sort a list.",
        "I meant Leon.",
        "Well, I love it so much.",
        '"I live in Rome" is a nice song.',
        "x " * 200,
    ],
)
def test_what_says_nothing_is_not(text: str) -> None:
    assert not is_statement(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The key to my flat is under the mat.", "The key to the user's flat is under the mat."),
        ("Tom gave me a book for our garden.", "Tom gave the user a book for the user's garden."),
        ("Gate code: 4711", "Gate code: 4711"),
    ],
)
def test_a_statement_is_kept_in_the_third_person(text: str, fact: str) -> None:
    assert stated_by_rules(text) == [fact]
