"""Update operators on single values.

Each takes the current value, MISSING if there is none, the operand and the edit's place, and gives the new value,
MISSING to leave the field as it is.
"""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bson import Timestamp

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, compare
from embedded.operators.dates import now, timestamp_now
from embedded.operators.numbers import add, as_type, multiply
from embedded.operators.typenames import is_number, type_name


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operator works: for its messages."""

    path: str
    document: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{{_id: {self.document.get('_id')!r}}} has the field '{self.path.rpartition('.')[2]}'"


Change = Callable[[Any, Any, Place], Any]


def set_to(current: Any, operand: Any, place: Place) -> Any:
    """`$set`."""
    return operand


def increment(current: Any, operand: Any, place: Place) -> Any:
    """`$inc`. Raises StoreError 14 for other types than numbers, 2 for an integer that leaves 64 bits."""
    if not is_number(operand):
        raise StoreError(14, f"Cannot increment with non-numeric argument: {{{place.path}: {operand!r}}}")
    if current is MISSING:
        return operand
    return _arithmetic("$inc", add, current, operand, place)


def multiply_by(current: Any, operand: Any, place: Place) -> Any:
    """`$mul`; a missing field becomes 0 of the operand's type. Raises as `increment`."""
    if not is_number(operand):
        raise StoreError(14, f"Cannot multiply with non-numeric argument: {{{place.path}: {operand!r}}}")
    if current is MISSING:
        return as_type(0, type_name(operand))
    return _arithmetic("$mul", multiply, current, operand, place)


def lower_to(current: Any, operand: Any, place: Place) -> Any:
    """`$min`, by MongoDB's order of all types."""
    return operand if current is MISSING or compare(operand, current) < 0 else MISSING


def raise_to(current: Any, operand: Any, place: Place) -> Any:
    """`$max`, by MongoDB's order of all types."""
    return operand if current is MISSING or compare(operand, current) > 0 else MISSING


def set_to_now(current: Any, operand: Any, place: Place) -> datetime.datetime | Timestamp:
    """`$currentDate`: true or a type, "date" or "timestamp". Raises StoreError 2."""
    if isinstance(operand, bool):
        return now()
    wanted = operand.get("$type") if isinstance(operand, Mapping) and len(operand) == 1 else None
    if wanted == "date":
        return now()
    if wanted == "timestamp":
        return timestamp_now()
    raise StoreError(
        2, "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}"
    )


def combine_bits(current: Any, operand: Any, place: Place) -> Any:
    """`$bit`: `{and|or|xor: integer}`, one after the other; a missing field counts as 0. Raises StoreError 2."""
    if not isinstance(operand, Mapping):
        raise StoreError(
            2, "The $bit modifier is not compatible with a value that is no document; use {and|or|xor: int}"
        )
    if not operand:
        raise StoreError(2, "You must pass in at least one bitwise operation. The format is: {$bit: {field: {op: #}}}")
    value = 0 if current is MISSING else current
    if type_name(value) not in ("int", "long"):
        raise StoreError(2, f"Cannot apply $bit to a value of non-integral type. {place} of type {type_name(value)}")
    for name, bits in operand.items():
        if name not in _BITWISE:
            raise StoreError(2, f"The $bit modifier only supports 'and', 'or', and 'xor', not '{name}'")
        if type_name(bits) not in ("int", "long"):
            raise StoreError(2, f"The $bit modifier field must be an Integer(32/64 bit); a '{type_name(bits)}' is not")
        kind = "long" if "long" in (type_name(value), type_name(bits)) else "int"
        value = as_type(_BITWISE[name](int(value), int(bits)), kind)
    return value


def _arithmetic(name: str, operation: Callable[[Any, Any], Any], current: Any, operand: Any, place: Place) -> Any:
    if not is_number(current):
        raise StoreError(
            14, f"Cannot apply {name} to a value of non-numeric type. {place} of non-numeric type {type_name(current)}"
        )
    try:
        return operation(current, operand)
    except OverflowError:
        raise StoreError(
            2, f"Failed to apply {name} operations to current value ({current}) for document {place}"
        ) from None


_BITWISE: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
FIELD_UPDATES: dict[str, Change] = {
    "$set": set_to,
    "$setOnInsert": set_to,
    "$inc": increment,
    "$mul": multiply_by,
    "$min": lower_to,
    "$max": raise_to,
    "$currentDate": set_to_now,
    "$bit": combine_bits,
}
