"""The positional `$` of updates and projections: the element of an array that a filter matched."""

from collections.abc import Iterator, Mapping
from typing import Any

from embedded.operators.matching import compile_filter
from embedded.operators.paths import lookup, replaced


def matched_position(filter: Mapping[str, Any], document: Mapping[str, Any], path: str) -> int | None:
    """The position that `$` means in an update's path: where the array at `path` met the filter, else another array."""
    place = first_match(filter, document, path)
    if place is not None:
        return place
    for condition in _single_conditions(filter):
        array = _array_on(next(iter(condition)), document)
        if array is not None and (place := first_match(condition, document, array)) is not None:
            return place
    return None


def first_match(filter: Mapping[str, Any], document: Mapping[str, Any], path: str) -> int | None:
    """The position of the first element, in the array at `path`, by which the document meets the filter.

    Every condition that looks into the array is tried with each element alone; None if none of them decides.
    """
    array = lookup(document, path)
    if not isinstance(array, list):
        return None
    for condition in _conditions_on(filter, path):
        holds = compile_filter(condition)
        for place, element in enumerate(array):
            if holds(replaced(document, path, [element])):
                return place
    return None


def _single_conditions(filter: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name, operand in filter.items():
        if name == "$and":
            for clause in operand:
                yield from _single_conditions(clause)
        elif not name.startswith("$"):
            yield {name: operand}


def _array_on(path: str, document: Mapping[str, Any]) -> str | None:
    """The path of the first array on the way along another path."""
    names = path.split(".")
    for length in range(1, len(names) + 1):
        start = ".".join(names[:length])
        if isinstance(lookup(document, start), list):
            return start
    return None


def _conditions_on(filter: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for name, operand in filter.items():
        if name == "$and":
            for clause in operand:
                found += _conditions_on(clause, path)
        elif name == "$or":
            if any(_conditions_on(clause, path) for clause in operand):
                found.append({name: operand})
        elif (name == path or name.startswith(f"{path}.")) and not _is_negated(operand):
            found.append({name: operand})
    return found


def _is_negated(operand: Any) -> bool:
    return isinstance(operand, Mapping) and bool(operand) and operand.keys() <= {"$ne", "$nin", "$not"}
