"""Which days do texts name, and which of them does the value of a field?

A day is of a year, or of any where none is said. Of a day of the week all are meant.
"""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from memory.language.times.dates import DATE, DOTTED, ISO, SLASHED
from memory.language.times.periods import MONTHS

LONGEST = 40  # characters of a value that is a time

Day = tuple[int | None, int, int]  # year, month, day of the month

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(rf"(?i)\b({'|'.join(_WEEKDAYS)})s?\b")
_YEARLESS = re.compile(r"(?<![\w.])(\d\d?)\.(\d\d?)\.(?!\d)")  # 11.3.
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")
_FROM_TODAY = {
    "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2,
    "heute": 0, "gestern": -1, "übermorgen": 2, "vorgestern": -2,
}  # fmt: skip
_RELATIVE = re.compile(rf"(?i)\b({'|'.join(sorted(_FROM_TODAY, key=len, reverse=True))})\b")
_TODAY = re.compile(
    r"(?i)\b(?:today(?:'s date)?|(?:current|today's) (?:date|time|day)(?: and time)?|heute|now)\b(?: is| ist|:| =)"
)
NEAR = 60  # characters behind that in which the date stands
_CENTURY = 2000  # of a year of two digits


@dataclass(frozen=True)
class Days:
    """Days that are meant; where none is, those of the week that are, 0 for Monday."""

    dates: frozenset[Day] = frozenset()
    weekdays: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.dates or self.weekdays)

    def has(self, value: object) -> bool:
        """Whether a value is a time of one of them."""
        if not isinstance(value, str) or not 0 < len(value) <= LONGEST:
            return False
        return any(self._has(day) for day in _dates_in(value))

    def _has(self, day: Day) -> bool:
        if any(day[1:] == one[1:] and (None in (day[0], one[0]) or day[0] == one[0]) for one in self.dates):
            return True
        return day[0] is not None and _weekday(day[0], *day[1:]) in self.weekdays


NO_DAY = Days()


def days_in(text: str, today: date | None = None) -> Days:
    """The days that a text names, as they are usually written; "tomorrow" where it is known what day it is."""
    dates = _dates_in(text)
    if today is not None:
        shifts = (_FROM_TODAY[word.casefold()] for word in _RELATIVE.findall(text))
        days = (today + timedelta(shift) for shift in shifts)
        dates |= {(day.year, day.month, day.day) for day in days}
    if dates:
        return Days(dates)
    return Days(weekdays=frozenset(_WEEKDAYS.index(one.casefold()) for one in _WEEKDAY.findall(text)))


def today_in(prompt: str) -> date | None:
    """The day that a prompt says it is."""
    for told in _TODAY.finditer(prompt):
        words = prompt[told.end() : told.end() + NEAR].split()
        for end in range(1, len(words) + 1):  # the date that comes first
            for year, month, day in _dates_in(" ".join(words[:end])):
                if year is not None and _weekday(year, month, day) is not None:
                    return date(year, month, day)
    return None


@lru_cache(maxsize=4096)
def _dates_in(text: str) -> frozenset[Day]:
    if found := _ISO.match(text):
        return frozenset({(int(found[1]), int(found[2]), int(found[3]))})
    found_days: set[Day] = {(int(one["year"]), int(one["month"]), int(one["day"])) for one in ISO.finditer(text)}
    found_days |= {(int(one["year"]), int(one["month"]), int(one["day"])) for one in DOTTED.finditer(text)}
    found_days |= {(None, int(month), int(day)) for day, month in _YEARLESS.findall(text)}
    for one in SLASHED.finditer(text):  # as in Europe and as in America
        year = int(one["year"]) if one["year"] else _CENTURY + int(one["short"])
        found_days |= {(year, int(one["one"]), int(one["other"])), (year, int(one["other"]), int(one["one"]))}
    for one in DATE.finditer(text):
        found_days |= _written_out(one)
    return frozenset(day for day in found_days if 1 <= day[1] <= len(MONTHS) and 1 <= day[2] <= 31)


def _written_out(found: re.Match[str]) -> set[Day]:
    """The days of "12 to 15 May 2025", "March 11th" or "the 3rd and 5th of June"; none of a month alone."""
    month = next(at for at, name in enumerate(MONTHS, 1) if name.startswith(found["month"][:3].casefold()))
    year = int(found["year"]) if found["year"] else _CENTURY + int(found["short"]) if found["short"] else None
    first, last = (found["first"] or found["before"], found["before"])
    if last is None:
        first, last = found["after"], found["last"] or found["after"]
    if first is None or last is None:
        return set()
    days = {int(first), int(last)} if found["and"] else range(int(first), int(last) + 1)
    return {(year, month, day) for day in days}


def _weekday(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).weekday()
    except ValueError:
        return None
