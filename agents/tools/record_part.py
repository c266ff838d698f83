"""The part of a long result or message that a model reads: where it asks, or where its words stand."""

from dataclasses import dataclass

from memory.traces import Trace
from memory.views import MARKS, excerpt, talk_of
from utils.errors import NotFound
from utils.text import GAP, STOPWORDS, lower_in_place

READ = 8_000  # characters of a record
MOST_READ = 32_000
FURTHEST = 2**31  # a place in a record; no record is so long
LONGEST_ID = 64
MOST_WORDS = 16  # different ones of a query that are looked for, the longest
BEFORE = 4  # a share of the part stands before what was found, so that it can be understood


@dataclass(frozen=True)
class TextPart:
    """`begin`: the place of its first character; `all`: characters of the whole text."""

    text: str
    begin: int
    all: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)

    @property
    def more(self) -> str | None:
        """Which part it is, and how to get the next; None where it is all."""
        if not self.begin and self.end >= self.all:
            return None
        if self.begin >= self.all:
            return f"nothing is left from offset {self.begin} on: there are {self.all} characters"
        where = f"characters {self.begin} to {self.end} of {self.all}"
        return f"{where}; offset {self.end} reads on" if self.end < self.all else f"{where}, the last ones"


@dataclass(frozen=True)
class ReadRecord:
    """What a model reads of a record. `more`: which part of the result it is, and how to get the next; None where it is
    all."""

    tool: str
    arguments: str
    result: str
    more: str | None = None


def id_of_row(given: object) -> object:
    """The id of a row that begins with "d2ab51cd ×2 (before 7hx2kq4m):"; what is no text stays as it is."""
    return given.split()[0].rstrip(":") if isinstance(given, str) and given.strip() else given


def read_record(trace: Trace, *, offset: int, limit: int, query: str = "") -> ReadRecord:
    """A part of what a tool gave, of at most `limit` characters, as `part_of` finds it. Raises `NotFound` where the
    record has none of the words that are looked for."""
    part = part_of(trace.raw_output, offset=offset, limit=limit, query=query)
    if part is None:
        raise NotFound("The record has none of these words; without a query it is read from the offset on")
    arguments = trace.raw_input if len(trace.raw_input) <= limit else f"{trace.raw_input[:limit]}…"
    return ReadRecord(trace.tool_name, arguments, part.text, part.more)


def part_of(text: str, *, offset: int, limit: int, query: str = "") -> TextPart | None:
    """At most `limit` characters of a text from `offset` on; with a query, those around it behind `offset`, or around
    its rarest word; None where it has none of its words."""
    begin = offset
    if query.strip():
        found = _place_of(lower_in_place(text), offset, lower_in_place(query.strip()))
        if found is None:
            return None
        begin = max(offset, min(found - limit // BEFORE, len(text) - limit))
    return TextPart(text[begin : begin + limit], begin, len(text))


def passage(text: str, query: str, characters: int) -> str:
    """The whole of a short text; of a longer one the lines or sentences that a question speaks of, at most so many
    characters, or what stands around its words where these are longer; `…` where something is left out."""
    if len(text) <= characters:
        return text
    talk = talk_of([query], [query])
    shown = excerpt(text, talk, characters)
    if talk.words_of(shown) or not talk.words_of(text):
        return shown
    part = part_of(text, offset=0, limit=characters - 2 * len(GAP), query=query)
    if part is None:
        return shown
    return f"{GAP if part.begin else ''}{part.text}{GAP if part.end < part.all else ''}"


def _place_of(text: str, offset: int, query: str) -> int | None:
    """Where a query stands; else the first place of its rarest word."""
    whole = text.find(query, offset)
    if whole >= 0:
        return whole
    words = list(dict.fromkeys(filter(None, (word.strip(MARKS) for word in query.split()))))
    telling = [word for word in words if word not in STOPWORDS] or words
    longest = sorted(telling, key=len, reverse=True)[:MOST_WORDS]
    places = [(text.count(word, offset), text.find(word, offset)) for word in longest]
    return min((place for place in places if place[0]), default=(0, None))[1]
