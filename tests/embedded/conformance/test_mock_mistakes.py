"""What a mock gets wrong without a word, is it right here?"""

import datetime

from bson import Binary, DBRef, ObjectId
from bson.binary import BinaryVectorDtype

from tests.embedded.conformance.asking import ids, refused, typed


async def test_true_is_not_one(docs):
    await docs.insert_many([{"_id": 1, "v": True}, {"_id": 2, "v": 1}, {"_id": 3, "v": [False]}, {"_id": 4, "v": 0.0}])
    assert await ids(docs, {"v": 1}) == [2] and await ids(docs, {"v": True}) == [1]
    assert await ids(docs, {"v": {"$in": [0]}}) == [4] and await ids(docs, {"v": {"$in": [False]}}) == [3]


async def test_embedded_documents_are_equal_in_the_order_of_their_fields(docs):
    await docs.insert_one({"_id": 1, "v": {"a": 1, "b": {"x": 1, "y": 2}}})
    assert await ids(docs, {"v": {"a": 1, "b": {"x": 1, "y": 2}}}) == [1]
    assert await ids(docs, {"v": {"b": {"x": 1, "y": 2}, "a": 1}}) == []
    assert await ids(docs, {"v": {"a": 1, "b": {"y": 2, "x": 1}}}) == []
    assert await ids(docs, {"v.b": {"x": 1}}) == []


async def test_a_collation_is_refused_rather_than_ignored(docs, on_store):
    await docs.insert_one({"v": "A"})
    german = {"locale": "de", "strength": 1}
    assert await refused(docs.find({"v": "a"}, collation=german)) == 238
    assert await refused(docs.update_one({"v": "a"}, {"$set": {"x": 1}}, collation=german)) == 238
    assert await refused(docs.delete_one({"v": "a"}, collation=german)) == 238
    assert await refused(docs.distinct("v", collation=german)) == 238
    assert await refused(docs.count_documents({"v": "a"}, collation=german)) == 238
    assert await docs.count_documents({"v": "A"}, collation={"locale": "simple"}) == 1


async def test_documents_are_pushed_by_each_and_a_date_is_set_beside_them(docs):
    at = datetime.datetime(2026, 11, 20, 10, 0, 0, 123000, tzinfo=datetime.UTC)
    await docs.insert_one({"_id": 1})
    events = [{"at": at, "n": n} for n in range(3)]
    await docs.update_one({"_id": 1}, {"$push": {"events": {"$each": events, "$slice": -2}}, "$set": {"seen": at}})
    assert await docs.find_one({}) == {"_id": 1, "events": events[1:], "seen": at}


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


async def test_ids_of_another_type_are_others(docs):
    await docs.insert_many([{"_id": 5}, {"_id": "5"}, {"_id": 10}, {"_id": 9}])
    assert await docs.find_one({"_id": "5"}) == {"_id": "5"}
    assert typed((await docs.find_one({"_id": 5.0}))["_id"]) == typed(5)
    assert [each["_id"] for each in await docs.find({}, sort=[("_id", 1)])] == [5, 9, 10, "5"]
    assert await refused(docs.insert_one({"_id": 5.0})) == 11000


async def test_a_duplicate_key_is_told_by_find_one_and_update(docs):
    await docs.create_index("k", unique=True)
    await docs.insert_many([{"_id": 1, "k": 1}, {"_id": 2, "k": 2}])
    assert await refused(docs.find_one_and_update({"_id": 1}, {"$set": {"k": 2}})) == 11000
    assert await refused(docs.find_one_and_replace({"_id": 3}, {"k": 2}, upsert=True)) == 11000
    assert await docs.find({}, sort=[("_id", 1)]) == [{"_id": 1, "k": 1}, {"_id": 2, "k": 2}]


async def test_array_filters_are_not_ignored(docs):
    await docs.insert_one({"_id": 1, "l": [{"n": 1}, {"n": 5}]})
    await docs.update_one({"_id": 1}, {"$set": {"l.$[big].x": 1}}, array_filters=[{"big.n": {"$gt": 3}}])
    assert await docs.find_one({}) == {"_id": 1, "l": [{"n": 1}, {"n": 5, "x": 1}]}
