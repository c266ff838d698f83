"""The rows of values that a document gives to a sort by several paths.

Paths into one array go through its elements together: `a.x` and `a.y` of `{a: [{x: 1, y: 9}, {x: 2, y: 0}]}` give the
rows (1, 9) and (2, 0), never (1, 0).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, UNDEFINED
from embedded.operators.paths import as_mapping, position

Names = Sequence[str]


def sort_rows(document: Mapping[str, Any], paths: Sequence[Names]) -> list[list[Any]]:
    """At least one row, with a value for each path: None where it is missing, UNDEFINED for an empty array.

    Raises StoreError 2 where two of the paths lead into different arrays.
    """
    row: list[Any] = []
    array: list[Any] | None = None
    into: dict[int, Names] = {}
    for place, names in enumerate(paths):
        value, rest = _reach(document, names)
        if isinstance(value, list):
            if array is not None and array is not value:
                raise StoreError(2, "cannot sort with keys that are parallel arrays")
            array, into[place] = value, rest
        row.append(None if value is MISSING else value)
    if array is None:
        return [row]
    return [
        [values.get(place, value) for place, value in enumerate(row)]
        for values in (_element_rows(array, into) if array else [_empty(into)])
    ]


def _reach(value: Any, names: Names) -> tuple[Any, Names]:
    """(what is at the end of a path or the first array on it, the names behind that)."""
    for place, name in enumerate(names):
        if isinstance(value, list):
            index = position(name)
            if index is None or index >= len(value):
                return value, names[place:]
            value = value[index]
            continue
        fields = as_mapping(value)
        if fields is None:
            return MISSING, ()
        value = fields.get(name, MISSING)
    return value, ()


def _empty(into: Mapping[int, Names]) -> dict[int, Any]:
    return {place: None if rest else UNDEFINED for place, rest in into.items()}


def _element_rows(array: list[Any], into: Mapping[int, Names]) -> list[dict[int, Any]]:
    found: list[dict[int, Any]] = []
    deeper = {place: rest for place, rest in into.items() if rest}
    for element in array:
        whole = dict.fromkeys(into, element)
        fields = as_mapping(element)
        rows = [[None] * len(deeper)] if fields is None else sort_rows(fields, list(deeper.values()))
        found += [whole | dict(zip(deeper, row, strict=True)) for row in rows]
    return found
