"""Times are understood as they are written, and by their distance from now."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.times.periods import ANY_YEAR, DAY, Span
from memory.language.times.spans import spans_of
from tests.memory.calendar_days import NOW, at, between, days, month


@pytest.mark.parametrize(
    "text",
    [
        "on 2023-05-07",
        "on 7.5.2023",
        "on 2023/05/07",
        "on 2023-5-7",
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


@given(
    st.dates(date(2001, 1, 1), date(2044, 12, 31)),
    st.sampled_from(
        [
            *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y"),
            *(
                "%d %B %Y",
                "%B %dth %Y",
                "the %dst of %b, %Y",
                "%b. %d, %Y",
                "%d %b '%y",
                "%A, %B %d, %Y",
                "%d %B of %Y",
            ),
        ]
    ),
    st.sampled_from(["on", "by", "around", "since last week, on", "was it yesterday or"]),
)
def test_a_date_is_found_however_it_is_written(day: date, form: str, lead: str) -> None:
    text = f"What happened {lead} {day.strftime(form)}, by the way?"
    assert days((day.year, day.month, day.day))[0] in spans_of(text, NOW)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("5/7/2023", [(2023, 7, 5), (2023, 5, 7)]),
        ("5/7/23", [(2023, 7, 5), (2023, 5, 7)]),
        ("7/7/2023", [(2023, 7, 7)]),
        ("25/7/2023", [(2023, 7, 25)]),
        ("7/25/2023", [(2023, 7, 25)]),
        ("11/22/63", [(1963, 11, 22)]),
        ("5.7.2023", [(2023, 7, 5)]),
    ],
)
def test_slashes_are_european_or_american_and_dots_european(text: str, dates: list[tuple[int, int, int]]) -> None:
    assert spans_of(f"on {text}", NOW) == tuple(days(*dates))


@pytest.mark.parametrize("number", range(1, 13))
def test_a_month_of_a_year_is_from_its_first_to_its_last_day(number: int) -> None:
    name = date(2024, number, 1).strftime("%B")
    assert spans_of(f"in {name} 2024", NOW) == (month(2024, number),)
    assert spans_of(f"in {name[:3]} 2024", NOW) == (month(2024, number),)


def test_sept_is_september() -> None:
    assert spans_of("on Sept 5, 2023", NOW) == tuple(days((2023, 9, 5)))


def test_a_month_without_a_year_is_that_month_of_every_year() -> None:
    every = tuple(month(year, 6) for year in ANY_YEAR)
    assert spans_of("What did we do in June?", NOW) == every


def test_a_day_without_a_year_is_that_day_of_every_year_that_has_it() -> None:
    assert spans_of("on 29 February", NOW) == tuple(days(*((year, 2, 29) for year in range(1972, 2050, 4))))
    assert spans_of("on June 31st", NOW) == ()


def test_a_year_elsewhere_is_that_of_a_month_without_one() -> None:
    assert spans_of("In 2022, what did we do in June?", NOW) == (month(2022, 6),)
    assert set(spans_of("In 2021 or 2022, in June?", NOW)) == {month(2021, 6), month(2022, 6)}


def test_a_year_alone_is_all_of_it() -> None:
    assert spans_of("Where did I live in 1999?", NOW) == (Span(at(1999), at(2000)),)
    assert spans_of("What is 31 February 2023?", NOW) == (Span(at(2023), at(2024)),)
    assert spans_of("In 2020 or in 2023?", NOW) == (Span(at(2020), at(2021)), Span(at(2023), at(2024)))


def test_two_days_of_a_month_are_two_days() -> None:
    assert spans_of("on 3 and 7 May 2023", NOW) == tuple(days((2023, 5, 3), (2023, 5, 7)))


def test_a_season_or_feast_without_a_year_is_that_of_every_year() -> None:
    assert spans_of("over the summer", NOW) == tuple(Span(at(year, 6), at(year, 9)) for year in ANY_YEAR)
    assert spans_of("during Thanksgiving", NOW)[54] == between((2024, 11, 28), (2024, 11, 29))
    assert len(spans_of("for Christmas", NOW)) == len(ANY_YEAR)


@pytest.mark.parametrize("text", ["in May", "of march", "by Dec.", "every May", "in April"])
def test_a_month_that_may_be_another_word_is_one_behind_a_preposition(text: str) -> None:
    assert len(spans_of(text, NOW)) == len(ANY_YEAR)
    assert spans_of(text.split()[-1], NOW) == ()


@pytest.mark.parametrize("text", ["may 5", "5th of may", "may 2023"])
def test_a_month_with_a_day_or_a_year_needs_no_preposition(text: str) -> None:
    assert spans_of(text, NOW)


@pytest.mark.parametrize(
    ("text", "back", "long"),
    [
        ("today", 0, 1),
        ("YESTERDAY", 1, 1),
        ("last night", 1, 1),
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


def test_next_friday_is_the_coming_one_or_that_of_next_week() -> None:
    assert spans_of("next Friday", NOW) == tuple(days((2025, 3, 14), (2025, 3, 21)))
    assert spans_of("next Monday", NOW) == tuple(days((2025, 3, 17)))


def test_a_weekday_on_that_day_is_the_one_a_week_ago() -> None:
    friday = at(2025, 3, 14) + DAY / 2
    assert spans_of("last Friday", friday) == tuple(days((2025, 3, 7)))
    assert spans_of("this Friday", friday) == tuple(days((2025, 3, 14)))
    assert spans_of("next Friday", friday) == tuple(days((2025, 3, 21)))


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("in the last three weeks", 21),
        ("over the last few days", 3),
        ("in the past month", 30),
        ("past month", 30),
        ("this past week", 7),
        ("over the last couple of years", 730),
        ("these last 10 days", 10),
        ("since Monday", 2),
        ("since March 3", 9),
        ("since last Friday", 5),
        ("since December 2024", 101),
    ],
)
def test_what_has_gone_on_until_now_ends_now(text: str, back: int) -> None:
    assert spans_of(f"What did we do {text}?", NOW) == (Span(at(2025, 3, 12) - back * DAY, NOW),)


def test_hours_count_back_from_now() -> None:
    assert spans_of("an hour ago", NOW) == (Span(NOW - 3_600, NOW),)
    assert spans_of("in the past 24 hours", NOW) == (Span(NOW - DAY, NOW),)


@pytest.mark.parametrize("now", [at(2025, 1, 15), at(2025, 2, 28), at(2025, 3, 1)])
def test_a_last_season_is_over(now: float) -> None:
    ended = spans_of("last winter", now)[0].end
    assert ended <= now
    assert now - ended < 365 * DAY


@given(st.dates(date(1971, 1, 1), date(2099, 12, 31)), st.integers(0, 86_399))
def test_relative_times_hold_on_any_day(today: date, second: int) -> None:
    now = at(today.year, today.month, today.day) + second
    [friday] = spans_of("last Friday", now)
    assert datetime.fromtimestamp(friday.start, UTC).weekday() == 4
    assert DAY <= now - friday.start < 8 * DAY
    [month] = spans_of("last month", now)
    [this] = spans_of("this month", now)
    assert month.end == this.start <= now < this.end
    assert spans_of("last 29 February", now)
