"""Indexes, documents, changes and queries from one seed, all about a few paths and a few values.

Hypothesis likes small and repeated examples; here every condition has a fair chance to hold for some documents and not
for others, so that a wrong index shows within a hundred examples.
"""

import random
from typing import Any, NamedTuple

from bson import Regex

from tests.embedded.properties.documents import NUMBERS, OTHERS, PATTERNS, STRINGS, TYPES, Document

PATHS = ["a", "b", "c", "a.x", "a.y", "b.x", "a.0", "a.0.x", "a.x.0", "a.x.y"]
PARTIAL: list[Document] = [
    {"a": {"$exists": True}},
    {"a": {"$gt": 0}},
    {"b": 1},
    {"a.x": {"$gte": "a"}},
    {"c": {"$type": "number"}},
    {"a": {"$lte": 1}, "b": {"$exists": True}},
    {"$or": [{"a": 1}, {"b": {"$in": ["a", None]}}]},
]
SPARSE_AND_UNIQUE: list[Document] = [{"sparse": True}, {"unique": True}, {"unique": True, "sparse": True}]


class World(NamedTuple):
    definitions: list[Document]
    documents: list[Document]
    changes: list[tuple[Any, ...]]
    queries: list[tuple[Document, list[tuple[str, int]], int, int]]
    """Filter, sort, skip and limit."""


def world(seed: int) -> World:
    """Everything of one example."""
    dice = Dice(seed)
    return World(
        [dice.definition() for _ in range(dice.randint(1, 3))],
        [{"_id": number, **dice.body()} for number in range(dice.randint(3, 12))],
        [dice.change() for _ in range(dice.randint(0, 8))],
        [(dice.filter(), dice.sort(), dice.randint(0, 3), dice.randint(0, 4)) for _ in range(12)],
    )


class Dice(random.Random):
    """What is made up with a few scalars and a few paths."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.palette = [*self.sample(NUMBERS, 2), self.choice(STRINGS), self.choice(OTHERS)]
        self.palette += self.choices(NUMBERS + STRINGS + OTHERS, k=self.randint(0, 2))
        self.indexed = list(dict.fromkeys([self.choice("abc"), *self.sample(PATHS, self.randint(0, 2))]))
        self.asked = self.indexed + ["_id"] * (self.random() < 0.3)

    def value(self) -> Any:
        """A scalar, now and then a document or an array of them."""
        kind = self.random()
        if kind < 0.65:
            return self.choice(self.palette)
        return self.inner(deep=False) if kind < 0.8 else self.several(deep=False)

    def inner(self, *, deep: bool) -> Document:
        names = [name for name in self.sample("xy", 2) if self.random() < 0.7]
        return {name: self.value() if deep else self.choice(self.palette) for name in names}

    def several(self, *, deep: bool = True) -> list[Any]:
        return [self.value() if deep else self.choice(self.palette) for _ in range(self.randint(0, 3))]

    def body(self) -> Document:
        return {name: self.field() for name in "abc" if self.random() < 0.8}

    def field(self) -> Any:
        kind = self.random()
        if kind < 0.5:
            return self.value()
        return self.inner(deep=True) if kind < 0.65 else self.several()

    def filter(self) -> Document:
        if self.random() < 0.75:
            return self.simple()
        clauses = [self.simple() for _ in range(self.randint(1, 3))]
        return {**(self.simple() if self.random() < 0.5 else {}), self.choice(["$and", "$or", "$or", "$nor"]): clauses}

    def simple(self) -> Document:
        return {self.choice(self.asked): self.condition() for _ in range(self.choice([1, 1, 1, 2, 3]))}

    def comparisons(self) -> Document:
        operators = self.sample(["$gt", "$gte", "$lt", "$lte", "$eq"], self.randint(1, 2))
        return {operator: self.comparable() for operator in operators}

    def comparable(self) -> Any:
        """A value, but for the regular expressions that no comparison takes."""
        value = self.value()
        return "a" if isinstance(value, Regex) else value

    def condition(self) -> Any:
        of_elements = self.choice(
            [self.comparisons(), {self.choice("xy"): self.choice([self.value(), self.comparisons()])}]
        )
        usual: list[Any] = [self.value(), self.comparisons(), {"$in": self.several()}]
        unusual: list[Any] = [
            {"$nin": self.several()},
            {"$ne": self.comparable()},
            {"$exists": self.random() < 0.5},
            {"$all": self.several()},
            {"$size": self.randint(0, 3)},
            {"$regex": self.choice(PATTERNS)},
            {"$type": self.choice(TYPES)},
            {"$elemMatch": of_elements},
            {"$not": self.choice([self.comparisons(), {"$in": self.several()}, {"$exists": True}])},
        ]
        return self.choice(usual if self.random() < 0.6 else unusual)

    def sort(self) -> list[tuple[str, int]]:
        paths = dict.fromkeys(self.choices(self.asked, k=self.randint(0, 3)))
        return [(path, self.choice([1, -1])) for path in paths]

    def definition(self) -> Document:
        paths = self.sample(self.indexed, self.randint(1, len(self.indexed)))
        keys = {path: self.choice([1, -1]) for path in paths}
        kind = self.random()
        options = {} if kind < 0.5 else self.choice(SPARSE_AND_UNIQUE)
        if kind > 0.75:
            options = {"partialFilterExpression": self.choice(PARTIAL)}
        return {"key": keys, "name": " ".join(map(str, keys.items())), **options}

    def update(self) -> Document:
        path = self.choice(["a", "b", "c", "b.x"])
        if self.random() < 0.2:
            return {"$rename": {self.choice(["b", "b.x"]): self.choice(["a", "c", "a.x", "n"])}}
        if self.random() < 0.2:
            return {"$pull": {path: {"$in": [self.value()]}}}
        return {self.choice(["$set", "$set", "$push", "$addToSet", "$min", "$max", "$unset"]): {path: self.field()}}

    def change(self) -> tuple[Any, ...]:
        """A step for `change` of test_index_scans.py."""
        match self.randint(0, 6):
            case 0:
                return "insert", self.body()
            case 1 | 2:
                return "update", self.filter(), self.update(), self.random() < 0.6
            case 3:
                return "replace", self.filter(), self.body()
            case 4:
                return "delete", self.filter(), self.random() < 0.3
            case 5:
                return "index", self.definition()
        return self.choice(["drop index", "rebuild"]), self.randint(0, 3)
