"""Malformed filters, projections and sorts: the codes with which they are refused."""

import pytest
from bson import Regex
from pymongo.errors import OperationFailure

from tests.embedded.conformance.asking import code_of, refused, same

FILTERS = [
    ({"a": {"$nonsense": 1}}, 2),
    ({"$nonsense": 1}, 2),
    ({"a": {"$gt": 1, "b": 2}}, 2),
    ({"a": {"$in": 1}}, 2),
    ({"a": {"$nin": {"b": 1}}}, 2),
    ({"a": {"$in": [{"$gt": 1}]}}, 2),
    ({"a": {"$all": 1}}, 2),
    ({"a": {"$all": [{"$elemMatch": {"b": 1}}, 5]}}, 2),
    ({"a": {"$size": "x"}}, 2),
    ({"a": {"$size": -1}}, 2),
    ({"a": {"$size": 1.5}}, 2),
    ({"a": {"$not": 5}}, 2),
    ({"a": {"$not": {}}}, 2),
    ({"a": {"$elemMatch": 5}}, 2),
    ({"a": {"$gt": Regex("x")}}, 2),
    ({"a": {"$ne": Regex("x")}}, 2),
    ({"a": {"$mod": 5}}, 2),
    ({"a": {"$mod": [5]}}, 2),
    ({"a": {"$mod": [5, 1, 1]}}, 2),
    ({"a": {"$mod": [0, 1]}}, 2),
    ({"a": {"$mod": ["x", 1]}}, 2),
    ({"a": {"$type": "text"}}, 2),
    ({"a": {"$type": 99}}, 2),
    ({"a": {"$type": True}}, 14),
    ({"a": {"$type": []}}, 9),
    ({"a": {"$bitsAllSet": "x"}}, 2),
    ({"a": {"$bitsAllSet": -1}}, 9),
    ({"a": {"$bitsAllSet": 1.5}}, 9),
    ({"a": {"$bitsAllSet": [-1]}}, 2),
    ({"a": {"$regex": 5}}, 2),
    ({"a": {"$options": "i"}}, 2),
    ({"a": {"$regex": "x", "$options": 5}}, 2),
    ({"a": {"$regex": "(", "$options": ""}}, 51091),
    ({"a": {"$regex": "x" * 16_385}}, 51091),
    ({"a": {"$in": [Regex("é" * 8_193)]}}, 51091),
    ({"a": {"$regex": "x", "$options": "q"}}, 51108),
    ({"a": {"$regex": Regex("x", "i"), "$options": "m"}}, 51075),
    ({"a": {"$regex": "x\0y"}}, 2),
    ({"$or": []}, 2),
    ({"$and": {}}, 2),
    ({"$nor": [5]}, 2),
    ({"$expr": {"$nonsense": 1}}, 168),
    ({"$expr": "$$nobody"}, 17276),
    ({"a": {"$not": {"b": 1}}}, 2),
    ({"a": {"$all": [{"$gt": 1}]}}, 2),
    ({"a": {"$type": {}}}, 14),
    ({"a": {"$bitsAllSet": [2**53]}}, 2),
]
PROJECTIONS = [
    ({"a": 1, "b": 0}, 31254),
    ({"a": 0, "b": 1}, 31253),
    ({"a": 1, "a.b": 1}, 31249),
    ({"a": {}}, 51270),
    ({"a.$": 1, "b.$": 1}, 31276),
    ({"a": {"$elemMatch": 1}}, 31274),
    ({"a.b": {"$elemMatch": {}}}, 31275),
    ({"a": {"$nonsense": 1}}, 168),
    ({"a": 0, "x": "$b"}, 31310),
    ({"a.b": 1, "a": 1}, 31249),
    ({"a": {"$meta": "textScore"}}, 238),
    ({"a..b": 1}, 15998),
    ({"a.": 1}, 40353),
    ({"$a": 1}, 16410),
    ({"a": {"$slice": [1, 0]}}, 28729),
]
SORTS = [
    ({"a": 2}, 15975),
    ({"a": 0}, 15975),
    ({"a": "up"}, 15974),
    ({"a": {"$meta": "textScore"}}, 238),
    ({"a": {"b": 1}}, 17312),
    ({"a..b": 1}, 15998),
    ({"$a": 1}, 16410),
    ({"$natural": 1, "a": 1}, 2),
]


@pytest.mark.parametrize("there", [False, True])
async def test_malformed_filters_are_refused_even_where_there_is_nothing_to_filter(docs, there):
    if there:
        await docs.insert_one({"a": 1})
    same([(filter, code, await code_of(docs.find(filter))) for filter, code in FILTERS])
    same([(filter, code, await code_of(docs.count_documents(filter))) for filter, code in FILTERS[:5]])
    same([(filter, code, await code_of(docs.delete_many(filter))) for filter, code in FILTERS[:5]])
    same([(filter, code, await code_of(docs.update_many(filter, {"$set": {"b": 1}}))) for filter, code in FILTERS[:5]])
    same([(filter, code, await code_of(docs.find_one_and_delete(filter))) for filter, code in FILTERS[:5]])


async def test_an_unknown_operator_is_named(docs):
    with pytest.raises(OperationFailure, match=r"unknown operator: \$nonsense"):
        await docs.find({"a": {"$nonsense": 1}})


async def test_malformed_projections_and_sorts_are_refused(docs, db):
    await docs.insert_one({"a": [1]})
    same([(each, code, await code_of(docs.find({"a": 1}, each))) for each, code in PROJECTIONS])
    same([(each, code, await code_of(db.command({"find": "docs", "sort": each}))) for each, code in SORTS])


async def test_a_positional_projection_needs_a_condition_on_its_array(docs):
    await docs.insert_one({"a": [1, 2], "b": 1})
    assert await code_of(docs.find({"b": 1}, {"a.$": 1})) == 51246


async def test_two_arrays_are_no_order(docs):
    await docs.insert_many([{"a": [1, 2], "b": [3]}, {"a": 1, "b": [1]}])
    assert await code_of(docs.find({}, sort=[("a", 1), ("b", 1)])) == 2
    assert await code_of(docs.aggregate([{"$sort": {"a": 1, "b": -1}}])) == 2


async def test_what_only_other_servers_have_is_refused_and_not_ignored(docs, on_store):
    await docs.insert_one({"a": "x"})
    for filter in (
        {"$text": {"$search": "x"}},
        {"$where": "true"},
        {"$jsonSchema": {}},
        {"a": {"$near": [0, 0]}},
        {"a": {"$geoWithin": {"$center": [[0, 0], 1]}}},
        {"a": {"$regex": "[[:alpha:]]"}},
        {"a": {"$regex": r"\p{L}"}},
    ):
        assert await code_of(docs.find(filter)) == 238, filter


async def test_a_collation_is_refused_rather_than_ignored(docs, on_store):
    await docs.insert_one({"v": "A"})
    german = {"locale": "de", "strength": 1}
    assert await refused(docs.find({"v": "a"}, collation=german)) == 238
    assert await refused(docs.update_one({"v": "a"}, {"$set": {"x": 1}}, collation=german)) == 238
    assert await refused(docs.delete_one({"v": "a"}, collation=german)) == 238
    assert await refused(docs.distinct("v", collation=german)) == 238
    assert await refused(docs.count_documents({"v": "a"}, collation=german)) == 238
    assert await docs.count_documents({"v": "A"}, collation={"locale": "simple"}) == 1
