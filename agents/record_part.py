"""Which part of a long result does a model read? The one that begins where it asks, or that has its words in it."""

import re
from dataclasses import dataclass

MOST_FOUND = 20_000  # places of words that are looked at
BEFORE = 4  # a share of the part stands before what was found, so that it can be understood


@dataclass(frozen=True)
class Part:
    """`begin`: the place of its first character; `all`: characters of the whole text."""

    text: str
    begin: int
    all: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


def part_of(text: str, *, offset: int, limit: int, query: str = "") -> Part | None:
    """At most `limit` characters of a text from `offset` on; with a query, those around it behind `offset`, or around
    most of its words; None where it has none of them."""
    begin = offset
    if query.strip():
        found = _place_of(text, offset, limit, query.strip())
        if found is None:
            return None
        begin = max(offset, min(found - limit // BEFORE, len(text) - limit))
    return Part(text[begin : begin + limit], begin, len(text))


def _place_of(text: str, offset: int, limit: int, query: str) -> int | None:
    whole = re.compile(re.escape(query), re.IGNORECASE).search(text, offset)
    if whole is not None:
        return whole.start()
    words = "|".join(re.escape(word) for word in sorted(set(query.lower().split()), key=len, reverse=True))
    places: list[tuple[int, str]] = []
    for match in re.compile(words, re.IGNORECASE).finditer(text, offset):
        places.append((match.start(), match[0].lower()))
        if len(places) == MOST_FOUND:
            break
    return _densest(places, limit * (BEFORE - 1) // BEFORE)


def _densest(places: list[tuple[int, str]], characters: int) -> int | None:
    """The first place behind which the most different words stand within so many characters."""
    best, most, last = None, 0, 0
    within: dict[str, int] = {}
    for at, word in places:
        while last < len(places) and places[last][0] < at + characters:
            within[places[last][1]] = within.get(places[last][1], 0) + 1
            last += 1
        if len(within) > most:
            best, most = at, len(within)
        within[word] -= 1
        if not within[word]:
            del within[word]
    return best
