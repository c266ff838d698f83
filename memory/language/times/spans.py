"""The times that a text names: dates and times relative to now, alone or with "since", "before" or "between"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from itertools import islice, pairwise, product, zip_longest

import numpy as np
from numpy.typing import NDArray

from memory.language.times.named import (
    BETWEEN,
    COUNT,
    LONGEST_LEAD,
    READERS,
    UNIT,
    WEEKDAY,
    YEAR,
    Meaning,
    span_of_length,
)
from memory.language.times.periods import (
    ANY_YEAR,
    DAY,
    MONTHS,
    WEEK,
    Clock,
    Span,
    Yearly,
    clock_at,
    instant,
    later,
    year_at,
    year_span,
)
from memory.language.times.translated_times import in_english
from memory.language.words import OF_TIMES
from utils.text import stem

_STEMS = frozenset(stem(word) for word in (*OF_TIMES, *MONTHS, *(name[:3] for name in MONTHS)))

EARLIER, LATER = 3 * DAY, 7 * DAY  # by which nearness falls to a third: what happened is told later rather than before
REACH = 30  # times its length is what "before" a time goes back: before a day is a month, before a month some years
MOST_YEARS, MOST_TIMES, MOST_SPANS = 20, 100, 4_000  # taken of one text

_FLAGS = re.IGNORECASE | re.ASCII
_PUNCTUATION = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "‑": "-"})
_CUE = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|fall"
    r"|winter|christmas|xmas|boxing|new year|halloween|thanksgiving|valentine|ago\b|from now|last|past|this|these|those"
    r"|next|coming|today|tonight|yesterday|tomorrow|week|month|year)",
    _FLAGS,
)


def asks_only_for_a_time(stems: Iterable[str]) -> bool:
    """Whether a question that names a time asks for whatever was said or done then and for nothing else: "What happened
    in May?" does. `stems`: of its words."""
    return all(stem in _STEMS or stem[0].isdigit() for stem in stems)


_VERBS = ("may", "march")  # as they are written where they are no months
# Not "for": what is planned for the summer is said before it.
_LEAD = re.compile(
    r"\b(?:(?:in|of|on|by|since|during|until|till|before|after|every)(?: the)?|(?:over|around) the) $", _FLAGS
)
_LINK = re.compile(r" ?- ?| (?P<word>and|to|until|till|through)(?: the)? ", _FLAGS)
_BESIDE = re.compile(r",? (?:the )?\(?", _FLAGS)
_FROM = re.compile(
    rf"\b(?:(?P<since>since)|(?P<until>until|till|up to)|(?:(?P<count>{COUNT}) |the )?(?P<unit>{UNIT})s?"
    r" (?P<side>before|after)|(?P<before>before|prior to))(?: the)? $",
    _FLAGS,
)
_HOW_LONG = re.compile(r"\bhow (?:long|many (?:days|weeks|months|years))\b", _FLAGS)


@dataclass(frozen=True)
class _Named:
    """A time that the text names from one of its characters up to another."""

    begin: int
    end: int
    match: re.Match[str]
    meaning: Meaning
    whole: bool = False  # whether a range was made of it

    def is_of(self, pattern: re.Pattern[str]) -> bool:
        return self.match.re is pattern


@dataclass(frozen=True)
class _Text:
    text: str
    clock: Clock
    years: tuple[int, ...]  # that it names
    how_long: bool  # whether it asks for that

    def before(self, place: int) -> str:
        return self.text[max(0, place - LONGEST_LEAD) : place]


def spans_of(text: str, now: float, zone: tzinfo = UTC) -> tuple[Span, ...]:
    """The times that a text names, at most 4,000. `now`: seconds since 1970, by which "last week" is understood.
    `zone`: whose days they are.

    A month, a day, a season or a feast without a year is that of the years that the text names elsewhere, or else of
    every year from 1970 to 2049, but behind "since", "until" and "before" the latest one. A year alone counts where
    nothing else is named. What a text names in another language is read as the same in English.
    """
    text = in_english(text)
    if not _CUE.search(text):
        return ()
    text = " ".join(text.translate(_PUNCTUATION).split())
    years = tuple(dict.fromkeys(int(year) for year in YEAR.findall(text)))[:MOST_YEARS]
    read = _Text(text, clock_at(now, zone), years, _HOW_LONG.search(text) is not None)
    times = _ranges(read, _meant(read, _without_beside(read, _named(read))))
    found = dict.fromkeys(span for one in times for span in _reach(read, one))
    return tuple(instant(span, zone) for span in islice(found or map(year_span, years), MOST_SPANS))


