"""Documents to BSON and back, without losing a type.

Datetimes are naive and mean UTC: BSON reads and writes those twice as fast as timezone-aware ones. Those outside
Python's range stay `DatetimeMS`; UUIDs stay `Binary`, so that whatever representation a client chose comes back as it
was.
"""

import struct
from collections.abc import Iterable, Mapping
from typing import Any

import bson
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.dbref import DBRef
from bson.errors import BSONError
from bson.raw_bson import RawBSONDocument

from embedded.errors import StoreError

Document = dict[str, Any]

MAX_DOCUMENT = 16 * 1024 * 1024
MAX_DEPTH = 200
OPTIONS: CodecOptions[Document] = CodecOptions(
    document_class=dict,
    tz_aware=False,
    uuid_representation=UuidRepresentation.UNSPECIFIED,
    datetime_conversion=DatetimeConversion.DATETIME_AUTO,
)

_INT32 = struct.Struct("<i")
_INT64 = struct.Struct("<q")
_POSITIONS = [b"\x03%d\x00" % n for n in range(1024)]
_CURSOR = b"\x03cursor\x00"
_OK = b"\x01ok\x00" + struct.pack("<d", 1.0)


def decode(raw: bytes | memoryview) -> Document:
    """The document of BSON bytes. Raises InvalidBSON (22)."""
    try:
        document: Document = bson.decode(raw, OPTIONS)
    except (BSONError, ValueError, RecursionError) as error:
        raise StoreError(22, f"invalid BSON: {error}") from None
    return _without_references(document) if b"$ref\x00" in bytes(raw) else document


def encode(document: Mapping[str, Any]) -> bytes:
    """The BSON bytes of a document, `_id` first. Raises BSONObjectTooLarge (10334) and InvalidBSON (22)."""
    try:
        raw = bson.encode(document, codec_options=OPTIONS)
    except (BSONError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise StoreError(22, f"a value that BSON cannot hold: {error}") from None
    check_size(raw)
    return raw


def check_size(raw: bytes) -> None:
    """Raises BSONObjectTooLarge (10334) where a document is beyond MongoDB's 16 MiB."""
    if len(raw) > MAX_DOCUMENT:
        raise StoreError(10334, f"BSONObj size: {len(raw)} is invalid. Size must be between 0 and {MAX_DOCUMENT}")


def check_depth(raw: bytes, document: Mapping[str, Any]) -> None:
    """Raises Overflow (15) where a document, decoded `raw` or the part of it that is new, is nested deeper than MongoDB
    allows."""
    if raw.count(b"\x03") + raw.count(b"\x04") <= MAX_DEPTH:  # types of documents and arrays, among other bytes
        return
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for value in level
            for inner in (value if isinstance(value, list) else value.values())
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise StoreError(15, f"a document may be nested {MAX_DEPTH} levels deep")


def encode_reply(fields: Mapping[str, Any]) -> bytes:
    """The BSON of a reply; `ok: 1.0` is appended."""
    raw: bytes = bson.encode(fields, codec_options=OPTIONS)
    return _INT32.pack(len(raw) + len(_OK)) + raw[4:-1] + _OK + b"\x00"


def encode_error(fields: Mapping[str, Any]) -> bytes:
    """The BSON of a reply that says `ok: 0.0` among its fields."""
    raw: bytes = bson.encode({"ok": 0.0, **fields}, codec_options=OPTIONS)
    return raw


def encode_cursor(batch_name: bytes, batch: Iterable[bytes], cursor_id: int, namespace: str) -> bytes:
    """The reply `{cursor: {firstBatch or nextBatch, id, ns}, ok: 1}`, the documents' bytes spliced in as they are.

    The lengths are reckoned first, so that a batch of 16 MiB is put together once.
    """
    parts: list[bytes] = []
    for n, raw in enumerate(batch):
        parts.append(_POSITIONS[n] if n < 1024 else b"\x03%d\x00" % n)
        parts.append(raw)
    name = namespace.encode() + b"\x00"
    tail = b"".join((b"\x00\x12id\x00", _INT64.pack(cursor_id), b"\x02ns\x00", _INT32.pack(len(name)), name, b"\x00"))
    array = 4 + sum(map(len, parts)) + 1
    cursor = 4 + 1 + len(batch_name) + 1 + array - 1 + len(tail)
    whole = 4 + len(_CURSOR) + cursor + len(_OK) + 1
    head = (_INT32.pack(whole), _CURSOR, _INT32.pack(cursor), b"\x04", batch_name, b"\x00", _INT32.pack(array))
    return b"".join((*head, *parts, tail, _OK, b"\x00"))


def cursor_of(reply: bytes) -> int:
    """The id of the cursor of which a reply has a batch; 0 where nothing follows."""
    cursor = RawBSONDocument(reply).get("cursor")
    return int(cursor["id"]) if cursor is not None else 0


def encode_value_document(name: str, raw: bytes | None, fields: Mapping[str, Any]) -> bytes:
    """The reply `{fields…, name: document or null, ok: 1}` with the document's bytes spliced in as they are."""
    head: bytes = bson.encode(fields, codec_options=OPTIONS)[4:-1]
    key = name.encode() + b"\x00"
    value = b"\x0a" + key if raw is None else b"\x03" + key + raw
    return b"".join((_INT32.pack(len(head) + len(value) + len(_OK) + 5), head, value, _OK, b"\x00"))


def with_id(identifier: object, raw: bytes) -> bytes:
    """The document's bytes with a generated `_id` put in front."""
    head: bytes = bson.encode({"_id": identifier}, codec_options=OPTIONS)[4:-1]
    return _INT32.pack(len(raw) + len(head)) + head + raw[4:]


def _without_references(value: Any) -> Any:
    """The same value with every `DBRef` as the plain `{$ref, $id}` document that it is on the wire."""
    if isinstance(value, DBRef):
        return {name: _without_references(part) for name, part in value.as_doc().items()}
    if isinstance(value, dict):
        return {name: _without_references(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_references(part) for part in value]
    return value
