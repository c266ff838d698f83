"""Conditions on one field, and how they combine.

A condition is a small tree. At a path it asks whether any value there passes; on a single value, inside `$elemMatch`
and `$pull`, it asks that value alone. Negations turn the answer around, so `$ne` means that no value is equal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from embedded.operators.comparing import MISSING
from embedded.operators.paths import walk

Test = Callable[[Any], bool]
Predicate = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Some:
    """Some value at the path passes `test`. Unless `expand`, an array is tried as a whole and not by its elements."""

    test: Test
    expand: bool = True


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: "Condition"


@dataclass(frozen=True, slots=True)
class All:
    """Every condition holds, each perhaps for another value."""

    conditions: tuple["Condition", ...]


Condition = Some | Not | All


def at_path(path: str, condition: Condition) -> Predicate:
    """The condition as a question about a document's field."""
    match condition:
        case Not(inner):
            holds = at_path(path, inner)
            return lambda document: not holds(document)
        case All(conditions):
            return every([at_path(path, inner) for inner in conditions])
        case Some(test, expand):
            if "." in path:
                return _below(path, test, expand)
            return _on_top(path, test) if expand else lambda document: test(document.get(path, MISSING))


def on_value(condition: Condition) -> Test:
    """The condition as a question about one value."""
    match condition:
        case Not(inner):
            holds = on_value(inner)
            return lambda value: not holds(value)
        case All(conditions):
            return every([on_value(inner) for inner in conditions])
        case Some(test, _):
            return test


def every(tests: list[Callable[[Any], bool]]) -> Callable[[Any], bool]:
    """All of the tests pass."""
    match tests:
        case []:
            return lambda value: True
        case [only]:
            return only
        case [first, second]:
            return lambda value: first(value) and second(value)
    return lambda value: all(test(value) for test in tests)


def _on_top(name: str, test: Test) -> Predicate:
    def holds(document: Mapping[str, Any]) -> bool:
        value = document.get(name, MISSING)
        if type(value) is list:
            return any(map(test, value)) or test(value)
        return test(value)

    return holds


def _below(path: str, test: Test, expand: bool) -> Predicate:
    names = path.split(".")

    def holds(document: Mapping[str, Any]) -> bool:
        value: Any = document
        for place, name in enumerate(names):
            if type(value) is not dict:
                return any(map(test, walk(value, names, place, expand=expand)))
            value = value.get(name, MISSING)
        if expand and type(value) is list:
            return any(map(test, value)) or test(value)
        return test(value)

    return holds
