"""The names of BSON's types."""

from typing import Any

from bson import Code, Decimal128, Int64

from embedded.operators.comparing import MISSING, Bracket, bracket

TYPE_CODES = {
    "double": 1,
    "string": 2,
    "object": 3,
    "array": 4,
    "binData": 5,
    "undefined": 6,
    "objectId": 7,
    "bool": 8,
    "date": 9,
    "null": 10,
    "regex": 11,
    "dbPointer": 12,
    "javascript": 13,
    "symbol": 14,
    "javascriptWithScope": 15,
    "int": 16,
    "timestamp": 17,
    "long": 18,
    "decimal": 19,
    "minKey": -1,
    "maxKey": 127,
}
NUMBERS = frozenset({"int", "long", "double", "decimal"})
INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)
_NAMES = {
    Bracket.MIN_KEY: "minKey",
    Bracket.UNDEFINED: "missing",
    Bracket.NULL: "null",
    Bracket.STRING: "string",
    Bracket.OBJECT: "object",
    Bracket.ARRAY: "array",
    Bracket.BINARY: "binData",
    Bracket.OBJECT_ID: "objectId",
    Bracket.BOOLEAN: "bool",
    Bracket.DATE: "date",
    Bracket.TIMESTAMP: "timestamp",
    Bracket.REGEX: "regex",
    Bracket.CODE: "javascript",
    Bracket.CODE_WITH_SCOPE: "javascriptWithScope",
    Bracket.MAX_KEY: "maxKey",
}


def type_name(value: Any) -> str:
    """MongoDB's name of the value's type: "int", "long", "string" …, "missing" for MISSING."""
    if value is MISSING:
        return "missing"
    kind = bracket(value)
    if kind is not Bracket.NUMBER:
        return _NAMES[kind]
    if isinstance(value, float):
        return "double"
    if isinstance(value, Decimal128):
        return "decimal"
    return "long" if isinstance(value, Int64) or value not in INT32 else "int"


def is_number(value: Any) -> bool:
    """Whether the value is one of BSON's numbers; True and False are not."""
    return isinstance(value, int | float | Decimal128) and not isinstance(value, bool)


def is_string(value: Any) -> bool:
    """Whether the value is text; code is not."""
    return isinstance(value, str) and not isinstance(value, Code)


def whole_number(value: Any) -> int | None:
    """The number without its type if it has no fraction, else None; None for anything that is no number."""
    if not is_number(value):
        return None
    exact = value.to_decimal() if isinstance(value, Decimal128) else value
    try:
        whole = int(exact)
    except (ValueError, OverflowError):  # NaN and the infinities
        return None
    return whole if whole == exact else None
