"""Which lines of an output has somebody said, as in a chat or a transcript?"""

import re
from collections import Counter
from collections.abc import Iterable

OFTEN = 2  # speak at least so many people of a talk whose roles have no name, and each so often

_ROLES = frozenset({"user", "human", "customer", "client", "caller", "agent", "assistant", "ai", "bot", "support",
                    "operator", "interviewer", "interviewee", "speaker"})  # fmt: skip
_TURN = re.compile(r"(?P<who>[^\W\d_][\w.'’-]{0,24}(?: [A-Z\d][\w.'’-]{0,24})?):\s+(?P<said>\S.*)")
_SENTENCE = re.compile(r"(?=.*[.!?。！？]$).*?\w\W+\w")


def speakers_in(lines: Iterable[str]) -> frozenset[str]:
    """Who speaks in lines, "User: It is broken.": roles, and names if two or more of these each say sentences twice."""
    turns = [found for line in lines if (found := _TURN.fullmatch(line)) is not None]
    spoken = Counter(found["who"] for found in turns if _SENTENCE.match(found["said"]))
    often = {who for who, times in spoken.items() if times >= OFTEN and who[0].isupper()}
    every = Counter(found["who"] for found in turns)
    named = {who for who in often if spoken[who] == every[who]}
    return frozenset(who for who in spoken if who.split()[0].lower() in _ROLES) | (
        named if len(named) >= OFTEN else frozenset()
    )


def turn_of(line: str, speakers: frozenset[str]) -> tuple[str, str] | None:
    """Who says a line, and what; None where nobody of the speakers does."""
    found = _TURN.fullmatch(line)
    return (found["who"], found["said"]) if found is not None and found["who"] in speakers else None
