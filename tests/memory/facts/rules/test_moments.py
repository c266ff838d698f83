"""A fact says when, and not how long ago that was when it was told."""

import pytest

from memory.language.times.moments import with_dates
from tests.facts_by_rules import SAID_AT, extracted
from utils.encoder import Encoder


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("I graduated yesterday", "I graduated on 15 July 2025"),
        ("My bus leaves tomorrow at 6:40", "My bus leaves on 17 July 2025 at 6:40"),
        ("I moved three years ago", "I moved in 2022"),
        ("I quit two months ago", "I quit in May 2025"),
        ("I've been on tablets since last month", "I've been on tablets since June 2025"),
        ("We bought the boat last weekend", "We bought the boat on the weekend of 12 July 2025"),
        ("I got the keys on Friday", "I got the keys on 11 July 2025"),
        ("My viva is next Tuesday", "My viva is on 22 July 2025"),
        ("We fly in two weeks", "We fly around 30 July 2025"),
        ("I retire next year", "I retire in 2026"),
    ],
)
def test_a_time_relative_to_what_is_said_becomes_a_date(said: str, dated: str) -> None:
    assert with_dates(said, SAID_AT) == dated


@pytest.mark.parametrize(
    "said",
    [
        "I swim on Thursdays",
        "Choir is on Friday",
        "The exam was moved to Friday",
        "I've lived here for the last two years",
        "As of today I live in Hull",
        "I was born on 3 May 1990",
        "I learnt it in two weeks",
    ],
)
def test_what_comes_again_or_has_its_date_stays(said: str) -> None:
    assert with_dates(said, SAID_AT) == said


def test_the_date_stands_behind_what_it_dates(encoder: Encoder) -> None:
    assert extracted(encoder, "Since last month I eat fish again.") == ["The user eats fish again since June 2025."]
