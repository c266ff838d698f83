"""Projections and sorts: the fields that a find gives, and the order of its documents."""

import datetime

from bson import Binary, Decimal128, MaxKey, MinKey, ObjectId, Regex, Timestamp

from tests.embedded.conformance.asking import same

DOCUMENT = {
    "_id": 1,
    "a": 1,
    "b": {"c": 2, "d": {"e": 3}},
    "l": [{"x": 1, "y": 1}, {"x": 2, "y": 2}, 7, [{"x": 3, "z": 1}]],
    "n": [1, 2, 3, 4],
}


async def test_projections_include_exclude_cut_and_compute(docs):
    await docs.insert_one(DOCUMENT)
    cases = [
        ({"a": 1}, {"_id": 1, "a": 1}),
        ({"a": True, "_id": 0}, {"a": 1}),
        ({"a": 2.5}, {"_id": 1, "a": 1}),
        ({"_id": 1}, {"_id": 1}),
        ({"_id": 0, "l": 0, "n": 0}, {"a": 1, "b": {"c": 2, "d": {"e": 3}}}),
        ({"b.c": 1}, {"_id": 1, "b": {"c": 2}}),
        ({"b.d.e": 1, "_id": 0}, {"b": {"d": {"e": 3}}}),
        ({"b": {"d": 1}, "_id": 0}, {"b": {"d": {"e": 3}}}),
        ({"b.d": 0, "l": 0, "n": 0}, {"_id": 1, "a": 1, "b": {"c": 2}}),
        ({"a.x": 1, "_id": 0}, {}),
        ({"l.x": 1, "_id": 0}, {"l": [{"x": 1}, {"x": 2}, [{"x": 3}]]}),
        (
            {"l.x": 0, "_id": 0, "a": 0, "b": 0, "n": 0},
            {"l": [{"y": 1}, {"y": 2}, 7, [{"z": 1}]]},
        ),
        ({"missing": 1}, {"_id": 1}),
        ({"n": {"$slice": 2}, "_id": 0, "a": 1}, {"a": 1, "n": [1, 2]}),
        ({"n": {"$slice": -1}, "a": 1}, {"_id": 1, "a": 1, "n": [4]}),
        ({"n": {"$slice": [1, 2]}, "a": 1}, {"_id": 1, "a": 1, "n": [2, 3]}),
        ({"n": {"$slice": [-3, 2]}, "a": 1}, {"_id": 1, "a": 1, "n": [2, 3]}),
        ({"n": {"$slice": [9, 2]}, "a": 1}, {"_id": 1, "a": 1, "n": []}),
        ({"n": {"$slice": 1}, "b": 0, "l": 0}, {"_id": 1, "a": 1, "n": [1]}),
        ({"n": {"$slice": 1}}, {**DOCUMENT, "n": [1]}),
        ({"a": {"$slice": 1}, "n": 0, "l": 0, "b": 0}, {"_id": 1, "a": 1}),
        ({"l": {"$elemMatch": {"x": 2}}}, {"_id": 1, "l": [{"x": 2, "y": 2}]}),
        ({"n": {"$elemMatch": {"$gt": 2}}}, {"_id": 1, "n": [3]}),
        ({"n": {"$elemMatch": {"$gt": 9}}, "a": 1}, {"_id": 1, "a": 1}),
        ({"s": {"$add": ["$a", "$b.c"]}, "_id": 0}, {"s": 3}),
        ({"a": "$b.d.e"}, {"_id": 1, "a": 3}),
        ({"_id": "$a", "x": {"$literal": 1}}, {"_id": 1, "x": 1}),
    ]
    same([(each, [expected], await docs.find({}, each)) for each, expected in cases])


