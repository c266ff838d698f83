"""Which times does a text name? Dates, months and years, and times relative to now."""

import calendar
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.traits import MONTHS

DAY = 86_400.0
EARLIER, LATER = 3 * DAY, 7 * DAY  # by which nearness falls to a third: what happened is told later rather than before
FIRST_YEAR, YEARS = 2000, 40  # in which a month without a year is looked for
MOST_YEARS, MOST_SPANS = 20, 500  # taken of one text
LONGEST_BEFORE = 10  # characters of the word before a month

_MONTH = "|".join((*(f"{name}|{name[:3]}" for name in MONTHS), "sept"))
_DATE = re.compile(
    rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{_MONTH})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,? ?(?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"\b(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>(?:19|20)\d\d)\b")
_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_IN_MONTH = re.compile(r"\b(?:in|of|on|by|since|during|until|before|after|last|this|next|early|late|mid)[ -]$", re.I)
_AMBIGUOUS = {
    "may",
    "mar",
    "march",
    "dec",
    "sun",
    "jan",
    "jun",
    "sep",
    "sept",
    "oct",
    "nov",
    "apr",
    "aug",
    "feb",
    "jul",
}
_RELATIVE = re.compile(
    r"\b(?:(?P<day>today|yesterday)|last (?P<last>night|week|weekend|month|year)"
    r"|(?P<count>\d{1,3}|a|one|two|three|four|five|six|a few|a couple of) (?P<unit>day|week|month|year)s? ago)\b",
    re.IGNORECASE,
)
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "a few": 3, "a couple of": 2}
_UNITS = {"night": 1, "day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}


class Span(NamedTuple):
    """From a time up to another, in seconds since 1970."""

    start: float
    end: float


def spans_of(text: str, now: float) -> tuple[Span, ...]:
    """The times that a text names; a month without a year is that month of every year."""
    found = [span for pattern in (_ISO, _NUMERIC) for match in pattern.finditer(text) for span in _dated(match)]
    years = list(dict.fromkeys(int(year) for year in _YEAR.findall(text)))[:MOST_YEARS]
    dates = {(match[0].lower(), _is_date(text, match)): match for match in _DATE.finditer(text)}
    for (_, dated), match in dates.items():
        if dated:
            found += _in_month(match, years)
    for match in _RELATIVE.finditer(text):
        found.append(_relative(match, now))
    if not found:
        found = [Span(_seconds(year, 1, 1), _seconds(year + 1, 1, 1)) for year in years]
    return tuple(dict.fromkeys(found))[:MOST_SPANS]


def nearness(spans: tuple[Span, ...], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """How near each time is to the nearest span, shape (n,): 1 within, less before it and, more slowly, after it."""
    near = np.zeros(len(times))
    for start, end in spans:
        gap = np.where(times < start, (start - times) / EARLIER, np.maximum(times - end, 0) / LATER)
        near = np.maximum(near, np.exp(-gap))
    return near


def _dated(match: re.Match[str]) -> list[Span]:
    return _day(int(match["year"]), int(match["month"]), int(match["day"]))


def _is_date(text: str, match: re.Match[str]) -> bool:
    """Whether a month is meant, and not "may I" or "march on"."""
    if match["before"] or match["after"] or match["year"] or match["month"].lower() not in _AMBIGUOUS:
        return True
    start = match.start("month")
    return _IN_MONTH.search(text[max(0, start - LONGEST_BEFORE) : start]) is not None


def _in_month(match: re.Match[str], years: list[int]) -> list[Span]:
    name, day = match["month"].lower(), match["before"] or match["after"]
    month = 1 + next(number for number, full in enumerate(MONTHS) if full.startswith(name[:3]))
    named = [int(match["year"])] if match["year"] else years
    if day:
        return [span for year in named or _any_year() for span in _day(year, month, int(day))]
    return [
        Span(_seconds(year, month, 1), _seconds(year, month, calendar.monthrange(year, month)[1]) + DAY)
        for year in named or _any_year()
    ]


def _any_year() -> range:
    return range(FIRST_YEAR, FIRST_YEAR + YEARS)


def _day(year: int, month: int, day: int) -> list[Span]:
    try:
        start = _seconds(year, month, day)
    except ValueError:
        return []
    return [Span(start, start + DAY)]


def _relative(match: re.Match[str], now: float) -> Span:
    midnight = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if match["day"]:
        back, long = (0, 1) if match["day"].lower() == "today" else (1, 1)
    elif match["last"]:
        long = _UNITS[match["last"].lower()]
        back = long
    else:
        count = match["count"].lower()
        long = _UNITS[match["unit"].lower()]
        back = (int(count) if count.isdigit() else _COUNTS[count]) * long
    start = midnight - timedelta(days=back)
    return Span(start.timestamp(), start.timestamp() + long * DAY)


def _seconds(year: int, month: int, day: int) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()
