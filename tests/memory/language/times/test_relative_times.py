"""Are times understood that are told by their distance from now?"""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.times.periods import DAY, Span
from memory.language.times.spans import spans_of
from tests.memory.calendar_days import NOW, at, days


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
    assert spans_of("half an hour ago", NOW) == (Span(NOW - 1_800, NOW - 1_740),)
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
    [seventh] = spans_of("on the 31st", now)
    assert datetime.fromtimestamp(seventh.start, UTC).day == 31
    assert 0 <= now - seventh.start < 62 * DAY
    assert spans_of("last 29 February", now)
