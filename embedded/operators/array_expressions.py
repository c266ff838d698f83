"""Expressions on arrays."""

from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, equal
from embedded.operators.operands import Operator, as_array, as_whole, is_nothing, null_safe
from embedded.operators.typenames import type_name, whole_number

_MOST_ITEMS = 6_000_000  # about as many as 100 MB hold in MongoDB


def _size(value: Any) -> int:
    if not isinstance(value, list):
        raise StoreError(17124, f"The argument to $size must be an array, but was of type: {type_name(value)}")
    return len(value)


def _element_at(array: Any, place: Any) -> Any:
    items, index = as_array("$arrayElemAt", array, 28689), as_whole("$arrayElemAt", place, 28690, 28691)
    return items[index] if -len(items) <= index < len(items) else MISSING


def _first(array: Any) -> Any:
    items = as_array("$first", array, 28689)
    return items[0] if items else MISSING


def _last(array: Any) -> Any:
    items = as_array("$last", array, 28689)
    return items[-1] if items else MISSING


def slice_array(items: list[Any], first: int, count: int | None = None) -> list[Any]:
    """`count` elements from position `first`, from the end if negative; without a count, the first or last `first`."""
    if count is None:
        return items[:first] if first >= 0 else items[first:]
    start = first if first >= 0 else max(0, len(items) + first)
    return items[start : start + count]


def _slice(array: Any, first: Any, count: Any = None) -> list[Any]:
    items, start = as_array("$slice", array, 28724), as_whole("$slice", first, 28725, 28726)
    if count is None:
        return slice_array(items, start)
    length = as_whole("$slice", count, 28727, 28728)
    if length <= 0:
        raise StoreError(28729, f"Third argument to $slice must be positive: {length}")
    return slice_array(items, start, length)


def _in(value: Any, array: Any) -> bool:
    if not isinstance(array, list):
        raise StoreError(40081, f"$in requires an array as a second argument, found: {type_name(array)}")
    return any(equal(value, item) for item in array)


def _index_of(array: Any, wanted: Any, start: Any = 0, end: Any = None) -> int | None:
    """The first position from `start` on, before `end`, or -1."""
    if is_nothing(array):
        return None
    if not isinstance(array, list):
        raise StoreError(40090, f"$indexOfArray requires an array as a first argument, found: {type_name(array)}")
    first, last = _place_of(start), len(array) if end is None else _place_of(end)
    return next((at for at, item in enumerate(array[:last]) if at >= first and equal(item, wanted)), -1)


def _place_of(value: Any) -> int:
    place = whole_number(value)
    if place is None:
        raise StoreError(40096, f"$indexOfArray requires an integral index, found: {type_name(value)}")
    if place < 0:
        raise StoreError(40097, f"$indexOfArray requires a nonnegative index, found: {place}")
    return place


def _concat(*arrays: Any) -> list[Any]:
    parts = [as_array("$concatArrays", array, 28664) for array in arrays]
    if sum(map(len, parts)) > _MOST_ITEMS:
        raise StoreError(146, "$concatArrays would use too much memory")
    return [item for part in parts for item in part]


def _range(start: Any, end: Any, step: Any = 1) -> list[int]:
    first, last, by = (
        as_whole("$range", value, code, code + 1) for value, code in ((start, 34443), (end, 34445), (step, 34447))
    )
    if by == 0:
        raise StoreError(34449, "$range requires a non-zero step value")
    numbers = range(first, last, by)
    if len(numbers) > _MOST_ITEMS:
        raise StoreError(146, "$range would use too much memory")
    return list(numbers)


ARRAYS: dict[str, Operator] = {
    "$size": Operator(_size),
    "$arrayElemAt": Operator(null_safe(_element_at), 2),
    "$first": Operator(null_safe(_first)),
    "$last": Operator(null_safe(_last)),
    "$slice": Operator(null_safe(_slice), 2, 3),
    "$in": Operator(_in, 2),
    "$concatArrays": Operator(null_safe(_concat), 0, None),
    "$indexOfArray": Operator(_index_of, 2, 4),
    "$isArray": Operator(lambda value: isinstance(value, list)),
    "$range": Operator(_range, 2, 3),
    "$reverseArray": Operator(null_safe(lambda array: as_array("$reverseArray", array, 34435)[::-1])),
}
