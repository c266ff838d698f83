"""Indexes are made, used, enforced and dropped as MongoDB's are."""

import pytest
from pymongo.errors import DuplicateKeyError, OperationFailure


def examined(explained):
    return explained["executionStats"]["totalDocsExamined"]


def index_used(explained):
    stage = explained["queryPlanner"]["winningPlan"]
    while "inputStage" in stage:
        stage = stage["inputStage"]
    return stage.get("indexName")


def stages(explained):
    found, stage = [], explained["queryPlanner"]["winningPlan"]
    while stage:
        found.append(stage["stage"])
        stage = stage.get("inputStage")
    return found


@pytest.fixture
async def turns(docs):
    await docs.create_index([("session_id", 1), ("message_index", -1)], name="by_session")
    await docs.insert_many(
        [{"_id": n, "session_id": f"s{n % 5}", "message_index": n, "user": {"id": n % 7}} for n in range(500)]
    )
    return docs


async def test_the_newest_of_a_session_reads_no_more_than_it_gives(turns, on_store):
    for direction, expected in ((-1, [497, 492, 487]), (1, [2, 7, 12])):
        query = {"filter": {"session_id": "s2"}, "sort": [("message_index", direction)], "limit": 3}
        assert [each["_id"] for each in await turns.find(**query)] == expected
        explained = await turns.explain(**query)
        assert examined(explained) == 3 and index_used(explained) == "by_session"
        assert "SORT" not in stages(explained)


async def test_a_range_behind_an_equality_is_read_from_the_index(turns):
    query = {"filter": {"session_id": "s2", "message_index": {"$gte": 100, "$lt": 120}}, "sort": [("message_index", 1)]}
    assert [each["_id"] for each in await turns.find(**query)] == [102, 107, 112, 117]
    assert examined(await turns.explain(**query)) == 4


async def test_a_list_of_values_reads_only_those(turns):
    query = {"filter": {"session_id": {"$in": ["s1", "s3", "nothing"]}}}
    assert len(await turns.find(**query)) == 200
    assert examined(await turns.explain(**query)) == 200
    both = {"filter": {"session_id": {"$in": ["s1", "s3"]}}, "sort": [("message_index", -1)], "limit": 3}
    assert [each["_id"] for each in await turns.find(**both)] == [498, 496, 493]
    forwards = {"filter": {"session_id": {"$in": ["s1", "s3"]}}, "sort": [("message_index", 1)], "limit": 3}
    assert [each["_id"] for each in await turns.find(**forwards)] == [1, 3, 6]


async def test_a_list_of_values_is_merged_in_order(turns, on_store):
    query = {"filter": {"session_id": {"$in": ["s1", "s3"]}}, "sort": [("message_index", -1)], "limit": 3}
    explained = await turns.explain(**query)
    assert examined(explained) <= 6 and "SORT" not in stages(explained)


async def test_counting_by_index_looks_at_no_document(db, turns, on_store):
    match = {"session_id": "s1", "message_index": {"$gte": 250}}
    pipeline = [{"$match": match}, {"$group": {"_id": 1, "n": {"$sum": 1}}}]
    explained = await db.command(
        "explain", {"aggregate": "docs", "pipeline": pipeline, "cursor": {}}, verbosity="executionStats"
    )
    assert examined(explained) == 0
    assert stages(explained) == ["COUNT", "COUNT_SCAN"]
    assert await turns.count_documents(match) == 50


async def test_without_an_index_the_collection_is_scanned(turns):
    explained = await turns.explain({"user.id": 3})
    assert stages(explained) == ["COLLSCAN"] and examined(explained) == 500
    await turns.create_index("user.id", name="by_user")
    explained = await turns.explain({"user.id": 3})
    assert index_used(explained) == "by_user" and examined(explained) == 71
    assert len(await turns.find({"user.id": 3})) == 71


async def test_an_index_is_kept_up_by_updates_and_deletes(turns):
    await turns.update_many({"session_id": "s0"}, {"$set": {"session_id": "moved"}})
    await turns.delete_many({"message_index": {"$lt": 100}})
    assert await turns.count_documents({"session_id": "s0"}) == 0
    assert await turns.count_documents({"session_id": "moved"}) == 80
    assert [
        each["_id"] for each in await turns.find({"session_id": "moved"}, sort=[("message_index", 1)], limit=2)
    ] == [100, 105]


