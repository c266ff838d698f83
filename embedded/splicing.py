"""Splicing: a changed document is written so that what did not change stays byte for byte as it was.

A field whose value is still the very object that was decoded is copied from the old bytes, whatever its type: decoding
and encoding would give deprecated types, or documents that look like references, another form. An array that only grew
keeps its bytes and gets the new elements behind them.
"""

import struct
from collections.abc import Iterator, Mapping
from operator import is_
from typing import Any

from embedded.codec import Document, check_size, encode

_INT32 = struct.Struct("<i")
_ABSENT = object()
_FIXED = {0x01: 8, 0x06: 0, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16, 0x7F: 0, 0xFF: 0}
"""Bytes of a value by its type (bsonspec.org), where they are always as many."""
_BEYOND = {0x02: 4, 0x03: 0, 0x04: 0, 0x05: 5, 0x0C: 16, 0x0D: 4, 0x0E: 4, 0x0F: 0}
"""Bytes of a value beyond the length that it begins with."""


def encode_changed(raw: bytes, old: Mapping[str, Any], new: Document) -> bytes:
    """The bytes of `new`, which was made of `old`, the decoded `raw`, sharing what did not change.

    Raises BSONObjectTooLarge (10334) and InvalidBSON (22).
    """
    parts: list[bytes] = []
    fresh: Document = {}
    stored: dict[str, list[bytes]] = {}
    for name, element in _elements(raw):
        stored.setdefault(name, []).append(element)
    for name, value in new.items():
        before = old.get(name, _ABSENT)
        if before is value:
            kept = stored[name]
        elif type(value) is list and type(before) is list and _grew(before, value) and len(stored[name]) == 1:
            kept = [_appended(stored[name][0], name, before, value)]
        else:
            fresh[name] = value
            continue
        if fresh:
            parts.append(encode(fresh)[4:-1])
            fresh = {}
        parts += kept
    if fresh:
        parts.append(encode(fresh)[4:-1])
    body = b"".join(parts)
    changed = b"".join((_INT32.pack(len(body) + 5), body, b"\0"))
    check_size(changed)
    return changed


def _elements(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The fields of a document, each with all its bytes."""
    place, end = 4, len(raw) - 1
    while place < end:
        kind = raw[place]
        name_end = raw.index(b"\0", place + 1)
        value = name_end + 1
        if kind in _FIXED:
            after = value + _FIXED[kind]
        elif kind in _BEYOND:
            length: int = _INT32.unpack_from(raw, value)[0]
            after = value + length + _BEYOND[kind]
        else:  # a regular expression: two texts
            after = raw.index(b"\0", raw.index(b"\0", value) + 1) + 1
        yield raw[place + 1 : name_end].decode(), raw[place:after]
        place = after


def _grew(before: list[Any], after: list[Any]) -> bool:
    return len(before) < len(after) and all(map(is_, before, after))


def _appended(element: bytes, name: str, before: list[Any], after: list[Any]) -> bytes:
    """The element of an array with further values behind those that it has."""
    head = len(name.encode()) + 2
    more = encode({str(place): after[place] for place in range(len(before), len(after))})[4:-1]
    length: int = _INT32.unpack_from(element, head)[0]
    return b"".join((element[:head], _INT32.pack(length + len(more)), element[head + 4 : -1], more, b"\0"))
