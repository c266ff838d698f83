"""Tests of a value by comparison: equal to the one asked for, smaller or larger, or one of several.

Each function turns an operand into a test of one value, with a quick test for the common types.
"""

from collections.abc import Callable, Mapping
from typing import Any

from bson import Decimal128, Int64, ObjectId

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, Bracket, bracket, compare, equal, milliseconds
from embedded.operators.conditions import Test
from embedded.operators.keys import encode_key
from embedded.operators.patterns import compile_regex, is_regex
from embedded.operators.typenames import is_string

_PYTHON_NUMBERS = frozenset({int, Int64, float})


def equals(operand: Any) -> Test:
    """The test of `$eq`. Null also stands for a missing field."""
    kind = type(operand)
    if kind is str or kind is ObjectId:
        return lambda value: bool(value == operand)
    if kind is bool:
        return lambda value: value is operand
    if operand is None:
        return lambda value: value is None or value is MISSING
    if kind is int or kind is Int64 or (kind is float and operand == operand):
        return lambda value: (
            (value == operand and type(value) is not bool) or (type(value) is Decimal128 and equal(value, operand))
        )
    return lambda value: equal(value, operand)


def equals_or_matches(operand: Any) -> Test:
    """The test of `{field: operand}`: as `equals`, but a regular expression is also searched for in strings."""
    if not is_regex(operand):
        return equals(operand)
    search = compile_regex(operand)
    return lambda value: search(value) is not None if is_string(value) else is_regex(value) and equal(value, operand)


def compares(operand: Any, accepts: Callable[[int], bool]) -> Test:
    """The test of `$gt` and its like: only values of the operand's bracket are compared, NaN equals itself alone."""
    kind = bracket(operand)
    if operand is None:
        return lambda value: accepts(0) and (value is None or value is MISSING)
    if kind in (Bracket.MIN_KEY, Bracket.MAX_KEY):
        return lambda value: value is not MISSING and accepts(compare(value, operand))
    if kind is Bracket.STRING:
        return lambda value: is_string(value) and accepts(bool(value > operand) - bool(value < operand))
    if kind is Bracket.NUMBER:
        no_number = _is_nan(operand)
        simple = type(operand) is not Decimal128 and not no_number

        def compares_number(value: Any) -> bool:
            if simple and type(value) in _PYTHON_NUMBERS and value == value:
                return accepts((value > operand) - (value < operand))
            if bracket(value) is not Bracket.NUMBER:
                return False
            if no_number or _is_nan(value):
                return no_number and _is_nan(value) and accepts(0)
            return accepts(compare(value, operand))

        return compares_number
    if kind is Bracket.DATE:
        moment = milliseconds(operand)
        return lambda value: bracket(value) is kind and accepts(milliseconds(value) - moment)
    return lambda value: bracket(value) is kind and accepts(compare(value, operand))


def is_one_of(operands: list[Any]) -> Test:
    """The test of `$in`: regular expressions are searched for, everything else must be equal.

    Raises StoreError 2 for an operator among the operands.
    """
    firsts = (next(iter(operand), "") for operand in operands if isinstance(operand, Mapping))
    if any(first.startswith("$") and first != "$ref" for first in firsts):
        raise StoreError(2, "cannot nest $ under $in")
    patterns = [equals_or_matches(operand) for operand in operands if is_regex(operand)]
    plain = [operand for operand in operands if not is_regex(operand)]
    keys = {encode_key(operand) for operand in plain}
    if None in plain:
        keys.add(encode_key(MISSING))
    strings = {operand for operand in plain if type(operand) is str}

    def found(value: Any) -> bool:
        inside = value in strings if type(value) is str else encode_key(value) in keys
        return inside or any(test(value) for test in patterns)

    return found


def _is_nan(value: Any) -> bool:
    return bool(value.to_decimal().is_nan() if isinstance(value, Decimal128) else value != value)
