"""Which speaker is it that others call by another name?

"Hey Kate!", says one to whom nobody called Kate ever wrote, and the other answers: then Kate is the other.
"""

from collections import Counter

import numpy as np

from memory.gists import Terms, hashes
from memory.recall.index import NONE, UserIndex
from memory.recall.postings import Rows
from utils.text import stem

GREETINGS = ("hey", "hi", "hello", "dear", "morning", "afternoon", "evening", "night", "thanks", "you", "bye", "yo")
LEAST = 3  # greetings by which a name is believed
AGREED = 0.8  # share of them that must mean the same speaker
LOOKED_AT = 500  # messages with the name, the newest

_GREETINGS = hashes(stem(word) for word in GREETINGS)


def speaker_called(name: str, index: UserIndex) -> int | None:
    """The code of the speaker who is greeted by a name, lower case; None where nobody is, or several are."""
    term = hashes([stem(name)])
    rows = index.postings.find(term).rows
    rows = rows[index.alive[rows]][-LOOKED_AT:]
    greeted = Counter(code for row in _greeting(rows, term, index) if (code := _addressee(row, index)))
    if not greeted:
        return None
    [(code, count)] = greeted.most_common(1)
    return code if count >= max(LEAST, AGREED * greeted.total()) else None


def _greeting(rows: Rows, name: Terms, index: UserIndex) -> list[int]:
    """Those of the rows in which a name stands right after a greeting."""
    terms, bounds = index.terms.gather(rows)
    found = np.flatnonzero(terms == name)
    owners = np.searchsorted(bounds, found, side="right") - 1
    greeted = (bounds[owners] < found) & np.isin(terms[found - 1], _GREETINGS)  # what begins a row follows nothing
    greeting: list[int] = rows[np.unique(owners[greeted])].tolist()
    return greeting


def _addressee(row: int, index: UserIndex) -> int:
    """The other speaker who stands next to a row in its session; 0 for none."""
    own = index.speakers[row]
    for neighbour in (index.links.before[row], index.links.after[row]):
        if neighbour != NONE and index.speakers[neighbour] not in (0, own):
            return int(index.speakers[neighbour])
    return 0
