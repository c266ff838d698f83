"""Long lists: which of their items the next step may need.

Those that the conversation speaks of, the more the fewer others have the word; those in which a field differs from
nearly all others, such as the one server that is down; and those that have the most or the least of what is asked for.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from memory.views.json_values import Json, PartOfList, Scalar, is_number, rows_by_id, scalars
from memory.views.relevance import Talk
from utils.text import GAP

V = TypeVar("V")
T = TypeVar("T")

RARE = 0.5  # what an item is worth at most for a value that few have; a word that it alone has of what was said: 1
NAMED = 4.0  # and to be what the user named
EXTREME, NEXT = 1.0, 0.9  # and to have the most or the least of what is asked for; a share of that, to come next
ENDS = 3  # items at either end
FEW = 0.15  # share of the items that may have such a value
KINDS = 0.1  # of the items: a field with more values than that many tells items apart, and not how they are
MOST_FIELDS = 32  # of an object; one that has more lists things
LONGEST = 24  # characters of such a value

_TIME = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ]|$)")
_SUPERLATIVE = re.compile(
    r" (?:[^\W\d_]{3,20}est|most|least|last|first|recent|top|best|worst|maximum|minimum|max|min) "
)


class Shortener:
    """Shortens lists by what was said, the same ones again and again."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self._made: dict[tuple[object, int], tuple[object, Any]] = {}

    def rows(self, value: Json) -> Json:
        """Objects under keys of their own as a list."""
        return self._once(rows_by_id, value) if isinstance(value, Mapping) else value

    def part(self, items: list[Json], most: int) -> list[Json]:
        """So many items of a list, in its order."""
        if len(items) <= most:
            return items
        whole = items.whole if isinstance(items, PartOfList) else items
        return PartOfList([items[at] for at in sorted(self._once(self._ordered, items)[:most])], whole)

    def fields(self, value: Mapping[str, Json], most: int) -> Mapping[str, Json]:
        """So many fields of an object that has more than objects of one kind have, and how many are left out."""
        if len(value) <= MOST_FIELDS or len(value) <= most:
            return value
        chosen = set(self._once(self._ordered, self._once(_entries, value))[:most])
        left: dict[str, Json] = {key: item for at, (key, item) in enumerate(value.items()) if at in chosen}
        return {**left, GAP: f"{len(value) - len(left)} more"}

    def _ordered(self, items: list[Json]) -> list[int]:
        """The places of items, those that may be needed most first."""
        worth = worth_of(items, self.talk)
        return sorted(range(len(items)), key=lambda at: -worth[at])

    def _once(self, make: Callable[[V], T], of: V) -> T:
        """What is made of a value, made once. It is kept beside it, so that no other has its `id`."""
        asked = make, id(of)
        if asked not in self._made:
            self._made[asked] = of, make(of)
        made: T = self._made[asked][1]
        return made


def _entries(value: Mapping[str, Json]) -> list[Json]:
    """The fields of an object as the items of a list."""
    return [{"": key, **(item if isinstance(item, Mapping) else {"value": item})} for key, item in value.items()]


def worth_of(items: Sequence[Json], talk: Talk) -> list[float]:
    """What each item is worth, (n,) from 0 on."""
    said = [frozenset(word for _, value in scalars(item) for word in _said_of(value, talk)) for item in items]
    words = Counter(word for one in said for word in one)
    states = [frozenset(_states(item)) for item in items]
    shared = Counter(state for one in states for state in one)
    kinds = Counter(key for key, _ in shared)
    few, most_kinds = max(1, FEW * len(items)), max(2, KINDS * len(items))
    named = [isinstance(item, Mapping) and talk.name_of(item) is not None for item in items]
    extreme = [0.0] * len(items)
    if _SUPERLATIVE.search(talk.question):  # of those that have the most of what was said: "the cheapest black chair"
        meant = [at for at, one in enumerate(said) if len(one) == max(map(len, said))]
        meant = meant if len(meant) > 1 else list(range(len(items)))
        for at, end in zip(meant, _extreme([items[at] for at in meant], talk), strict=True):
            extreme[at] = end

    def rarity(own: frozenset[tuple[str, str]]) -> float:
        """Of the rarest state that tells how an item is, and that few have; 0 where there is none."""
        found = (shared[state] for state in own if shared[state] <= few and 1 < kinds[state[0]] <= most_kinds)
        return 1 - min(found, default=len(items)) / len(items)

    return [
        sum(1 / words[word] for word in one) + RARE * rarity(own) + end + NAMED * is_named
        for one, own, end, is_named in zip(said, states, extreme, named, strict=True)
    ]


def _said_of(value: Scalar, talk: Talk) -> frozenset[str]:
    """The words of a value that were said, and the whole of it where that was named, be it short or a date."""
    words, text = talk.words_of(value), str(value)
    is_named = isinstance(value, str) and not text.isdecimal() and text.casefold() in talk.said
    is_named = is_named or (len(text) <= LONGEST and f" {text.casefold()} " in talk.question)
    return words | {text.casefold()} if is_named else words


def _extreme(items: Sequence[Json], talk: Talk) -> list[float]:
    """What each item is worth for being among the `ENDS` first or last by a field with numbers or times that is asked
    for, or by the only one that they have; else by their places in the list."""
    found: defaultdict[tuple[str, bool], list[tuple[Any, int]]] = defaultdict(list)
    for at, item in enumerate(items):
        for key, value in scalars(item):
            if is_number(value) or (isinstance(value, str) and _TIME.match(value)):
                found[key, isinstance(value, str)].append((value, at))
    orders = [sorted(values) for (key, _), values in found.items() if len(found) == 1 or talk.names_field(key)]
    worth = [0.0] * len(items)
    for values in orders or [[(at, at) for at in range(len(items))]]:
        for end in (values[:ENDS], values[: -ENDS - 1 : -1]):
            for place, (_, at) in enumerate(end):
                worth[at] = max(worth[at], EXTREME * NEXT**place)
    return worth


def _states(item: Json) -> Iterator[tuple[str, str]]:
    """The values in an object that may tell how it is, with their keys."""
    if isinstance(item, Mapping):
        for key, value in scalars(item):
            if isinstance(value, int) or (isinstance(value, str) and len(value) <= LONGEST):
                yield key, str(value)
