"""Update operators: what each leaves in a document, and how it is counted."""

import datetime

import pytest
from bson import Decimal128, Int64, ObjectId, Regex, Timestamp

from tests.embedded.conformance.asking import refused, same, typed

LARGEST = 2**63 - 1


async def updated(docs, document, change, filter=None, **options):
    """The document after an update, without its `_id`, and how many were modified."""
    await docs.delete_many({})
    await docs.insert_one({"_id": 1, **document})
    result = await docs.update_one(filter or {"_id": 1}, change, **options)
    left = await docs.find_one({})
    return {name: value for name, value in left.items() if name != "_id"}, result.modified_count


async def become(docs, cases):
    """(document, update, what it becomes): with the same types and fields in the same order."""
    answers = []
    for document, change, expected in cases:
        left, _ = await updated(docs, document, change)
        answers.append(((document, change), [*typed(expected).items()], [*typed(left).items()]))
    same(answers)


async def test_fields_are_set_removed_and_renamed(docs):
    await become(
        docs,
        [
            ({"a": 1}, {"$set": {"b": 2, "a": "x"}}, {"a": "x", "b": 2}),
            ({}, {"$set": {"z": 1, "b.c": 2, "a": 3}}, {"a": 3, "b": {"c": 2}, "z": 1}),
            ({"a": {"b": 1}}, {"$set": {"a.c.d": 2}}, {"a": {"b": 1, "c": {"d": 2}}}),
            ({"a": [1, 2]}, {"$set": {"a.0": 9}}, {"a": [9, 2]}),
            ({"a": [1]}, {"$set": {"a.3": 9}}, {"a": [1, None, None, 9]}),
            ({"a": [{"b": 1}]}, {"$set": {"a.0.b": 2, "a.0.c": 3}}, {"a": [{"b": 2, "c": 3}]}),
            ({}, {"$set": {"a.0": 1}}, {"a": {"0": 1}}),
            ({"a": 1, "b": 2}, {"$unset": {"a": "", "missing": ""}}, {"b": 2}),
            ({"a": {"b": 1, "c": 2}}, {"$unset": {"a.b": 1}}, {"a": {"c": 2}}),
            ({"a": [1, 2, 3]}, {"$unset": {"a.1": 1}}, {"a": [1, None, 3]}),
            ({"a": 5}, {"$unset": {"a.b": 1}}, {"a": 5}),
            ({"a": 1, "b": 2}, {"$rename": {"a": "c"}}, {"b": 2, "c": 1}),
            ({"a": 1, "b": 2}, {"$rename": {"a": "b"}}, {"b": 1}),
            ({"a": {"b": 1}}, {"$rename": {"a.b": "c.d"}}, {"a": {}, "c": {"d": 1}}),
            ({"b": 2}, {"$rename": {"a": "b"}}, {"b": 2}),
            ({"a": 1}, {"$set": {}}, {"a": 1}),
            ({"a": 1}, {"$setOnInsert": {"b": 1}, "$set": {"a": 2}}, {"a": 2}),
            ({"a": 1}, {"$set": {"b": {"x.y": 1, "$z": 2}}}, {"a": 1, "b": {"x.y": 1, "$z": 2}}),
            ({}, {"$set": {"a.b.c": 1}}, {"a": {"b": {"c": 1}}}),
            ({"z": 0}, {"$set": {"c": 1, "z": 1, "a": 1}, "$inc": {"b": 1}}, {"z": 1, "a": 1, "b": 1, "c": 1}),
            ({"n": {}}, {"$set": {"n.10": 1, "n.9": 1}}, {"n": {"9": 1, "10": 1}}),
        ],
    )


