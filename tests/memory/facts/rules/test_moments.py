"""A fact says when, and not how long ago that was when it was told."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.facts.rules.reconcile import Keep
from memory.language.times.moments import with_dates, without_words_of_dates
from tests.facts_by_rules import SAID_AT, decided, extracted
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
        ("I learned to swim last summer.", "I learned to swim in summer 2024."),
        ("We went skiing last winter", "We went skiing in winter 2024/25"),
        ("She retired last May.", "She retired in May 2025."),
        ("I start next September", "I start in September 2025"),
        ("We met Ugo yesterday evening", "We met Ugo in the evening of 15 July 2025"),
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
        "I was there in the summer of 2019",
        "It was the last summer before the war",
        "I loved last summer's trip",
        "My last fall broke my wrist",
        "My birthday is in June",
        "I learnt it in two weeks",
    ],
)
def test_what_comes_again_or_has_its_date_stays(said: str) -> None:
    assert with_dates(said, SAID_AT) == said


def test_words_of_a_time_stand_behind_its_date_once_and_tell_nothing_else(encoder: Encoder) -> None:
    dated = with_dates("I graduated yesterday.", SAID_AT, in_words=True)
    assert dated == "I graduated on 15 July 2025 (“yesterday”)."
    assert with_dates(dated, SAID_AT + timedelta(days=9), in_words=True) == dated
    assert without_words_of_dates(dated) == "I graduated on 15 July 2025."
    known = {"a": "The user graduated on 15 July 2025 (“yesterday”)."}
    assert decided(encoder, "I graduated on 15 July 2025.", known) == [Keep("a")]


def test_a_day_is_that_of_the_time_zone_in_which_it_is_told() -> None:
    at = datetime(2025, 7, 16, 1, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert with_dates("I graduated today", at) == "I graduated on 16 July 2025"
    assert with_dates("I graduated today", at.astimezone(UTC)) == "I graduated on 15 July 2025"


def test_the_date_stands_behind_what_it_dates(encoder: Encoder) -> None:
    assert extracted(encoder, "Since last month I eat fish again.") == [
        "The user eats fish again since June 2025 (“last month”)."
    ]