async def test_arrays_are_indexed_by_element(docs):
    await docs.create_index([("tags", 1)], name="tags")
    await docs.insert_many(
        [{"_id": 1, "tags": ["a", "b"]}, {"_id": 2, "tags": ["b", "b"]}, {"_id": 3, "tags": []}, {"_id": 4}]
    )
    assert [each["_id"] for each in await docs.find({"tags": "b"})] == [1, 2]
    assert await docs.count_documents({"tags": "b"}) == 2
    assert [each["_id"] for each in await docs.find({"tags": {"$gte": "a"}}, sort=[("_id", 1)])] == [1, 2]
    assert [each["_id"] for each in await docs.find({"tags": None})] == [4]
    await docs.update_one({"_id": 1}, {"$pull": {"tags": "b"}})
    assert [each["_id"] for each in await docs.find({"tags": "b"})] == [2]
    assert (await docs.explain({"tags": "b"}))["queryPlanner"]["winningPlan"]["inputStage"]["isMultiKey"] is True


async def test_two_bounds_on_an_array_may_be_met_by_two_elements(docs):
    await docs.create_index("n", name="n")
    await docs.insert_many([{"_id": 1, "n": [1, 10]}, {"_id": 2, "n": [5]}, {"_id": 3, "n": 20}])
    assert [each["_id"] for each in await docs.find({"n": {"$gt": 4, "$lt": 6}}, sort=[("_id", 1)])] == [1, 2]
    assert await docs.count_documents({"n": {"$gt": 4, "$lt": 6}}) == 2
    assert [each["_id"] for each in await docs.find({"n": {"$elemMatch": {"$gt": 4, "$lt": 6}}})] == [2]


async def test_an_index_has_at_most_32_fields(docs):
    await docs.create_index([(f"f{n}", 1) for n in range(32)], name="most")
    with pytest.raises(OperationFailure) as caught:
        await docs.create_index([(f"f{n}", 1) for n in range(33)], name="more")
    assert caught.value.code == 13103
    await docs.insert_one({"f31": [1, 2]})
    assert await docs.count_documents({"f31": 2}) == 1


async def test_fields_of_one_element_are_indexed_together(docs):
    await docs.create_index([("a.x", 1), ("a.y", -1)], name="xy", unique=True)
    await docs.insert_one({"_id": 1, "a": [{"x": 1, "y": 1}, {"x": 2, "y": 2}]})
    await docs.insert_one({"_id": 2, "a": [{"x": 1, "y": 2}]})
    with pytest.raises(DuplicateKeyError):
        await docs.insert_one({"_id": 3, "a": [{"x": 0, "y": 0}, {"x": 2, "y": 2}]})
    by_two_elements = {"a.x": 1, "a.y": 2}
    for hint in ("xy", [("$natural", 1)]):
        assert sorted(each["_id"] for each in await docs.find(by_two_elements, hint=hint)) == [1, 2]
    assert (await docs.explain(by_two_elements, hint="xy"))["executionStats"]["totalKeysExamined"] == 2


async def test_an_array_with_the_same_value_twice_is_no_duplicate_of_itself(docs):
    await docs.create_index("a", name="a", unique=True)
    await docs.insert_one({"a": [1, 1]})
    with pytest.raises(DuplicateKeyError) as caught:
        await docs.insert_one({"a": [2, 1]})
    assert caught.value.details["keyValue"] == {"a": 1}
    await docs.insert_one({"a": []})
    with pytest.raises(DuplicateKeyError):
        await docs.insert_one({"a": []})


@pytest.mark.parametrize("kind", ["text", "2dsphere", "hashed"])
async def test_other_kinds_of_indexes_are_refused(docs, kind, on_store):
    with pytest.raises(OperationFailure) as caught:
        await docs.create_index([("a", kind)], name="x")
    assert caught.value.code == 238


async def test_many_ids_are_read_in_either_direction_up_to_a_limit(docs):
    await docs.insert_many([{"_id": n} for n in range(300)])
    wanted = {"_id": {"$in": [*range(0, 400, 2), 5, 5]}}
    expected = sorted([*range(0, 300, 2), 5])
    for direction in (1, -1):
        for limit in (0, 3, 70):
            found = await docs.find(wanted, sort=[("_id", direction)], limit=limit)
            assert [each["_id"] for each in found] == expected[::direction][: limit or None]
    assert await docs.count_documents(wanted) == len(expected)
    explained = await docs.explain(wanted)
    assert examined(explained) == len(expected)


async def test_a_refused_document_leaves_no_entry_in_any_index(docs):
    await docs.create_index([("a", 1)], unique=True)
    await docs.create_index([("b", 1)], unique=True)
    await docs.insert_many([{"_id": 1, "a": 1, "b": 1}, {"_id": 2, "a": 2, "b": 2}])
    with pytest.raises(DuplicateKeyError):
        await docs.insert_one({"_id": 3, "a": 3, "b": 1})
    with pytest.raises(DuplicateKeyError):
        await docs.update_one({"_id": 2}, {"$set": {"a": 3, "b": 1}})
    await docs.insert_one({"_id": 3, "a": 3, "b": 3})
    assert await docs.find({"a": 3}) == [{"_id": 3, "a": 3, "b": 3}]
    assert await docs.find({"a": 2, "b": 2}) == [{"_id": 2, "a": 2, "b": 2}]
