"""Update operators on arrays.

Each takes the current value, MISSING if there is none, the operand and the edit's place, and gives a new array,
MISSING to leave the field as it is.
"""

from collections.abc import Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, sort_key
from embedded.operators.editing import need_array
from embedded.operators.equality import equals
from embedded.operators.field_updates import Change, Place
from embedded.operators.keys import encode_key, invert_key
from embedded.operators.matching import compile_value_test
from embedded.operators.paths import lookup
from embedded.operators.typenames import type_name, whole_number

_CLAUSES = frozenset({"$each", "$slice", "$sort", "$position"})


def push(current: Any, operand: Any, place: Place) -> list[Any]:
    """`$push`, with `$each` also `$position`, then `$sort`, then `$slice`. Raises StoreError 2."""
    array = [] if current is MISSING else need_array(current, place.path, place.document)
    if not isinstance(operand, Mapping) or "$each" not in operand:
        return [*array, operand]
    for name in operand:
        if name not in _CLAUSES:
            raise StoreError(2, f"Unrecognized clause in $push: {name}")
    values = _each("$push", operand)
    at = len(array) if "$position" not in operand else _whole("$position", operand["$position"])
    if at < 0:
        at = max(0, len(array) + at)
    pushed = [*array[:at], *values, *array[at:]]
    if "$sort" in operand:
        pushed = _sorted(pushed, operand["$sort"])
    if "$slice" in operand:
        count = _whole("$slice", operand["$slice"])
        pushed = pushed[:count] if count >= 0 else pushed[count:]
    return pushed


def add_to_set(current: Any, operand: Any, place: Place) -> Any:
    """`$addToSet`, with `$each` for several: only values that are not there yet. Raises StoreError 2."""
    array = [] if current is MISSING else need_array(current, place.path, place.document)
    values = [operand]
    if isinstance(operand, Mapping) and "$each" in operand:
        for name in operand:
            if name != "$each":
                raise StoreError(2, f"Found unexpected fields after $each in $addToSet: {name}")
        values = _each("$addToSet", operand)
    there = {encode_key(item) for item in array}
    added = []
    for value in values:
        key = encode_key(value)
        if key not in there:
            there.add(key)
            added.append(value)
    return [*array, *added] if added or current is MISSING else MISSING


def pop(current: Any, operand: Any, place: Place) -> Any:
    """`$pop`: 1 for the last element, -1 for the first. Raises StoreError 9 for another number, 14 for no array."""
    end = whole_number(operand)
    if end not in (1, -1):
        raise StoreError(9, f"$pop expects 1 or -1, found: {operand}")
    if current is MISSING:
        return MISSING
    if not isinstance(current, list):
        raise StoreError(14, f"Path '{place.path}' contains an element of non-array type '{type_name(current)}'")
    return current[:-1] if end == 1 else current[1:]


def pull(current: Any, operand: Any, place: Place) -> Any:
    """`$pull`: removes what equals a value, meets its operators, or has a document's fields. Raises StoreError 2."""
    holds = equals(operand) if isinstance(operand, list) else compile_value_test(operand)
    if current is MISSING:
        return MISSING
    if not isinstance(current, list):
        raise StoreError(2, "Cannot apply $pull to a non-array value")
    left = [item for item in current if not holds(item)]
    return left if len(left) < len(current) else MISSING


def pull_all(current: Any, operand: Any, place: Place) -> Any:
    """`$pullAll`: removes what is equal to one of the values. Raises StoreError 2."""
    if not isinstance(operand, list):
        raise StoreError(2, f"$pullAll requires an array argument but was given a {type_name(operand)}")
    if current is MISSING:
        return MISSING
    if not isinstance(current, list):
        raise StoreError(2, "Cannot apply $pull to a non-array value")
    unwanted = {encode_key(value) for value in operand}
    left = [item for item in current if encode_key(item) not in unwanted]
    return left if len(left) < len(current) else MISSING


def _each(name: str, operand: Mapping[str, Any]) -> list[Any]:
    values = operand["$each"]
    if not isinstance(values, list):
        raise StoreError(2, f"The argument to $each in {name} must be an array but it was of type: {type_name(values)}")
    return values


def _whole(name: str, value: Any) -> int:
    found = whole_number(value)
    if found is None:
        raise StoreError(2, f"The value for {name} must be an integer value but was given type: {type_name(value)}")
    return found


def _sorted(values: list[Any], wanted: Any) -> list[Any]:
    if not isinstance(wanted, Mapping):
        direction = whole_number(wanted)
        if direction not in (1, -1):
            raise StoreError(2, "The $sort element value must be either 1 or -1")
        return sorted(values, key=sort_key, reverse=direction == -1)
    if not wanted:
        raise StoreError(2, "The $sort pattern is empty when it should be a set of fields.")
    if any(whole_number(direction) not in (1, -1) for direction in wanted.values()):
        raise StoreError(2, "The $sort element value must be either 1 or -1")

    def key(value: Any) -> bytes:
        """An array on a path counts as a whole here, unlike in a query's sort."""
        keys = [encode_key(None if (found := lookup(value, path)) is MISSING else found) for path in wanted]
        turns = map(whole_number, wanted.values())
        return b"".join(key if turn == 1 else invert_key(key) for key, turn in zip(keys, turns, strict=True))

    return sorted(values, key=key)


ARRAY_UPDATES: dict[str, Change] = {
    "$push": push,
    "$addToSet": add_to_set,
    "$pop": pop,
    "$pull": pull,
    "$pullAll": pull_all,
}
