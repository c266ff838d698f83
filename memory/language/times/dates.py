"""Which dates does a text name? Days, months, seasons, feasts, quarters, years, as they are written."""

import re
from dataclasses import dataclass

from memory.language.times.periods import (
    MONTHS,
    Clock,
    Span,
    Yearly,
    chosen,
    day,
    every_day,
    every_feast,
    every_month,
    every_season,
    year_of,
    year_span,
)

_FLAGS = re.IGNORECASE | re.ASCII
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
QUARTER = re.compile(rf"\bQ(?P<quarter>[1-4])\b{_YEAR_BEHIND}", re.ASCII)
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
DECADE = re.compile(r"\b(?:the '?(?P<tens>[1-9])0s|(?P<century>19|20)(?P<ten>\d)0s)\b", _FLAGS)
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


def iso(match: re.Match[str], _: Clock) -> Meaning:
    return Meaning(tuple(day(int(match["year"]), int(match["month"]), int(match["day"]))))


def dotted(match: re.Match[str], _: Clock) -> Meaning:
    """The day stands first, as in Europe."""
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


def quarter(match: re.Match[str], clock: Clock) -> Meaning:
    return _in_year(every_month(3 * int(match["quarter"]) - 2, 3), match, clock)


def season(match: re.Match[str], clock: Clock) -> Meaning:
    return _in_year(every_season(match["name"].lower()), match, clock, doubtful=True)


def feast(match: re.Match[str], clock: Clock) -> Meaning:
    return _in_year(every_feast(match["name"].lower()), match, clock)


def decade(match: re.Match[str], _: Clock) -> Meaning:
    tens = int(match["tens"] or match["ten"])
    century = int(match["century"] or (20 if tens == 1 else 19))
    first = century * 100 + tens * 10
    return Meaning((Span(year_span(first).start, year_span(first + 9).end),))


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
