"""A clause is kept as single claims, of which one may end while the others hold."""

import pytest

from memory.facts.rules.claims import claims
from tests.facts_by_rules import in_force
from utils.encoder import Encoder


@pytest.mark.parametrize(
    ("clause", "parts"),
    [
        ("My cousin Aila is a florist and scared of geese", ["is a florist", "is scared of geese"]),
        ("My cousin Aila is a florist and married to Olli", ["is a florist", "is married to Olli"]),
        (
            "My uncle runs a bakery, has four horses and speaks Basque",
            ["runs a bakery", "has four horses", "speaks Basque"],
        ),
        ("I'm 51 and wear glasses", ["'m 51", "wear glasses"]),
        ("I'm 51 and own a kiln", ["'m 51", "own a kiln"]),
        (
            "I have three parrots: Pia, Ned and Olga",
            [f"have a parrot called {name}" for name in ("Pia", "Ned", "Olga")],
        ),
        ("I speak Finnish, Danish and a bit of Czech", ["speak Finnish", "speak Danish", "speak Czech"]),
        ("I'm allergic to mites and to wasps", ["'m allergic to mites", "'m allergic to wasps"]),
        ("I bought a kayak and sold the canoe", ["bought a kayak", "sold the canoe"]),
    ],
)
def test_a_clause_makes_several_claims(clause: str, parts: list[str]) -> None:
    found = list(claims(clause))
    assert [claim[-len(part) :] for claim, part in zip(found, parts, strict=True)] == parts
    assert {claim.split()[0].partition("'")[0] for claim in found} == {clause.split()[0].partition("'")[0]}


@pytest.mark.parametrize(
    "clause",
    [
        "I love black and white films",
        "I don't smoke and drink",
        "I want to sell my boat and buy a caravan",
        "I built a shed and painted it",
        "I'm a nurse and a singer",
        "My scarf is red and white",
        "My aunt, who lives in Oulu and keeps bees, is ill",
        "I share a flat with Bo and Ida on weekdays",
        "I live in Ulm, Germany",
        "I love the smell of rain and proper Yorkshire tea",
    ],
)
def test_what_is_one_claim_stays_whole(clause: str) -> None:
    assert list(claims(clause)) == [clause]


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("My cousin Aila is a florist and married to Olli.", "Aila is a welder now.", "is married to Olli."),
        ("I'm 51 and own a kiln.", "I sold the kiln.", "The user is 51."),
        ("I have two parrots, Pia and Ned.", "Pia died.", "The user has a parrot called Ned."),
        ("I like polka and swing.", "I don't like polka anymore.", "The user likes swing."),
        ("I play the harp and the flute.", "I gave up the flute.", "The user plays the harp."),
    ],
)
def test_one_claim_ends_and_the_others_hold(encoder: Encoder, before: str, after: str, left: str) -> None:
    kept, new = in_force(encoder, before, after)
    assert kept.endswith(left) and kept in in_force(encoder, before)
    assert new in in_force(encoder, after) or new not in in_force(encoder, before)
