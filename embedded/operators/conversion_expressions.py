"""Expressions that convert a value to another type."""

import math
import re
from collections.abc import Callable
from typing import Any

from bson import Decimal128, Int64, ObjectId
from bson.errors import InvalidId

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, Bracket, bracket, milliseconds, number
from embedded.operators.dates import after, as_utc, iso_text, parse
from embedded.operators.numbers import to_decimal128
from embedded.operators.operands import Form, Operator, is_nothing, named, null_safe, truthy
from embedded.operators.typenames import (
    INT32,
    INT64,
    NUMBERS,
    TYPE_CODES,
    is_number,
    is_string,
    type_name,
    whole_number,
)

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_REAL = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE
)


def to_text(value: Any) -> str:
    """`$toString`. Raises StoreError 241 for arrays, documents and other values without a text."""
    match bracket(value):
        case Bracket.STRING | Bracket.OBJECT_ID:
            return str(value)
        case Bracket.BOOLEAN:
            return "true" if value else "false"
        case Bracket.DATE:
            return iso_text(value)
        case Bracket.NUMBER:
            return _real_text(value) if isinstance(value, float) else str(value)
    raise _unsupported(value, "string")


def _real_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return format(value, ".16g")


def _to_integer(value: Any, name: str) -> int:
    limits = INT32 if name == "int" else INT64
    if isinstance(value, bool):
        found = int(value)
    elif is_number(value):
        exact = number(value)
        if not math.isfinite(exact):
            raise StoreError(241, f"Attempt to convert NaN or infinity value to integer type in $convert: {exact}")
        found = int(exact)
    elif is_string(value):
        if not _INTEGER.fullmatch(value):
            raise StoreError(241, f"Failed to parse number '{value}' in $convert with no onError value")
        found = int(value)
    elif bracket(value) is Bracket.DATE and name == "long":
        found = milliseconds(value)
    else:
        raise _unsupported(value, name)
    if found not in limits:
        raise StoreError(241, f"Conversion would overflow target type in $convert with no onError value: {found}")
    return found if name == "int" else Int64(found)


def _to_double(value: Any) -> float:
    if isinstance(value, bool) or is_number(value):
        return float(number(value))
    if bracket(value) is Bracket.DATE:
        return float(milliseconds(value))
    if not is_string(value):
        raise _unsupported(value, "double")
    if not _REAL.fullmatch(value):
        raise StoreError(241, f"Failed to parse number '{value}' in $convert with no onError value")
    return float(value)


def _to_decimal(value: Any) -> Decimal128:
    if isinstance(value, Decimal128):
        return value
    if isinstance(value, bool) or is_number(value):
        return to_decimal128(value)
    if bracket(value) is Bracket.DATE:
        return to_decimal128(milliseconds(value))
    if not is_string(value):
        raise _unsupported(value, "decimal")
    if not _REAL.fullmatch(value):
        raise StoreError(241, f"Failed to parse number '{value}' in $convert with no onError value")
    return Decimal128(value)


def _to_date(value: Any) -> Any:
    if is_string(value):
        return parse(value)
    if is_number(value) and type_name(value) != "int":
        exact = number(value)
        return after(0, int(exact) if math.isfinite(exact) else value)
    if bracket(value) in (Bracket.DATE, Bracket.TIMESTAMP, Bracket.OBJECT_ID):
        return as_utc(value)
    raise _unsupported(value, "date")


def _to_object_id(value: Any) -> ObjectId:
    if isinstance(value, ObjectId):
        return value
    if not is_string(value):
        raise _unsupported(value, "objectId")
    try:
        return ObjectId(value)
    except InvalidId:
        raise StoreError(241, f"Failed to parse objectId '{value}' in $convert with no onError value") from None


def _unsupported(value: Any, name: str) -> StoreError:
    return StoreError(
        241, f"Unsupported conversion from {type_name(value)} to {name} in $convert with no onError value"
    )


_BY_NAME: dict[str, Callable[[Any], Any]] = {
    "string": to_text,
    "int": lambda value: _to_integer(value, "int"),
    "long": lambda value: _to_integer(value, "long"),
    "double": _to_double,
    "decimal": _to_decimal,
    "bool": truthy,
    "date": _to_date,
    "objectId": _to_object_id,
}
_NAMES_BY_CODE = {code: name for name, code in TYPE_CODES.items()}


def _convert(value: Any, to: Any, on_error: Any, on_null: Any) -> Any:
    if is_nothing(value):
        return None if on_null is MISSING else on_null
    if is_nothing(to):
        return None
    name = to if is_string(to) else _NAMES_BY_CODE.get(whole_number(to) or 0, "")
    if name not in _BY_NAME:
        raise StoreError(2, f"Unknown type name: {to}")
    try:
        return _BY_NAME[name](value)
    except StoreError:
        if on_error is MISSING:
            raise
        return on_error


CONVERSIONS: dict[str, Operator] = {
    "$toString": Operator(null_safe(to_text)),
    "$toInt": Operator(null_safe(_BY_NAME["int"])),
    "$toLong": Operator(null_safe(_BY_NAME["long"])),
    "$toDouble": Operator(null_safe(_to_double)),
    "$toDecimal": Operator(null_safe(_to_decimal)),
    "$toBool": Operator(null_safe(truthy)),
    "$toDate": Operator(null_safe(_to_date)),
    "$toObjectId": Operator(null_safe(_to_object_id)),
    "$type": Operator(type_name),
    "$isNumber": Operator(lambda value: value is not MISSING and type_name(value) in NUMBERS),
}
CONVERSION_FORMS: dict[str, Form] = {"$convert": named("$convert", _convert, ("input", "to"), ("onError", "onNull"))}
