"""MongoDB's manual on order, paths and filters, written down a second time, as plainly as it can be.

Nothing here is fast and nothing is shared with the store, so that the two only agree where both are right.
"""

import datetime
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from bson import Binary, Decimal128, MaxKey, MinKey, ObjectId, Regex, Timestamp

MISSING = object()
"""The field is not there."""

_RANKS: tuple[tuple[type | tuple[type, ...], int], ...] = (
    (MinKey, 1),
    (type(None), 3),
    (bool, 10),
    ((int, float, Decimal128), 4),
    (str, 5),
    (dict, 6),
    (list, 7),
    (bytes, 8),
    (ObjectId, 9),
    (datetime.datetime, 11),
    (Timestamp, 12),
    (Regex, 13),
    (MaxKey, 16),
)


def rank(value: Any) -> int:
    """The place of a value's type: MinKey, null, numbers, strings, objects, arrays, binary data, ObjectIds, booleans,
    dates, timestamps, regular expressions, MaxKey."""
    return next(number for kinds, number in _RANKS if isinstance(value, kinds))


def order(value: Any) -> tuple[Any, ...]:
    """Tuples that Python compares as MongoDB compares the values; equal values have equal ones.

    Types come in the order of `rank`; numbers of all kinds compare by value, NaN below them; documents field by field,
    by type, name and value; arrays element by element; what ends first is smaller; binary data by length first.
    """
    return rank(value), _within(value)


def _within(value: Any) -> Any:
    match rank(value):
        case 4:
            exact = value.to_decimal() if isinstance(value, Decimal128) else value
            if exact != exact:
                return (0, 0)
            return (1, float(exact) if math.isinf(exact) else Fraction(exact))
        case 6:
            return tuple((rank(item), name, _within(item)) for name, item in value.items())
        case 7:
            return tuple(map(order, value))
        case 8:
            return len(value), value.subtype if isinstance(value, Binary) else 0, bytes(value)
        case 9:
            return value.binary
        case 12:
            return value.time, value.inc
        case 13:
            return value.pattern, value.flags
        case 1 | 3 | 16:
            return ()
    return value


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal to a filter: 1, 1.0 and Decimal128("1") are; 1 and true, or documents with their
    fields in another order, are not."""
    return order(a) == order(b)


def reached(value: Any, names: Sequence[str]) -> Iterator[Any]:
    """What a filter's path reaches: arrays on the way stand for the documents in them, and a number also for the
    element at its place; an array at the end stands for its elements and for itself, but for itself alone where a
    number at the end of the path named it."""
    if not names:
        if isinstance(value, list):
            yield from value
        yield value
    elif isinstance(value, dict):
        yield from reached(value.get(names[0], MISSING), names[1:])
    elif isinstance(value, list):
        for place, item in enumerate(value):
            if isinstance(item, dict):
                yield from reached(item, names)
            if names[0] == str(place):
                if len(names) == 1:
                    yield item
                elif isinstance(item, (dict, list)):
                    yield from reached(item, names[1:])
    else:
        yield MISSING


def whole(value: Any, names: Sequence[str]) -> Iterator[Any]:
    """As `reached`, with an array at the end as itself alone: for `$size` and `$elemMatch`."""
    if not names:
        yield value
    elif isinstance(value, dict):
        yield from whole(value.get(names[0], MISSING), names[1:])
    elif isinstance(value, list):
        for place, item in enumerate(value):
            if isinstance(item, dict):
                yield from whole(item, names)
            if names[0] == str(place) and (len(names) == 1 or isinstance(item, (dict, list))):
                yield from whole(item, names[1:])


def selects(filter: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether a filter selects a document."""
    return all(_clause(name, operand, document) for name, operand in filter.items())


def _clause(name: str, operand: Any, document: Mapping[str, Any]) -> bool:
    if name == "$and":
        return all(selects(each, document) for each in operand)
    if name == "$or":
        return any(selects(each, document) for each in operand)
    if name == "$nor":
        return not any(selects(each, document) for each in operand)
    names = name.split(".")
    if _is_operators(operand):
        return all(_holds(operator, each, document, names) for operator, each in operand.items())
    return any(_equals_or_matches(value, operand) for value in reached(document, names))


def _is_operators(operand: Any) -> bool:
    return isinstance(operand, dict) and next(iter(operand), "").startswith("$")


def _holds(operator: str, operand: Any, document: Any, names: Sequence[str]) -> bool:
    """Negations say that the opposite is false, so they also select what lacks the field."""
    match operator:
        case "$not":
            return not all(_holds(name, each, document, names) for name, each in operand.items())
        case "$ne":
            return not _holds("$eq", operand, document, names)
        case "$nin":
            return not _holds("$in", operand, document, names)
        case "$exists":
            return any(value is not MISSING for value in reached(document, names)) is operand
        case "$all":
            return bool(operand) and all(
                any(_equals_or_matches(value, each) for value in reached(document, names)) for each in operand
            )
        case "$size":
            return any(isinstance(value, list) and len(value) == operand for value in whole(document, names))
        case "$elemMatch":
            arrays = (value for value in whole(document, names) if isinstance(value, list))
            return any(_is_element(item, operand) for array in arrays for item in array)
    return any(_TESTS[operator](value, operand) for value in reached(document, names))


