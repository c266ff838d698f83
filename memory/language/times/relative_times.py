"""Which times does a text name by their distance from now? "Last Friday", "two weeks ago", "over the past month"."""

import re

from memory.language.times.periods import DAY, WEEK, Clock, Span, day, days, unit_of_calendar, week

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
_HALVES = {"year": (6, "month"), "month": (15, "day"), "hour": (30, "minute")}
_DAYS = {"tonight": 0, "today": 0, "yesterday": -1, "last night": -1, "night before last": -2, "tomorrow": 1}

COUNT = "|".join((r"\d{1,3}", *sorted(_COUNTS, key=len, reverse=True)))
UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_FLAGS = re.IGNORECASE | re.ASCII

AGO = re.compile(
    rf"\b(?<!\.)(?:half an? (?P<half>year|month|hour)|(?P<count>{COUNT}) (?P<unit>{UNIT})s?) (?P<way>ago|from now)\b",
    _FLAGS,
)
NEAR_DAY = re.compile(
    r"\b(?:(?P<day>today|tonight|yesterday|tomorrow|last night|night before last)"
    r"|this (?P<part>morning|afternoon|evening)|this (?P<same>time|day) last (?P<unit>week|month|year))\b",
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
# "On the 7th", but not "on the 7th floor".
ORDINAL = re.compile(
    r"\b(?:on|since|by|until|till|before|after|day,?) the (?P<day>\d{1,2})(?:st|nd|rd|th)\b"
    r"(?= ?[.,;:?!)]|\Z| (?:i|we|you|he|she|they|and|or|at|in|with|did|was|is|that|when|to)\b)",
    _FLAGS,
)


def span_of_length(count: str | None, unit: str) -> float:
    """Seconds of "three weeks" or, without a count, of "week". Both are of a match of `COUNT` and `UNIT`."""
    return number_of(count or "a") * _SECONDS[unit.lower()]


def ago(match: re.Match[str], clock: Clock) -> list[Span]:
    """A unit of time, so many units before now; of days and longer ones, before the day began."""
    if match["half"]:
        number, unit = _HALVES[match["half"].lower()]
    else:
        number, unit = number_of(match["count"]), match["unit"].lower()
    long = _SECONDS[unit]
    base = clock.midnight if long >= DAY else clock.now
    ahead = match["way"].lower() != "ago"
    start = base + (number if ahead else -number) * long
    return [Span(start, start + long)]


def near_day(match: re.Match[str], clock: Clock) -> list[Span]:
    if match["day"] or match["part"]:
        return [days(clock.midnight + _DAYS[(match["day"] or "today").lower()] * DAY)]
    start = clock.midnight - _SECONDS[match["unit"].lower()]
    around = 0 if match["same"].lower() == "day" or match["unit"].lower() == "week" else WEEK
    return [Span(start - around, start + DAY + around)]


def units(match: re.Match[str], clock: Clock) -> list[Span]:
    """A unit of the calendar ("last week", "next year"), or a time up to now ("the last week", "past three years")."""
    if match["before"]:
        return _one(unit_of_calendar(clock, match["before"].lower(), -2))
    which, unit, count = match["which"].lower(), match["unit"].lower(), match["count"]
    if not count and (match["many"] or unit in ("minute", "min", "day", "night")):
        return []  # "at the last minute", "past years", "the next day"
    open_ended = count or match["the"] or which.endswith("past")
    match which.removeprefix("this "):
        case "this" if not count:
            return _one(unit_of_calendar(clock, unit, 0))
        case "last" | "past" if open_ended and (count or unit != "weekend"):
            return [Span(_base(unit, clock) - span_of_length(count, unit), clock.now)]
        case "last" | "past":
            return _one(unit_of_calendar(clock, unit, -1))
        case "next" | "coming" if count:
            base = clock.now if _SECONDS[unit] < DAY else clock.midnight + DAY
            return [Span(clock.now, base + span_of_length(count, unit))]
        case "next" | "coming" if not match["the"] or which == "coming":
            return _one(unit_of_calendar(clock, unit, 1))
        case _:
            return []


def weekday(match: re.Match[str], clock: Clock) -> list[Span]:
    """The latest such day before today. "This" is of this week, "next" what comes and what is of next week."""
    number = _WEEKDAYS.index((match["full"] or match["short"])[:3].lower())
    back = (clock.today.weekday() - number - 1) % 7 + 1
    before, coming = days(clock.midnight - back * DAY), days(clock.midnight + (7 - back % 7) * DAY)
    match (match["which"] or "").lower():
        case "this":
            return [days(week(clock, 0).start + number * DAY)]
        case "next":
            return list(dict.fromkeys([coming, days(week(clock, 1).start + number * DAY)]))
        case "coming":
            return [coming]
        case _:
            return [before]


def ordinal(match: re.Match[str], clock: Clock) -> list[Span]:
    """The latest such day of a month that is not after today."""
    number, year, month = int(match["day"]), clock.today.year, clock.today.month
    if number > 31:
        return []
    for back in range(3):  # two months in a row may lack a day
        years, index = divmod(month - 1 - back, 12)
        found = day(year + years, index + 1, number)
        if found and found[0].start <= clock.now:
            return found
    return []


def _base(unit: str, clock: Clock) -> float:
    return clock.midnight if _SECONDS[unit] >= DAY else clock.now


def number_of(count: str) -> int:
    """Of a match of `COUNT`."""
    return int(count) if count.isdigit() else _COUNTS[count.lower()]


def _one(span: Span | None) -> list[Span]:
    return [span] if span else []
