"""Spans of time: days, months, seasons and feasts, by the clocks of one place as if it were in UTC; `clock_at` goes
there, `instant` back. Seasons are those of the north."""

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from typing import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
DAY = 86_400.0
WEEK = 7 * DAY
ANY_YEAR = range(1970, 2050)  # in which a time without a year is looked for
FIRST, LAST = -62_104_060_800.0, 253_370_764_800.0  # when the years 2 and 9999 begin
AHEAD = 20  # years by which one of two digits may lie ahead
AROUND = 8  # years around now in which "last" and "next" are looked for; a 29 February is among any eight


class Span(NamedTuple):
    """From a time up to another, in seconds since 1970."""

    start: float
    end: float


Yearly = Callable[[int], list[Span]]  # what comes back every year: its spans in a year, none where the day is not there


@dataclass(frozen=True)
class Clock:
    """When a question is asked. `now` and `midnight`, at which the day began: in seconds, by the clocks there."""

    now: float
    today: date
    midnight: float


def clock_at(now: float, zone: tzinfo = UTC) -> Clock:
    local = datetime.fromtimestamp(now, zone)
    offset = local.utcoffset() or timedelta()
    return Clock(now + offset.total_seconds(), local.date(), seconds(local.date()))


def instant(span: Span, zone: tzinfo) -> Span:
    """A span by the clocks of a zone, in seconds since 1970."""
    return span if zone is UTC else Span(_instant(span.start, zone), _instant(span.end, zone))


def _instant(moment: float, zone: tzinfo) -> float:
    if not FIRST <= moment < LAST:
        return moment
    return datetime.fromtimestamp(moment, UTC).replace(tzinfo=zone).timestamp()


def seconds(day: date) -> float:
    return float(calendar.timegm(day.timetuple()))


def year_at(moment: float) -> int | None:
    """The year that a moment is in; None outside of those that a calendar has, with one to spare on each side."""
    return datetime.fromtimestamp(moment, UTC).year if FIRST <= moment < LAST else None


def days(start: float, count: float = 1) -> Span:
    return Span(start, start + count * DAY)


def later(span: Span, by: float) -> Span:
    return Span(span.start + by, span.end + by)


@lru_cache(4096)
def _day(year: int, month: int, number: int) -> Span | None:
    try:
        return days(seconds(date(year, month, number)))
    except ValueError:
        return None


def day(year: int, month: int, number: int) -> list[Span]:
    """The day, or none where no such day is."""
    found = _day(year, month, number)
    return [found] if found else []


@lru_cache(4096)
def months(year: int, first: int, count: int = 1) -> Span:
    """`first`: from 1 on; 13 is the January after, 0 the December before."""
    start, end = first - 1, first - 1 + count
    return Span(
        seconds(date(year + start // 12, start % 12 + 1, 1)),
        seconds(date(year + end // 12, end % 12 + 1, 1)),
    )


def year_span(year: int) -> Span:
    return months(year, 1, 12)


def week(clock: Clock, offset: int) -> Span:
    """The week from Monday to Sunday, by so many weeks later than that of the clock."""
    monday = clock.midnight - clock.today.weekday() * DAY
    return days(monday + offset * WEEK, 7)


def unit_of_calendar(clock: Clock, unit: str, offset: int) -> Span | None:
    """The week, weekend, month or year by so many later than that of the clock; none for other units."""
    match unit:
        case "week":
            return week(clock, offset)
        case "weekend":
            return days(week(clock, offset).start + 5 * DAY, 2)
        case "month":
            return months(clock.today.year, clock.today.month + offset)
        case "year":
            return year_span(clock.today.year + offset)
        case _:
            return None


def every_day(month: int, first: int, last: int) -> Yearly:
    """From one day of a month to another."""

    def of(year: int) -> list[Span]:
        found = [*day(year, month, first), *day(year, month, last)]
        return [Span(found[0].start, found[-1].end)] if len(found) == 2 and first <= last else []

    return of


def every_month(first: int, count: int = 1) -> Yearly:
    return lambda year: [months(year, first, count)]


def every_season(name: str) -> Yearly:
    """`name`: lower case. A winter is that of the year in which it begins."""
    return every_month(_SEASONS[name], 3)


def every_feast(name: str) -> Yearly:
    """`name`: lower case, one that begins as one of the table does."""
    return next(yearly for prefix, yearly in _FEASTS.items() if name.startswith(prefix))


def _feast(year: int, month: int, number: int, count: int) -> list[Span]:
    return [days(first.start, count) for first in day(year, month, number)]


def _thanksgiving(year: int) -> list[Span]:
    first = date(year, 11, 1)
    return [days(seconds(first + timedelta((3 - first.weekday()) % 7 + 21)))]  # the fourth Thursday


_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # the month in which each begins
# A name that another begins with stands behind it.
_FEASTS: dict[str, Yearly] = {
    "christmas eve": partial(_feast, month=12, number=24, count=1),
    "christmas": partial(_feast, month=12, number=24, count=3),
    "xmas": partial(_feast, month=12, number=24, count=3),
    "boxing": partial(_feast, month=12, number=26, count=1),
    "new year's eve": partial(_feast, month=12, number=31, count=1),
    "new years eve": partial(_feast, month=12, number=31, count=1),
    "new year": lambda year: _feast(year - 1, 12, 31, 2),
    "halloween": partial(_feast, month=10, number=31, count=1),
    "valentine": partial(_feast, month=2, number=14, count=1),
    "thanksgiving": _thanksgiving,
}


def year_of(two_digits: int, clock: Clock) -> int:
    """The year that "'23" means: of this century, or of the last one where it would lie too far ahead."""
    year = 2000 + two_digits
    return year if year <= clock.today.year + AHEAD else year - 100


def chosen(yearly: Yearly, which: str, clock: Clock) -> list[Span]:
    """The one of what comes back every year that is meant by "last" or "past" (over), "next" or "coming" (yet to
    begin) or "this" (nearest to now); none for another word."""
    this = clock.today.year
    every = [span for year in range(this - AROUND, this + AROUND + 1) for span in yearly(year)]
    found: Span | None = None
    match which:
        case "last" | "past":
            found = max((span for span in every if span.end <= clock.midnight), default=None)
        case "next" | "coming":
            found = min((span for span in every if span.start > clock.now), default=None)
        case "this":
            found = min(every, key=lambda span: _distance(span, clock.now), default=None)
    return [found] if found else []


def _distance(span: Span, moment: float) -> float:
    return max(span.start - moment, moment - span.end, 0)
