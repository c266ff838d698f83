"""Every BSON type comes back as it was stored, and is found again."""

import datetime
import struct
import uuid

import bson
import pytest
from bson import (
    Binary,
    Code,
    DatetimeMS,
    DBRef,
    Decimal128,
    Int64,
    MaxKey,
    MinKey,
    ObjectId,
    Regex,
    Timestamp,
)
from bson.binary import BinaryVectorDtype, UuidRepresentation
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument
from pymongo.errors import WriteError

from tests.embedded.conformance.asking import ids
from tests.embedded.drivers import settled

NOW = datetime.datetime(2026, 11, 20, 10, 0, 0, 123000, tzinfo=datetime.UTC)
VALUES = {
    "int32": 5,
    "int64": Int64(5),
    "large": 2**40,
    "double": 5.0,
    "decimal": Decimal128("1.10"),
    "text": "größe\U0001f600",
    "null_in_text": "a\x00b",
    "bytes": b"\x00\xff",
    "vector": Binary.from_vector([0.25, -1.5, 3.0], BinaryVectorDtype.FLOAT32),
    "subtype": Binary(b"abc", 128),
    "uuid": Binary.from_uuid(uuid.UUID(int=7)),
    "object_id": ObjectId(),
    "datetime": NOW,
    "old": datetime.datetime(1900, 1, 1, tzinfo=datetime.UTC),
    "regex": Regex("a.*b", "im"),
    "timestamp": Timestamp(1, 2),
    "code": Code("function () {}"),
    "dbref": DBRef("c", 5),
    "min": MinKey(),
    "max": MaxKey(),
    "true": True,
    "none": None,
    "nested": {"b": 1, "a": [1, {"x": [[]]}]},
}


@pytest.mark.parametrize("name", list(VALUES))
async def test_a_value_round_trips_through_insert_update_and_query(docs, name):
    value = VALUES[name]
    await docs.insert_one({"_id": 1, "v": value})
    found = (await docs.find_one({"_id": 1}))["v"]
    assert found == value and type(found) in (type(value), int, Int64, bytes)
    if name in ("int64", "int32", "double"):
        assert type(found) is type(value)
    await docs.update_one({"_id": 1}, {"$set": {"w": value, "x": 1}, "$push": {"list": value}})
    document = await docs.find_one({"_id": 1})
    assert document["v"] == document["w"] == document["list"][0] == value
    if name != "regex":
        await docs.create_index("v", name="v")
        assert await docs.find_one({"v": value}, {"_id": 1}) == {"_id": 1}


async def test_dates_out_of_pythons_range_stay(docs):
    options = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_AUTO)
    far = DatetimeMS(2**55)
    await docs.insert_one({"_id": 1, "at": far})
    await docs.update_one({"_id": 1}, {"$set": {"a": 1}})
    found = docs.raw.with_options(codec_options=options)
    document = (await type(docs)(found).find({"at": {"$gt": DatetimeMS(2**54)}}))[0]
    assert document["at"] == far


async def test_datetimes_are_stored_as_milliseconds_in_utc(docs):
    local = NOW.astimezone(datetime.timezone(datetime.timedelta(hours=5)))
    await docs.insert_one({"_id": 1, "at": local})
    assert (await docs.find_one({"at": NOW}))["at"] == NOW
    assert await docs.count_documents({"at": {"$gte": NOW, "$lt": NOW + datetime.timedelta(milliseconds=1)}}) == 1


async def test_uuids_in_either_representation(docs):
    for representation in (UuidRepresentation.STANDARD, UuidRepresentation.PYTHON_LEGACY):
        value = Binary.from_uuid(uuid.uuid4(), representation)
        await docs.insert_one({"u": value})
        assert (await docs.find_one({"u": value}))["u"] == value


async def test_an_empty_timestamp_is_filled_by_the_server(docs):
    empty = Timestamp(0, 0)
    await docs.insert_one({"_id": 1, "at": empty, "inner": {"at": empty}})
    found = await docs.find_one({"_id": 1})
    assert found["at"] > Timestamp(1_700_000_000, 0) and found["inner"]["at"] == empty
    await docs.replace_one({"_id": 1}, {"at": empty})
    assert (await docs.find_one({"_id": 1}))["at"] > found["at"]


