"""Indexes decide what is stored and which documents are read, as MongoDB's do."""

import datetime

import pytest
from bson import Decimal128, Int64
from pymongo.errors import DuplicateKeyError

from tests.embedded.conformance.asking import code_of, ids, refused


def stage_of(explained):
    stage = explained["queryPlanner"]["winningPlan"]
    stage = stage.get("queryPlan", stage)
    while "inputStage" in stage:
        stage = stage["inputStage"]
    return stage


def examined(explained):
    return explained["executionStats"]["totalDocsExamined"]


async def test_a_unique_index_holds_missing_for_null_and_numbers_for_equal(docs):
    await docs.create_index("k", unique=True)
    await docs.insert_many([{"_id": 1, "k": 1}, {"_id": 2}, {"_id": 3, "k": [5, 6, 5]}, {"_id": 4, "k": True}])
    for taken in (1.0, Int64(1), Decimal128("1.0"), None, 6, [7, 5], True):
        assert await refused(docs.insert_one({"k": taken})) == 11000, taken
    assert await refused(docs.insert_one({"other": 1})) == 11000
    for free in ("1", False, [[5]], {"a": 1}):
        await docs.insert_one({"k": free})
    assert await refused(docs.insert_one({"k": {"a": 1.0}})) == 11000
    await docs.insert_one({"k": {"a": 1, "b": 1}})


async def test_a_compound_unique_index_looks_at_all_of_its_fields(docs):
    await docs.create_index([("a", 1), ("b", -1)], unique=True)
    await docs.insert_many([{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1}])
    with pytest.raises(DuplicateKeyError) as caught:
        await docs.insert_one({"a": 1, "b": None})
    assert caught.value.details["keyPattern"] == {"a": 1, "b": -1}
    assert caught.value.details["keyValue"] == {"a": 1, "b": None}


async def test_sparse_and_partial_indexes_hold_some_documents_alone(docs):
    await docs.create_index("s", name="s", unique=True, sparse=True)
    await docs.create_index("p", name="p", unique=True, partialFilterExpression={"live": True, "n": {"$gte": 5}})
    await docs.insert_many([{"_id": n} for n in range(3)])
    await docs.insert_one({"_id": 3, "s": None})
    assert await refused(docs.insert_one({"s": None})) == 11000
    await docs.insert_many([{"_id": n, "s": n, "p": 1, "live": n % 2 == 0, "n": n} for n in (5, 7, 9)])
    await docs.insert_one({"_id": 10, "s": 10, "p": 1, "live": True, "n": 10})
    assert await refused(docs.update_one({"_id": 9}, {"$set": {"live": True}})) == 11000
    assert await ids(docs, {"s": {"$exists": True}}) == [3, 5, 7, 9, 10]
    assert await ids(docs, {"s": None}) == [0, 1, 2, 3]
    assert sorted(each["_id"] for each in await docs.find({}, hint="s")) == [3, 5, 7, 9, 10]
    assert [each["_id"] for each in await docs.find({"p": 1, "live": True, "n": {"$gte": 6}})] == [10]
    assert await ids(docs, {"p": 1}) == [5, 7, 9, 10]
    await docs.update_one({"_id": 10}, {"$set": {"n": 1}})
    await docs.update_one({"_id": 9}, {"$set": {"live": True}})


async def test_indexes_are_dropped_and_built_again_over_what_is_there(docs):
    await docs.create_index("k", name="k", unique=True)
    await docs.insert_many([{"_id": n, "k": n} for n in range(50)])
    await docs.drop_index("k")
    await docs.insert_one({"_id": 50, "k": 1})
    assert await refused(docs.create_index("k", name="k", unique=True)) == 11000
    assert list(await docs.index_information()) == ["_id_"]
    await docs.delete_one({"_id": 50})
    await docs.create_index("k", name="k", unique=True)
    assert await refused(docs.insert_one({"_id": 51, "k": 1})) == 11000
    explained = await docs.explain({"k": {"$gte": 10, "$lt": 20}})
    assert stage_of(explained)["indexName"] == "k" and examined(explained) == 10


async def test_explain_tells_the_index_and_what_was_read(docs):
    await docs.create_index([("a", 1), ("b", -1)], name="ab")
    await docs.create_index("l", name="l")
    await docs.insert_many([{"_id": n, "a": n % 10, "b": n, "l": [n, -n]} for n in range(100)])
    for query, index, read in [
        ({"a": 3}, "ab", 10),
        ({"a": 3, "b": {"$gt": 50}}, "ab", 5),
        ({"a": {"$in": [1, 2]}}, "ab", 20),
        ({"l": -7}, "l", 1),
        ({"l": {"$in": [1, 2]}}, "l", 2),
        ({"_id": {"$gte": 90}}, "_id_", 10),
    ]:
        explained = await docs.explain(query)
        assert (stage_of(explained)["indexName"], examined(explained)) == (index, read), query
        assert explained["executionStats"]["nReturned"] == read
    explained = await docs.explain({"b": 5})
    assert stage_of(explained)["stage"] == "COLLSCAN" and examined(explained) == 100
    explained = await docs.explain({"b": 5}, hint="ab")
    assert stage_of(explained)["indexName"] == "ab"
    assert stage_of(await docs.explain({"a": 1}, hint=[("$natural", 1)]))["stage"] == "COLLSCAN"


async def test_hints_are_honoured_by_every_command(docs):
    await docs.create_index("s", name="s", sparse=True)
    await docs.insert_many([{"_id": 1}, {"_id": 2, "s": 1}])
    assert await docs.count_documents({}, hint="s") == 1
    assert [each["_id"] for each in await docs.aggregate([{"$match": {}}], hint="s")] == [2]
    assert (await docs.update_many({}, {"$set": {"x": 1}}, hint="s")).matched_count == 1
    assert (await docs.find_one_and_update({}, {"$set": {"y": 1}}, hint="s"))["_id"] == 2
    assert (await docs.delete_many({}, hint="s")).deleted_count == 1
    for attempt in (
        docs.find({}, hint="nothing"),
        docs.count_documents({}, hint="nothing"),
        docs.aggregate([], hint="nothing"),
        docs.update_one({}, {"$set": {"x": 1}}, hint="nothing"),
        docs.delete_one({}, hint="nothing"),
        docs.find_one_and_delete({}, hint="nothing"),
    ):
        assert await code_of(attempt) == 2
    assert await ids(docs, {}) == [1]


async def test_an_index_that_expires_takes_seconds_of_one_field(docs):
    await docs.create_index("at", name="at", expireAfterSeconds=3600)
    await docs.insert_one({"_id": 1, "at": datetime.datetime(2999, 1, 1, tzinfo=datetime.UTC)})
    assert (await docs.index_information())["at"]["expireAfterSeconds"] == 3600
    assert await refused(docs.create_index([("a", 1), ("b", 1)], expireAfterSeconds=5)) == 67
    assert await refused(docs.create_index("at2", expireAfterSeconds=-1)) == 67
    assert await refused(docs.create_index("at", name="at", expireAfterSeconds=5)) == 85
    assert await ids(docs, {}) == [1]


async def test_two_arrays_are_refused_in_one_index_and_one_is_not(docs):
    await docs.create_index([("a", 1), ("b", 1)])
    await docs.insert_many([{"a": [1, 2], "b": 1}, {"a": 1, "b": [1, 2]}])
    assert await refused(docs.insert_one({"a": [1], "b": [2]})) == 171
    assert await refused(docs.update_one({"b": 1}, {"$set": {"b": [1]}})) == 171
    assert await docs.count_documents({}) == 2
