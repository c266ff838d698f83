"""Which element of an array did a filter match? The positional `$` of updates and projections."""

from collections.abc import Mapping
from typing import Any

from embedded.operators.matching import compile_filter
from embedded.operators.paths import lookup, replaced


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
