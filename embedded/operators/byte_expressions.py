"""Expressions that count bytes, in UTF-8, and not characters."""

from typing import Any

import bson

from embedded.errors import StoreError
from embedded.operators.conversion_expressions import to_text
from embedded.operators.operands import Operator, as_text, as_whole, is_nothing, null_safe
from embedded.operators.paths import as_mapping
from embedded.operators.typenames import is_string, type_name


def _substring(value: Any, start: Any, length: Any) -> str:
    """`length` bytes from `start`; a negative length means all the rest. Raises StoreError 28656/28657 in the midst of
    a character."""
    raw = b"" if is_nothing(value) else to_text(value).encode()
    first, count = as_whole("$substrBytes", start, 16034), as_whole("$substrBytes", length, 16035)
    if first < 0:
        raise StoreError(50752, f"$substrBytes: starting index must be non-negative (got: {first})")
    end = len(raw) if count < 0 else first + count
    if _is_inside(raw, first):
        raise StoreError(28656, "$substrBytes: Invalid range, starting index is a UTF-8 continuation byte.")
    if _is_inside(raw, end):
        raise StoreError(28657, "$substrBytes: Invalid range, ending index is in the middle of a UTF-8 character.")
    return raw[first:end].decode()


def _is_inside(raw: bytes, place: int) -> bool:
    return place < len(raw) and raw[place] & 0xC0 == 0x80


def _index_of(text: Any, part: Any, start: Any = 0, end: Any = None) -> int | None:
    if is_nothing(text):
        return None
    raw, wanted = as_text("$indexOfBytes", text, 40091).encode(), as_text("$indexOfBytes", part, 40092).encode()
    first = as_whole("$indexOfBytes", start, 40096)
    last = len(raw) if end is None else as_whole("$indexOfBytes", end, 40096)
    if first < 0 or last < 0:
        raise StoreError(40097, "$indexOfBytes requires non-negative indexes")
    return raw.find(wanted, first, last) if first <= len(raw) else -1


def _compare_case_insensitively(a: Any, b: Any) -> int:
    left, right = (b"" if is_nothing(value) else to_text(value).encode().upper() for value in (a, b))
    return (left > right) - (left < right)


def _binary_size(value: Any) -> int:
    if is_string(value):
        return len(value.encode())
    if isinstance(value, bytes):
        return len(value)
    raise StoreError(51276, f"$binarySize requires a string or BinData argument, found: {type_name(value)}")


def _bson_size(value: Any) -> int:
    fields = as_mapping(value)
    if fields is None:
        raise StoreError(31393, f"$bsonSize requires a document input, found: {type_name(value)}")
    return len(bson.encode(fields))


BYTES: dict[str, Operator] = {
    "$substr": Operator(_substring, 3),
    "$substrBytes": Operator(_substring, 3),
    "$strLenBytes": Operator(lambda value: len(as_text("$strLenBytes", value, 34473).encode())),
    "$indexOfBytes": Operator(_index_of, 2, 4),
    "$strcasecmp": Operator(_compare_case_insensitively, 2),
    "$binarySize": Operator(null_safe(_binary_size)),
    "$bsonSize": Operator(null_safe(_bson_size)),
}
