"""The times that a text names: days, months, seasons, feasts and years as they are written, and by their
distance from now, "last Friday", "two weeks ago", "over the past month"."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.language.times.periods import (
    DAY,
    MONTHS,
    WEEK,
    Clock,
    Span,
    Yearly,
    chosen,
    day,
    days,
    every_day,
    every_feast,
    every_month,
    every_season,
    unit_of_calendar,
    week,
    year_of,
    year_span,
)

_COUNTS = {
    **{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8},
    **{"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a dozen": 12, "a couple of": 2, "a couple": 2},
    **{"couple of": 2, "couple": 2, "a few": 3, "few": 3, "several": 5},
    "half a dozen": 6,
}
_SECONDS = {
    **{"minute": 60.0, "min": 60.0, "hour": 3_600.0, "hr": 3_600.0, "day": DAY, "night": DAY, "week": WEEK, "wk": WEEK},
    **{"weekend": WEEK, "fortnight": 2 * WEEK, "month": 30 * DAY, "year": 365 * DAY, "yr": 365 * DAY},
    "decade": 3_650 * DAY,
}
_DAYS = {"tonight": 0, "today": 0, "yesterday": -1, "last night": -1, "night before last": -2, "tomorrow": 1}

COUNT = "|".join((r"\d{1,3}", *sorted(_COUNTS, key=len, reverse=True)))
UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_FLAGS = re.IGNORECASE | re.ASCII

AGO = re.compile(rf"\b(?<!\.)(?P<count>{COUNT}) (?P<unit>{UNIT})s? (?P<way>ago|from now)\b", _FLAGS)
NEAR_DAY = re.compile(
    r"\b(?:(?P<day>today|tonight|yesterday|tomorrow|last night|night before last)"
    r"(?:(?<=yesterday) (?:morning|afternoon|evening|night)|(?<=tomorrow) (?:morning|afternoon|evening|night))?"
    r"|this (?P<part>morning|afternoon|evening))\b",
    _FLAGS,
)
UNITS = re.compile(
    rf"\b(?P<the>the |th[ei]se )?(?P<which>last|past|this past|this|next|coming) (?:(?P<count>{COUNT}) )?"
    rf"(?P<unit>{UNIT})(?P<many>s)?\b(?! (?:of|ago)\b)|\b(?:the )?(?P<before>week|weekend|month|year) before last\b",
    _FLAGS,
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FULL = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# What is also a word ("sat down") is a day with a capital alone.
_SHORT = "(?i:mon|tues?|weds|thu(?:rs?)?|fri)|Wed|Sat|Sun"
WEEKDAY = re.compile(
    rf"\b(?<!every )(?<!each )(?:(?P<which>(?i:last|this past|past|this|next|coming)) )?(?:"
    rf"(?P<full>(?i:{_FULL}))|(?:(?<=(?i:last|past|this|next) )|(?<=(?i:on) )|(?<=(?i:since) ))(?P<short>{_SHORT}))\b",
    re.ASCII,
)
LONGEST_LEAD = 40  # characters before a time that are read with it
BETWEEN = re.compile(r"\b(?:between|from) (?:the )?$", _FLAGS)
_YYYY = r"(?:19|20)\d\d"
_YEAR_BEHIND = rf"(?:,? ?(?:of )?(?P<year>{_YYYY})\b| (?:of )?'(?P<short>\d\d)\b)?"
_WHICH = r"(?:(?P<which>last|past|this|next|coming) )?"
_MONTH = "|".join((*(f"{name}|{name[:3]}" for name in MONTHS), "sept"))
_TH = "(?:st|nd|rd|th)?"
_UP_TO = "(?: ?- ?| (?:to|until|till|through) (?:the )?)"

ISO = re.compile(rf"\b(?P<year>{_YYYY})(?P<mark>[-/])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?!\d)", re.ASCII)
DOTTED = re.compile(rf"\b(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>{_YYYY})\b", re.ASCII)
SLASHED = re.compile(rf"\b(?P<one>\d\d?)/(?P<other>\d\d?)/(?:(?P<year>{_YYYY})|(?P<short>\d\d))\b", re.ASCII)
DATE = re.compile(
    rf"\b(?:(?:(?P<first>\d\d?){_TH}(?:{_UP_TO}|(?P<and> and (?:the )?)))?(?P<before>\d\d?){_TH}(?: of)? |{_WHICH})"
    rf"(?P<month>{_MONTH})\b\.?"
    rf"(?: (?:the )?(?P<after>\d\d?){_TH}\b(?!\d)(?:{_UP_TO}(?P<last>\d\d?){_TH}\b(?! (?:of )?(?:{_MONTH})\b))?)?"
    rf"{_YEAR_BEHIND}",
    _FLAGS,
)
SEASON = re.compile(
    rf"\b{_WHICH}(?P<name>summer|winter|autumn|fall|spring)\b(?! (?:rolls?|onions?|breaks?|of [a-z]|in love))"
    rf"(?:'s\b)?{_YEAR_BEHIND}",
    _FLAGS,
)
FEAST = re.compile(
    rf"\b{_WHICH}(?P<name>(?:christmas|xmas)(?: eve)?|new year(?:'?s)?(?: eve)?|halloween|thanksgiving|boxing day"
    rf"|valentine'?s?)\b(?: day\b)?{_YEAR_BEHIND}",
    _FLAGS,
)
YEAR = re.compile(rf"\b{_YYYY}\b", re.ASCII)

_NAMES_OF_PEOPLE = {"april", "june", "august"}  # with which a sentence is seldom about a month, as with "may"
_AMBIGUOUS = _NAMES_OF_PEOPLE | {"may", "march", *(name[:3] for name in MONTHS), "sept"}


@dataclass(frozen=True)
class Meaning:
    """`spans`: the times that are meant, any of them. `yearly`: where no year is said, the same of a year.
    `doubtful`: whether what stands before it must tell that a time is meant."""

    spans: tuple[Span, ...] = ()
    yearly: Yearly | None = None
    doubtful: bool = False

    @classmethod
    def of(cls, span: Span | None) -> "Meaning":
        """One span, or none."""
        return cls((span,) if span else ())


def span_of_length(count: str | None, unit: str) -> float:
    """Seconds of "three weeks" or, without a count, of "week". Both are of a match of `COUNT` and `UNIT`."""
    return number_of(count or "a") * _SECONDS[unit.lower()]


def ago(match: re.Match[str], clock: Clock) -> Meaning:
    """A unit of time, so many units before now; of days and longer ones, before the day began."""
    number, unit = number_of(match["count"]), match["unit"].lower()
    long = _SECONDS[unit]
    ahead = match["way"].lower() != "ago"
    start = _base(unit, clock) + (number if ahead else -number) * long
    return Meaning.of(Span(start, start + long))


def near_day(match: re.Match[str], clock: Clock) -> Meaning:
    return Meaning.of(days(clock.midnight + _DAYS[(match["day"] or "today").lower()] * DAY))


def units(match: re.Match[str], clock: Clock) -> Meaning:
    """A unit of the calendar ("last week", "next year"), or a time up to now ("the last week", "past three years")."""
    if match["before"]:
        return Meaning.of(unit_of_calendar(clock, match["before"].lower(), -2))
    which, unit, count = match["which"].lower(), match["unit"].lower(), match["count"]
    if not count and (match["many"] or unit in ("minute", "min", "day", "night")):
        return Meaning()  # "at the last minute", "past years", "the next day"
    open_ended = count or match["the"] or which.endswith("past")
    match which.removeprefix("this "):
        case "this" if not count:
            return Meaning.of(unit_of_calendar(clock, unit, 0))
        case "last" | "past" if open_ended and (count or unit != "weekend"):
            return Meaning.of(Span(_base(unit, clock) - span_of_length(count, unit), clock.now))
        case "last" | "past":
            return Meaning.of(unit_of_calendar(clock, unit, -1))
        case "next" | "coming" if count:
            base = clock.now if _SECONDS[unit] < DAY else clock.midnight + DAY
            return Meaning.of(Span(clock.now, base + span_of_length(count, unit)))
        case "next" | "coming" if not match["the"] or which == "coming":
            return Meaning.of(unit_of_calendar(clock, unit, 1))
        case _:
            return Meaning()


def weekday(match: re.Match[str], clock: Clock) -> Meaning:
    """The latest such day before today. "This" is of this week, "next" what comes and what is of next week."""
    number = _WEEKDAYS.index((match["full"] or match["short"])[:3].lower())
    back = (clock.today.weekday() - number - 1) % 7 + 1
    before, coming = days(clock.midnight - back * DAY), days(clock.midnight + (7 - back % 7) * DAY)
    match (match["which"] or "").lower():
        case "this":
            return Meaning.of(days(week(clock, 0).start + number * DAY))
        case "next":
            return Meaning(tuple(dict.fromkeys([coming, days(week(clock, 1).start + number * DAY)])))
        case "coming":
            return Meaning.of(coming)
        case _:
            return Meaning.of(before)


def _base(unit: str, clock: Clock) -> float:
    return clock.midnight if _SECONDS[unit] >= DAY else clock.now


def number_of(count: str) -> int:
    """Of a match of `COUNT`."""
    return int(count) if count.isdigit() else _COUNTS[count.lower()]


def written_out(match: re.Match[str], _: Clock) -> Meaning:
    """A date in digits: the year first, or as in Europe the day, with dots."""
    return Meaning(tuple(day(int(match["year"]), int(match["month"]), int(match["day"]))))


def slashed(match: re.Match[str], clock: Clock) -> Meaning:
    """Both readings, as in Europe and as in America, where both are days."""
    year = int(match["year"]) if match["year"] else year_of(int(match["short"]), clock)
    one, other = int(match["one"]), int(match["other"])
    return Meaning(tuple(dict.fromkeys((*day(year, other, one), *day(year, one, other)))))


def date(match: re.Match[str], clock: Clock) -> Meaning:
    name = match["month"].lower()
    month = 1 + next(number for number, full in enumerate(MONTHS) if full.startswith(name[:3]))
    if match["before"] or match["after"]:
        return _in_year(_days_of(match, month), match, clock)
    which = (match["which"] or "").lower()
    if match["month"] == "may" and which == "this" and not match["year"]:
        return Meaning()  # "this may be"
    return _in_year(every_month(month), match, clock, doubtful=name in _AMBIGUOUS)


def season(match: re.Match[str], clock: Clock) -> Meaning:
    return _in_year(every_season(match["name"].lower()), match, clock, doubtful=True)


def feast(match: re.Match[str], clock: Clock) -> Meaning:
    return _in_year(every_feast(match["name"].lower()), match, clock)


def year(match: re.Match[str], _: Clock) -> Meaning:
    return Meaning((year_span(int(match[0])),))


def _days_of(match: re.Match[str], month: int) -> Yearly:
    """A day, or from the first to the last of "3 to 7 May"; "3 and 7 May" are two days, if nothing says "between"."""
    last = int(match["before"] or match["last"] or match["after"])
    first = int(match["first"] or (match["after"] if match["last"] else last))
    if match["and"]:
        before = match.string[max(0, match.start() - LONGEST_LEAD) : match.start()]
        if not BETWEEN.search(before):
            return lambda year: [*day(year, month, first), *day(year, month, last)]
    return every_day(month, first, last)


def _in_year(yearly: Yearly, match: re.Match[str], clock: Clock, *, doubtful: bool = False) -> Meaning:
    named = _year(match, clock)
    if named:
        return Meaning(tuple(yearly(named)))
    which = match.groupdict().get("which")
    if which:
        return Meaning(tuple(chosen(yearly, which.lower(), clock)))
    return Meaning(yearly=yearly, doubtful=doubtful)


def _year(match: re.Match[str], clock: Clock) -> int | None:
    if match["year"]:
        return int(match["year"])
    return year_of(int(match["short"]), clock) if match["short"] else None


# Of two that match at the same place, the longer one counts, and of equals the upper one.
READERS: dict[re.Pattern[str], Callable[[re.Match[str], Clock], Meaning]] = {
    ISO: written_out,
    DOTTED: written_out,
    SLASHED: slashed,
    DATE: date,
    SEASON: season,
    FEAST: feast,
    YEAR: year,
    AGO: ago,
    NEAR_DAY: near_day,
    UNITS: units,
    WEEKDAY: weekday,
}
