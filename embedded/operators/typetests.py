"""Tests of a value's type, size, remainder or bits."""

from collections.abc import Callable
from typing import Any

from bson import Decimal128

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.conditions import Test
from embedded.operators.typenames import INT64, NUMBERS, TYPE_CODES, is_number, is_string, type_name, whole_number

_BIT_POSITIONS = 16 * 2**20 * 8
_NAMES_BY_CODE = {code: name for name, code in TYPE_CODES.items()}


def has_type(operand: Any) -> Test:
    """The test of `$type`: names, numbers, "number", or a list of them. Raises StoreError 2, 9 for unknown types."""
    wanted: set[str] = set()
    for item in operand if isinstance(operand, list) else [operand]:
        wanted |= _type_names(item)
    if not wanted:
        raise StoreError(9, "a must match at least one type")
    return lambda value: value is not MISSING and type_name(value) in wanted


def has_size(operand: Any) -> Test:
    """The test of `$size`. Raises StoreError 2 for anything but a whole number from 0."""
    size = whole_number(operand)
    if size is None:
        raise StoreError(2, f"Failed to parse $size. Expected a number in: $size: {operand!r}")
    if size < 0:
        raise StoreError(2, f"Failed to parse $size. Expected a non-negative number in: $size: {operand!r}")
    return lambda value: isinstance(value, list) and len(value) == size


def has_remainder(operand: Any) -> Test:
    """The test of `$mod: [divisor, remainder]`; numbers are cut to integers. Raises StoreError 2."""
    if not isinstance(operand, list):
        raise StoreError(2, "malformed mod, needs to be an array")
    if len(operand) != 2:
        raise StoreError(2, f"malformed mod, {'not enough' if len(operand) < 2 else 'too many'} elements")
    if not is_number(operand[0]):
        raise StoreError(2, "malformed mod, divisor not a number")
    if not is_number(operand[1]):
        raise StoreError(2, "malformed mod, remainder not a number")
    divisor, remainder = _cut(operand[0]), _cut(operand[1])
    if divisor is None or remainder is None:
        raise StoreError(2, "malformed mod, divisor or remainder value is not a whole number in range")
    if divisor == 0:
        raise StoreError(2, "divisor cannot be 0")

    def test(value: Any) -> bool:
        whole = _cut(value) if is_number(value) else None
        return whole is not None and int_remainder(whole, divisor) == remainder

    return test


def has_bits(operand: Any, accepts: Callable[[int, int], bool]) -> Test:
    """The test of `$bitsAllSet` and its like by a mask, a list of positions or binary data. Raises 2 or 9."""
    mask = _mask(operand)

    def test(value: Any) -> bool:
        if isinstance(value, bytes):
            return accepts(int.from_bytes(value, "little"), mask)
        whole = whole_number(value)
        return whole is not None and whole in INT64 and accepts(whole, mask)

    return test


def _type_names(item: Any) -> set[str]:
    if is_string(item):
        if item == "number":
            return set(NUMBERS)
        if item not in TYPE_CODES:
            raise StoreError(2, f"Unknown type name alias: {item}")
        return {item}
    if not is_number(item):
        raise StoreError(14, "type must be represented as a number or a string")
    code = whole_number(item)
    if code is None or code not in _NAMES_BY_CODE:
        raise StoreError(2, f"Invalid numerical type code: {item}")
    return {_NAMES_BY_CODE[code]}


def _cut(value: Any) -> int | None:
    exact = value.to_decimal() if isinstance(value, Decimal128) else value
    try:
        whole = int(exact)
    except (ValueError, OverflowError):  # NaN and the infinities
        return None
    return whole if whole in INT64 else None


def int_remainder(value: int, divisor: int) -> int:
    """The remainder with the sign of the dividend, as C has it."""
    rest = abs(value) % abs(divisor)
    return -rest if value < 0 else rest


def _mask(operand: Any) -> int:
    if isinstance(operand, bytes):
        return int.from_bytes(operand, "little")
    if isinstance(operand, list):
        places = [whole_number(item) for item in operand]
        if any(place is None or not 0 <= place < _BIT_POSITIONS for place in places):
            raise StoreError(2, "Failed to parse bit position. Expected a whole number from 0 that fits a document")
        return sum(1 << place for place in set(places) if place is not None)
    if not is_number(operand):
        raise StoreError(2, "a bit mask has to be a number, an array of positions, or binary data")
    mask = whole_number(operand)
    if mask is None or not 0 <= mask < 2**63:
        raise StoreError(9, f"Expected a non-negative integer of 64 bits as a bit mask: {operand}")
    return mask
