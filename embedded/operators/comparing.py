"""The order of BSON values, and which of them are equal.

MongoDB's comparison order: MinKey, undefined or missing, null, numbers, strings, objects, arrays, binary data,
ObjectIds, booleans, dates, timestamps, regular expressions, code, MaxKey.
https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/
"""

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from enum import IntEnum
from functools import cmp_to_key
from typing import Any, Final, final

from bson import SON, Binary, Code, DatetimeMS, DBRef, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from bson.raw_bson import RawBSONDocument


@final
class _Absent:
    """A value that no document can hold."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> "_Absent":
        return self

    def __deepcopy__(self, memo: object) -> "_Absent":
        return self


MISSING: Final = _Absent("MISSING")
"""The field is not there."""
UNDEFINED: Final = _Absent("UNDEFINED")
"""The index key of an empty array."""


class Bracket(IntEnum):
    """The groups of BSON types that compare with each other, in MongoDB's order. Each is also the tag of its keys."""

    MIN_KEY = 1
    UNDEFINED = 2
    NULL = 3
    NUMBER = 4
    STRING = 5
    OBJECT = 6
    ARRAY = 7
    BINARY = 8
    OBJECT_ID = 9
    BOOLEAN = 10
    DATE = 11
    TIMESTAMP = 12
    REGEX = 13
    CODE = 14
    CODE_WITH_SCOPE = 15
    MAX_KEY = 16


_BRACKETS: dict[type, Bracket] = {
    MinKey: Bracket.MIN_KEY,
    _Absent: Bracket.UNDEFINED,
    type(None): Bracket.NULL,
    int: Bracket.NUMBER,
    Int64: Bracket.NUMBER,
    float: Bracket.NUMBER,
    Decimal128: Bracket.NUMBER,
    str: Bracket.STRING,
    dict: Bracket.OBJECT,
    SON: Bracket.OBJECT,
    DBRef: Bracket.OBJECT,
    RawBSONDocument: Bracket.OBJECT,
    list: Bracket.ARRAY,
    tuple: Bracket.ARRAY,
    bytes: Bracket.BINARY,
    Binary: Bracket.BINARY,
    ObjectId: Bracket.OBJECT_ID,
    bool: Bracket.BOOLEAN,
    datetime.datetime: Bracket.DATE,
    DatetimeMS: Bracket.DATE,
    Timestamp: Bracket.TIMESTAMP,
    Regex: Bracket.REGEX,
    re.Pattern: Bracket.REGEX,
    MaxKey: Bracket.MAX_KEY,
}
_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_REGEX_FLAGS = (
    ("i", re.IGNORECASE),
    ("l", re.LOCALE),
    ("m", re.MULTILINE),
    ("s", re.DOTALL),
    ("u", re.UNICODE),
    ("x", re.VERBOSE),
)


def bracket(value: Any) -> Bracket:
    """The group of types that `value` compares with.

    Raises TypeError for a value that BSON does not have.
    """
    found = _BRACKETS.get(type(value))
    if found is not None:
        return found
    if isinstance(value, Code):
        return Bracket.CODE if value.scope is None else Bracket.CODE_WITH_SCOPE
    if isinstance(value, Mapping):
        return Bracket.OBJECT
    for kind, found in _BRACKETS.items():
        if kind is not int and isinstance(value, kind):
            return found
    if isinstance(value, int):
        return Bracket.NUMBER
    raise TypeError(f"not a BSON value: {type(value).__name__}")


def compare(a: Any, b: Any) -> int:
    """-1, 0 or 1 as `a` comes before, beside or after `b` in MongoDB's order."""
    left, right = bracket(a), bracket(b)
    if left is not right:
        return -1 if left < right else 1
    return _COMPARISONS[left](a, b)


def equal(a: Any, b: Any) -> bool:
    """Whether MongoDB holds the values for the same: 1 and 1.0 are, 1 and True are not, nor fields in another order."""
    kind = type(a)
    if kind is type(b) and kind in _SIMPLE:
        return bool(a == b)
    return compare(a, b) == 0


sort_key: Final = cmp_to_key(compare)
"""`sorted(values, key=sort_key)` gives MongoDB's order."""


def milliseconds(value: datetime.datetime | DatetimeMS) -> int:
    """Milliseconds since 1970 as BSON stores them: naive times are UTC, microseconds are cut off."""
    if isinstance(value, DatetimeMS):
        return int(value)
    since = value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def number(value: Any) -> int | float | Decimal:
    """The number itself, which Python compares exactly across its types."""
    return value.to_decimal() if isinstance(value, Decimal128) else value


def regex_parts(value: Any) -> tuple[str, str]:
    """(pattern, flags) of a regular expression, flags in alphabetical order as BSON writes them."""
    pattern = value.pattern.decode() if isinstance(value.pattern, bytes) else value.pattern
    flags = "".join(letter for letter, flag in _REGEX_FLAGS if value.flags & flag)
    return pattern, flags.replace("u", "") if isinstance(value, re.Pattern) else flags


def fields(value: Any) -> Mapping[str, Any]:
    """An embedded document as a mapping; references are documents too."""
    return value.as_doc() if isinstance(value, DBRef) else value


def binary_parts(value: bytes) -> tuple[int, int, bytes]:
    """(length, subtype, content): the order that MongoDB compares binary data in."""
    return len(value), value.subtype if isinstance(value, Binary) else 0, bytes(value)


def _order(a: Any, b: Any) -> int:
    return bool(a > b) - bool(a < b)


def _same(a: Any, b: Any) -> int:
    return 0


def _by(part: Callable[[Any], Any]) -> Callable[[Any, Any], int]:
    return lambda a, b: _order(part(a), part(b))


def _compare_numbers(a: Any, b: Any) -> int:
    left, right = number(a), number(b)
    if left != left or right != right:  # NaN is the smallest number and equals itself
        return (left == left) - (right == right)
    return _order(left, right)


def _compare_objects(a: Any, b: Any) -> int:
    left, right = fields(a), fields(b)
    for (name, value), (other_name, other) in zip(left.items(), right.items(), strict=False):
        found = _order(bracket(value), bracket(other)) or _order(name, other_name) or compare(value, other)
        if found:
            return found
    return _order(len(left), len(right))


def _compare_arrays(a: Sequence[Any], b: Sequence[Any]) -> int:
    for value, other in zip(a, b, strict=False):
        if found := compare(value, other):
            return found
    return _order(len(a), len(b))


def _compare_scoped(a: Code, b: Code) -> int:
    return _order(str(a), str(b)) or _compare_objects(a.scope, b.scope)


_SIMPLE = frozenset({str, int, Int64, bool, ObjectId, type(None)})
_COMPARISONS: dict[Bracket, Callable[[Any, Any], int]] = {
    Bracket.MIN_KEY: _same,
    Bracket.UNDEFINED: _same,
    Bracket.NULL: _same,
    Bracket.NUMBER: _compare_numbers,
    Bracket.STRING: _order,
    Bracket.OBJECT: _compare_objects,
    Bracket.ARRAY: _compare_arrays,
    Bracket.BINARY: _by(binary_parts),
    Bracket.OBJECT_ID: _order,
    Bracket.BOOLEAN: _order,
    Bracket.DATE: _by(milliseconds),
    Bracket.TIMESTAMP: _by(lambda value: (value.time, value.inc)),
    Bracket.REGEX: _by(regex_parts),
    Bracket.CODE: _by(str),
    Bracket.CODE_WITH_SCOPE: _compare_scoped,
    Bracket.MAX_KEY: _same,
}
