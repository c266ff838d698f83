"""Expressions on arrays as sets: each value once, in MongoDB's order."""

from typing import Any

from embedded.operators.keys import encode_key
from embedded.operators.operands import Operator, as_array, null_safe, truthy


def distinct(values: list[Any]) -> list[Any]:
    """The values without repetitions, in the order they first come."""
    found: dict[bytes, Any] = {}
    for value in values:
        found.setdefault(encode_key(value), value)
    return list(found.values())


def _keyed(name: str, array: Any, code: int) -> dict[bytes, Any]:
    return {encode_key(item): item for item in distinct(as_array(name, array, code))}


def _sorted(found: dict[bytes, Any]) -> list[Any]:
    return [found[key] for key in sorted(found)]


def _union(*arrays: Any) -> list[Any]:
    merged: dict[bytes, Any] = {}
    for array in arrays:
        merged = _keyed("$setUnion", array, 17043) | merged
    return _sorted(merged)


def _intersection(*arrays: Any) -> list[Any]:
    if not arrays:
        return []
    first, *others = (_keyed("$setIntersection", array, 17047) for array in arrays)
    return _sorted({key: value for key, value in first.items() if all(key in other for other in others)})


def _difference(a: Any, b: Any) -> list[Any]:
    items, without = _keyed("$setDifference", a, 17048), _keyed("$setDifference", b, 17049)
    return [item for key, item in items.items() if key not in without]


def _equals(*arrays: Any) -> bool:
    first, *others = (_keyed("$setEquals", array, 17044).keys() for array in arrays)
    return all(other == first for other in others)


def _is_subset(a: Any, b: Any) -> bool:
    return _keyed("$setIsSubset", a, 17046).keys() <= _keyed("$setIsSubset", b, 17042).keys()


SETS: dict[str, Operator] = {
    "$setUnion": Operator(null_safe(_union), 0, None),
    "$setIntersection": Operator(null_safe(_intersection), 0, None),
    "$setDifference": Operator(null_safe(_difference), 2),
    "$setEquals": Operator(_equals, 2, None),
    "$setIsSubset": Operator(_is_subset, 2),
    "$allElementsTrue": Operator(lambda array: all(map(truthy, as_array("$allElementsTrue", array, 17040)))),
    "$anyElementTrue": Operator(lambda array: any(map(truthy, as_array("$anyElementTrue", array, 17041)))),
}
