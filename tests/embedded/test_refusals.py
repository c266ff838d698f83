"""What the store does not have is refused with MongoDB's own code, never ignored."""

import pytest
from bson import Decimal128
from pymongo import ReadPreference, UpdateOne, WriteConcern
from pymongo.errors import BulkWriteError, OperationFailure
from pymongo.read_concern import ReadConcern

from tests.embedded.drivers import settled

pytestmark = pytest.mark.usefixtures("on_store")


async def refused(awaitable) -> int:
    with pytest.raises(OperationFailure) as caught:
        await awaitable
    code = caught.value.code
    if isinstance(caught.value, BulkWriteError) and caught.value.details["writeErrors"]:
        code = caught.value.details["writeErrors"][0]["code"]
    return code


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"update": "docs", "updates": [{"q": {}, "u": {"$set": {"a": 1}}, "multi": "false"}]}, 14),
        ({"update": "docs", "updates": [{"q": {}, "u": {"$set": {"a": 1}}, "upsert": "false"}]}, 14),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": 1}, "name": "a", "unique": "false"}]}, 14),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": 1}, "name": "a", "v": 99}]}, 67),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": float("nan")}, "name": "a"}]}, 67),
        ({"mapReduce": "docs"}, 238),
        ({"find": "docs", "limit": "x"}, 14),
        ({"find": "docs", "limit": float("nan")}, 2),
        ({"find": "docs", "skip": float("inf")}, 2),
        ({"find": "docs", "maxTimeMS": float("nan")}, 2),
        ({"find": "docs", "batchSize": float("inf")}, 2),
        ({"find": "docs", "hint": 5}, 9),
        ({"count": "docs", "limit": "x"}, 14),
        ({"collStats": "docs", "scale": float("nan")}, 2),
        ({"collStats": "docs", "scale": 1e300}, 2),
        ({"listCollections": 1, "cursor": {"batchSize": "x"}}, 14),
        ({"killCursors": "docs", "cursors": [{}]}, 14),
        ({"aggregate": "docs", "pipeline": [], "cursor": {"batchSize": float("-inf")}}, 2),
        ({"aggregate": "docs", "pipeline": [], "cursor": {"batchSize": Decimal128("NaN")}}, 2),
        (
            {
                "aggregate": "docs",
                "pipeline": [{"$collStats": {"storageStats": {"scale": float("nan")}}}],
                "cursor": {},
            },
            2,
        ),
        ({"delete": "docs", "deletes": [{"q": {}, "limit": 0, "hint": 5}]}, 9),
        ({"update": "docs", "updates": [{"q": {}, "u": {"$set": {"a": 1}}, "hint": 5}]}, 9),
        ({"find": "docs", "tailable": True}, 2),
        ({"find": "docs", "min": {"a": 1}}, 238),
        ({"find": "docs", "collation": {"locale": "de"}}, 238),
        ({"find": "docs", "let": {"x": 1}, "filter": {"$expr": {"$eq": ["$a", "$$x"]}}}, 238),
        ({"find": "docs", "readConcern": {"level": "snapshot"}}, 123),
        ({"find": "docs", "readConcern": {"level": "odd"}}, 2),
        ({"find": "docs", "txnNumber": 1}, 20),
        ({"insert": "docs", "documents": [{"a": 1}], "writeConcern": {"w": 3}}, 2),
        ({"update": "docs", "updates": [{"q": {}, "u": {"a": 1}, "multi": True}]}, 9),
        ({"update": "docs", "updates": [{"q": {}, "u": {"$set": {"a": 1}}, "collation": {"locale": "de"}}]}, 238),
        ({"delete": "docs", "deletes": [{"q": {}, "limit": 5}]}, 9),
        ({"aggregate": "docs", "pipeline": [{"$changeStream": {}}], "cursor": {}}, 40573),
        ({"create": "v", "viewOn": "docs", "pipeline": []}, 238),
        ({"create": "v", "capped": True, "size": 100}, 238),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": 1}, "name": "a", "hidden": True}]}, 238),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": 1}, "name": "a", "collation": {"locale": "de"}}]}, 238),
        ({"createIndexes": "docs", "indexes": [{"key": {"$**": 1}, "name": "a"}]}, 238),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": 0}, "name": "a"}]}, 67),
        ({"createIndexes": "docs", "indexes": [{"key": {"a": 1, "b": 1}, "name": "a", "expireAfterSeconds": 1}]}, 67),
        ({"explain": {"noSuch": 1}}, 59),
    ],
)
async def test_a_command_is_refused_with_its_code(db, command, code):
    reply = None
    try:
        reply = await db.command(command)
    except OperationFailure as error:
        assert error.code == code
    else:
        assert reply["writeErrors"][0]["code"] == code


async def test_concerns_and_preferences_of_one_server_are_accepted(docs):
    for concern in (WriteConcern(w=1), WriteConcern(w="majority"), WriteConcern(w=1, j=True)):
        await settled(docs.raw.with_options(write_concern=concern).insert_one({}))
    for level in ("local", "majority", "available"):
        reading = docs.raw.with_options(read_concern=ReadConcern(level), read_preference=ReadPreference.NEAREST)
        assert await settled(reading.find_one({}))


async def test_a_failed_update_in_a_batch_tells_its_code(docs):
    await docs.insert_one({"_id": 1, "a": "text"})
    with pytest.raises(BulkWriteError) as caught:
        await docs.bulk_write([UpdateOne({"_id": 1}, {"$inc": {"a": 1}})])
    assert caught.value.details["writeErrors"][0]["code"] == 14


async def test_what_an_error_quotes_is_cut_short(docs):
    with pytest.raises(OperationFailure) as caught:
        await docs.update_one({}, {"$set": "\x01" * 1_000_000})
    assert len(caught.value.details["errmsg"]) < 5_000


async def test_filters_and_documents_that_are_nested_too_deeply_are_15(docs):
    filter: dict[str, object] = {"a": 1}
    for _ in range(400):
        filter = {"$and": [filter]}
    assert await refused(docs.find(filter)) == 15