def nearness(spans: tuple[Span, ...], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """How near each time is to the nearest span, shape (n,): 1 within, less before it and, more slowly, after it."""
    if not spans:
        return np.zeros(len(times))
    ordered = np.array(sorted(spans))
    begun = np.searchsorted(ordered[:, 0], times, side="right")  # how many have, by then
    starts = np.append(ordered[:, 0], np.inf)
    ends = np.append(-np.inf, np.maximum.accumulate(ordered[:, 1]))
    before, after = (starts[begun] - times) / EARLIER, np.maximum(times - ends[begun], 0) / LATER
    near: NDArray[np.float64] = np.exp(-np.minimum(before, after))
    return near


def _named(read: _Text) -> list[_Named]:
    """What matches, in the order of the text, nothing twice."""
    matches = [match for pattern in READERS for match in islice(pattern.finditer(read.text), MOST_TIMES)]
    found: list[_Named] = []
    for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
        if not found or match.start() >= found[-1].end:
            meaning = READERS[match.re](match, read.clock)
            found.append(_Named(match.start(), match.end(), match, meaning))
    return found


def _without_beside(read: _Text, times: list[_Named]) -> list[_Named]:
    """Without the "Friday" of "Friday, 5 May"."""
    beside = set()
    for place, (one, other) in enumerate(pairwise(times)):
        adjacent = _BESIDE.fullmatch(read.text, one.end, other.begin)
        if adjacent and one.is_of(WEEKDAY):
            beside.add(place)
        elif adjacent and other.is_of(WEEKDAY):
            beside.add(place + 1)
    return [one for place, one in enumerate(times) if place not in beside]


def _meant(read: _Text, times: list[_Named]) -> list[_Named]:
    """Without those that are rather a word ("may I") or a person than a time."""
    found: list[_Named] = []
    for one, following in zip_longest(times, times[1:]):
        before = found[-1] if found else None
        if (
            not one.meaning.doubtful
            or _LEAD.search(read.before(one.begin))
            or (following and _beside_another(read, one, following, one))
            or (before and _beside_another(read, before, one, one))
        ):
            found.append(one)
    return found


def _beside_another(read: _Text, first: _Named, second: _Named, doubtful: _Named) -> bool:
    """Whether one is a time because another stands beside it: "March to June", "between march and may"."""
    link = _link(read, first, second)
    if not link or first.match.re is not second.match.re:
        return False
    if BETWEEN.search(read.before(first.begin)):
        return True
    certain = doubtful is second or (link != "and" and not second.meaning.doubtful)
    return certain and doubtful.match[0] not in _VERBS


def _link(read: _Text, first: _Named, second: _Named) -> str | None:
    """The word that joins two, "-" for a dash."""
    match = _LINK.fullmatch(read.text, first.end, second.begin)
    return (match["word"] or "-").lower() if match else None


def _ranges(read: _Text, times: list[_Named]) -> list[_Named]:
    """With what goes "from" one "to" another as one. Questions of how long it was ask for what happened at its ends."""
    found: list[_Named] = []
    joined = False  # what has been joined goes no further
    for one in times:
        spans = _range(read, found[-1], one) if found and not joined else []
        joined = bool(spans)
        if joined:
            begin = found.pop().begin
            found.append(_Named(begin, one.end, one.match, Meaning(tuple(spans)), whole=True))
        else:
            found.append(one)
    return found


def _range(read: _Text, first: _Named, second: _Named) -> list[Span]:
    link = _link(read, first, second)
    if not link or first.is_of(YEAR) != second.is_of(YEAR):
        return []
    between = BETWEEN.search(read.before(first.begin))
    if link == "and" and (not between or read.how_long):
        return []
    starts, ends = first.meaning, second.meaning
    if ends.yearly and not starts.yearly:
        pairs = [(one, other) for one in starts.spans for other in _next(ends.yearly, one)]
    elif starts.yearly:
        pairs = [(one, other) for other in _resolved(read, ends) for one in _previous(starts.yearly, other)]
    else:
        pairs = list(product(starts.spans, ends.spans))
        if first.is_of(WEEKDAY) and second.is_of(WEEKDAY):
            # On a Wednesday, the latest Monday is after the latest Friday.
            pairs = [(one if one.start < other.end else later(one, -WEEK), other) for one, other in pairs]
    return [Span(one.start, other.end) for one, other in pairs if one.start < other.end]


def _next(yearly: Yearly, start: Span) -> list[Span]:
    """The first that begins no earlier than a span."""
    year = year_at(start.start)
    every = [span for one in (year, year + 1) for span in yearly(one)] if year is not None else []
    return [span for span in every if span.start >= start.start][:1]


def _previous(yearly: Yearly, end: Span) -> list[Span]:
    """The last that begins no later than a span."""
    year = year_at(end.start)
    every = [span for one in (year, year - 1) for span in yearly(one)] if year is not None else []
    return [span for span in every if span.start <= end.start][:1]


def _resolved(read: _Text, meaning: Meaning) -> Sequence[Span]:
    if not meaning.yearly:
        return meaning.spans
    return [span for year in read.years or ANY_YEAR for span in meaning.yearly(year)]


def _reach(read: _Text, one: _Named) -> Sequence[Span]:
    """Its spans, or what "since", "until", "before" or "the week after" make of them."""
    match = _FROM.search(read.before(one.begin))
    if not match:
        return [] if one.is_of(YEAR) and not one.whole else _resolved(read, one.meaning)
    spans, now = _resolved(read, one.meaning), read.clock.now
    if match["unit"]:
        long = span_of_length(match["count"], match["unit"])
        before = match["side"].lower() == "before"
        return [Span(start - long, start) if before else Span(end, end + long) for start, end in spans]
    if one.meaning.yearly and not read.years:
        spans = [span for span in spans if span.start <= now][-1:]
    if match["since"]:
        return [Span(span.start, now) if span.start < now else span for span in spans]
    return [Span(start - REACH * (end - start), end if match["until"] else start) for start, end in spans]
