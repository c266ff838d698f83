"""Long lists: which of their items the next step may need.

Those that the conversation speaks of, the more the fewer others have the word; and those in which a field differs from
nearly all others, such as the one server that is down.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from memory.views.json_values import Json, PartOfList, rows_by_id, scalars
from memory.views.relevance import Talk

V = TypeVar("V")
T = TypeVar("T")

RARE = 0.5  # what an item is worth at most for a value that few have; a word that it alone has of what was said: 1
FEW = 0.15  # share of the items that may have such a value
KINDS = 0.1  # of the items: a field with more values than that many tells items apart, and not how they are
LONGEST = 24  # characters of such a value


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


def worth_of(items: Sequence[Json], talk: Talk) -> list[float]:
    """What each item is worth, (n,) from 0 on."""
    said = [frozenset(word for _, value in scalars(item) for word in talk.words_of(value)) for item in items]
    words = Counter(word for one in said for word in one)
    states = [frozenset(_states(item)) for item in items]
    shared = Counter(state for one in states for state in one)
    kinds = Counter(key for key, _ in shared)
    few, most_kinds = max(1, FEW * len(items)), max(2, KINDS * len(items))

    def rarity(own: frozenset[tuple[str, str]]) -> float:
        """Of the rarest state that tells how an item is, and that few have; 0 where there is none."""
        found = (shared[state] for state in own if shared[state] <= few and 1 < kinds[state[0]] <= most_kinds)
        return 1 - min(found, default=len(items)) / len(items)

    return [sum(1 / words[word] for word in one) + RARE * rarity(own) for one, own in zip(said, states, strict=True)]


def _states(item: Json) -> Iterator[tuple[str, str]]:
    """The values in an object that may tell how it is, with their keys."""
    if isinstance(item, Mapping):
        for key, value in scalars(item):
            if isinstance(value, int) or (isinstance(value, str) and len(value) <= LONGEST):
                yield key, str(value)