def _is_element(item: Any, condition: Mapping[str, Any]) -> bool:
    if _is_operators(condition) and next(iter(condition)) not in ("$and", "$or", "$nor"):
        return all(_holds_alone(item, operator, operand) for operator, operand in condition.items())
    if isinstance(item, list):
        item = {str(place): each for place, each in enumerate(item)}
    return isinstance(item, dict) and selects(condition, item)


def _holds_alone(value: Any, operator: str, operand: Any) -> bool:
    """An operator on one element, which is not entered should it be an array itself."""
    match operator:
        case "$not":
            return not all(_holds_alone(value, name, each) for name, each in operand.items())
        case "$ne":
            return not _equals(value, operand)
        case "$nin":
            return not _TESTS["$in"](value, operand)
        case "$exists":
            return bool(operand)
        case "$size":
            return isinstance(value, list) and len(value) == operand
    return _TESTS[operator](value, operand)


def _equals(value: Any, operand: Any) -> bool:
    if value is MISSING:
        return operand is None
    return same(value, operand)


def _equals_or_matches(value: Any, operand: Any) -> bool:
    return _matches(value, operand) if isinstance(operand, Regex) else _equals(value, operand)


def _matches(value: Any, operand: Any) -> bool:
    """A regular expression is searched for in strings, and equals itself."""
    regex = operand if isinstance(operand, Regex) else Regex(operand)
    if isinstance(value, str):
        return re.search(regex.pattern, value, regex.flags) is not None
    return isinstance(value, Regex) and same(value, regex)


def _compared(accepts: Callable[[Any, Any], bool], *, or_equal: bool) -> Callable[[Any, Any], bool]:
    """Comparisons hold within a type alone; NaN is neither below nor above a number; null and a missing field are as
    large as null; everything is compared with MinKey and MaxKey."""

    def test(value: Any, operand: Any) -> bool:
        if operand is None:
            return or_equal and (value is None or value is MISSING)
        if value is MISSING:
            return False
        if isinstance(operand, (MinKey, MaxKey)):
            return accepts(order(value), order(operand))
        if rank(value) != rank(operand):
            return False
        if _is_nan(value) or _is_nan(operand):
            return or_equal and _is_nan(value) and _is_nan(operand)
        return accepts(order(value), order(operand))

    return test


def _is_nan(value: Any) -> bool:
    return rank(value) == 4 and order(value) == order(math.nan)


def _has_type(value: Any, name: str) -> bool:
    """`$type` by the names of its types; "number" is any number."""
    return value is not MISSING and name in _TYPES.get(rank(value), lambda value: ())(value)


def _number_types(value: Any) -> tuple[str, str]:
    if isinstance(value, Decimal128):
        return "number", "decimal"
    if isinstance(value, float):
        return "number", "double"
    return "number", "int" if type(value) is int and -(2**31) <= value < 2**31 else "long"


_TYPES: dict[int, Callable[[Any], tuple[str, ...]]] = {
    3: lambda value: ("null",),
    4: _number_types,
    5: lambda value: ("string",),
    6: lambda value: ("object",),
    7: lambda value: ("array",),
    9: lambda value: ("objectId",),
    10: lambda value: ("bool",),
    11: lambda value: ("date",),
    13: lambda value: ("regex",),
}
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": _equals,
    "$in": lambda value, operands: any(_equals_or_matches(value, each) for each in operands),
    "$gt": _compared(lambda a, b: a > b, or_equal=False),
    "$gte": _compared(lambda a, b: a >= b, or_equal=True),
    "$lt": _compared(lambda a, b: a < b, or_equal=False),
    "$lte": _compared(lambda a, b: a <= b, or_equal=True),
    "$regex": _matches,
    "$type": _has_type,
}


def sort_order(document: Mapping[str, Any], path: str, direction: int) -> tuple[Any, ...]:
    """What a document is sorted by: of the values at a path the smallest, or descending the largest; the elements of an
    array count and not the array; an empty array comes before null, and a missing field is null."""
    found = list(_sorted_by(document, path.split(".")))
    return min(found) if direction > 0 else max(found)


def _sorted_by(value: Any, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    null, nothing = order(None), (2, ())
    if not names:
        if isinstance(value, list):
            yield from map(order, value) if value else [nothing]
        else:
            yield null if value is MISSING else order(value)
    elif isinstance(value, list):
        if names[0].isdigit() and int(names[0]) < len(value):
            yield from _sorted_by(value[int(names[0])], names[1:])
        else:
            if not value:
                yield null
            for item in value:
                yield from _sorted_by(item if isinstance(item, dict) else {}, names)
    else:
        yield from _sorted_by(value.get(names[0], MISSING) if isinstance(value, dict) else MISSING, names[1:])


def in_order(documents: Sequence[Mapping[str, Any]], sort: Sequence[tuple[str, int]]) -> list[Any]:
    """The documents sorted, those that are alike in the order in which they were given."""
    found = list(documents)
    for path, direction in reversed(sort):
        found.sort(key=lambda document: sort_order(document, path, direction), reverse=direction < 0)
    return found


def has_one_array(documents: Sequence[Mapping[str, Any]], sort: Sequence[tuple[str, int]]) -> bool:
    """Whether each document has arrays under at most one path of a sort: those under two go through their elements
    together, or are refused, of which `in_order` knows nothing."""
    return all(sum(_meets_array(document, path.split(".")) for path, _ in sort) < 2 for document in documents)


def _meets_array(value: Any, names: Sequence[str]) -> bool:
    if isinstance(value, list):
        return True
    return bool(names) and isinstance(value, dict) and _meets_array(value.get(names[0]), names[1:])
