"""What the drivers offer every day works, method by method."""

import pytest
from bson import decode_all, encode
from bson.raw_bson import RawBSONDocument
from pymongo import (
    ASCENDING,
    DESCENDING,
    DeleteMany,
    DeleteOne,
    IndexModel,
    InsertOne,
    MongoClient,
    ReplaceOne,
    ReturnDocument,
    UpdateMany,
    UpdateOne,
)
from pymongo.cursor import CursorType
from pymongo.errors import BulkWriteError, OperationFailure
from pymongo.monitoring import CommandListener

from tests.embedded.conformance.asking import refused
from tests.embedded.drivers import DRIVERS, listed, settled


@pytest.fixture(params=list(DRIVERS))
def driver(request):
    return request.param


@pytest.fixture
async def ten(docs):
    await docs.insert_many([{"_id": n, "a": n % 3, "b": {"c": n}, "l": [n, n + 1]} for n in range(10)])
    return docs


async def test_bulk_writes_take_every_model(docs):
    result = await docs.bulk_write(
        [
            InsertOne({"_id": 1, "a": 1}),
            InsertOne({"_id": 2, "a": 1}),
            UpdateOne({"_id": 1}, {"$set": {"b": 1}}),
            UpdateMany({"a": 1}, {"$inc": {"a": 1}}, hint="_id_"),
            UpdateOne({"_id": 3}, {"$set": {"l.$[x]": 5}}, array_filters=[{"x": 1}]),
            ReplaceOne({"_id": 4}, {"new": True}, upsert=True),
            UpdateOne({"k": 5}, {"$setOnInsert": {"m": 1}}, upsert=True),
            DeleteOne({"_id": 2}),
            DeleteMany({"nothing": 1}),
        ]
    )
    told = result.inserted_count, result.matched_count, result.modified_count, result.deleted_count
    assert told == (2, 3, 3, 1) and result.upserted_count == 2
    assert result.upserted_ids[5] == 4
    assert await docs.find({"_id": {"$in": [1, 4]}}) == [{"_id": 1, "a": 2, "b": 1}, {"_id": 4, "new": True}]


@pytest.mark.parametrize(("ordered", "inserted", "deleted", "left"), [(True, 1, 0, [1, 2]), (False, 2, 1, [2, 3])])
async def test_a_bulk_write_stops_at_an_error_or_goes_on(docs, ordered, inserted, deleted, left):
    await docs.insert_one({"_id": 1})
    operations = [InsertOne({"_id": 2}), InsertOne({"_id": 1}), InsertOne({"_id": 3}), DeleteOne({"_id": 1})]
    with pytest.raises(BulkWriteError) as caught:
        await docs.bulk_write(operations, ordered=ordered)
    details = caught.value.details
    assert (details["nInserted"], details["nRemoved"]) == (inserted, deleted)
    assert [(error["index"], error["code"]) for error in details["writeErrors"]] == [(1, 11000)]
    assert [each["_id"] for each in await docs.find({}, sort=[("_id", 1)])] == left


async def test_a_document_is_found_and_changed_in_one_step(ten):
    before = await ten.find_one_and_update(
        {"a": 1}, {"$set": {"x": 1}}, sort=[("_id", DESCENDING)], projection={"b": 1}
    )
    assert before == {"_id": 7, "b": {"c": 7}}
    after = await ten.find_one_and_replace({"_id": 7}, {"y": 1}, return_document=ReturnDocument.AFTER)
    assert after == {"_id": 7, "y": 1}
    assert (await ten.find_one_and_delete({"a": 2}, sort=[("_id", 1)], projection={"_id": 1})) == {"_id": 2}
    assert await ten.find_one_and_delete({"a": 99}) is None
    assert await ten.find_one_and_update({"_id": 99}, {"$set": {"a": 1}}, upsert=True) is None
    made = await ten.find_one_and_replace({"_id": 98}, {"z": 1}, upsert=True, return_document=ReturnDocument.AFTER)
    assert made == {"_id": 98, "z": 1}
    found = await ten.find_one_and_update(
        {"l": 5}, {"$inc": {"l.$": 100}}, sort=[("_id", 1)], return_document=True, projection={"l": 1}, hint="_id_"
    )
    assert found == {"_id": 4, "l": [4, 105]}


async def test_what_find_and_modify_did_is_told(db, ten):
    reply = await db.command({"findAndModify": "docs", "query": {"_id": 1}, "update": {"$set": {"a": 9}}})
    assert reply["lastErrorObject"] == {"n": 1, "updatedExisting": True} and reply["value"]["a"] == 1
    reply = await db.command({"findAndModify": "docs", "query": {"_id": 77}, "update": {"$set": {"a": 9}}})
    assert reply["lastErrorObject"] == {"n": 0, "updatedExisting": False} and reply["value"] is None
    upsert = {"findAndModify": "docs", "query": {"_id": 50}, "update": {"$set": {"a": 9}}, "upsert": True}
    reply = await db.command(upsert)
    assert reply["lastErrorObject"] == {"n": 1, "updatedExisting": False, "upserted": 50} and reply["value"] is None
    reply = await db.command({"findAndModify": "docs", "query": {"_id": 50}, "remove": True})
    assert reply["lastErrorObject"] == {"n": 1} and reply["value"] == {"_id": 50, "a": 9}