# As only a client of its own makes them: deprecated types, a document like a reference, a field that is there twice,
# an array with other names than numbers, options out of order.
ODD = {
    "symbol": b"\x0ev\0\x03\0\0\0ab\0",
    "undefined": b"\x06v\0",
    "pointer": b"\x0cv\0\x03\0\0\0ab\0" + bytes(12),
    "like a reference": b"\x03v\0" + bson.encode({"x": 1, "$ref": "c", "$id": 3}),
    "twice": b"\x10v\0\x01\0\0\0\x10v\0\x02\0\0\0",
    "named elements": b"\x04v\0" + bson.encode({"5": 1, "x": 2}),
    "options": b"\x0bv\0a\0xi\0",
    "old binary": b"\x05v\0\x07\0\0\0\x02\x03\0\0\0abc",
    "not a number": b"\x01v\0\x01\0\0\0\0\0\xf8\xff",
}


@pytest.mark.parametrize("name", list(ODD))
async def test_an_update_leaves_other_fields_byte_for_byte(docs, name):
    raw = docs.raw.with_options(codec_options=CodecOptions(document_class=RawBSONDocument))
    body = bson.encode({"_id": 1, "n": 1})[4:-1] + ODD[name]
    await settled(raw.insert_one(RawBSONDocument(struct.pack("<i", len(body) + 5) + body + b"\0")))
    assert (await settled(raw.update_one({"_id": 1}, {"$set": {"n": 1}}))).modified_count == 0
    await settled(raw.update_one({"_id": 1}, {"$inc": {"n": 1}, "$push": {"l": {"$each": [1, 2]}}}))
    await settled(raw.update_one({"_id": 1}, {"$push": {"l": 3}}))
    found = (await settled(raw.find_one({"_id": 1}))).raw
    assert ODD[name] in found
    assert bson.decode(found)["n"] == 2 and bson.decode(found)["l"] == [1, 2, 3]


async def test_a_document_is_nested_at_most_200_levels(docs):
    document: dict[str, object] = {}
    for _ in range(199):
        document = {"a": document}
    await docs.insert_one({"_id": 1, **document})
    assert await docs.count_documents({"a.a": {"$exists": True}}) == 1
    for write in (
        docs.insert_one({"_id": 2, "a": document, "pad": ["\x04"] * 9}),
        docs.update_one({"_id": 1}, {"$set": {"b": {"a": document}}}),
    ):
        with pytest.raises(WriteError) as refused:
            await write
        assert refused.value.code == 15
    assert await docs.find_one({"_id": 2}) is None


async def test_references_are_found_by_their_object_id(docs):
    target = ObjectId()
    await docs.insert_many([{"_id": 1, "ref": DBRef("users", target)}, {"_id": 2, "ref": DBRef("users", ObjectId())}])
    assert await ids(docs, {"ref": DBRef("users", target)}) == [1]
    assert await ids(docs, {"ref.$id": target}) == [1]
    assert await ids(docs, {"ref.$id": {"$in": [target]}, "ref.$ref": "users"}) == [1]
    assert (await docs.find_one({"_id": 1}))["ref"] == DBRef("users", target)


async def test_vectors_stay_binary_of_subtype_nine(docs):
    vectors = [
        Binary.from_vector([0.5, -1.0], BinaryVectorDtype.FLOAT32),
        Binary.from_vector([1, -2, 3], BinaryVectorDtype.INT8),
        Binary.from_vector([255, 240], BinaryVectorDtype.PACKED_BIT, padding=4),
    ]
    await docs.insert_many([{"_id": n, "v": vector} for n, vector in enumerate(vectors)])
    for n, vector in enumerate(vectors):
        found = await docs.find_one({"v": vector})
        assert found == {"_id": n, "v": vector} and found["v"].subtype == 9
        assert found["v"].as_vector() == vector.as_vector()
        assert await ids(docs, {"v": Binary(bytes(vector), 0)}) == []
