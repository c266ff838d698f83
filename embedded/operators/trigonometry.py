"""Expressions on angles: of a decimal a decimal, of any other number a double."""

import math
from collections.abc import Callable
from typing import Any

from bson import Decimal128

from embedded.errors import StoreError
from embedded.operators.comparing import number
from embedded.operators.numbers import to_decimal128
from embedded.operators.operands import Operator, as_number, null_safe


def _angle(name: str, function: Callable[[float], float], low: float = -math.inf, high: float = math.inf) -> Operator:
    """The function for operands from `low` to `high`. Raises StoreError 50989 outside, 28765 for other types."""

    def call(value: Any) -> Any:
        real = float(number(as_number(name, value)))
        if not math.isnan(real):
            if not low <= real <= high:
                raise StoreError(50989, f"cannot apply {name} to {real}, value must be in [{low},{high}]")
            real = _finite(function, real)
        return to_decimal128(real) if isinstance(value, Decimal128) else real

    return Operator(null_safe(call))


def _finite(function: Callable[[float], float], real: float) -> float:
    try:
        return function(real)
    except OverflowError:
        return math.copysign(math.inf, real) if function is math.sinh else math.inf


def _arc_tangent(y: Any, x: Any) -> Any:
    found = math.atan2(float(number(as_number("$atan2", y, 51044))), float(number(as_number("$atan2", x, 51045))))
    return to_decimal128(found) if isinstance(y, Decimal128) or isinstance(x, Decimal128) else found


def _area_tangent(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) == 1 else math.atanh(value)


_LARGEST = math.nextafter(math.inf, 0.0)
ANGLES: dict[str, Operator] = {
    "$sin": _angle("$sin", math.sin, -_LARGEST, _LARGEST),
    "$cos": _angle("$cos", math.cos, -_LARGEST, _LARGEST),
    "$tan": _angle("$tan", math.tan, -_LARGEST, _LARGEST),
    "$asin": _angle("$asin", math.asin, -1, 1),
    "$acos": _angle("$acos", math.acos, -1, 1),
    "$atan": _angle("$atan", math.atan),
    "$atan2": Operator(null_safe(_arc_tangent), 2),
    "$sinh": _angle("$sinh", math.sinh),
    "$cosh": _angle("$cosh", math.cosh),
    "$tanh": _angle("$tanh", math.tanh),
    "$asinh": _angle("$asinh", math.asinh),
    "$acosh": _angle("$acosh", math.acosh, 1),
    "$atanh": _angle("$atanh", _area_tangent, -1, 1),
    "$degreesToRadians": _angle("$degreesToRadians", math.radians),
    "$radiansToDegrees": _angle("$radiansToDegrees", math.degrees),
}
