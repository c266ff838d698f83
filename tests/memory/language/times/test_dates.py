"""Are dates understood however they are written, and as all that they may mean?"""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.times.periods import ANY_YEAR, Span
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


@pytest.mark.parametrize("text", ["in May", "of march", "by Dec.", "early may", "every May", "mid-Oct", "in April"])
def test_a_month_that_may_be_another_word_is_one_behind_a_preposition(text: str) -> None:
    assert len(spans_of(text, NOW)) == len(ANY_YEAR)
    assert spans_of(text.replace("-", " ").split()[-1], NOW) == ()


@pytest.mark.parametrize("text", ["may 5", "5th of may", "may 2023"])
def test_a_month_with_a_day_or_a_year_needs_no_preposition(text: str) -> None:
    assert spans_of(text, NOW)
