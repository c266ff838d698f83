"""MongoDB's wire messages, taken apart and put together.

OP_MSG in both section kinds, and OP_QUERY for the first hello of older handshakes. A message whose lengths lie raises
`WireError`, upon which the connection is closed. Checksums are skipped (loopback TCP has its own).
"""

import struct
from dataclasses import dataclass

from embedded.codec import Document, decode
from embedded.errors import StoreError

MAX_MESSAGE = 48_000_000
OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013
CHECKSUM_PRESENT, MORE_TO_COME, EXHAUST_ALLOWED = 1, 2, 1 << 16
_KNOWN_FLAGS = 0xFFFF_0000 | CHECKSUM_PRESENT | MORE_TO_COME

_HEADER = struct.Struct("<iiii")
_MSG_HEAD = struct.Struct("<iiiiIB")
_REPLY_HEAD = struct.Struct("<iiiiIqii")
_INT32 = struct.Struct("<i")
_UINT32 = struct.Struct("<I")

HEADER_SIZE = 16


class WireError(Exception):
    """Bytes that are not a message: the connection is of no more use."""


@dataclass(slots=True)
class Request:
    """One command: its document, the raw documents that came beside it, and how to answer. `exhaust`: the client takes
    the batches of a cursor one after the other without asking for each."""

    request_id: int
    body: Document
    sequences: dict[str, list[bytes]]
    wants_reply: bool = True
    legacy: bool = False
    exhaust: bool = False


def message_length(buffer: bytes | bytearray) -> int:
    """The length that a message claims, from its first four bytes. Raises WireError for an impossible one."""
    length: int = _INT32.unpack_from(buffer)[0]
    if not HEADER_SIZE + 5 <= length <= MAX_MESSAGE:
        raise WireError(f"a message of {length} bytes")
    return length


def parse(message: bytes) -> Request:
    """The request in one whole message. Raises WireError."""
    _, request_id, _, opcode = _HEADER.unpack_from(message)
    try:
        if opcode == OP_MSG:
            return _parse_msg(message, request_id)
        if opcode == OP_QUERY:
            return _parse_query(message, request_id)
    except (struct.error, IndexError, ValueError, StoreError) as error:
        raise WireError(f"a malformed message: {error}") from None
    raise WireError(f"opcode {opcode}")


def _parse_msg(message: bytes, request_id: int) -> Request:
    flags: int = _UINT32.unpack_from(message, 16)[0]
    if flags & ~_KNOWN_FLAGS:
        raise WireError(f"unknown required flags {flags:#x}")
    end = len(message) - 4 if flags & CHECKSUM_PRESENT else len(message)
    position = 20
    body: Document | None = None
    sequences: dict[str, list[bytes]] = {}
    while position < end:
        kind = message[position]
        size = _section_size(message, position + 1, end)
        start, position = position + 1, position + 1 + size
        if kind == 0:
            if body is not None:
                raise WireError("two bodies")
            body = decode(message[start:position])
        elif kind == 1:
            name_end = message.index(b"\x00", start + 4, position)
            name = message[start + 4 : name_end].decode()
            if name in sequences:
                raise WireError(f"two sequences of {name}")
            sequences[name] = _split_documents(message, name_end + 1, position)
        else:
            raise WireError(f"section kind {kind}")
    if body is None:
        raise WireError("no body")
    if not sequences.keys().isdisjoint(body):
        raise WireError("a field both in the body and beside it")
    exhaust = bool(flags & EXHAUST_ALLOWED) and "getMore" in body
    return Request(request_id, body, sequences, wants_reply=not flags & MORE_TO_COME, exhaust=exhaust)


def _parse_query(message: bytes, request_id: int) -> Request:
    name_end = message.index(b"\x00", 20)
    namespace = message[20:name_end].decode()
    start = name_end + 1 + 8
    size = _section_size(message, start, len(message))
    query = decode(message[start : start + size])
    body = query.get("$query", query)
    if not namespace.endswith(".$cmd") or not isinstance(body, dict):
        raise WireError("OP_QUERY is for commands only")
    body.setdefault("$db", namespace[: -len(".$cmd")])
    return Request(request_id, body, {}, legacy=True)


def _section_size(message: bytes, position: int, end: int) -> int:
    size: int = _INT32.unpack_from(message, position)[0]
    if size < 5 or position + size > end:
        raise WireError(f"a section of {size} bytes")
    return size


def _split_documents(message: bytes, position: int, end: int) -> list[bytes]:
    documents = []
    while position < end:
        size = _section_size(message, position, end)
        documents.append(message[position : position + size])
        position += size
    return documents


def reply_head(request: Request, reply: bytes, *, more: bool = False) -> bytes:
    """What goes before the BSON document `reply` in the message that answers `request`. `more`: another one follows."""
    if request.legacy:
        return _REPLY_HEAD.pack(36 + len(reply), 0, request.request_id, OP_REPLY, 8, 0, 0, 1)
    return _MSG_HEAD.pack(21 + len(reply), 0, request.request_id, OP_MSG, MORE_TO_COME if more else 0, 0)


def request_message(request_id: int, body: bytes) -> bytes:
    """An OP_MSG that asks with the BSON document `body`: what the launcher pings with."""
    return _MSG_HEAD.pack(21 + len(body), request_id, 0, OP_MSG, 0, 0) + body
