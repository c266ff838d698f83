"""Questions for the day or the time that it is, which the clock answers and nothing that was told."""

from typing import Literal

from memory.language.words import read_words
from utils.text import words

LONGEST = 100  # characters of a question that asks for nothing else
SHORTEST = 3  # words; "What time?" asks for that of something else

_LANGUAGES = [{kind: frozenset(listed.split()) for kind, listed in one.items()} for one in read_words("clock").values()]


def asks_for_present(question: str) -> Literal["day", "time"] | None:
    """Which of the two a question asks for, and nothing else; None for others. The day may be asked for by its date,
    its weekday, its month or its year."""
    said = words(question) if len(question) <= LONGEST else []
    for known in _LANGUAGES:
        if len(said) >= SHORTEST and known["day"].union(known["time"], known["beside"]).issuperset(said):
            if not known["time"].isdisjoint(said):
                return "time"
            if not known["day"].isdisjoint(said):
                return "day"
    return None
