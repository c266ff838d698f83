"""The times that a query names in another language, said in English, which `memory.language.times.spans` reads."""

import re
from collections.abc import Iterable
from functools import cache

from memory.language.languages import ENGLISH, language_of
from memory.language.times.periods import MONTHS
from memory.language.words import WORDS, Times
from utils.text import STOPWORDS, content_stems, stem, without_accents, words

LONGEST = 4_000  # characters of a query that is read

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_UNITS = ("day", "week", "month", "year", "weekend")
_SEASONS = ("spring", "summer", "autumn", "winter")
_NO_LEAD = frozenset({"in", "on", "every"})  # what English says, or may leave out, before all but a month or a weekday
_TOLD = "happened"  # stands for words that ask for whatever was said or done
_SLASHED = re.compile(r"\b(\d\d?)/(\d\d?)/((?:19|20)\d\d)\b")
_BEING = re.compile(r"\b(?:ist|war|est|était|es|era|è|é|is|heißt) $", re.IGNORECASE)
_YEAR = r"(?:19|20)\d\d"


def in_english(query: str) -> str:
    """A query with the times that it names in English, as are words that ask for whatever was said or done then; one in
    English as it is."""
    language = language_of(query)
    if language is ENGLISH or len(query) > LONGEST:
        return query
    return _reader(language.name).read(query)


def stems_in_english(query: str) -> list[str]:
    """The stems of the words of `in_english` that carry meaning, in order."""
    language = language_of(query)
    if language is ENGLISH:
        return content_stems(query)
    return [stem(word) for word in language.telling(words(in_english(query))) if word not in STOPWORDS]


class _Names:
    """What some patterns mean, and one for any of them."""

    def __init__(self, meanings: Iterable[tuple[str, str]]) -> None:
        self._each = [(re.compile(_loose(pattern), re.IGNORECASE), meaning) for pattern, meaning in meanings]
        self.any = "|".join(pattern.pattern for pattern, _ in self._each)

    @classmethod
    def of(cls, meanings: Iterable[str], listed: str) -> "_Names":
        """`listed`: the pattern of each, parted by blanks."""
        return cls(zip(listed.split(), meanings, strict=True))

    def __add__(self, other: "_Names") -> "_Names":
        both = _Names(())
        both._each = self._each + other._each
        both.any = f"{self.any}|{other.any}"
        return both

    def meaning(self, found: re.Match[str], *groups: str) -> str:
        """Of the first of some groups of a match that is there; nothing where none is."""
        place = next((found.span(group) for group in groups if found[group]), None)
        if place is None:
            return ""
        return next((meaning for pattern, meaning in self._each if pattern.fullmatch(found.string, *place)), "")


