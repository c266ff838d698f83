"""A message gives the facts that last, as sentences that name whom they are about, and no others."""

import pytest

from memory.facts.rules.extract import LONGEST, MOST, candidates, statement_of
from tests.facts_by_rules import SAID_AT, extracted
from utils.encoder import Encoder


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I live in Turku with my cousin.", ["The user lives in Turku with their cousin."]),
        ("my mum's a surgeon", ["The user's mum is a surgeon."]),
        ("I've got a tortoise called Bolt.", ["The user has a tortoise called Bolt."]),
        ("my husbands name is Ravi", ["The user's husband's name is Ravi."]),
        ("My boss moved to Lucca in May.", ["The user's boss moved to Lucca in May and lives in Lucca."]),
        ("We moved to Slack.", ["We moved to Slack."]),
        ("Everyone calls me Maggie.", ["The user's name is Maggie."]),
        ("Hi, I'm Hugo!", ["The user's name is Hugo."]),
        ("I'm 52 now.", ["The user is 52 now."]),
        ("I'm 52 and I live in Ulm.", ["The user is 52.", "The user lives in Ulm."]),
        ("I can't eat shellfish.", ["The user cannot eat shellfish."]),
        ("Been vegan since January.", ["The user has been vegan since January."]),
        ("We rent a flat in Ghent.", ["We rent a flat in Ghent."]),
        ("The proposal deadline is 4 May.", ["The proposal deadline is 4 May."]),
        ("I'm a welder and I love fishing.", ["The user is a welder.", "The user loves fishing."]),
        ("I AM ALLERGIC TO WASPS.", ["The user is allergic to wasps."]),
        ("I live in Bern but I might move to Rome.", ["The user lives in Bern."]),
        ("We moved to Kiel last year.", ["We moved to Kiel in 2024 (“last year”) and live in Kiel."]),
        ("Both my brothers live in Perth.", ["Both the user's brothers live in Perth."]),
        ("Ich habe eine Tochter namens Frieda.", ["Ich habe eine Tochter namens Frieda."]),
        ("Soy alérgico al polen.", ["Soy alérgico al polen."]),
    ],
)
def test_what_lasts_of_the_user_is_a_fact(encoder: Encoder, message: str, facts: list[str]) -> None:
    assert extracted(encoder, message) == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (
            "My wife's sister is a nurse and she hates cilantro.",
            ["The user's wife's sister is a nurse.", "The user's wife's sister hates cilantro."],
        ),
        (
            "My uncle Bertil lives in Umeå. He is allergic to fish.",
            ["The user's uncle Bertil lives in Umeå.", "The user's uncle Bertil is allergic to fish."],
        ),
        (
            "My neighbour's son is six. His name is Ravi.",
            ["The user's neighbour's son is six.", "The user's neighbour's son's name is Ravi."],
        ),
    ],
)
def test_what_is_said_of_others_is_theirs(encoder: Encoder, message: str, facts: list[str]) -> None:
    assert extracted(encoder, message) == facts


@pytest.mark.parametrize(
    "message",
    [
        "Am I married?",
        "Where did I say my sister lives?",
        "Remind me to ring my brother.",
        "Please draft a letter to my landlord.",
        "I need help with my tax return.",
        "If I had a garden, I would grow leeks.",
        "I wish I had a bigger flat.",
        "Maybe I'll get a parrot.",
        "I'm thinking of moving to Porto.",
        "My boss said I'm too slow.",
        "She lives in Rome.",  # nobody knows who
        "In this story, my name is Rolf.",
        "If it rains, I am at home.",
        "As a nurse, what could I earn?",
        "My aunt thinks I'm ill.",
        "In my novel I live in a lighthouse.",
        "Translate: I live in Berlin and I have a cat.",
        "Imagine that I'm a sheriff. I own a saloon.",
        "Can you make this shorter?\n\nMy name is Olaf and I keep bees in Malmo.",
        "From: Bob <bob@example.org>\nTo: me\nSubject: party\n\nI live at 5 Mill Lane now.\nBob",
        "Write a tale. I am a prince who lives in Paris.",
        "Du bist ein Drache. Ich bin ein Ritter.",
        "Tu so, als wäre ich dein Onkel. Ich wohne in Ulm.",
        "My neighbour wrote to me: 'I have sold my car.'",
        "It's not true that I live in Pisa.",
        "“I live in Berlin and I have a cat”, he wrote.",
        "> I live in Berlin.",
        "```\nI live in Berlin.\n```",
        "I'm tired today.",
        "Thanks a lot, you're great!",
        "The error is in line 12.",
        "Paris is the capital of France.",
        "Remember me",
        "Wenn ich Zeit hätte, würde ich Gitarre spielen.",
        "ありがとうございます",
        "",
        "wich street does my boss live in",
        "wehre did i leave my umbrela",
        "Gdybym mieszkał w górach, miałbym kozy.",
    ],
)
def test_what_asks_supposes_quotes_or_passes_is_no_fact(encoder: Encoder, message: str) -> None:
    assert extracted(encoder, message) == []


def test_a_message_gives_few_facts_of_bounded_length(encoder: Encoder) -> None:
    many = " ".join(f"My locker in hall {number} is number {number}." for number in range(3 * MOST))
    assert len(extracted(encoder, many)) == MOST
    assert extracted(encoder, f"My dog is called {'Rex ' * LONGEST}.") == []
    assert candidates("my " * 100_000, SAID_AT) == []


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Gate code: 4711", "Gate code: 4711"),
        ("The shop closes at six on Sundays.", "The shop closes at six on Sundays."),
        ("boiler's under warranty till 2031", "Boiler's under warranty till 2031"),
        ("What is the gate code?", None),
        ("Please write a poem about gates.", None),
        ("If it rains, the gate stays shut.", None),
        ("hello", None),
        ("I am off to lunch.", None),  # the user's own words are for the rules to read
        ("", None),
    ],
)
def test_a_text_that_is_told_to_be_kept_is_a_statement_or_not(text: str, statement: str | None) -> None:
    assert statement_of(text) == statement


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I'm not a morning person, but my wife is.", ["The user is not a morning person."]),
        ("My aunt wants a parrot but I don't.", ["The user's aunt wants a parrot."]),
        ("My uncle can't swim but I can.", ["The user's uncle can't swim."]),
    ],
)
def test_a_clause_that_leaves_what_it_says_to_another_is_no_fact(
    encoder: Encoder, message: str, facts: list[str]
) -> None:
    assert extracted(encoder, message) == facts


@pytest.mark.parametrize("laugh", ["lol", "haha", "haha 😂", "😂", "hahaha!"])
def test_a_laugh_alone_states_nothing_and_keeps_nothing_from_being_stated(encoder: Encoder, laugh: str) -> None:
    assert extracted(encoder, laugh) == []
    assert extracted(encoder, f"I live in Rome. {laugh}") == ["The user lives in Rome."]


@pytest.mark.parametrize("message", ["I'm Elvis, just kidding", "I'm Thor, joking!", "I'm Cleopatra, only joking."])
def test_a_joke_is_no_name(encoder: Encoder, message: str) -> None:
    assert extracted(encoder, message) == []
    assert extracted(encoder, "My brother is always joking.") == ["The user's brother is always joking."]
