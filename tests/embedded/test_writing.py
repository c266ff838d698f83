"""Inserts, updates and deletes through the drivers do what MongoDB's do."""

import re
import threading

import pytest
from bson import ObjectId
from pymongo import InsertOne, MongoClient, UpdateOne, WriteConcern
from pymongo.errors import BulkWriteError, DuplicateKeyError, OperationFailure, WriteError

from tests.embedded.drivers import DRIVERS, settled


@pytest.fixture(params=list(DRIVERS))
def driver(request):
    return request.param


async def test_insert_generates_an_id_where_there_is_none(docs):
    inserted = await docs.insert_one({"a": 1})
    assert isinstance(inserted.inserted_id, ObjectId)
    assert await docs.find_one({"_id": inserted.inserted_id}) == {"_id": inserted.inserted_id, "a": 1}


async def test_the_server_generates_an_id_for_a_raw_insert_and_puts_it_first(db, docs):
    await db.command({"insert": "docs", "documents": [{"a": 1}, {"a": 2, "_id": 7}]})
    first, second = await docs.find({}, sort=[("a", 1)])
    assert list(first) == ["_id", "a"] and isinstance(first["_id"], ObjectId)
    assert list(second) == ["_id", "a"]


async def test_a_repeated_id_is_a_duplicate_key(docs):
    await docs.insert_one({"_id": 1})
    with pytest.raises(DuplicateKeyError) as caught:
        await docs.insert_one({"_id": 1.0})
    assert caught.value.code == 11000
    assert caught.value.details["keyPattern"] == {"_id": 1}
    assert caught.value.details["keyValue"] == {"_id": 1}


async def test_ids_of_different_types_are_different(docs):
    await docs.insert_many([{"_id": 5}, {"_id": "5"}, {"_id": True}, {"_id": None}, {"_id": {"a": 5}}])
    assert (await docs.find_one({"_id": "5"}))["_id"] == "5"
    assert await docs.count_documents({}) == 5


async def test_arrays_and_patterns_are_refused_as_ids(docs):
    for identifier in ([1], re.compile("a")):
        with pytest.raises(WriteError) as caught:
            await docs.insert_one({"_id": identifier})
        assert caught.value.code in (2, 53)  # servers differ by version
    with pytest.raises(WriteError) as caught:
        await docs.insert_one({"_id": {"$a": 1}})
    assert caught.value.code == 52


async def test_concurrent_increments_are_all_counted(docs, uri):
    def count() -> None:
        with MongoClient(uri) as client:
            for _ in range(50):
                client[docs.raw.database.name]["docs"].update_one({"_id": "n"}, {"$inc": {"n": 1}}, upsert=True)

    await docs.insert_one({"_id": "n", "n": 0})
    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (await docs.find_one({}))["n"] == 200


async def test_an_ordered_insert_stops_at_the_first_error_and_an_unordered_one_goes_on(docs):
    batch = [{"_id": 1}, {"_id": 1}, {"_id": 2}]
    with pytest.raises(BulkWriteError) as caught:
        await docs.insert_many(batch)
    assert caught.value.details["nInserted"] == 1
    assert await docs.count_documents({}) == 1
    with pytest.raises(BulkWriteError) as caught:
        await docs.insert_many([{"_id": 3}, {"_id": 1}, {"_id": 4}], ordered=False)
    assert [error["index"] for error in caught.value.details["writeErrors"]] == [1]
    assert sorted(each["_id"] for each in await docs.find({})) == [1, 3, 4]


async def test_update_one_tells_matched_from_modified(docs):
    await docs.insert_many([{"_id": n, "a": n} for n in range(3)])
    result = await docs.update_one({"_id": 1}, {"$set": {"a": 5}})
    assert (result.matched_count, result.modified_count) == (1, 1)
    result = await docs.update_one({"_id": 1}, {"$set": {"a": 5}})
    assert (result.matched_count, result.modified_count) == (1, 0)
    result = await docs.update_one({"_id": 9}, {"$set": {"a": 5}})
    assert (result.matched_count, result.modified_count) == (0, 0)


async def test_update_many_counts_only_what_changed(docs):
    await docs.insert_many([{"_id": n, "a": n % 2} for n in range(10)])
    result = await docs.update_many({}, {"$set": {"a": 1}})
    assert (result.matched_count, result.modified_count) == (10, 5)


async def test_update_many_sees_each_document_once_though_it_moves_in_the_index(docs):
    await docs.create_index("a", name="by_a")
    await docs.insert_many([{"_id": n, "a": n} for n in range(400)])
    result = await docs.update_many({"a": {"$gte": 0}}, {"$inc": {"a": 1000}})
    assert result.modified_count == 400
    assert await docs.count_documents({"a": {"$gte": 1000, "$lt": 1400}}) == 400


