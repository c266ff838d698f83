"""Keys for an index that compares bytes: they sort as their BSON values do.

Every key starts with its bracket and no key is the beginning of another, so that keys written one after the other sort
as tuples do, and turning every bit around reverses the order exactly.
"""

import datetime
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from bson import Int64, ObjectId

from embedded.operators.comparing import (
    Bracket,
    binary_parts,
    bracket,
    fields,
    milliseconds,
    number,
    regex_parts,
)

_INVERT = bytes(255 - byte for byte in range(256))
_EXACT_INTEGERS = 2**53
_END = b"\x00"
_TAGS = {kind: bytes([kind]) for kind in Bracket}
_NULL = _TAGS[Bracket.NULL]
_STRING = _TAGS[Bracket.STRING]
_NUMBER = _TAGS[Bracket.NUMBER]
_OBJECT_ID = _TAGS[Bracket.OBJECT_ID]
_TRUE = _TAGS[Bracket.BOOLEAN] + b"\x01"
_FALSE = _TAGS[Bracket.BOOLEAN] + b"\x00"
_NAN = _NUMBER + bytes(9)
_ZERO = _NUMBER + b"\x80" + bytes(8)
_pack_positive = struct.Struct(">Bdx").pack
_pack_negative = struct.Struct(">dx").pack
_pack_date = struct.Struct(">BQ").pack


def encode_key(value: Any) -> bytes:
    """The key of a value: `encode_key(a) < encode_key(b)` exactly if `compare(a, b) < 0`, and equal values share one.

    Raises TypeError for a value that BSON does not have.
    """
    encode = _ENCODERS.get(type(value))
    if encode is not None:
        return encode(value)
    return _BY_BRACKET[bracket(value)](value)


def invert_key(key: bytes) -> bytes:
    """The key that sorts the other way round, for the descending components of an index. Its own inverse."""
    return key.translate(_INVERT)


def _text(value: str) -> bytes:
    """UTF-8 closed by NUL; NUL and SOH themselves are written as two bytes, so that the order stays."""
    raw = value.encode()
    if b"\x00" in raw or b"\x01" in raw:
        raw = raw.replace(b"\x01", b"\x01\x02").replace(b"\x00", b"\x01\x01")
    return raw + _END


def _encode_string(value: str) -> bytes:
    return _STRING + _text(value)


def _encode_integer(value: int) -> bytes:
    if -_EXACT_INTEGERS <= value <= _EXACT_INTEGERS:
        return _encode_float(value)
    return _encode_exactly(Decimal(value))


def _encode_float(value: float) -> bytes:
    """Positive: the double with its sign bit set, then 00. Negative: the same of the opposite, every bit inverted."""
    if value > 0:
        return _pack_positive(Bracket.NUMBER, -value)
    if value < 0:
        return _NUMBER + _pack_negative(value).translate(_INVERT)
    return _ZERO if value == 0 else _NAN


def _encode_exactly(value: Decimal) -> bytes:
    """A number that no double may hold: the double next to it on the side of zero, 01, then its own digits."""
    if value.is_nan():
        return _NAN
    nearest = float(value)
    if nearest == value:
        return _encode_float(nearest)
    size = abs(nearest)
    if size > abs(value):
        size = math.nextafter(size, 0.0)
    digits = "".join(map(str, value.as_tuple().digits)).strip("0").encode()
    body = struct.pack(">dBH", -size, 1, value.adjusted() + 10_000) + digits + _END
    return _NUMBER + (body if value > 0 else body.translate(_INVERT))


def _encode_number(value: Any) -> bytes:
    exact = number(value)
    return _encode_exactly(exact) if isinstance(exact, Decimal) else _encode_integer(int(exact))


def _encode_date(value: Any) -> bytes:
    return _pack_date(Bracket.DATE, milliseconds(value) + 2**63)


def _encode_object(value: Any) -> bytes:
    parts = [_TAGS[Bracket.OBJECT]]
    for name, item in fields(value).items():
        key = encode_key(item)
        parts += (key[:1], _text(name), key[1:])  # MongoDB compares the types before the names
    parts.append(_END)
    return b"".join(parts)


def _encode_array(value: Any) -> bytes:
    return _TAGS[Bracket.ARRAY] + b"".join(map(encode_key, value)) + _END


def _encode_binary(value: bytes) -> bytes:
    length, subtype, content = binary_parts(value)
    return struct.pack(">BIB", Bracket.BINARY, length, subtype) + content


def _encode_regex(value: Any) -> bytes:
    pattern, flags = regex_parts(value)
    return _TAGS[Bracket.REGEX] + _text(pattern) + _text(flags)


_ENCODERS: dict[type, Callable[[Any], bytes]] = {
    str: _encode_string,
    int: _encode_integer,
    Int64: _encode_integer,
    float: _encode_float,
    bool: lambda value: _TRUE if value else _FALSE,
    type(None): lambda value: _NULL,
    ObjectId: lambda value: _OBJECT_ID + value.binary,
    datetime.datetime: _encode_date,
    dict: _encode_object,
    list: _encode_array,
}
_BY_BRACKET: dict[Bracket, Callable[[Any], bytes]] = {
    Bracket.MIN_KEY: lambda value: _TAGS[Bracket.MIN_KEY],
    Bracket.UNDEFINED: lambda value: _TAGS[Bracket.UNDEFINED],
    Bracket.NULL: lambda value: _NULL,
    Bracket.NUMBER: _encode_number,
    Bracket.STRING: _encode_string,
    Bracket.OBJECT: _encode_object,
    Bracket.ARRAY: _encode_array,
    Bracket.BINARY: _encode_binary,
    Bracket.OBJECT_ID: lambda value: _OBJECT_ID + value.binary,
    Bracket.BOOLEAN: lambda value: _TRUE if value else _FALSE,
    Bracket.DATE: _encode_date,
    Bracket.TIMESTAMP: lambda value: struct.pack(">BII", Bracket.TIMESTAMP, value.time, value.inc),
    Bracket.REGEX: _encode_regex,
    Bracket.CODE: lambda value: _TAGS[Bracket.CODE] + _text(str(value)),
    Bracket.CODE_WITH_SCOPE: lambda value: (
        _TAGS[Bracket.CODE_WITH_SCOPE] + _text(str(value)) + _encode_object(value.scope)
    ),
    Bracket.MAX_KEY: lambda value: _TAGS[Bracket.MAX_KEY],
}
