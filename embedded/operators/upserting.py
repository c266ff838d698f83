"""The fields that a filter gives to a document that an upsert inserts."""

from collections.abc import Iterator, Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.matching import is_operators
from embedded.operators.patterns import is_regex


def seed(filter: Mapping[str, Any], *, only_id: bool = False) -> list[tuple[str, Any]]:
    """The (path, value) pairs that the filter asks to be equal, `_id` first, then by path as MongoDB does.

    `only_id` leaves out all but `_id`, for replacements. Raises StoreError 54 if two of them are in each other's way.
    """
    found: dict[str, Any] = {}
    for path, value in _equalities(filter):
        if only_id and path != "_id":
            continue
        if any(path == other or path.startswith(f"{other}.") or other.startswith(f"{path}.") for other in found):
            raise StoreError(54, f"cannot infer query fields to set, path '{path}' is matched twice")
        found[path] = value
    return sorted(found.items(), key=lambda item: (item[0] != "_id", item[0]))


def _equalities(filter: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, operand in filter.items():
        if name == "$and" or (name == "$or" and len(operand) == 1):
            for clause in operand:
                yield from _equalities(clause)
        elif name.startswith("$"):
            continue
        elif is_operators(operand):
            yield from ((name, value) for value in _single_values(operand))
        elif not is_regex(operand):
            yield name, operand


def _single_values(operators: Mapping[str, Any]) -> Iterator[Any]:
    """The operand of `$eq`, and the only one of `$in` or `$all`."""
    if "$eq" in operators:
        yield operators["$eq"]
    for name in ("$in", "$all"):
        values = operators.get(name, [])
        if len(values) == 1 and not is_regex(values[0]) and not is_operators(values[0]):
            yield values[0]