async def test_upsert_generates_an_id(docs):
    result = await docs.update_one({"a": 1}, {"$inc": {"n": 1}}, upsert=True)
    assert isinstance(result.upserted_id, ObjectId)
    assert await docs.find_one({"a": 1}) == {"_id": result.upserted_id, "a": 1, "n": 1}


async def test_replace_one_keeps_the_id_and_nothing_else(docs):
    await docs.insert_one({"_id": 1, "a": 1, "b": 2})
    result = await docs.replace_one({"a": 1}, {"c": 3})
    assert result.modified_count == 1
    assert await docs.find_one({}) == {"_id": 1, "c": 3}


async def test_the_id_is_immutable(docs):
    await docs.insert_one({"_id": 1, "a": 1})
    for change in ({"$set": {"_id": 2}}, {"_id": 2, "a": 3}):
        with pytest.raises(WriteError) as caught:
            if "$set" in change:
                await docs.update_one({"a": 1}, change)
            else:
                await docs.replace_one({"a": 1}, change)
        assert caught.value.code == 66


@pytest.fixture
async def emails(docs):
    await docs.create_index("email", name="email", unique=True)
    await docs.insert_many([{"_id": 1, "email": "a"}, {"_id": 2, "email": "b"}])
    return docs


async def test_updates_upserts_replacements_and_find_one_and_update_hit_the_unique_index(emails):
    attempts = [
        lambda: emails.update_one({"_id": 1}, {"$set": {"email": "b"}}),
        lambda: emails.update_many({"_id": 1}, {"$set": {"email": "b"}}),
        lambda: emails.update_one({"_id": 3}, {"$set": {"email": "b"}}, upsert=True),
        lambda: emails.replace_one({"_id": 1}, {"email": "b"}),
        lambda: emails.find_one_and_update({"_id": 1}, {"$set": {"email": "b"}}),
        lambda: emails.find_one_and_update({"_id": 4}, {"$set": {"email": "b"}}, upsert=True),
        lambda: emails.find_one_and_replace({"_id": 1}, {"email": "b"}),
        lambda: emails.insert_one({"email": "b"}),
    ]
    for attempt in attempts:
        with pytest.raises(DuplicateKeyError) as caught:
            await attempt()
        assert caught.value.details["keyPattern"] == {"email": 1}
        assert caught.value.details["keyValue"] == {"email": "b"}
    assert await emails.find({}, sort=[("_id", 1)]) == [{"_id": 1, "email": "a"}, {"_id": 2, "email": "b"}]
    with pytest.raises(BulkWriteError) as failed:
        await emails.bulk_write([InsertOne({"_id": 9, "email": "z"}), UpdateOne({"_id": 9}, {"$set": {"email": "a"}})])
    assert failed.value.details["writeErrors"][0]["code"] == 11000


async def test_a_failed_write_leaves_no_trace_in_any_index(emails):
    await emails.create_index("tag", name="tag")
    with pytest.raises(DuplicateKeyError):
        await emails.update_one({"_id": 1}, {"$set": {"email": "b", "tag": "x"}})
    assert await emails.find({"tag": "x"}) == []
    assert await emails.count_documents({"tag": "x"}) == 0
    assert await emails.count_documents({"email": "a"}) == 1


async def test_delete_one_and_many(docs):
    await docs.insert_many([{"_id": n, "a": n % 2} for n in range(10)])
    assert (await docs.delete_one({"a": 1})).deleted_count == 1
    assert (await docs.delete_many({"a": 1})).deleted_count == 4
    assert (await docs.delete_many({"a": 7})).deleted_count == 0
    assert await docs.count_documents({}) == 5


async def test_unacknowledged_writes_are_done(db, docs):
    quiet = docs.raw.with_options(write_concern=WriteConcern(w=0))
    await settled(quiet.insert_one({"_id": 1}))
    for _ in range(200):
        if await docs.find_one({"_id": 1}):
            return
    raise AssertionError("never arrived")


async def test_find_one_and_update_changes_nothing_where_it_cannot_show_the_result(docs):
    await docs.insert_one({"_id": 1, "n": 0, "zero": 0, "list": [1, 2]})
    for fields in ({"list.$": 1}, {"q": {"$divide": [1, "$zero"]}}):
        with pytest.raises(OperationFailure):
            await docs.find_one_and_update({"_id": 1}, {"$inc": {"n": 1}}, projection=fields)
        with pytest.raises(OperationFailure):
            await docs.find_one_and_delete({"_id": 1}, projection=fields)
    made = {"$set": {"zero": 0}}
    with pytest.raises(OperationFailure):
        await docs.find_one_and_update({"_id": 2}, made, projection=fields, upsert=True, return_document=True)
    assert await docs.find({}) == [{"_id": 1, "n": 0, "zero": 0, "list": [1, 2]}]
