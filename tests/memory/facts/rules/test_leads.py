"""What another says, and what is to be worked on, tells nothing of the user; what stands under a heading does."""

import pytest

from tests.facts_by_rules import extracted, in_force
from utils.encoder import Encoder


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("Birgit: Hello there! I am a vet. My son is called Nils.", []),
        ("Birgit: I live in Aarhus.\nI keep bees.\nMe: I live in Ghent.", ["The user lives in Ghent."]),
        ("[18:40] Landlady: I moved to Graz.\n[18:41] Uwe: My wife is a judge.", []),
        (
            "Small confession: I was born in Perth. I hate football.",
            ["The user was born in Perth.", "The user hates football."],
        ),
        ("Kindly write back to this:\n\nHi Jo,\nI am your new neighbour. I have three dogs.\nBest, Al", []),
        ("Would you correct my report?\n\nMy uncle was a miner. I grew up in Wales.", []),
        ("Write a tale. I am an old oak.", []),
        ("# Task\nGenerate a title.\n<chat>\nUSER: I live in Ulm.\nMy cat is called Mo.\n</chat>", []),
        ("Würdest du diesen Brief beantworten?\n\nLieber Jan,\nich wohne in Köln und bin Bäcker.", []),
        ("Translate into Dutch: I own a windmill in Breda.", []),
        ("Si tuviera un caballo, viviría en el campo.", []),
        ("Worth knowing: I own a windmill in Breda.", ["The user owns a windmill in Breda."]),
        ("I keep bees. Please proofread this:\n\nI have a yacht.", ["The user keeps bees."]),
        (
            "Which bike should I get?\n\nI live in Ghent. My budget is 900 euros.",
            ["The user lives in Ghent.", "The user's budget is 900 euros."],
        ),
        (
            "Things about me:\nI live in Ghent.\nMy cat is called Mo.",
            ["The user lives in Ghent.", "The user's cat is called Mo."],
        ),
    ],
)
def test_only_what_the_user_tells_is_told(encoder: Encoder, message: str, facts: list[str]) -> None:
    assert extracted(encoder, message) == facts


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("Anna: Hi! I live in Paris.", []),
        ("Anna: I am a dentist and I live in Bonn.", []),
        ("Anna: I live in Paris.\nI have two cats.\nTom: Nice.", []),
        ("Karl: I moved to Paris.\nI work at Fiat now.\nTom: I sold my cat.", []),
        ("Karl: I moved to Paris.\nI quit my job.\nMe: I keep bees.", ["The user keeps bees."]),
    ],
)
def test_what_others_say_replaces_nothing_that_is_in_force(encoder: Encoder, message: str, own: list[str]) -> None:
    known = ("I live in Ghent.", "I have one cat.", "I work at Nokia.", "I'm a baker.")
    assert in_force(encoder, *known, message) == [*in_force(encoder, *known), *own]
