"""What comes out of each stage of a pipeline, and what groups make of their values."""

import pytest
from bson import Decimal128, Int64

from tests.embedded.conformance.asking import refused, same, typed

ROWS = [
    {"_id": 1, "k": "a", "n": 1, "l": [1, 2]},
    {"_id": 2, "k": "b", "n": 2.5, "l": []},
    {"_id": 3, "k": "a", "n": Int64(3)},
    {"_id": 4, "k": None, "n": "x", "l": 5},
    {"_id": 5, "n": 4, "l": [[6], None]},
]


@pytest.fixture
async def rows(docs):
    await docs.insert_many(ROWS)
    return docs


async def grouped(docs, accumulator, key="$k"):
    """The values of a group's field by the group's key."""
    found = await docs.aggregate([{"$sort": {"_id": 1}}, {"$group": {"_id": key, "r": accumulator}}])
    return {each["_id"]: each["r"] for each in found}


async def test_groups_fall_together_as_values_are_equal(docs):
    await docs.insert_many([{"k": value} for value in (1, 1.0, Int64(1), Decimal128("1"), True, "1", None)] + [{}])
    found = await docs.aggregate([{"$group": {"_id": "$k", "n": {"$sum": 1}}}])
    assert sorted((str(each["_id"]), each["n"]) for each in found) == [("1", 1), ("1", 4), ("None", 2), ("True", 1)]


async def test_groups_by_documents_keep_missing_apart_from_null(docs):
    await docs.insert_many([{"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": None}])
    found = await docs.aggregate([{"$group": {"_id": {"a": "$a", "b": "$b"}, "n": {"$sum": 1}}}])
    keys = {repr(each["_id"]): each["n"] for each in found}
    assert keys == {repr({"a": 1, "b": 2}): 2, repr({"a": 1}): 1, repr({"a": 1, "b": None}): 1}


@pytest.mark.parametrize(
    ("accumulator", "a", "b", "none"),
    [
        ({"$sum": "$n"}, Int64(4), 2.5, 4),
        ({"$sum": 1}, 2, 1, 2),
        ({"$avg": "$n"}, 2.0, 2.5, 4.0),
        ({"$min": "$n"}, 1, 2.5, 4),
        ({"$max": "$n"}, Int64(3), 2.5, "x"),
        ({"$first": "$l"}, [1, 2], [], 5),
        ({"$last": "$l"}, None, [], [[6], None]),
        ({"$push": "$l"}, [[1, 2]], [[]], [5, [[6], None]]),
        ({"$push": {"n": "$n", "l": "$l"}}, [{"n": 1, "l": [1, 2]}, {"n": Int64(3)}], [{"n": 2.5, "l": []}], None),
        ({"$count": {}}, 2, 1, 2),
        ({"$stdDevPop": "$n"}, 1.0, 0.0, 0.0),
        ({"$stdDevSamp": "$n"}, 2**0.5, None, None),
        ({"$firstN": {"input": "$n", "n": 1}}, [1], [2.5], ["x"]),
        ({"$lastN": {"input": "$l", "n": 2}}, [[1, 2], None], [[]], [5, [[6], None]]),
        ({"$minN": {"input": "$n", "n": 2}}, [1, Int64(3)], [2.5], [4, "x"]),
        ({"$maxN": {"input": "$n", "n": 1}}, [Int64(3)], [2.5], ["x"]),
        ({"$top": {"output": "$_id", "sortBy": {"n": -1}}}, 3, 2, 4),
        ({"$bottom": {"output": ["$_id", "$l"], "sortBy": {"n": -1}}}, [1, [1, 2]], [2, []], [5, [[6], None]]),
        ({"$topN": {"output": "$_id", "sortBy": {"_id": -1}, "n": 5}}, [3, 1], [2], [5, 4]),
        ({"$bottomN": {"output": "$n", "sortBy": {"_id": 1}, "n": 1}}, [Int64(3)], [2.5], [4]),
    ],
)
async def test_accumulators(rows, accumulator, a, b, none):
    found = await grouped(rows, accumulator)
    if none is None and "$push" in accumulator:
        none = [{"n": "x", "l": 5}, {"n": 4, "l": [[6], None]}]
    assert typed(found["a"]) == typed(a)
    assert typed(found["b"]) == typed(b)
    assert typed(found[None]) == typed(none)


