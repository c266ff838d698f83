"""Arithmetic expressions."""

import decimal
import math
import operator
from collections.abc import Callable
from typing import Any

from bson import Decimal128, Int64

from embedded.errors import StoreError
from embedded.operators.comparing import Bracket, bracket, milliseconds, number
from embedded.operators.dates import after
from embedded.operators.numbers import (
    add,
    as_type,
    fitted,
    in_decimals,
    multiply,
    subtract,
    to_decimal128,
    widen_on_overflow,
    widest,
)
from embedded.operators.operands import Operator, as_number, is_nothing, null_safe
from embedded.operators.typenames import is_number, type_name, whole_number
from embedded.operators.typetests import int_remainder


def _add(*operands: Any) -> Any:
    dates = [value for value in operands if bracket(value) is Bracket.DATE]
    if len(dates) > 1:
        raise StoreError(16612, "only one date allowed in an $add expression")
    found: Any = 0
    for value in operands:
        if bracket(value) is not Bracket.DATE:
            found = widen_on_overflow(add, found, as_number("$add", value, 14))
    return after(milliseconds(dates[0]), found) if dates else found


def _subtract(a: Any, b: Any) -> Any:
    if bracket(a) is Bracket.DATE:
        if bracket(b) is Bracket.DATE:
            return Int64(milliseconds(a) - milliseconds(b))
        return after(milliseconds(a), -number(as_number("$subtract", b, 14)))
    return widen_on_overflow(subtract, as_number("$subtract", a, 14), as_number("$subtract", b, 14))


def _multiply(*operands: Any) -> Any:
    found: Any = 1
    for value in operands:
        found = widen_on_overflow(multiply, found, as_number("$multiply", value, 14))
    return found


def _divide(a: Any, b: Any) -> Any:
    as_number("$divide", a, 14), as_number("$divide", b, 14)
    if number(b) == 0:
        raise StoreError(2, "can't $divide by zero")
    if widest(a, b) == "decimal":
        return in_decimals(operator.truediv, a, b)
    return float(a) / float(b)


def _mod(a: Any, b: Any) -> Any:
    as_number("$mod", a, 16611), as_number("$mod", b, 16611)
    if number(b) == 0:
        raise StoreError(16610, "can't $mod by zero")
    name = widest(a, b)
    if name == "double":
        return math.fmod(a, b) if math.isfinite(a) else math.nan
    if name == "decimal":
        return in_decimals(operator.mod, a, b)
    return as_type(int_remainder(int(a), int(b)), name)


def _abs(value: Any) -> Any:
    as_number("$abs", value)
    try:
        return as_type(number(abs(number(value))), type_name(value))
    except OverflowError:
        raise StoreError(28680, "can't take $abs of long long min") from None


def _to_whole(name: str, round_to: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        exact = number(as_number(name, value))
        if isinstance(exact, int) or not math.isfinite(exact):
            return value
        return as_type(round_to(exact), type_name(value)) if type_name(value) != "double" else float(round_to(exact))

    return null_safe(call)


def _to_place(name: str, rounding: str) -> Callable[..., Any]:
    def call(value: Any, place: Any = 0) -> Any:
        exact = number(as_number(name, value, 51081))
        digits = whole_number(place)
        if digits is None or not -20 <= digits <= 100:
            raise StoreError(
                51083, f"cannot apply {name} with precision value {place}; it must be whole, from -20 to 100"
            )
        if not math.isfinite(exact):
            return value
        with decimal.localcontext(prec=400):
            unit = decimal.Decimal(1).scaleb(-digits)
            rounded = (decimal.Decimal(exact) / unit).quantize(decimal.Decimal(1), rounding=rounding) * unit
        return fitted(rounded, type_name(value))

    return null_safe(call)


def _pow(base: Any, exponent: Any) -> Any:
    as_number("$pow", base, 28762), as_number("$pow", exponent, 28763)
    if number(base) == 0 and number(exponent) < 0:
        raise StoreError(28764, "$pow cannot take a base of 0 and a negative exponent")
    name = widest(base, exponent)
    if name == "decimal":
        return in_decimals(operator.pow, base, exponent)
    if name != "double" and exponent >= 0 and (exponent < 64 or abs(base) < 2):
        return fitted(int(base) ** int(exponent), name)
    try:
        return math.pow(base, exponent)
    except ValueError:  # a negative base, and an exponent with a fraction
        return math.nan
    except OverflowError:
        return math.inf if base > 0 or exponent % 2 == 0 else -math.inf


def _real(name: str, function: Callable[[float], float], allowed: Callable[[float], bool], code: int) -> Operator:
    def call(value: Any) -> Any:
        real = float(number(as_number(name, value)))
        if not allowed(real):
            raise StoreError(code, f"{name}'s argument is out of its range")
        return to_decimal128(function(real)) if isinstance(value, Decimal128) else function(real)

    return Operator(null_safe(call))


def _log(value: Any, base: Any) -> Any:
    real, to = float(number(as_number("$log", value, 28756))), float(number(as_number("$log", base, 28757)))
    if real <= 0:
        raise StoreError(28758, "$log's argument must be a positive number")
    if to <= 0 or to == 1:
        raise StoreError(28759, "$log's base must be a positive number not equal to 1")
    return math.log(real) / math.log(to)


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


MATHS: dict[str, Operator] = {
    "$add": Operator(null_safe(_add), 0, None),
    "$subtract": Operator(null_safe(_subtract), 2),
    "$multiply": Operator(null_safe(_multiply), 0, None),
    "$divide": Operator(null_safe(_divide), 2),
    "$mod": Operator(null_safe(_mod), 2),
    "$abs": Operator(null_safe(_abs)),
    "$ceil": Operator(_to_whole("$ceil", math.ceil)),
    "$floor": Operator(_to_whole("$floor", math.floor)),
    "$round": Operator(_to_place("$round", decimal.ROUND_HALF_EVEN), 1, 2),
    "$trunc": Operator(_to_place("$trunc", decimal.ROUND_DOWN), 1, 2),
    "$pow": Operator(null_safe(_pow), 2),
    "$sqrt": _real("$sqrt", math.sqrt, lambda value: not value < 0, 28714),
    "$ln": _real("$ln", math.log, lambda value: not value <= 0, 28766),
    "$log10": _real("$log10", math.log10, lambda value: not value <= 0, 28761),
    "$log": Operator(null_safe(_log), 2),
    "$exp": _real("$exp", _exp, lambda value: True, 28765),
    "$not": Operator(lambda value: is_nothing(value) or value is False or (is_number(value) and number(value) == 0)),
}
