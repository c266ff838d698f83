"""Times that a statement tells by their distance from when it was made, as the dates that they are."""

import re
from datetime import UTC, datetime

from memory.language.person import is_past
from memory.language.times.named import (
    AGO,
    COUNT,
    DATE,
    NEAR_DAY,
    READERS,
    SEASON,
    UNIT,
    UNITS,
    WEEKDAY,
    ago,
    near_day,
    number_of,
    span_of_length,
    units,
    weekday,
)
from memory.language.times.periods import DAY, MONTHS, WEEK, Clock, Span, clock_at
from utils.text import words

_AHEAD = re.compile(rf"\bin (?P<count>{COUNT}) (?P<unit>{UNIT})s?(?P<way>)\b(?! (?:ago|of)\b|['’])", re.IGNORECASE)

# What binds a time to the sentence; before a date `own` goes, and `kept` stays.
_BEFORE = re.compile(
    r"\b(?:(?P<own>on|in|of|over|for|during|about|around|back)|(?P<kept>since|until|till|by|from|after|before|"
    r"to))(?: the)? $",
    re.IGNORECASE,
)
_AS_OF = re.compile(r"\bas of $", re.IGNORECASE)  # "as of today" is now
_AHEAD_OF = re.compile(r"\b(?:to|for|until|till|by|next) $", re.IGNORECASE)  # a weekday that is still to come
_OF_ITS_KIND = re.compile(r"\b(?:the|an?|my|our|his|her|their|this|that) $", re.IGNORECASE)  # "the last summer of"
_PART = re.compile(r"(?P<last>last )?(?:this )?(?P<part>morning|afternoon|evening|night|tonight)$", re.IGNORECASE)
_IN_WORDS = re.compile(r" \(“[^“”]*”\)")  # behind a date, as it was told


def with_dates(text: str, at: datetime, *, in_words: bool = False, ahead: bool = False) -> str:
    """A statement made at a time, by the clock of its time zone, with dates for "yesterday", "last month" and "two
    years ago"; weekdays alone only where it is of the past, for they may come again each week. `in_words`: each date
    with the words that it stands for behind it, which are left as they are when it is read again. `ahead`: a weekday
    that is not of the past is the next one."""
    clock = clock_at(at.timestamp(), at.tzinfo or UTC)
    past = any(is_past(word) for word in words(text)[:8])

    def dated(match: re.Match[str]) -> str:
        before = match.string[: match.start()]
        if before.endswith("(") or before.rfind("(“") > before.rfind("”)"):
            return match[0]
        date, said = _dated(match, clock, past=past, ahead=ahead), match[0].strip()
        if date == match[0]:
            return date
        behind = match.string[match.end() : match.end() + 2].strip()
        end = "." if said.endswith(".") and not behind[:1].islower() else ""  # of the sentence, or of a short form
        return f"{date} (“{said.rstrip('.')}”){end}" if in_words else date + end

    patterns = (AGO, NEAR_DAY, UNITS, WEEKDAY, SEASON, DATE)
    for pattern in patterns if past else (_AHEAD, *patterns):
        text = pattern.sub(dated, text)
    return " ".join(text.split())


def tells_a_day(text: str) -> bool:
    """Whether a statement has a date, with the words that it was told by."""
    return _IN_WORDS.search(text) is not None


def without_words_of_dates(text: str) -> str:
    """A statement with its dates alone, without the words that they were told by."""
    return _IN_WORDS.sub("", text)


def _dated(match: re.Match[str], clock: Clock, *, past: bool, ahead: bool) -> str:
    before = match.string[: match.start()]
    bound = _BEFORE.search(before)
    lead = "" if bound is not None and match.re is not _AHEAD else None
    groups = match.groupdict()
    unit = (groups.get("unit") or "").lower()
    if match.re in (AGO, _AHEAD):
        if unit in _MONTHS:
            back = number_of(groups["count"]) * _MONTHS[unit] * (1 if (groups["way"] or "").lower() == "ago" else -1)
            year, month = divmod(clock.today.year * 12 + clock.today.month - 1 - back, 12)
            return _said(lead, "in", str(year) if unit in _YEARS else f"{MONTHS[month].title()} {year}")
        span = _ahead(match, clock) if match.re is _AHEAD else ago(match, clock).spans[0]
        days = (span.end - span.start) / DAY
        return _said(lead, "on" if days <= 1 else "around", _day(span.start))
    if match.re is NEAR_DAY:
        if _AS_OF.search(before):
            return match[0]
        part = _PART.search(match[0])
        when = _day(near_day(match, clock).spans[0].start)
        if part is None:
            return _said(lead, "on", when)
        return _said(lead, "in", f"the {part['part'].lower().removeprefix('to')} of {when}")
    if match.re is WEEKDAY:
        coming = match["which"] is None and (not past or _AHEAD_OF.search(before) is not None)
        spans = weekday(match, clock).spans
        if not spans or (coming and not ahead):
            return match[0]
        return _said(lead, "on", _day(spans[0].start + WEEK * coming))
    if match.re in (SEASON, DATE):
        return _named(match, clock, lead) or match[0]
    if match["count"] or match["the"] or match["before"] or not (spans := units(match, clock).spans):
        return match[0]  # "over the last two years" goes on until now
    return (
        _said(lead, "in", _unit(spans[0], unit))
        if unit != "weekend"
        else f"{'' if bound else 'on '}the weekend of {_day(spans[0].start)}"
    )


def _named(match: re.Match[str], clock: Clock, lead: str | None) -> str | None:
    """The season or month that is the last or the next, with its year; None where the year or a day is told, too, or it
    is one of a kind."""
    told = {group: text for group, text in match.groupdict().items() if text}
    if told.pop("which", "this").lower() == "this" or len(told) > 1 or match[0].endswith("'s"):
        return None
    if lead is None and _OF_ITS_KIND.search(match.string[: match.start()]):
        return None
    [name] = told.values()
    year = datetime.fromtimestamp(READERS[match.re](match, clock).spans[0].start, UTC).year
    if name.lower() == "winter":
        return _said(lead, "in", f"{name} {year}/{(year + 1) % 100:02}")
    return _said(lead, "in", f"{name if match.re is SEASON else name.title()} {year}")


_MONTHS = {"month": 1, "year": 12, "yr": 12, "decade": 120}
_YEARS = ("year", "yr", "decade")


def _ahead(match: re.Match[str], clock: Clock) -> Span:
    long = span_of_length(match["count"], match["unit"])
    start = clock.now + long if long < DAY else clock.midnight + long
    return Span(start, start + max(long, 1.0))


def _day(moment: float) -> str:
    day = datetime.fromtimestamp(moment, UTC)
    return f"{day.day} {day:%B} {day.year}"


def _unit(span: Span, unit: str) -> str:
    start = datetime.fromtimestamp(span.start, UTC)
    if unit in _YEARS:
        return str(start.year)
    return f"{start:%B} {start.year}" if unit == "month" else f"the week of {_day(span.start)}"


def _said(lead: str | None, preposition: str, when: str) -> str:
    return f"{preposition} {when}" if lead is None else when