async def test_arithmetic_keeps_or_widens_the_type_of_a_number(docs):
    await become(
        docs,
        [
            ({"n": 1}, {"$inc": {"n": 2}}, {"n": 3}),
            ({"n": 1}, {"$inc": {"n": 2.0}}, {"n": 3.0}),
            ({"n": 1}, {"$inc": {"n": Int64(2)}}, {"n": Int64(3)}),
            ({"n": 2**31 - 1}, {"$inc": {"n": 1}}, {"n": Int64(2**31)}),
            ({"n": -(2**31)}, {"$inc": {"n": -1}}, {"n": Int64(-(2**31) - 1)}),
            ({"n": 1.5}, {"$inc": {"n": 1}}, {"n": 2.5}),
            ({"n": 1}, {"$inc": {"n": Decimal128("0.1")}}, {"n": Decimal128("1.1")}),
            ({"n": LARGEST}, {"$inc": {"n": 1.0}}, {"n": float(2**63)}),
            ({}, {"$inc": {"n": Int64(3)}}, {"n": Int64(3)}),
            ({"n": 3}, {"$mul": {"n": 2}}, {"n": 6}),
            ({"n": 2**30}, {"$mul": {"n": 4}}, {"n": Int64(2**32)}),
            ({"n": 3}, {"$mul": {"n": 0.5}}, {"n": 1.5}),
            ({"n": 0.1}, {"$inc": {"n": Decimal128("0.1")}}, {"n": Decimal128("0.2")}),
        ],
    )
    left, _ = await updated(docs, {}, {"$mul": {"a": 2, "b": Int64(2), "c": 2.0, "d": Decimal128("2")}})
    assert typed(left) == typed({"a": 0, "b": Int64(0), "c": 0.0, "d": Decimal128("0")})


async def test_minimum_maximum_and_bits(docs):
    await become(
        docs,
        [
            ({"n": 5}, {"$min": {"n": 3}, "$max": {"m": 1}}, {"n": 3, "m": 1}),
            ({"n": 5}, {"$min": {"n": 7}}, {"n": 5}),
            ({"n": 5}, {"$max": {"n": 7.0}}, {"n": 7.0}),
            ({"n": 5}, {"$max": {"n": "text"}}, {"n": "text"}),
            ({"n": 5}, {"$min": {"n": None}}, {"n": None}),
            ({"n": 5}, {"$max": {"n": 5.0}}, {"n": 5}),
            ({"n": 13}, {"$bit": {"n": {"and": 10}}}, {"n": 8}),
            ({"n": 13}, {"$bit": {"n": {"or": Int64(2)}}}, {"n": Int64(15)}),
            ({"n": 13}, {"$bit": {"n": {"xor": 1}}}, {"n": 12}),
            ({"n": 1}, {"$bit": {"n": {"or": 4, "xor": 1}}}, {"n": 4}),
            ({}, {"$bit": {"n": {"or": 5}}}, {"n": 5}),
        ],
    )


async def test_the_current_date_is_a_date_or_a_timestamp(docs):
    left, _ = await updated(
        docs, {}, {"$currentDate": {"a": True, "b": {"$type": "date"}, "c": {"$type": "timestamp"}}}
    )
    assert isinstance(left["c"], Timestamp)
    for name in ("a", "b"):
        assert abs(datetime.datetime.now(datetime.UTC) - left[name]) < datetime.timedelta(minutes=5)


