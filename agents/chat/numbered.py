"""Is a sentence about another one of a kind than a question names, item 52 for item 500, or about another day?"""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from memory.language.times.periods import DAY, MONTHS, Span
from memory.language.times.spans import spans_of
from utils.text import STOPWORDS, stem

# Before these a number counts: "2 chairs", "10 km", but not "bus 5 goes".
_COUNTED = (
    r"(?!(?:is|has|was|does|goes|costs|weighs|contains|holds|runs|leaves|starts|ends|arrives|departs|belongs|needs|says|"
    r"serves|works|opens|closes|takes)\b)[a-z]{2,}s\b|(?:km|kg|mg|ml|cm|mm|mi|people|men|women|children|percent|euro|"
    r"more|times|of)\b"
)
_OTHER = rf"(\d{{1,8}}|[A-Z])(?![\w%]|[.,:/-]\d| (?:{_COUNTED}))"
_NUMBERED = re.compile(rf"\b([^\W\d_]{{3,}})(?: (?:number|no\.?|nr\.?))? #?{_OTHER}")
_MORE = re.compile(rf"(?:,| and| or| &) #?{_OTHER}")
_TOKEN = re.compile(r"\b(?:\d{1,8}|[A-Z])\b")
# Before a number they name no kind: "for about 3 days", "May 5", "turned 40".
_NO_KIND = STOPWORDS.union(
    ("around", "exactly", "least", "nearly", "almost", "since", "between", "another", "roughly", "maybe", "perhaps"),
    ("last", "next", "first", "every", "each", "per", "turned", "turns", "turn", "cost", "costs", "paid", "got", "are"),
    ("age", "aged", "was", "were", "have"),
    MONTHS,
    (name[:3] for name in MONTHS),
)


def is_of_another_number(query: str, text: str) -> bool:
    """Whether a text names one of a kind by another number, or letter, than a question does."""
    asked = _numbered(query)
    if not asked:
        return False
    told, there = _numbered(text), frozenset(_TOKEN.findall(text))
    return any(kind in told and not wanted & (told[kind] | there) for kind, wanted in asked.items())


def is_of_another_day(spans: tuple[Span, ...], text: str, told: float) -> bool:
    """Whether a text names days, and a question others. `spans`: the times that the question names. `told`: when the
    text was said, in seconds since 1970."""
    if not spans or not all(_is_a_day(span) for span in spans):
        return False
    named = spans_of(text, told)
    return bool(named) and all(
        _is_a_day(one) and (one[1] <= other[0] or other[1] <= one[0]) for one in named for other in spans
    )


def _is_a_day(span: Span) -> bool:
    return span[1] - span[0] <= DAY


@lru_cache(maxsize=64)
def _numbered(text: str) -> Mapping[str, frozenset[str]]:
    """The numbers and letters by which a text names one of a kind, by the kind's stem."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in _NUMBERED.finditer(text):
        kind, number, end = one[1].lower(), one[2], one.end()
        if kind in _NO_KIND or number == "I":
            continue
        found[stem(kind)].add(number)
        while (more := _MORE.match(text, end)) is not None:
            found[stem(kind)].add(more[1])
            end = more.end()
    return {kind: frozenset(numbers) for kind, numbers in found.items()}
