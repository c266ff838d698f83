"""Whatever comes over the wire gets its answer or a closed connection, and never harms the server."""

import socket
import struct

import bson
import pytest
from pymongo import MongoClient

from embedded.wire import MAX_MESSAGE, WireError, message_length, parse, request_message

pytestmark = pytest.mark.usefixtures("on_store")


@pytest.fixture
def wire(uri):
    host, port = uri.removeprefix("mongodb://").split("/")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        yield connection
    with MongoClient(uri) as client:
        assert client.admin.command("ping")["ok"] == 1.0


def received(connection) -> dict:
    """The next reply's document."""
    head = b""
    while len(head) < 21:
        part = connection.recv(21 - len(head))
        assert part, "the connection was closed"
        head += part
    length = message_length(head)
    body = b""
    while len(body) < length - 21:
        body += connection.recv(length - 21 - len(body))
    return bson.decode(body)


def closed(connection) -> bool:
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def message(flags: int, *sections: bytes, opcode: int = 2013) -> bytes:
    body = struct.pack("<I", flags) + b"".join(sections)
    return struct.pack("<iiii", 16 + len(body), 1, 0, opcode) + body


PING = b"\x00" + bson.encode({"ping": 1, "$db": "admin"})


def test_a_ping_is_answered(wire):
    wire.sendall(request_message(5, bson.encode({"ping": 1, "$db": "admin"})))
    assert received(wire) == {"ok": 1.0}


def test_a_request_byte_by_byte_and_two_in_one_piece(wire):
    one = message(0, PING)
    for byte in one:
        wire.sendall(bytes([byte]))
    assert received(wire)["ok"] == 1.0
    wire.sendall(one + one + one[:7])
    assert received(wire)["ok"] == 1.0
    assert received(wire)["ok"] == 1.0
    wire.sendall(one[7:])
    assert received(wire)["ok"] == 1.0


def test_a_checksum_is_skipped_and_unknown_optional_flags_ignored(wire):
    wire.sendall(message(1, PING, b"\x01\x02\x03\x04"))
    assert received(wire)["ok"] == 1.0
    wire.sendall(message(1 << 16, PING))
    assert received(wire)["ok"] == 1.0


def test_more_to_come_is_not_answered(wire):
    insert = b"\x00" + bson.encode({"insert": "quiet", "documents": [{"_id": 1}], "$db": "wire"})
    wire.sendall(message(2, insert) + message(0, b"\x00" + bson.encode({"count": "quiet", "$db": "wire"})))
    assert received(wire)["n"] == 1
    wire.sendall(message(0, b"\x00" + bson.encode({"dropDatabase": 1, "$db": "wire"})))
    assert received(wire)["ok"] == 1.0


def test_documents_come_in_a_section_of_their_own(wire):
    raw = bson.encode({"_id": 1}) + bson.encode({"a": 2})
    section = b"\x01" + struct.pack("<i", 4 + 10 + len(raw)) + b"documents\x00" + raw
    wire.sendall(message(0, section, b"\x00" + bson.encode({"insert": "c", "$db": "wire2"})))
    assert received(wire)["n"] == 2
    wire.sendall(message(0, b"\x00" + bson.encode({"dropDatabase": 1, "$db": "wire2"})))
    assert received(wire)["ok"] == 1.0


def test_an_old_hello_is_answered(wire):
    query = struct.pack("<i", 0) + b"admin.$cmd\x00" + struct.pack("<ii", 0, -1) + bson.encode({"isMaster": 1})
    wire.sendall(struct.pack("<iiii", 16 + len(query), 3, 0, 2004) + query)
    head = wire.recv(36)
    length, _, answers, opcode = struct.unpack("<iiii", head[:16])
    assert (answers, opcode) == (3, 1)
    assert bson.decode(wire.recv(length - 36))["ismaster"] is True


INSERT = bson.encode({"insert": "c", "$db": "wire"})
SEQUENCE = b"\x01" + struct.pack("<i", 19) + b"documents\x00" + bson.encode({})
ATTACKS = {
    "a length of zero": struct.pack("<iiii", 0, 1, 0, 2013),
    "a negative length": struct.pack("<iiii", -5, 1, 0, 2013),
    "a length beyond the limit": struct.pack("<iiii", MAX_MESSAGE + 1, 1, 0, 2013),
    "another protocol": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "noise": bytes(range(256)) * 4,
    "an unknown opcode": message(0, PING, opcode=9999),
    "a compressed message": message(0, PING, opcode=2012),
    "an unknown required flag": message(1 << 5, PING),
    "an unknown section": message(0, b"\x07" + PING[1:]),
    "two bodies": message(0, PING, PING),
    "no body": message(0, b"\x01" + struct.pack("<i", 6) + b"a\x00"),
    "a document longer than its message": message(0, b"\x00" + struct.pack("<i", 5000) + b"x" * 50),
    "a document shorter than nothing": message(0, b"\x00" + struct.pack("<i", 2) + b"x" * 50),
    "two sequences of one name": message(0, b"\x00" + INSERT, SEQUENCE, SEQUENCE),
    "a sequence of what the body has": message(0, b"\x00" + bson.encode({"insert": "c", "documents": []}), SEQUENCE),
    "a sequence without a name's end": message(0, b"\x01" + struct.pack("<i", 14) + b"abcdefghij"),
    "a body that is no BSON": message(0, b"\x00" + struct.pack("<i", 20) + b"\xff" * 15 + b"\x00"),
    "an old insert": message(0, PING, opcode=2002),
}


@pytest.mark.parametrize("name", list(ATTACKS))
def test_a_malformed_message_closes_only_its_connection(wire, name):
    wire.sendall(ATTACKS[name])
    assert closed(wire)


@pytest.mark.parametrize("name", list(ATTACKS))
def test_the_parser_raises_only_wire_errors(name):
    attack = ATTACKS[name]
    with pytest.raises(WireError):
        message_length(attack)
        parse(attack)


def test_half_a_message_and_a_hang_up(wire):
    wire.sendall(message(0, PING)[:20])


def test_a_hang_up_before_the_answer(wire):
    wire.sendall(message(0, b"\x00" + bson.encode({"insert": "gone", "documents": [{"a": 1}], "$db": "wire3"})))
    wire.sendall(message(0, b"\x00" + bson.encode({"dropDatabase": 1, "$db": "wire3"})))


def test_documents_that_are_no_bson_are_refused(wire):
    broken = bytearray(bson.encode({"_id": 1, "a": "text"}))
    broken[4] = 0x77  # no such type
    section = b"\x01" + struct.pack("<i", 4 + 10 + len(broken)) + b"documents\x00" + bytes(broken)
    wire.sendall(message(0, section, b"\x00" + bson.encode({"insert": "c", "$db": "wire4"})))
    assert received(wire)["writeErrors"][0]["code"] == 22


def test_a_deeply_nested_command_does_no_harm(wire):
    deep: object = 1
    for _ in range(90):
        deep = {"$and": [{"a": 1}, deep if isinstance(deep, dict) else {"b": 1}]}
    wire.sendall(message(0, b"\x00" + bson.encode({"find": "c", "filter": deep, "$db": "wire5"})))
    received(wire)