class _Reader:
    """Puts the times of a language into English."""

    def __init__(self, tongue: Times) -> None:
        self._counts = _Names.of(map(str, range(1, 13)), tongue.numbers)
        self._units = _Names.of(_UNITS, tongue.units)
        self._months = _Names.of((name.capitalize() for name in MONTHS), tongue.months)
        self._weekdays = _Names.of(_WEEKDAYS, tongue.weekdays)
        self._seasons = _Names.of(_SEASONS, tongue.seasons)
        self._things = self._units + self._weekdays + self._months + self._seasons
        self._days = _Names((pattern, day) for day, pattern in tongue.days.items())
        self._which = _Names((pattern, which) for which, pattern in tongue.which.items())
        self._leads = _Names((pattern, lead) for lead, pattern in tongue.leads.items())
        self._told = re.compile(rf"\b(?:{'|'.join(_loose(one) for one in tongue.told.split())})\b", re.IGNORECASE)
        self._until = re.compile(rf" (?:{_loose(tongue.leads['until'])})\b", re.IGNORECASE)
        self._ways_of_ago = len(tongue.ago.split("|"))
        self._time = re.compile(self._pattern(tongue), re.IGNORECASE)

    def _pattern(self, tongue: Times) -> str:
        count, which = rf"\d{{1,3}}|{self._counts.any}", self._which.any
        of = rf"(?:(?:{_loose(tongue.of)})(?: |(?<=')))?"
        article = rf"(?:(?:{_loose(tongue.articles)})(?: |(?<=')))?"
        ago = "|".join(
            _loose(pattern).format(time=rf"(?P<count{at}>{count}) (?P<unit{at}>{self._units.any})")
            for at, pattern in enumerate(tongue.ago.split("|"))
        )
        up_to = rf"(?:(?P<first>\d\d?){tongue.nth} ?(?:{_loose(tongue.up_to)}) ?{article})?"
        month_which = rf"(?: (?P<month_which>{which})(?! (?:{self._units.any})\b))?"
        length = rf"(?P<past>{which}) (?P<long>{count})|(?P<length>{count}) (?P<over>{which})"
        month, year = rf"(?P<month>{self._months.any})", rf"(?:,? {of}(?P<year>{_YEAR}))?"
        return (
            rf"\b(?:(?P<lead>{self._leads.any})(?: |(?<=['-])))?{article}(?:"
            rf"(?P<day>{self._days.any})|{ago}"
            rf"|(?:{length}) (?P<units>{self._units.any})"
            rf"|(?:{up_to}(?P<number>\d\d?){tongue.nth} {of})?{month}{year}{month_which}"
            rf"|(?P<which>{which}) (?P<thing>{self._things.any})"
            rf"|(?P<unit>{self._units.any}) (?P<unit_which>{which})"
            rf"|(?P<named>{self._weekdays.any}|{self._seasons.any})(?: (?P<named_which>{which}))?"
            rf"|(?P<bare>{_YEAR}))(?!\w)"
        )

    def read(self, text: str) -> str:
        text = " ".join(text.replace("’", "'").split())
        text = self._time.sub(self._english, _SLASHED.sub(r"\1.\2.\3", text))
        return self._told.sub(_TOLD, text)

    def _english(self, found: re.Match[str]) -> str:
        lead = self._leads.meaning(found, "lead")
        if lead == "from" and not self._until.match(found.string, found.end()):
            lead = "of"
        if lead.startswith("the "):
            lead = f"in {lead}"
        is_month = found["month"] and not found["number"]
        if (
            is_month
            and not (lead or found["year"] or found["month_which"])
            and _BEING.search(found.string, 0, found.start())
        ):
            return found[0]  # "Wie alt ist August?"
        if is_month and lead in ("", "on"):
            lead = "in"
        elif lead in _NO_LEAD and not (is_month or found["named"]):
            lead = ""
        return f"{lead} {self._said(found)}".strip()

    def _said(self, found: re.Match[str]) -> str:
        """What a match says, without what leads to it."""
        if found["day"]:
            return self._days.meaning(found, "day")
        for at in range(self._ways_of_ago):
            if found[f"unit{at}"]:
                return f"{self._length(found, f'count{at}', f'unit{at}')} ago"
        if found["units"]:
            which = self._which.meaning(found, "past", "over")
            return f"the {which} {self._length(found, 'long' if found['long'] else 'length', 'units')}"
        which = self._which.meaning(found, "which", "unit_which", "month_which", "named_which")
        thing = self._things.meaning(found, "month", "thing", "unit", "named")
        days = f"{found['first']} to {found['number']}" if found["first"] else found["number"]
        said = (which, days, thing, found["year"] or found["bare"])
        return " ".join(part for part in said if part)

    def _length(self, found: re.Match[str], count: str, unit: str) -> str:
        number = found[count] if found[count].isdigit() else self._counts.meaning(found, count)
        return f"{number} {self._units.meaning(found, unit)}s"


@cache
def _reader(name: str) -> _Reader:
    return _Reader(WORDS[name].times)


def _loose(pattern: str) -> str:
    """A pattern of this module as one of `re`, for who writes no accents, too."""
    spaced = re.sub(r"(?<!\\)\.", " ", pattern)
    return re.sub(r"[^\W\d_]", lambda letter: _either(letter[0]), spaced)


def _either(letter: str) -> str:
    if letter.isascii():
        return letter
    return f"(?:{letter}|{without_accents(letter)}{'e?' if letter in 'äöü' else ''})"
