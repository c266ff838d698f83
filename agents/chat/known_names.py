"""Who or what has which name, as memory tells: the hamster is called Sir Crumbs, and when he died, it did."""

import re
from collections.abc import Sequence
from itertools import islice

from agents.chat.asked_words import meant
from utils.sentences import NO_NAME
from utils.text import content_stems

MOST_NAMES = 64  # the first that memory tells

_NAME = r"(?P<name>[A-ZÀ-Þ][\w-]+(?: [A-ZÀ-Þ][\w-]+)?)"
_NAMED = (
    re.compile(
        r"\b(?:[Mm]y|[Oo]ur) (?P<kind>mother|mum|mom|father|dad|brother|sister|son|daughter|wife|husband|uncle|aunt|"
        rf"cousin|boss|dog|cat),? {_NAME}"
    ),
    re.compile(
        r"\b(?i:my|our|the|an?) (?:[\w-]+ ){0,2}?(?P<kind>[a-z]+) "
        rf"(?:(?:is|was)(?: now)? )?(?:called|named) {_NAME}"
    ),
    re.compile(
        r"^(?:My|Our|The) (?P<kind>[a-z]+)\b.{0,60}?\b(?:[Hh]e|[Ss]he|[Ii]t)(?:['’]s| is| was) (?:called|named) "
        rf"{_NAME}"
    ),
)
_ASKS_FOR_A_NAME = re.compile(r"\b(?:who|name|names|named|called)\b", re.IGNORECASE)


def add_kinds(query: str, texts: Sequence[str], stems: Sequence[set[str]]) -> None:
    """Adds to the stems of each text the kind of one that it names, where another text tells which that is. A question
    for the name itself is answered by that text alone."""
    sought = frozenset() if _ASKS_FOR_A_NAME.search(query) else meant(query)
    if not sought:
        return
    told = ((one["kind"], one["name"]) for text in texts for form in _NAMED for one in form.finditer(text))
    for kind, name in islice(dict.fromkeys(told), MOST_NAMES):
        named, kinds = frozenset(content_stems(name)), meant(kind)
        if not named or sought.isdisjoint(kinds) or name.split()[0].lower() in NO_NAME:
            continue
        for found in stems:
            if named <= found:
                found |= kinds