async def test_sets_and_merged_documents(docs):
    await docs.insert_many(
        [{"v": 1, "o": {"a": 1}}, {"v": 1.0, "o": {"b": 2}}, {"v": True, "o": None}, {"o": {"a": 3}}]
    )
    (found,) = await docs.aggregate(
        [{"$group": {"_id": None, "set": {"$addToSet": "$v"}, "merged": {"$mergeObjects": "$o"}}}]
    )
    assert sorted(map(str, found["set"])) in (["1", "True"], ["1.0", "True"])
    assert found["merged"] == {"a": 3, "b": 2}


async def test_sums_of_whole_numbers_widen(docs):
    await docs.insert_many([{"v": 2**31 - 1, "w": Int64(2**63 - 1)}, {"v": 1, "w": Int64(1)}])
    (found,) = await docs.aggregate([{"$group": {"_id": None, "v": {"$sum": "$v"}, "w": {"$sum": "$w"}}}])
    assert typed(found["v"]) == typed(Int64(2**31))
    assert typed(found["w"]) == typed(float(2**63))


async def test_how_many_a_group_gives_may_hang_on_its_key(rows):
    count = {"$cond": {"if": {"$eq": ["$k", "a"]}, "then": 2, "else": 1}}
    found = await rows.aggregate(
        [{"$group": {"_id": {"k": "$k"}, "r": {"$lastN": {"input": "$_id", "n": count}}}}, {"$sort": {"_id": 1}}]
    )
    assert [len(each["r"]) for each in found if each["_id"].get("k")] == [2, 1]


async def test_stages_choose_shape_and_multiply(rows):
    first = {"$match": {"_id": 1}}
    cases = [
        ([{"$match": {"k": "a", "n": {"$gt": 1}}}, {"$project": {"_id": 1}}], [{"_id": 3}]),
        ([first, {"$project": {"_id": 0, "n": 1, "twice": {"$multiply": ["$n", 2]}}}], [{"n": 1, "twice": 2}]),
        ([first, {"$project": {"l": 0, "n": 0}}], [{"_id": 1, "k": "a"}]),
        ([first, {"$project": {"o.k": "$k", "o.n": "$n"}}], [{"_id": 1, "o": {"k": "a", "n": 1}}]),
        ([first, {"$project": {"_id": "$k"}}], [{"_id": "a"}]),
        ([first, {"$project": {"pair": ["$n", "$missing"], "_id": 0}}], [{"pair": [1, None]}]),
        ([first, {"$addFields": {"l": {"$sum": "$l"}, "o.x": "$n"}}], [{**ROWS[0], "l": 3, "o": {"x": 1}}]),
        ([first, {"$addFields": {"o": {"x": "$n"}}}, {"$project": {"o": 1}}], [{"_id": 1, "o": {"x": 1}}]),
        ([first, {"$addFields": {"l.x": "$n"}}, {"$project": {"l": 1}}], [{"_id": 1, "l": [{"x": 1}, {"x": 1}]}]),
        ([{"$group": {"_id": "$_id"}}, {"$sort": {"_id": 1}}, {"$skip": 1}, {"$limit": 2}], [{"_id": 2}, {"_id": 3}]),
        ([first, {"$set": {"k": "$$REMOVE", "n": "$missing"}}], [{"_id": 1, "l": [1, 2]}]),
        ([first, {"$unset": ["l", "n"]}], [{"_id": 1, "k": "a"}]),
        (
            [{"$sort": {"k": -1, "_id": 1}}, {"$limit": 2}, {"$project": {"k": 1}}],
            [{"_id": 2, "k": "b"}, {"_id": 1, "k": "a"}],
        ),
        ([{"$sort": {"_id": 1}}, {"$skip": 4}, {"$project": {"n": 1}}], [{"_id": 5, "n": 4}]),
        ([{"$match": {"_id": 99}}, {"$count": "n"}], []),
        ([{"$count": "n"}], [{"n": 5}]),
        (
            [{"$match": {"k": {"$ne": None}}}, {"$sortByCount": "$k"}],
            [{"_id": "a", "count": 2}, {"_id": "b", "count": 1}],
        ),
        ([first, {"$replaceRoot": {"newRoot": {"$mergeObjects": [{"z": 0}, {"n": "$n"}]}}}], [{"z": 0, "n": 1}]),
        ([first, {"$replaceWith": {"all": "$$ROOT.l"}}], [{"all": [1, 2]}]),
        ([{"$sample": {"size": 20}}, {"$count": "n"}], [{"n": 5}]),
        ([{"$sample": {"size": 2}}, {"$group": {"_id": None, "n": {"$sum": 1}}}], [{"_id": None, "n": 2}]),
        (
            [{"$facet": {"n": [{"$count": "n"}], "none": [{"$match": {"_id": 9}}], "all": []}}, {"$unset": "all"}],
            [{"n": [{"n": 5}], "none": []}],
        ),
        ([{"$group": {"_id": None}}], [{"_id": None}]),
        ([{"$match": {"$expr": {"$eq": ["$_id", "$n"]}}}, {"$project": {"_id": 1}}, {"$sort": {"_id": 1}}], None),
    ]
    cases[-1] = (cases[-1][0], [{"_id": 1}, {"_id": 3}])
    same([(stages, expected, await rows.aggregate(stages)) for stages, expected in cases])


