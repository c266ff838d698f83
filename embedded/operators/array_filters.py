"""The `arrayFilters` of an update: which elements of an array `$[name]` changes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.conditions import Predicate
from embedded.operators.matching import compile_filter

ArrayFilters = Mapping[str, Predicate]
"""By the name of the element: whether a document with the element under that name meets the filter."""

NO_FILTERS: ArrayFilters = {}
_NAME = re.compile(r"[a-z][a-zA-Z0-9]*")


def compile_array_filters(filters: Any) -> ArrayFilters:
    """The filters of an update by the names that they give to elements. Raises StoreError 14, 9, 2; for the conditions
    as `compile_filter`."""
    if filters is None:
        return NO_FILTERS
    if not isinstance(filters, list) or not all(isinstance(each, Mapping) for each in filters):
        raise StoreError(14, "BSON field 'arrayFilters' has to be an array of documents")
    found: dict[str, Predicate] = {}
    for each in filters:
        names = sorted({path.partition(".")[0] for path in _paths(each)})
        if not names:
            raise StoreError(9, "Cannot use an expression without a top-level field name in arrayFilters")
        if len(names) > 1:
            raise StoreError(
                9, f"Error parsing array filter :: caused by :: Expected a single top-level field name, found {names}"
            )
        (name,) = names
        if not _NAME.fullmatch(name):
            raise StoreError(
                2,
                "Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string "
                f"beginning with a lowercase letter, found '{name}'",
            )
        if name in found:
            raise StoreError(9, f"Found multiple array filters with the same top-level field name {name}")
        found[name] = compile_filter(each)
    return found


def check_identifiers(paths: list[tuple[str, ...]], filters: ArrayFilters) -> None:
    """Every `$[name]` needs a filter and every filter a path that uses it. Raises StoreError 2, 9."""
    used: set[str] = set()
    for names in paths:
        for place, name in enumerate(names):
            identifier = identifier_of(name)
            if identifier is None:
                continue
            if place == 0:
                raise StoreError(2, f"Cannot have array filter identifier in the first position of '{'.'.join(names)}'")
            if identifier and identifier not in filters:
                raise StoreError(2, f"No array filter found for identifier '{identifier}' in path '{'.'.join(names)}'")
            used.add(identifier)
    for name in filters:
        if name not in used:
            raise StoreError(9, f"The array filter for identifier '{name}' was not used in the update")


def identifier_of(name: str) -> str | None:
    """What stands in `$[…]`, "" for all elements; None for any other part of a path."""
    return name[2:-1] if name.startswith("$[") and name.endswith("]") else None


def _paths(filter: Mapping[str, Any]) -> Iterator[str]:
    for name, operand in filter.items():
        if not name.startswith("$"):
            yield name
        elif name in ("$and", "$or", "$nor") and isinstance(operand, list):
            for clause in operand:
                if isinstance(clause, Mapping):
                    yield from _paths(clause)
