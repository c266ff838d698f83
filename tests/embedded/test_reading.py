"""Finds, cursors, counts and pipelines through the drivers do what MongoDB's do."""

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from tests.embedded.drivers import DRIVERS, listed


@pytest.fixture(params=list(DRIVERS))
def driver(request):
    return request.param


@pytest.fixture
async def hundred(docs):
    await docs.insert_many([{"_id": n, "a": n % 10, "b": {"c": n}, "tags": [n, n + 1]} for n in range(100)])
    return docs


async def test_find_filters_sorts_skips_and_limits(hundred):
    found = await hundred.find({"a": {"$in": [3, 4]}}, sort=[("a", -1), ("_id", 1)], skip=1, limit=3)
    assert [each["_id"] for each in found] == [14, 24, 34]


async def test_a_negative_limit_is_one_batch(hundred):
    assert len(await hundred.find({}, limit=-5)) == 5


async def test_cursors_come_in_batches_of_any_size(hundred):
    for size in (1, 2, 7, 50, 99, 100, 101):
        found = await hundred.find({}, batch_size=size, sort=[("_id", 1)])
        assert [each["_id"] for each in found] == list(range(100))


async def test_a_cursor_without_an_index_or_an_order_gives_all(docs):
    await docs.insert_many([{"_id": n, "a": n % 3} for n in range(1000)])
    assert len(await docs.find({"a": 1})) == 333
    assert len(await docs.find({})) == 1000


async def test_an_unknown_cursor_is_43(db, hundred):
    reply = await db.command({"find": "docs", "batchSize": 2})
    identifier = reply["cursor"]["id"]
    assert identifier != 0
    killed = await db.command({"killCursors": "docs", "cursors": [identifier]})
    assert killed["cursorsKilled"] == [identifier]
    with pytest.raises(OperationFailure) as caught:
        await db.command({"getMore": identifier, "collection": "docs"})
    assert caught.value.code == 43


async def test_a_single_batch_keeps_no_cursor(db, hundred):
    reply = await db.command({"find": "docs", "batchSize": 2, "singleBatch": True})
    assert reply["cursor"]["id"] == 0 and len(reply["cursor"]["firstBatch"]) == 2


async def test_a_batch_size_of_zero_only_opens_the_cursor(db, hundred):
    reply = await db.command({"find": "docs", "batchSize": 0})
    assert reply["cursor"]["firstBatch"] == [] and reply["cursor"]["id"] != 0
    more = await db.command({"getMore": reply["cursor"]["id"], "collection": "docs"})
    assert len(more["cursor"]["nextBatch"]) == 100


@pytest.mark.parametrize(
    "command", [{"listCollections": 1}, {"listIndexes": "docs"}, {"aggregate": "docs", "pipeline": []}]
)
async def test_a_cursor_of_any_command_may_begin_with_an_empty_batch(db, hundred, command):
    reply = await db.command({**command, "cursor": {"batchSize": 0}})
    assert reply["cursor"]["firstBatch"] == [] and reply["cursor"]["id"] != 0
    collection = reply["cursor"]["ns"].removeprefix(f"{db.name}.")
    more = await db.command({"getMore": reply["cursor"]["id"], "collection": collection})
    assert more["cursor"]["nextBatch"] and more["cursor"]["id"] == 0


async def test_a_get_more_with_a_bad_size_leaves_its_cursor(db, hundred):
    reply = await db.command({"find": "docs", "batchSize": 10})
    more = {"getMore": reply["cursor"]["id"], "collection": "docs"}
    with pytest.raises(OperationFailure) as caught:
        await db.command({**more, "batchSize": "x"})
    assert caught.value.code == 14
    assert len((await db.command({**more, "batchSize": 20}))["cursor"]["nextBatch"]) == 20


async def test_large_documents_are_split_into_batches_of_16_mib(docs):
    await docs.insert_many([{"_id": n, "s": "x" * 5_000_000} for n in range(8)])
    assert [each["_id"] for each in await docs.find({}, sort=[("_id", 1)])] == list(range(8))


async def test_what_is_acknowledged_is_read_by_another_connection(db, uri):
    with MongoClient(uri) as other:
        for n in range(30):
            await db["docs"].insert_one({"_id": n})
            assert other[db.name]["docs"].find_one({"_id": n}) == {"_id": n}


async def test_counts_by_index_of_an_array_count_documents(hundred):
    await hundred.create_index("tags", name="tags")
    assert await hundred.count_documents({"tags": {"$gte": 50}}) == 51
    assert await hundred.count_documents({"tags": {"$in": [1, 2, 3]}}) == 4
    assert await hundred.count_documents({"tags": 5}) == 2


async def test_a_pipeline_over_many_documents_comes_in_batches(docs):
    await docs.insert_many([{"_id": n} for n in range(1000)])
    found = await docs.aggregate([{"$project": {"d": {"$multiply": ["$_id", 2]}}}], batchSize=100)
    assert sum(each["d"] for each in found) == 999 * 1000


async def test_a_missing_collection_is_empty(docs):
    assert await docs.find({"a": 1}) == []
    assert await docs.find_one({}) is None
    assert await docs.count_documents({}) == 0
    assert await docs.aggregate([{"$match": {"a": 1}}, {"$group": {"_id": "$a"}}]) == []
    assert await docs.distinct("a") == []
    assert (await docs.delete_many({})).deleted_count == 0
    assert (await docs.update_one({"a": 1}, {"$set": {"a": 1}})).matched_count == 0


async def test_a_time_limit_ends_a_long_read(docs, on_store):
    await docs.insert_many([{"_id": n, "a": n} for n in range(30_000)])
    with pytest.raises(OperationFailure) as caught:
        await listed(docs.raw.find({"$expr": {"$eq": [{"$mod": ["$a", 100_000]}, -1]}}).max_time_ms(1))
    assert caught.value.code == 50
