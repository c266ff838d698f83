"""Are the times understood that a question names, and is what is near them told from what is far?"""

import math
import time
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.spans import DAY, FIRST_YEAR, YEARS, Span, nearness, spans_of

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC).timestamp()  # a Wednesday


def at(year: int, month: int = 1, day: int = 1) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()


def days(*dates: tuple[int, int, int]) -> list[Span]:
    """The days that dates name."""
    return [Span(at(*one), at(*one) + DAY) for one in dates]


def month(year: int, number: int) -> Span:
    return Span(at(year, number), at(year + number // 12, number % 12 + 1))


@pytest.mark.parametrize(
    "text",
    [
        "on 2023-05-07",
        "on 7.5.2023",
        "on 07/05/2023, at noon",
        "on May 7, 2023",
        "on May 7th 2023",
        "on may 7 2023",
        "on the 7th of May, 2023",
        "on 7 MAY 2023",
        "on 07 May 2023.",
    ],
)
def test_a_date_is_one_day_however_it_is_written(text: str) -> None:
    assert spans_of(text, NOW) == tuple(days((2023, 5, 7)))


@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d %Y"]),
)
def test_every_day_of_two_centuries_is_understood(day: date, form: str) -> None:
    assert spans_of(f"What happened on {day.strftime(form)}?", NOW) == tuple(days((day.year, day.month, day.day)))


@pytest.mark.parametrize("number", range(1, 13))
def test_a_month_of_a_year_is_from_its_first_to_its_last_day(number: int) -> None:
    name = date(2024, number, 1).strftime("%B")
    assert spans_of(f"in {name} 2024", NOW) == (month(2024, number),)
    assert spans_of(f"in {name[:3]} 2024", NOW) == (month(2024, number),)


def test_sept_is_september() -> None:
    assert spans_of("on Sept 5, 2023", NOW) == tuple(days((2023, 9, 5)))


def test_a_month_without_a_year_is_that_month_of_every_year() -> None:
    every = tuple(month(year, 6) for year in range(FIRST_YEAR, FIRST_YEAR + YEARS))
    assert spans_of("What did we do in June?", NOW) == every


def test_a_day_without_a_year_is_that_day_of_every_year_that_has_it() -> None:
    assert spans_of("on 29 February", NOW) == tuple(days(*((year, 2, 29) for year in range(2000, 2040, 4))))
    assert spans_of("on June 31st", NOW) == ()


def test_a_year_elsewhere_is_that_of_a_month_without_one() -> None:
    assert spans_of("In 2022, what did we do in June?", NOW) == (month(2022, 6),)
    assert set(spans_of("In 2021 or 2022, in June?", NOW)) == {month(2021, 6), month(2022, 6)}


def test_a_year_alone_is_all_of_it() -> None:
    assert spans_of("Where did I live in 1999?", NOW) == (Span(at(1999), at(2000)),)
    assert spans_of("What is 31 February 2023?", NOW) == (Span(at(2023), at(2024)),)
    assert spans_of("between 2020 and 2023", NOW) == (Span(at(2020), at(2021)), Span(at(2023), at(2024)))


@pytest.mark.parametrize(
    ("text", "back", "long"),
    [
        ("today", 0, 1),
        ("YESTERDAY", 1, 1),
        ("last night", 1, 1),
        ("last week", 7, 7),
        ("last month", 30, 30),
        ("last year", 365, 365),
        ("a day ago", 1, 1),
        ("10 days ago", 10, 1),
        ("two weeks ago", 14, 7),
        ("a couple of weeks ago", 14, 7),
        ("a few months ago", 90, 30),
        ("six years ago", 6 * 365, 365),
        ("999 years ago", 999 * 365, 365),
    ],
)
def test_relative_times_count_back_from_midnight(text: str, back: int, long: int) -> None:
    start = datetime(2025, 3, 12, tzinfo=UTC) - timedelta(days=back)
    assert spans_of(f"What did I say {text}?", NOW) == (Span(start.timestamp(), start.timestamp() + long * DAY),)


@pytest.mark.parametrize(
    "text",
    [
        "May I ask you?",
        "They march on.",
        "a decimal",
        "the year 2100",
        "room 1984b",
        "a long time ago",
        "?!",
        "",
        "12023",
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert spans_of(text, NOW) == ()


@pytest.mark.parametrize("text", ["in May", "since march", "by Dec.", "early may", "last May", "mid-Oct"])
def test_a_month_that_may_be_another_word_is_one_behind_a_preposition(text: str) -> None:
    assert len(spans_of(text, NOW)) == YEARS
    assert spans_of(text.replace("-", " ").split()[-1], NOW) == ()


@pytest.mark.parametrize("text", ["may 5", "5th of may", "may 2023"])
def test_a_month_with_a_day_or_a_year_needs_no_preposition(text: str) -> None:
    assert spans_of(text, NOW)


def test_several_times_are_all_found() -> None:
    found = spans_of("Was it on 2023-05-07, in June 2022 or yesterday?", NOW)
    assert sorted(found) == sorted([*days((2023, 5, 7), (2025, 3, 11)), month(2022, 6)])


parts = st.sampled_from(
    [
        "may",
        "June",
        "2023",
        "1999",
        "31",
        "5th",
        "of",
        "in",
        ",",
        "-",
        ".",
        "/",
        "last",
        "week",
        "a",
        "ago",
        "days",
        "x",
    ]
)


@given(st.lists(st.tuples(parts, st.sampled_from(["", " "])), max_size=14), st.floats(0, 4e9))
def test_any_text_gives_spans_that_end_after_they_start(pieces: list[tuple[str, str]], now: float) -> None:
    text = "".join(part + gap for part, gap in pieces)
    assert all(start < end for start, end in spans_of(text, now))


@pytest.mark.parametrize("text", ["may " * 4_000, "2001 " * 1_000 + "june, " * 600], ids=["months", "years"])
def test_a_long_question_is_read_in_no_time(text: str) -> None:
    started = time.process_time()
    spans = spans_of(text, NOW)
    assert time.process_time() - started < 0.5
    assert len(spans) == len(set(spans))


def near(spans: list[Span], *times: float) -> list[float]:
    return nearness(tuple(spans), np.array(times)).tolist()


def test_nearness_falls_to_a_third_three_days_before_and_a_week_after() -> None:
    [day] = days((2023, 5, 7))
    found = near([day], day.start, day.start + DAY / 2, day.end, day.start - 3 * DAY, day.end + 7 * DAY)
    assert found == pytest.approx([1, 1, 1, math.exp(-1), math.exp(-1)])


def test_without_spans_nothing_is_near() -> None:
    assert near([], 0.0, NOW) == [0.0, 0.0]
    assert near(days((2023, 5, 7))) == []


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 40)), min_size=1, max_size=5),
    st.lists(st.integers(-100, 600), max_size=8),
)
def test_nearness_is_that_to_the_nearest_span(starts: list[tuple[int, int]], times: list[int]) -> None:
    spans = [Span(start * DAY, (start + long) * DAY) for start, long in starts]

    def to(span: Span, moment: float) -> float:
        if moment < span.start:
            return math.exp(-(span.start - moment) / (3 * DAY))
        return math.exp(-max(moment - span.end, 0) / (7 * DAY))

    expected = [max(to(span, moment * DAY) for span in spans) for moment in times]
    assert near(spans, *(moment * DAY for moment in times)) == pytest.approx(expected)