async def test_the_positional_operator_gives_the_first_element_that_matched(docs):
    await docs.insert_one(DOCUMENT)
    cases = [
        ({"n": {"$gte": 3}}, {"n.$": 1}, {"_id": 1, "n": [3]}),
        ({"n": {"$elemMatch": {"$gt": 1, "$lt": 4}}}, {"n.$": 1}, {"_id": 1, "n": [2]}),
        ({"l.x": 2}, {"l.$": 1}, {"_id": 1, "l": [{"x": 2, "y": 2}]}),
        ({"l": {"$elemMatch": {"y": 2}}}, {"l.$": 1, "a": 1}, {"_id": 1, "a": 1, "l": [{"x": 2, "y": 2}]}),
    ]
    same([(filter, [expected], await docs.find(filter, each)) for filter, each, expected in cases])


async def test_every_type_has_its_place_in_an_order(docs):
    values = [
        MinKey(),
        [],
        None,
        float("nan"),
        -5,
        Decimal128("0.5"),
        2**40,
        "",
        "B",
        "a",
        "é",
        {},
        {"a": 1},
        {"a": 1, "b": 1},
        {"b": 1},
        {"a": "x"},
        b"zz",
        Binary(b"zz", 128),
        b"aaa",
        ObjectId("000000000000000000000001"),
        False,
        True,
        datetime.datetime(1901, 1, 1, tzinfo=datetime.UTC),
        datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        Timestamp(1, 1),
        Regex("a"),
        MaxKey(),
    ]
    await docs.insert_many([{"_id": n, "v": value} for n, value in reversed(list(enumerate(values)))])
    order = list(range(len(values)))
    for _ in range(2):
        assert [each["_id"] for each in await docs.find({}, sort=[("v", 1)])] == order
        assert [each["_id"] for each in await docs.find({}, sort=[("v", -1)])] == order[::-1]
        assert [
            each["_id"] for each in await docs.aggregate([{"$sort": {"v": 1}}, {"$match": {"_id": {"$gte": 0}}}])
        ] == order
        await docs.create_index("v")


async def test_whole_numbers_as_ids_sort_by_value(docs):
    await docs.insert_many([{"_id": n} for n in (10, 9, 100, 1, 2)])
    assert [each["_id"] for each in await docs.find({}, sort=[("_id", 1)])] == [1, 2, 9, 10, 100]


async def test_an_array_sorts_by_its_smallest_or_largest_element(docs):
    await docs.insert_many(
        [{"_id": 1, "a": [5, 1]}, {"_id": 2, "a": [3]}, {"_id": 3}, {"_id": 4, "a": []}, {"_id": 5, "a": [4, 2]}]
    )
    for _ in range(2):
        assert [each["_id"] for each in await docs.find({}, sort=[("a", 1)])] == [4, 3, 1, 5, 2]
        assert [each["_id"] for each in await docs.find({}, sort=[("a", -1)])] == [1, 5, 2, 3, 4]
        await docs.create_index("a")


async def test_two_paths_into_one_array_sort_by_one_of_its_elements(docs):
    await docs.insert_many(
        [
            {"_id": 1, "r": [{"x": 1, "y": 9}, {"x": 2, "y": 0}]},
            {"_id": 2, "r": [{"x": 1, "y": 5}]},
            {"_id": 3, "r": {"x": 1, "y": 7}},
        ]
    )
    order = [("r.x", 1), ("r.y", 1)]
    assert [each["_id"] for each in await docs.find({}, sort=order)] == [2, 3, 1]
    assert [each["_id"] for each in await docs.aggregate([{"$sort": {"r.x": 1, "r.y": 1}}])] == [2, 3, 1]


async def test_the_natural_order_has_two_directions(docs):
    await docs.insert_many([{"_id": n} for n in (3, 1, 2)])
    assert [each["_id"] for each in await docs.find({}, sort=[("$natural", 1)])] == [3, 1, 2]
    assert [each["_id"] for each in await docs.find({}, sort=[("$natural", -1)], limit=2)] == [2, 1]
    assert [each["_id"] for each in await docs.find({"_id": {"$gt": 1}}, hint=[("$natural", -1)])] == [2, 3]