async def test_arrays_are_pushed_pulled_and_popped(docs):
    await become(
        docs,
        [
            ({"l": [1]}, {"$push": {"l": [2]}}, {"l": [1, [2]]}),
            ({}, {"$push": {"l.m": 1}}, {"l": {"m": [1]}}),
            ({"l": [3]}, {"$push": {"l": {"$each": [1, 2], "$sort": 1, "$slice": 2}}}, {"l": [1, 2]}),
            ({"l": [1]}, {"$push": {"l": {"$each": [2, 3], "$position": 0}}}, {"l": [2, 3, 1]}),
            ({"l": [1, 2]}, {"$push": {"l": {"$each": [9], "$position": -1}}}, {"l": [1, 9, 2]}),
            ({"l": [1, 2]}, {"$push": {"l": {"$each": [], "$slice": -1}}}, {"l": [2]}),
            ({"l": [1, 2]}, {"$push": {"l": {"$each": [3], "$slice": 0}}}, {"l": []}),
            (
                {"l": [{"n": 2}, 5, {"n": 1}]},
                {"$push": {"l": {"$each": [{"n": 3, "m": 1}], "$sort": {"n": -1}}}},
                {"l": [{"n": 3, "m": 1}, {"n": 2}, {"n": 1}, 5]},
            ),
            (
                {"l": [{"n": {"m": 2}}, {"n": {"m": 1}}]},
                {"$push": {"l": {"$each": [], "$sort": {"n.m": 1}}}},
                {"l": [{"n": {"m": 1}}, {"n": {"m": 2}}]},
            ),
            ({"l": [1]}, {"$addToSet": {"l": {"$each": [1.0, 2, 2, "1"]}}}, {"l": [1, 2, "1"]}),
            (
                {"l": [{"a": 1, "b": 2}]},
                {"$addToSet": {"l": {"b": 2, "a": 1}}},
                {"l": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]},
            ),
            ({"l": [1, 2, 1.0, True]}, {"$pull": {"l": 1}}, {"l": [2, True]}),
            ({"l": [1, 5, 9]}, {"$pull": {"l": {"$gte": 5}}}, {"l": [1]}),
            ({"l": [{"a": 1, "b": 2}, {"a": 2}]}, {"$pull": {"l": {"a": 1}}}, {"l": [{"a": 2}]}),
            ({"l": [[1], 1]}, {"$pull": {"l": [1]}}, {"l": [1]}),
            ({"l": [1, 2, 3]}, {"$pullAll": {"l": [1.0, 3]}}, {"l": [2]}),
            ({"l": [1, 2, 3]}, {"$pop": {"l": -1}}, {"l": [2, 3]}),
            ({"l": [1, 2, 3]}, {"$pop": {"l": 1.0}}, {"l": [1, 2]}),
            ({"l": []}, {"$pop": {"l": 1}}, {"l": []}),
            ({}, {"$pull": {"l": 1}, "$pop": {"m": 1}}, {}),
            ({"l": [1, 2]}, {"$push": {"l": {"$each": [9], "$position": 10}}}, {"l": [1, 2, 9]}),
            ({"l": [1, 2]}, {"$push": {"l": {"$each": [9], "$position": -10}}}, {"l": [9, 1, 2]}),
            ({"l": ["b", 1, None]}, {"$push": {"l": {"$each": [True], "$sort": 1}}}, {"l": [None, 1, "b", True]}),
            ({"l": [1]}, {"$addToSet": {"l": [2]}}, {"l": [1, [2]]}),
            ({}, {"$addToSet": {"l": {"$each": []}}}, {"l": []}),
            ({"l": ["ab", "b"]}, {"$pull": {"l": Regex("^a")}}, {"l": ["b"]}),
            ({"l": [{"x": 1}, {"x": 5}, 3]}, {"$pull": {"l": {"x": {"$gt": 2}}}}, {"l": [{"x": 1}, 3]}),
            ({"l": [{"x": 1}, {"x": 5}]}, {"$pull": {"l": {"$or": [{"x": 1}, {"x": 3}]}}}, {"l": [{"x": 5}]}),
            (
                {"l": [{"a": [{"b": 1}]}, {"a": []}]},
                {"$pull": {"l": {"a": {"$elemMatch": {"b": 1}}}}},
                {"l": [{"a": []}]},
            ),
            ({"l": [None, 1]}, {"$pull": {"l": None}}, {"l": [1]}),
            ({"l": [1, True]}, {"$pullAll": {"l": [True]}}, {"l": [1]}),
        ],
    )