async def test_unwinding_drops_what_has_no_elements_unless_told_otherwise(rows):
    by_id = {"$sort": {"_id": 1}}
    found = await rows.aggregate([by_id, {"$unwind": "$l"}])
    assert [(each["_id"], each["l"]) for each in found] == [(1, 1), (1, 2), (4, 5), (5, [6]), (5, None)]
    kept = {"path": "$l", "preserveNullAndEmptyArrays": True, "includeArrayIndex": "at"}
    found = await rows.aggregate([by_id, {"$unwind": kept}])
    assert [(each["_id"], each.get("l", "none"), each["at"]) for each in found] == [
        (1, 1, 0),
        (1, 2, 1),
        (2, "none", None),
        (3, "none", None),
        (4, 5, None),
        (5, [6], 0),
        (5, None, 1),
    ]
    assert type(found[0]["at"]) is Int64


async def test_lookups_join_equal_values_and_null_with_missing(db, docs):
    foreign = [{"_id": 1, "f": 1}, {"_id": 2, "f": [1, 2]}, {"_id": 3, "f": None}, {"_id": 4}, {"_id": 5, "f": "1"}]
    await db["other"].insert_many(foreign)
    local = [1, 1.0, [2, "1"], None, [], "MISSING", {"x": 1}, [[1, 2]], True]
    await docs.insert_many([{"_id": n} if v == "MISSING" else {"_id": n, "v": v} for n, v in enumerate(local)])
    join = {"$lookup": {"from": "other", "localField": "v", "foreignField": "f", "as": "j"}}
    found = await docs.aggregate([{"$sort": {"_id": 1}}, join])
    joined = [sorted(each["_id"] for each in row["j"]) for row in found]
    assert joined == [[1, 2], [1, 2], [2, 5], [3, 4], [3, 4], [3, 4], [], [2], []]


async def test_lookups_follow_paths_through_arrays(db, docs):
    await db["other"].insert_many([{"_id": 1, "r": [{"f": 1}, {"f": 2}]}, {"_id": 2, "r": {"f": 3}}])
    await docs.insert_one({"_id": 1, "items": [{"of": 2}, {"of": 3}, {}], "none": []})
    join = {"from": "other", "localField": "items.of", "foreignField": "r.f", "as": "o.found"}
    (found,) = await docs.aggregate([{"$lookup": join}, {"$project": {"o.found._id": 1}}])
    assert sorted(each["_id"] for each in found["o"]["found"]) == [1, 2]
    join = {"from": "nowhere", "localField": "items.of", "foreignField": "f", "as": "found"}
    (found,) = await docs.aggregate([{"$lookup": join}, {"$project": {"found": 1}}])
    assert found == {"_id": 1, "found": []}


async def test_a_facet_of_more_than_16_mib_is_refused(docs, on_store):
    await docs.insert_many([{"_id": n, "s": "x" * 6_000_000} for n in range(3)])
    assert await refused(docs.aggregate([{"$facet": {"all": [{"$match": {}}]}}])) == 10334
