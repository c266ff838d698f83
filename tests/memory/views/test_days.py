"""Which days do texts name, and which of them does the value of a field?"""

from datetime import date

import pytest

from memory.views.days import Days, days_in, today_in
from memory.views.items import worth_of
from memory.views.relevance import talk_of


@pytest.mark.parametrize(
    "asked",
    [
        "List all events of 2025-03-11",
        "What is on the 11th of March?",
        "And on Tuesday, March 11?",
        "Was ist am 11.3. los?",
        "on 11.03.2025",
        "on 3/11/2025",
        "from 10 to 12 March 2025",
        "any clash on 9 and 11 Mar?",
        "And Tuesday?",
    ],
)
def test_a_day_is_found_however_it_is_written(asked: str) -> None:
    days = days_in(asked)
    assert days and days.has("2025-03-11T08:00:00+01:00") and days.has("Tue, 11 Mar 2025 16:44")
    assert days.has("2025-03-11") and days.has("11.03.2025")
    for other in ("2025-03-14", "2025-02-13T11:00", "11:03", "", "x" * 100, 11, None):
        assert not days.has(other)


def test_what_names_no_day_means_none() -> None:
    for text in ("in March 2025", "May I ask?", "version 1.2.3", "13/13/2025", "2025-02-31x"):
        days = days_in(text)
        assert not any(days.has(f"2025-{month:02}-{day:02}") for month in range(1, 13) for day in range(1, 29))


def test_rows_of_the_day_that_is_asked_for_are_worth_most() -> None:
    rows = [{"title": f"Event {at}", "start": f"2025-03-{10 + at % 4}T09:00"} for at in range(12)]
    said = "What happens at the event on 12 March?"
    worth = worth_of(rows, talk_of([said], [said]))
    assert sorted(range(12), key=lambda at: -worth[at])[:3] == [2, 6, 10]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("What is on tomorrow?", 27),
        ("And the day after tomorrow?", 28),
        ("Was steht heute an?", 26),
        ("yesterday's", 25),
    ],
)
def test_a_day_is_told_from_today_where_that_is_known(said: str, day: int) -> None:
    assert days_in(said, date(2026, 11, 26)) == Days(frozenset({(2026, 11, day)}))
    assert not days_in(said)


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("A calendar's assistant. Today is Thursday 2026-11-26.", date(2026, 11, 26)),
        ("The current time is 2024-05-15 15:00:00 EST.", date(2024, 5, 15)),
        ("Current date: 26 November 2026", date(2026, 11, 26)),
        ("Heute ist Donnerstag, der 26.11.2026.", date(2026, 11, 26)),
        ("Book for today. The rules are of 2024-01-01.", None),
        ("Today is Thursday.", None),
        ("Today is 2026-02-31.", None),
        ("Today is 2026-11-26. Policies are those of 2024-01-15.", date(2026, 11, 26)),
        ("Today is 11/26/2026, policy last updated 01/15/2024.", date(2026, 11, 26)),
    ],
)
def test_what_day_it_is_is_told_by_the_prompt(prompt: str, told: date | None) -> None:
    assert today_in(prompt) == told