@pytest.mark.parametrize(
    ("filter", "change", "expected"),
    [
        ({"l": 2}, {"$set": {"l.$": 9}}, {"l": [1, 9, 3], "r": [{"a": 1}, {"a": 2}], "s": [5, 6]}),
        ({"r.a": 2}, {"$inc": {"r.$.a": 1}}, {"l": [1, 2, 3], "r": [{"a": 1}, {"a": 3}], "s": [5, 6]}),
        ({"r": {"$elemMatch": {"a": {"$gt": 1}}}}, {"$set": {"r.$.b": 1}}, None),
        ({"r.a": 2}, {"$set": {"s.$": 0}}, {"l": [1, 2, 3], "r": [{"a": 1}, {"a": 2}], "s": [5, 0]}),
        ({"$and": [{"l": 3}]}, {"$unset": {"l.$": 1}}, {"l": [1, 2, None], "r": [{"a": 1}, {"a": 2}], "s": [5, 6]}),
        ({"l": {"$in": [7, 3]}}, {"$set": {"l.$": 0}}, {"l": [1, 2, 0], "r": [{"a": 1}, {"a": 2}], "s": [5, 6]}),
        ({"_id": 1}, {"$inc": {"l.$[]": 1}}, {"l": [2, 3, 4], "r": [{"a": 1}, {"a": 2}], "s": [5, 6]}),
        ({"_id": 1}, {"$unset": {"r.$[].a": 1}}, {"l": [1, 2, 3], "r": [{}, {}], "s": [5, 6]}),
    ],
)
async def test_the_positional_operators_name_elements(docs, filter, change, expected):
    document = {"l": [1, 2, 3], "r": [{"a": 1}, {"a": 2}], "s": [5, 6]}
    left, modified = await updated(docs, document, change, filter)
    assert modified == 1
    assert left == (expected or {**document, "r": [{"a": 1}, {"a": 2, "b": 1}]})


@pytest.mark.parametrize(
    ("change", "filters", "expected"),
    [
        ({"$set": {"r.$[x].b": 1}}, [{"x.a": {"$gt": 1}}], [{"a": 1, "g": [1, 2]}, {"a": 2, "g": [3], "b": 1}]),
        ({"$inc": {"r.$[].g.$[n]": 10}}, [{"n": {"$gte": 2}}], [{"a": 1, "g": [1, 12]}, {"a": 2, "g": [13]}]),
        ({"$pull": {"r.$[x].g": 1}}, [{"$or": [{"x.a": 1}, {"x.a": 7}]}], [{"a": 1, "g": [2]}, {"a": 2, "g": [3]}]),
        (
            {"$set": {"r.$[x].a": 7, "r.$[y].a": 8}},
            [{"x.a": 1}, {"y.a": 2}],
            [{"a": 7, "g": [1, 2]}, {"a": 8, "g": [3]}],
        ),
        ({"$set": {"r.$[x].a": 7}}, [{"x.a": 99}], [{"a": 1, "g": [1, 2]}, {"a": 2, "g": [3]}]),
    ],
)
async def test_array_filters_choose_elements(docs, change, filters, expected):
    document = {"r": [{"a": 1, "g": [1, 2]}, {"a": 2, "g": [3]}]}
    left, modified = await updated(docs, document, change, array_filters=filters)
    assert left == {"r": expected} and modified == int(expected != document["r"])
    await docs.replace_one({"_id": 1}, document)
    assert (await docs.update_many({}, change, array_filters=filters)).modified_count == modified
    await docs.replace_one({"_id": 1}, document)
    after = await docs.find_one_and_update({}, change, array_filters=filters, return_document=True)
    assert after == {"_id": 1, "r": expected}


async def test_a_pipeline_updates_by_expressions(docs):
    document = {"a": 1, "l": [1, 2]}
    cases = [
        ([{"$set": {"b": {"$add": ["$a", 1]}}}], {"a": 1, "l": [1, 2], "b": 2}),
        ([{"$unset": "l"}, {"$addFields": {"a": {"$multiply": ["$a", 5]}}}], {"a": 5}),
        ([{"$project": {"n": {"$sum": "$l"}}}], {"n": 3}),
        ([{"$replaceWith": {"x": "$a"}}], {"x": 1}),
        ([{"$set": {"a": "$a"}}], document),
    ]
    for stages, expected in cases:
        left, modified = await updated(docs, document, stages)
        assert (left, modified) == (expected, int(expected != document))
    await docs.update_one({"_id": 9, "k": 1}, [{"$set": {"n": {"$add": ["$k", 1]}}}], upsert=True)
    assert await docs.find_one({"_id": 9}) == {"_id": 9, "k": 1, "n": 2}
    assert await refused(docs.update_one({"_id": 1}, [{"$match": {}}])) == 72
    assert await refused(docs.update_one({"_id": 1}, [{"$set": {"_id": 5}}])) == 66


