"""Which items of a long list may the next step need?

Those that the conversation speaks of, the more the fewer others have the word; those in which a field differs from
nearly all others, such as the one server that is down; and those that have the most or the least of what is asked for.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from memory.views.asked_fields import HIGHEST, LOWEST, key_words
from memory.views.identifiers import is_identifier
from memory.views.json_values import Json, Part, Scalar, rows_by_id, scalars
from memory.views.relevance import Talk
from utils.text import GAP

_TIME = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ]|$)")

V = TypeVar("V")
T = TypeVar("T")

RARE = (
    0.5  # what an item is worth at most for a value that few have; a word that it alone shares with the conversation: 1
)
NAMED = 4.0  # and to be what the user named, or of a day that the question names
EXTREME = 1.0  # and to have the most or the least of what is asked for
NEXT = 0.9  # a share of that, to come next
ENDS = 3  # items at either end
FEW = 0.15  # share of the items that may have such a value
KINDS = 0.1  # of the items: a field with more values than that many tells items apart, and not how they are
MOST_FIELDS = 32  # of an object; one that has more lists things
LONGEST = 24  # characters of such a value


class Shortener:
    """Shortens lists, the same ones again and again. `most`: items that are left."""

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
        whole = items.whole if isinstance(items, Part) else items
        return Part([items[at] for at in sorted(self._order(items)[:most])], whole)

    def fields(self, value: Mapping[str, Json], most: int) -> Mapping[str, Json]:
        """So many fields of an object that has more than objects of one kind have, and how many are left out."""
        if len(value) <= MOST_FIELDS or len(value) <= most:
            return value
        chosen = set(self._order(self._once(_entries, value))[:most])
        left: dict[str, Json] = {key: item for at, (key, item) in enumerate(value.items()) if at in chosen}
        return {**left, GAP: f"{len(value) - len(left)} more"}

    def _order(self, items: list[Json]) -> list[int]:
        """The places of items, those that may be needed most first."""
        return self._once(self._ordered, items)

    def _ordered(self, items: list[Json]) -> list[int]:
        worth = worth_of(items, self.talk)
        return sorted(range(len(items)), key=lambda at: -worth[at])

    def _once(self, make: Callable[[V], T], of: V) -> T:
        """What is made of a value, made once. It is kept beside it, so that no other has its `id`."""
        asked = make, id(of)
        if asked not in self._made:
            self._made[asked] = of, make(of)
        made: T = self._made[asked][1]
        return made


def lists_states(value: Json) -> bool:
    """Whether an object says of many things, which its keys name, how each is."""
    if not isinstance(value, Mapping) or len(value) <= MOST_FIELDS:
        return False
    return 2 * sum(map(is_identifier, value)) > len(value)


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
    called = [_is_named(item, talk) for item in items]
    extreme = [0.0] * len(items)
    if talk.extreme:
        meant = _meant(items, talk)
        for at, worth in zip(meant, _extreme([items[at] for at in meant], talk), strict=True):
            extreme[at] = worth

    def rarity(own: frozenset[tuple[str, str]]) -> float:
        """Of the rarest state that tells how an item is, and that few have; 0 where there is none."""
        found = (shared[state] for state in own if shared[state] <= few and 1 < kinds[state[0]] <= most_kinds)
        return 1 - min(found, default=len(items)) / len(items)

    return [
        sum(1 / words[word] for word in one) + RARE * max(odd, rarity(own)) + end + NAMED * named
        for one, own, end, odd, named in zip(said, states, extreme, _below_zero(items, few), called, strict=True)
    ]


def _is_named(item: Json, talk: Talk) -> bool:
    if isinstance(item, Mapping) and talk.name_of(item) is not None:
        return True
    return bool(talk.days) and any(talk.days.has(value) for _, value in scalars(item))


def _below_zero(items: Sequence[Json], few: float) -> list[bool]:
    """Whether each item has a number below zero under a key under which few others have one."""
    below = [frozenset(key for key, value in scalars(item) if _is_below_zero(value)) for item in items]
    counts = Counter(key for keys in below for key in keys)
    return [any(counts[key] <= few for key in keys) for keys in below]


def _is_below_zero(value: Scalar) -> bool:
    return isinstance(value, int | float) and value < 0


def _said_of(value: Scalar, talk: Talk) -> frozenset[str]:
    """The words of a value that were said, and the whole of it where that was named, be it short or a date."""
    words, text = talk.words_of(value), str(value).casefold()
    is_named = text in talk.spoken or (isinstance(value, str) and text in talk.said and not text.isdecimal())
    is_named = is_named or (" " in text and len(text) <= LONGEST and f" {text} " in talk.flat)
    return words | {text} if is_named else words


def _meant(items: Sequence[Json], talk: Talk) -> list[int]:
    """The places of the items that have the most words of the last question, "the cheapest black chair"; of all where
    one has these alone."""
    shares = [
        len(talk.literal.intersection(word for _, value in scalars(item) for word in key_words(str(value))))
        for item in items
    ]
    meant = [at for at, share in enumerate(shares) if share == max(shares)]
    return meant if len(meant) > 1 else list(range(len(items)))


def _extreme(items: Sequence[Json], talk: Talk) -> list[float]:
    """What each item is worth for being among the `ENDS` first or last by a field with numbers or times that is asked
    for, or by the only one that they have."""
    numbers: defaultdict[str, list[tuple[float | str, int]]] = defaultdict(list)
    times: defaultdict[str, list[tuple[float | str, int]]] = defaultdict(list)
    for at, item in enumerate(items):
        for key, value in scalars(item):
            if isinstance(value, int | float) and not isinstance(value, bool):
                numbers[key].append((value, at))
            elif isinstance(value, str) and _TIME.match(value):
                times[key].append((value, at))
    worth = [0.0] * len(items)
    every = [(key, values, len(found) == 1) for found in (numbers, times) for key, values in found.items()]
    asked = [sorted(values) for key, values, alone in every if alone or talk.names_field(key)]
    low, high = not talk.literal.isdisjoint(LOWEST), not talk.literal.isdisjoint(HIGHEST)
    for values in asked or [[(at, at) for at in range(len(items))]]:  # else by their places in the list
        are_numbers = bool(asked) and not isinstance(values[0][0], str)
        first = [] if are_numbers and high and not low else values[:ENDS]
        last = [] if are_numbers and low and not high else values[: -ENDS - 1 : -1]
        for end in (first, last):
            for place, (_, at) in enumerate(end):
                worth[at] = max(worth[at], EXTREME * NEXT**place)
    return worth


def _states(item: Json) -> Iterator[tuple[str, str]]:
    """The values in an object that may tell how it is, with their keys."""
    if isinstance(item, Mapping):
        for key, value in scalars(item):
            if isinstance(value, int) or (isinstance(value, str) and len(value) <= LONGEST):
                yield key, str(value)