async def test_counts_and_distinct_values(ten):
    assert await ten.count_documents({"a": 0}, skip=1, limit=2) == 2
    assert await ten.count_documents({"a": 0}, skip=9) == 0
    assert await ten.count_documents({"a": {"$gte": 1}}, hint="_id_") == 6
    assert await ten.estimated_document_count() == 10
    assert sorted(await ten.distinct("a")) == [0, 1, 2]
    assert sorted(await ten.distinct("l", {"_id": {"$gte": 8}})) == [8, 9, 10]
    assert sorted(await ten.distinct("b.c", {"a": 1})) == [1, 4, 7]
    assert sorted(await ten.distinct("l.0", {"a": 1})) == [1, 4, 7]
    assert sorted(await listed_distinct(ten.raw.find({"a": 2}), "_id")) == [2, 5, 8]


async def listed_distinct(cursor, key):
    return await settled(cursor.distinct(key))


async def test_indexes_are_made_described_and_dropped(ten):
    names = await ten.create_indexes(
        [
            IndexModel([("a", ASCENDING), ("b.c", DESCENDING)], name="both"),
            IndexModel("l"),
            IndexModel([("e", 1)], expireAfterSeconds=3600),
            IndexModel([("u", 1)], unique=True, sparse=True),
            IndexModel([("p", 1)], partialFilterExpression={"a": {"$gt": 1}}),
        ]
    )
    assert names == ["both", "l_1", "e_1", "u_1", "p_1"]
    told = await ten.index_information()
    assert told["both"]["key"] == [("a", 1), ("b.c", -1)]
    assert told["e_1"]["expireAfterSeconds"] == 3600 and told["u_1"]["unique"] and told["u_1"]["sparse"]
    assert told["p_1"]["partialFilterExpression"] == {"a": {"$gt": 1}}
    assert await ten.create_index("l") == "l_1"
    assert await refused(ten.create_index("l", name="other")) == 85
    assert await refused(ten.create_index("l", unique=True, name="l_1")) == 86
    assert await refused(ten.create_index("q", partialFilterExpression={"a": {"$exists": False}})) == 67
    assert await refused(ten.create_index("a", unique=True)) == 11000
    assert await ten.find({}, {"_id": 1}, hint="both", sort=[("a", -1), ("b.c", 1)], limit=2) == [
        {"_id": 2},
        {"_id": 5},
    ]
    await ten.drop_index("both")
    await ten.drop_index([("l", 1)])
    await ten.drop_indexes()
    assert list(await ten.index_information()) == ["_id_"]


async def test_cursors_take_their_options(ten):
    raw = ten.raw
    cursor = raw.find({"a": 1}).sort("_id", -1).skip(1).limit(1).batch_size(1).comment("why").max_time_ms(60_000)
    assert [each["_id"] for each in await listed(cursor)] == [4]
    cursor = raw.find({}, allow_disk_use=True, no_cursor_timeout=True, batch_size=3).hint([("_id", 1)])
    assert len(await listed(cursor)) == 10
    assert len(await listed(raw.find({}, comment={"by": "test"}, limit=-4))) == 4
    again = raw.find({"a": 2}, sort=[("_id", 1)])
    assert await listed(again.clone()) == await listed(again)
    assert len(await listed(again.rewind())) == 3
    first = raw.find({}, batch_size=2)
    assert await settled(first.next() if hasattr(first, "next") else anext(first))
    await settled(first.close())
    assert len(await listed(raw.aggregate([{"$match": {"a": 0}}], batchSize=1, comment="x", maxTimeMS=60_000))) == 4


async def test_what_cursors_cannot_do_is_refused(ten, on_store):
    assert await refused(listed(ten.raw.find({}, cursor_type=CursorType.TAILABLE))) == 2
    assert await refused(listed(ten.raw.find({}).min([("_id", 1)]).hint("_id_"))) == 238
    assert await refused(listed(ten.raw.find({}).where("true"))) == 238
    assert await refused(listed(ten.raw.find({}).collation({"locale": "de"}))) == 238
    assert await refused(listed(ten.raw.find({}, return_key=True))) == 238


async def test_raw_batches_come_as_bytes(ten):
    batches = await listed(ten.raw.find_raw_batches({}, sort=[("_id", 1)], batch_size=4))
    assert [len(decode_all(batch)) for batch in batches] == [4, 4, 2]
    batches = await listed(ten.raw.aggregate_raw_batches([{"$match": {"a": 0}}]))
    assert sum(len(decode_all(batch)) for batch in batches) == 4


async def test_raw_documents_are_stored_as_they_are(docs):
    await docs.insert_one(RawBSONDocument(encode({"_id": 1, "a": 5})))
    assert await docs.find_one({}) == {"_id": 1, "a": 5}


async def test_commands_are_told_to_listeners(uri):
    class Told(CommandListener):
        def __init__(self):
            self.names = []

        def started(self, event):
            self.names.append(("started", event.command_name))

        def succeeded(self, event):
            self.names.append(("succeeded", event.command_name))

        def failed(self, event):
            self.names.append(("failed", event.failure["code"]))

    told = Told()
    with MongoClient(uri, event_listeners=[told]) as client:
        client["told"].command("ping")
        with pytest.raises(OperationFailure):
            client["told"].command("nonsense")
    expected = [("started", "ping"), ("succeeded", "ping"), ("started", "nonsense"), ("failed", 59)]
    assert told.names[:4] == expected


async def test_writes_are_not_numbered_for_retries(uri, on_store):
    sent = []

    class Told(CommandListener):
        def started(self, event):
            sent.append(event.command)

        def succeeded(self, event):
            pass

        def failed(self, event):
            pass

    with MongoClient(uri, event_listeners=[Told()], retryWrites=True) as client:
        client["told"]["docs"].insert_one({"_id": 1})
        client.drop_database("told")
    assert sent and all("txnNumber" not in command for command in sent)