@pytest.mark.parametrize(
    "change",
    [
        {"$set": {"a": 1}},
        {"$set": {"o.x": 1}},
        {"$unset": {"missing": 1}},
        {"$inc": {"a": 0}},
        {"$min": {"a": 5}},
        {"$addToSet": {"l": 2}},
        {"$pull": {"l": 7}},
        {"$pullAll": {"l": [7]}},
        {"$push": {"l": {"$each": []}}},
        {"$rename": {"missing": "b"}},
        {"$setOnInsert": {"z": 1}},
        {"$bit": {"a": {"or": 1}}},
        {"$pop": {"missing": 1}},
        {},
    ],
)
async def test_what_changes_nothing_is_matched_and_not_modified(docs, change):
    await docs.insert_one({"_id": 1, "a": 1, "o": {"x": 1}, "l": [1, 2]})
    if change:
        result = await docs.update_one({"_id": 1}, change)
    else:
        result = await docs.replace_one({"_id": 1}, {"a": 1, "o": {"x": 1}, "l": [1, 2]})
    assert (result.matched_count, result.modified_count) == (1, 0)


async def test_upserts_begin_with_the_equalities_of_the_filter(docs):
    target = ObjectId()
    cases = [
        ({"a": 1, "b.c": 2}, {"$set": {"d": 3}}, {"a": 1, "b": {"c": 2}, "d": 3}),
        ({"a": {"$eq": 1}, "b": {"$gt": 5}}, {"$inc": {"n": 1}}, {"a": 1, "n": 1}),
        ({"$and": [{"a": 1}, {"b": 2}]}, {"$setOnInsert": {"c": 3}}, {"a": 1, "b": 2, "c": 3}),
        ({"$or": [{"a": 1}, {"b": 2}]}, {"$set": {"c": 3}}, {"c": 3}),
        ({"a": {"$all": [1]}}, {"$push": {"l": 1}}, {"a": 1, "l": [1]}),
        ({"of": target, "a": {"x": 1}}, {"$set": {"b": 1}}, {"a": {"x": 1}, "of": target, "b": 1}),
        ({"a": {"$in": [1]}, "b": {"$in": [1, 2]}}, {"$set": {"x": 1}}, {"a": 1, "x": 1}),
        ({"$or": [{"a": 1}]}, {"$set": {"x": 1}}, {"a": 1, "x": 1}),
        ({"a": Regex("x")}, {"$set": {"x": 1}}, {"x": 1}),
        ({"a": 1}, {"$inc": {"a": 1}}, {"a": 2}),
        ({"v": {"$ne": 2}}, {"$push": {"l": {"$each": [1]}}}, {"l": [1]}),
        ({"a": 1}, {"b": 2}, {"b": 2}),
    ]
    for filter, change, expected in cases:
        await docs.delete_many({})
        if next(iter(change)).startswith("$"):
            result = await docs.update_one(filter, change, upsert=True)
        else:
            result = await docs.replace_one(filter, change, upsert=True)
        assert result.matched_count == 0
        assert await docs.find({}) == [{"_id": result.upserted_id, **expected}]


async def test_a_replacement_may_hold_dots_and_dollars_below(docs):
    await docs.insert_one({"_id": 1, "a": 1})
    await docs.replace_one({"_id": 1}, {"x.y": 1, "o": {"$z": 2}})
    assert await docs.find_one({}) == {"_id": 1, "x.y": 1, "o": {"$z": 2}}
