"""Arithmetic on BSON's numbers: the result, and its type.

The widest type wins: int, long, double, decimal. An int that overflows becomes a long.
"""

import decimal
from collections.abc import Callable
from typing import Any

from bson import Decimal128, Int64
from bson.decimal128 import create_decimal128_context

from embedded.operators.typenames import INT32, INT64, type_name

_RANKS = {"int": 0, "long": 1, "double": 2, "decimal": 3}
_TYPES = ("int", "long", "double", "decimal")
_CONTEXT = create_decimal128_context()


def add(a: Any, b: Any) -> Any:
    """The sum. Raises OverflowError if two integers leave 64 bits; `widen_on_overflow` chooses a double instead."""
    return _combine(a, b, lambda x, y: x + y)


def subtract(a: Any, b: Any) -> Any:
    """The difference. Raises OverflowError as `add`."""
    return _combine(a, b, lambda x, y: x - y)


def multiply(a: Any, b: Any) -> Any:
    """The product. Raises OverflowError as `add`."""
    return _combine(a, b, lambda x, y: x * y)


def widen_on_overflow(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """The operation's result; as a double where integers leave 64 bits, as aggregation expressions have it."""
    try:
        return operation(a, b)
    except OverflowError:
        return operation(float(a), float(b))


def as_type(value: int | float | decimal.Decimal, name: str) -> Any:
    """A number as a BSON value of the named type, an int beyond 32 bits as a long.

    Raises OverflowError if it leaves 64 bits.
    """
    if name == "decimal":
        return to_decimal128(value)
    if name == "double":
        return float(value)
    whole = int(value)
    if whole not in INT64:
        raise OverflowError(f"{whole} leaves 64 bits")
    return whole if name == "int" and whole in INT32 else Int64(whole)


def fitted(value: int | decimal.Decimal, name: str) -> Any:
    """As `as_type`, but a double where an integer would leave 64 bits."""
    try:
        return as_type(value, name)
    except OverflowError:
        return float(value)


def widest(*values: Any) -> str:
    """The name of the type that arithmetic on the numbers gives."""
    return _TYPES[max(_RANKS[type_name(value)] for value in values)]


def in_decimals(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> Decimal128:
    """The operation on both numbers as decimals, to 34 digits; NaN where it has no result."""
    left, right = (value if isinstance(value, Decimal128) else to_decimal128(value) for value in (a, b))
    with decimal.localcontext(_CONTEXT):
        return Decimal128(operation(left.to_decimal(), right.to_decimal()))


def to_decimal128(value: int | float | decimal.Decimal) -> Decimal128:
    """The number with 34 digits; a double keeps 15, as MongoDB converts it."""
    if isinstance(value, float):
        value = decimal.Decimal(format(value, ".15g"))
    with decimal.localcontext(_CONTEXT) as context:
        return Decimal128(context.create_decimal(value))


def _combine(a: Any, b: Any, operation: Callable[[Any, Any], Any]) -> Any:
    if type(a) is float and type(b) is float:
        return operation(a, b)
    name = widest(a, b)
    if name == "decimal":
        return in_decimals(operation, a, b)
    if name == "double":
        return operation(float(a), float(b))
    return as_type(operation(int(a), int(b)), name)
