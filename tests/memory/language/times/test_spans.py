"""The times that a question names are understood, and what is near them is told from what is far."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.times.periods import ANY_YEAR, DAY, Span
from memory.language.times.spans import nearness, spans_of
from tests.memory.calendar_days import NOW, at, between, days, month


@pytest.mark.parametrize(
    "text",
    [
        "May I ask you?", "They march on.", "a decimal", "the year 2100", "room 1984b", "a long time ago", "?!", "",
        "12023",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert spans_of(text, NOW) == ()


def test_several_times_are_all_found() -> None:
    found = spans_of("Was it on 2023-05-07, in June 2022 or yesterday?", NOW)
    assert sorted(found) == sorted([*days((2023, 5, 7), (2025, 3, 11)), month(2022, 6)])


CALENDAR = [  # what a text names on Wednesday, 12 March 2025: from a day up to another
    ("last Friday", (2025, 3, 7), (2025, 3, 8)),
    ("on Friday", (2025, 3, 7), (2025, 3, 8)),
    ("on Fri", (2025, 3, 7), (2025, 3, 8)),
    ("friday night", (2025, 3, 7), (2025, 3, 8)),
    ("this past Sunday", (2025, 3, 9), (2025, 3, 10)),
    ("last Wednesday", (2025, 3, 5), (2025, 3, 6)),
    ("this Friday", (2025, 3, 14), (2025, 3, 15)),
    ("last Sat", (2025, 3, 8), (2025, 3, 9)),
    ("from Monday to Friday", (2025, 3, 3), (2025, 3, 8)),
    ("this morning", (2025, 3, 12), (2025, 3, 13)),
    ("earlier today", (2025, 3, 12), (2025, 3, 13)),
    ("tonight", (2025, 3, 12), (2025, 3, 13)),
    ("tomorrow", (2025, 3, 13), (2025, 3, 14)),
    ("the day before yesterday", (2025, 3, 10), (2025, 3, 11)),
    ("the day after tomorrow", (2025, 3, 14), (2025, 3, 15)),
    ("the night before last", (2025, 3, 10), (2025, 3, 11)),
    ("this week", (2025, 3, 10), (2025, 3, 17)),
    ("last week", (2025, 3, 3), (2025, 3, 10)),
    ("the week before last", (2025, 2, 24), (2025, 3, 3)),
    ("next week", (2025, 3, 17), (2025, 3, 24)),
    ("last weekend", (2025, 3, 8), (2025, 3, 10)),
    ("this month", (2025, 3, 1), (2025, 4, 1)),
    ("last month", (2025, 2, 1), (2025, 3, 1)),
    ("next month", (2025, 4, 1), (2025, 5, 1)),
    ("this year", (2025, 1, 1), (2026, 1, 1)),
    ("last year", (2024, 1, 1), (2025, 1, 1)),
    ("last May", (2024, 5, 1), (2024, 6, 1)),
    ("this May", (2025, 5, 1), (2025, 6, 1)),
    ("next June", (2025, 6, 1), (2025, 7, 1)),
    ("May '23", (2023, 5, 1), (2023, 6, 1)),
    ("May ’23", (2023, 5, 1), (2023, 6, 1)),
    ("last summer", (2024, 6, 1), (2024, 9, 1)),
    ("last winter", (2024, 12, 1), (2025, 3, 1)),
    ("last spring", (2024, 3, 1), (2024, 6, 1)),
    ("last fall", (2024, 9, 1), (2024, 12, 1)),
    ("in the spring of 2024", (2024, 3, 1), (2024, 6, 1)),
    ("in winter 2021 - 2022", (2021, 12, 1), (2022, 3, 1)),
    ("last Christmas", (2024, 12, 24), (2024, 12, 27)),
    ("on Christmas Eve 2022", (2022, 12, 24), (2022, 12, 25)),
    ("on New Year's 2024", (2023, 12, 31), (2024, 1, 2)),
    ("on New Year's Eve 2023", (2023, 12, 31), (2024, 1, 1)),
    ("at Halloween 2023", (2023, 10, 31), (2023, 11, 1)),
    ("last Thanksgiving", (2024, 11, 28), (2024, 11, 29)),
    ("next Valentine's day", (2026, 2, 14), (2026, 2, 15)),
    ("from 3 to 7 May 2023", (2023, 5, 3), (2023, 5, 8)),
    ("May 3–7, 2023", (2023, 5, 3), (2023, 5, 8)),
    ("between the 3rd and the 7th of May, 2023", (2023, 5, 3), (2023, 5, 8)),
    ("from May 5 to 7 June 2023", (2023, 5, 5), (2023, 6, 8)),
    ("between March and May 2023", (2023, 3, 1), (2023, 6, 1)),
    ("March to may 2023", (2023, 3, 1), (2023, 6, 1)),
    ("from December to February 2023", (2022, 12, 1), (2023, 3, 1)),
    ("from November 2022 to February", (2022, 11, 1), (2023, 3, 1)),
    ("between 2020 and 2023", (2020, 1, 1), (2024, 1, 1)),
    ("the week before August 3, 2023", (2023, 7, 27), (2023, 8, 3)),
    ("two days after 7 May 2023", (2023, 5, 8), (2023, 5, 10)),
    ("on Friday, 5 May 2023", (2023, 5, 5), (2023, 5, 6)),
    ("on 5 May 2023 (Friday)", (2023, 5, 5), (2023, 5, 6)),
    ("before May 31, 2023", (2023, 5, 1), (2023, 5, 31)),
    ("until May 31, 2023", (2023, 5, 1), (2023, 6, 1)),
]


@pytest.mark.parametrize(("text", "start", "end"), CALENDAR, ids=[row[0] for row in CALENDAR])
def test_what_people_write_is_understood_by_the_calendar(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    assert spans_of(f"What did we do {text}?", NOW) == (between(start, end),)


def test_a_month_without_a_year_is_the_latest_one_behind_since_and_before() -> None:
    assert spans_of("since May", NOW) == (Span(at(2024, 5), NOW),)
    assert spans_of("since march", NOW) == (Span(at(2025, 3), NOW),)
    [before] = spans_of("before May", NOW)
    assert before.end == at(2024, 5)


def test_before_a_time_goes_back_by_thirty_times_its_length() -> None:
    assert spans_of("before 2023-05-31", NOW) == (between((2023, 5, 1), (2023, 5, 31)),)
    assert spans_of("until June 2023", NOW) == (Span(at(2023, 6) - 900 * DAY, at(2023, 7)),)
    assert spans_of("before 2022", NOW) == (Span(at(2022) - 30 * 365 * DAY, at(2022)),)


def test_between_two_months_without_a_year_is_that_of_every_year() -> None:
    every = tuple(Span(at(year, 11), at(year + 1, 2)) for year in (year - 1 for year in ANY_YEAR))
    assert spans_of("between November and January", NOW) == every


def test_questions_of_how_long_it_was_name_both_ends() -> None:
    text = "How many weeks were there between 7 May 2023 and 9 June 2023?"
    assert spans_of(text, NOW) == tuple(days((2023, 5, 7), (2023, 6, 9)))
    text = "How many books did I read between 7 May 2023 and 9 June 2023?"
    assert spans_of(text, NOW) == (between((2023, 5, 7), (2023, 6, 10)),)


@pytest.mark.parametrize(
    "text",
    [
        "this may be it", "I fall, I fell", "a spring roll", "I last sat down", "it sat on a sun bed",
        "wait a second", "at the last minute", "the next day", "in past years", "every Friday", "on Mondays",
        "What did April say?", "What did April and May say?", "with June in the car", "a gift for June",
        "plans for the summer", "during spring break", "August and Summer came", "on 5 and 7 people",
        "the last week of my life", "in my 30s",
    ],
)  # fmt: skip
def test_words_and_names_of_people_are_no_times(text: str) -> None:
    assert spans_of(text, NOW) == ()


parts = st.sampled_from(
    [
        "may", "June", "Sept", "ſept", "2023", "1999", "31", "5th", "of", "in", ",", "-", "–", ".", "/", "'", "x",
        "٣", "last", "this", "next", "past", "the", "week", "weekend", "month", "a", "ago", "days", "hours",
        "before", "since", "until", "after", "between", "from", "to", "and", "K", "İ", "Friday", "Sat", "summer",
        "fall", "Christmas", "New Year's", "eve", "90s", "year",
    ]
)  # fmt: skip


@given(st.lists(st.tuples(parts, st.sampled_from(["", " "])), max_size=14), st.floats(0, 4e9))
def test_any_text_gives_spans_that_end_after_they_start(pieces: list[tuple[str, str]], now: float) -> None:
    text = "".join(part + gap for part, gap in pieces)
    assert all(start < end for start, end in spans_of(text, now))


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(spans_of(f"last {text} 5 May", NOW), tuple)


HOSTILE = [
    "may ", "3 to ", "1/", "5.5.", "a ", "the last ", "this past ", "from the ", "5th of ", " ", "week before ",
    "between may and june ", "1 may 2001 - ", "last friday to ", " ", "5/7/2023 - ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_text_of_100_kb_is_read_in_half_a_second(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    started = time.process_time()
    spans_of(text, NOW)
    assert time.process_time() - started < 0.5


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


def test_many_times_are_compared_with_many_spans_in_no_time() -> None:
    text = ", ".join(f"on {number} {month}" for month in ("May", "June") for number in range(1, 28))
    spans, times = spans_of(text, NOW), NOW - 3_600 * np.arange(100_000)
    started = time.thread_time()
    found = nearness(spans, times)
    assert time.thread_time() - started < 0.5  # 0.01 s here; 2 s where each span is compared with each time
    assert (found == 1).any() and (found < 1).any()


def test_all_dates_of_a_long_question_count_and_those_of_long_ago() -> None:
    text = ", ".join(f"on {number} May" for number in range(1, 28))
    assert near(list(spans_of(text, NOW)), *(at(1999, 5, number) for number in range(1, 28))) == [1.0] * 27


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


def test_a_range_beyond_the_calendar_is_no_range() -> None:
    for text in ("between 999 decades ago and 5 June", "from June to 999 decades ago", "999 decades before May"):
        assert isinstance(spans_of(text, NOW), tuple)
