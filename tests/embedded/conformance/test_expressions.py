"""Aggregation expressions: what each gives, and of which type."""

import datetime

from bson import Decimal128, Int64

from tests.embedded.conformance.asking import ABSENT, gives, typed, value_of
from tests.embedded.conformance.one_of_each import DAY, DOCUMENT, NAN, utc


async def test_paths_variables_and_literals(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ("$n", 7),
            ("$o.y.z", 2),
            ("$docs.a", [1, 2]),
            ("$docs.b", [5]),
            ("$l.0", []),
            ("$missing", ABSENT),
            ("$n.x", ABSENT),
            ("$$ROOT.n", 7),
            ("$$CURRENT.o.x", 1),
            ("$$REMOVE", ABSENT),
            ({"$literal": "$n"}, "$n"),
            (["$n", "$missing", 1], [7, None, 1]),
            ({"a": "$n", "b": "$missing", "c": {"d": "$s"}}, {"a": 7, "c": {"d": "Hello"}}),
            ({"$let": {"vars": {"a": 2, "b": "$n"}, "in": {"$add": ["$$a", "$$b"]}}}, 9),
            ({"$let": {"vars": {"o": "$o"}, "in": "$$o.y.z"}}, 2),
            ({"$type": "$$NOW"}, "date"),
            ({"$eq": ["$$NOW", "$$NOW"]}, True),
            ("plain", "plain"),
            ("$$ROOT.o", {"x": 1, "y": {"z": 2}}),
        ],
    )


async def test_arithmetic(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$add": ["$n", 1]}, 8),
            ({"$add": ["$n", 0.5]}, 7.5),
            ({"$add": ["$n", Int64(1)]}, Int64(8)),
            ({"$add": ["$dec", 1]}, Decimal128("2.10")),
            ({"$add": [2**31 - 1, 1]}, Int64(2**31)),
            ({"$add": ["$big", 1]}, float(2**63)),
            ({"$add": ["$n", "$null"]}, None),
            ({"$add": ["$n", "$missing"]}, None),
            ({"$add": ["$day", 1000]}, DAY + datetime.timedelta(seconds=1)),
            ({"$subtract": ["$n", 10]}, -3),
            ({"$subtract": ["$day", utc(2026, 3, 5)]}, Int64(50829123)),
            ({"$subtract": ["$day", 123]}, utc(2026, 3, 5, 14, 7, 9)),
            ({"$multiply": ["$n", 2, 1.5]}, 21.0),
            ({"$multiply": [2**20, 2**20]}, Int64(2**40)),
            ({"$divide": ["$n", 2]}, 3.5),
            ({"$divide": [6, 3]}, 2.0),
            ({"$divide": ["$dec", 2]}, Decimal128("0.55")),
            ({"$mod": [-7, 4]}, -3),
            ({"$mod": [7.5, 2]}, 1.5),
            ({"$mod": [Int64(7), 4]}, Int64(3)),
            ({"$abs": -3}, 3),
            ({"$abs": -(2**31)}, Int64(2**31)),
            ({"$ceil": 1.2}, 2.0),
            ({"$floor": -1.2}, -2.0),
            ({"$ceil": "$n"}, 7),
            ({"$round": [2.5]}, 2.0),
            ({"$round": [3.5]}, 4.0),
            ({"$round": [1.25, 1]}, 1.2),
            ({"$round": [1250, -2]}, 1200),
            ({"$trunc": [-1.29, 1]}, -1.2),
            ({"$trunc": 7.9}, 7.0),
            ({"$pow": [2, 10]}, 1024),
            ({"$pow": [2, -1]}, 0.5),
            ({"$pow": [3, 30]}, Int64(3**30)),
            ({"$sqrt": 9}, 3.0),
            ({"$ln": 1}, 0.0),
            ({"$log10": 100}, 2.0),
            ({"$log": [8, 2]}, 3.0),
            ({"$exp": 0}, 1.0),
            ({"$sin": 0}, 0.0),
            ({"$cos": 0}, 1.0),
            ({"$atan2": [0, 1]}, 0.0),
            ({"$degreesToRadians": 0}, 0.0),
            ({"$radiansToDegrees": None}, None),
            ({"$acos": 1}, 0.0),
            ({"$tanh": 0}, 0.0),
            ({"$sum": ["$n", "x", 1.5]}, 8.5),
            ({"$sum": "$l"}, 6),
            ({"$sum": ["$l", 1]}, 1),
            ({"$avg": "$l"}, 2.0),
            ({"$avg": "$none"}, None),
            ({"$max": "$l"}, 3),
            ({"$min": ["$n", 3, None]}, 3),
            ({"$stdDevPop": [2, 4]}, 1.0),
            ({"$sqrt": "$nan"}, NAN),
            ({"$add": []}, 0),
            ({"$pow": [3, 40]}, float(3**40)),
            ({"$pow": [10, 400]}, float("inf")),
            ({"$round": [1.255, 1]}, 1.3),
            ({"$mod": [Decimal128("7.5"), 2]}, Decimal128("1.5")),
            ({"$stdDevPop": [1, float("inf")]}, NAN),
        ],
    )
    assert 0 <= await value_of(docs, {"$rand": {}}) < 1


async def test_bits(docs, on_store):
    """MongoDB has these from 6.3 on."""
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$bitAnd": ["$n", 3]}, 3),
            ({"$bitOr": [1, Int64(4)]}, Int64(5)),
            ({"$bitXor": ["$n", 1]}, 6),
            ({"$bitNot": "$n"}, -8),
            ({"$bitAnd": ["$null", 3]}, None),
            ({"$bitOr": []}, 0),
        ],
    )


async def test_comparison_and_choice(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$eq": ["$n", 7.0]}, True),
            ({"$eq": [1, True]}, False),
            ({"$eq": ["$missing", None]}, False),
            ({"$lt": ["$missing", None]}, True),
            ({"$gt": ["x", 5]}, True),
            ({"$gt": [[], {}]}, True),
            ({"$gte": [True, "text"]}, True),
            ({"$cmp": [1, 2]}, -1),
            ({"$cmp": ["$nan", 0]}, -1),
            ({"$ne": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}, True),
            ({"$and": []}, True),
            ({"$and": ["$n", "", []]}, True),
            ({"$and": ["$n", "$null"]}, False),
            ({"$or": ["$missing", 0, None]}, False),
            ({"$or": []}, False),
            ({"$not": ["$missing"]}, True),
            ({"$not": [[]]}, False),
            ({"$cond": [{"$gt": ["$n", 5]}, "big", "small"]}, "big"),
            ({"$cond": {"if": "$nan", "then": 1, "else": 2}}, 1),
            ({"$ifNull": ["$missing", "$null", 3]}, 3),
            ({"$ifNull": ["$n", 3]}, 7),
            ({"$gte": ["$n", 7]}, True),
            ({"$lte": ["$n", 6]}, False),
            ({"$or": [0, ""]}, True),
            ({"$switch": {"branches": [{"case": False, "then": 1}, {"case": 1, "then": 2}]}}, 2),
            ({"$switch": {"branches": [{"case": None, "then": 1}], "default": "$n"}}, 7),
        ],
    )


async def test_arrays(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$size": "$l"}, 3),
            ({"$arrayElemAt": ["$l", -1]}, 2),
            ({"$arrayElemAt": ["$l", 5]}, ABSENT),
            ({"$arrayElemAt": ["$null", 0]}, None),
            ({"$first": "$l"}, 3),
            ({"$last": "$l"}, 2),
            ({"$first": "$none"}, ABSENT),
            ({"$firstN": {"input": "$l", "n": 2}}, [3, 1]),
            ({"$lastN": {"input": "$l", "n": 2}}, [1, 2]),
            ({"$minN": {"input": "$l", "n": 2}}, [1, 2]),
            ({"$maxN": {"input": ["$null", 5, "$n"], "n": 5}}, [7, 5]),
            ({"$slice": ["$l", 2]}, [3, 1]),
            ({"$slice": ["$l", -2]}, [1, 2]),
            ({"$slice": ["$l", 1, 5]}, [1, 2]),
            ({"$slice": ["$l", -5, 2]}, [3, 1]),
            ({"$in": [2.0, "$l"]}, True),
            ({"$in": [True, "$l"]}, False),
            ({"$in": [[3], "$nested"]}, True),
            ({"$indexOfArray": ["$l", 2]}, 2),
            ({"$indexOfArray": ["$l", 3, 1]}, -1),
            ({"$indexOfArray": ["$null", 3]}, None),
            ({"$concatArrays": ["$l", [4], "$nested"]}, [3, 1, 2, 4, [1, 2], [3]]),
            ({"$concatArrays": ["$l", "$null"]}, None),
            ({"$isArray": "$l"}, True),
            ({"$isArray": ["$n"]}, False),
            ({"$range": [0, 5, 2]}, [0, 2, 4]),
            ({"$range": [3, 0, -1]}, [3, 2, 1]),
            ({"$range": [0, 0]}, []),
            ({"$reverseArray": "$l"}, [2, 1, 3]),
            ({"$filter": {"input": "$l", "as": "x", "cond": {"$gt": ["$$x", 1]}}}, [3, 2]),
            ({"$filter": {"input": "$l", "cond": {"$gt": ["$$this", 1]}, "limit": 1}}, [3]),
            ({"$map": {"input": "$docs", "as": "d", "in": "$$d.a"}}, [1, 2, None, [3]]),
            ({"$map": {"input": "$missing", "in": 1}}, None),
            ({"$reduce": {"input": "$l", "initialValue": "", "in": {"$concat": ["$$value", "x"]}}}, "xxx"),
            ({"$reduce": {"input": "$null", "initialValue": 0, "in": 1}}, None),
            ({"$zip": {"inputs": ["$l", ["a", "b"]]}}, [[3, "a"], [1, "b"]]),
            (
                {"$zip": {"inputs": ["$l", ["a"]], "useLongestLength": True, "defaults": [0, "z"]}},
                [[3, "a"], [1, "z"], [2, "z"]],
            ),
            ({"$zip": {"inputs": ["$l", "$null"]}}, None),
            ({"$sortArray": {"input": "$l", "sortBy": 1}}, [1, 2, 3]),
            ({"$sortArray": {"input": [1, "a", None], "sortBy": -1}}, ["a", 1, None]),
            ({"$sortArray": {"input": [{"a": 1}, {"a": 2}], "sortBy": {"a": -1}}}, [{"a": 2}, {"a": 1}]),
            ({"$sortArray": {"input": {"$setUnion": [[2, 1], [1, 3]]}, "sortBy": 1}}, [1, 2, 3]),
            ({"$setIntersection": [[2, 1], [1.0, 3]]}, [1]),
            ({"$setDifference": [[2, 1], [1]]}, [2]),
            ({"$setEquals": [[1, 2], [2, 1, 1]]}, True),
            ({"$setIsSubset": [[1], [2, 1]]}, True),
            ({"$anyElementTrue": [[0, 1]]}, True),
            ({"$allElementsTrue": [[0, 1]]}, False),
        ],
    )


async def test_documents(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$mergeObjects": ["$o", {"x": 5}, "$null"]}, {"x": 5, "y": {"z": 2}}),
            ({"$mergeObjects": []}, {}),
            ({"$objectToArray": {"a": 1, "b": "$n"}}, [{"k": "a", "v": 1}, {"k": "b", "v": 7}]),
            ({"$arrayToObject": [[{"k": "a", "v": 1}]]}, {"a": 1}),
            ({"$arrayToObject": [[["a", 1], ["b", 2]]]}, {"a": 1, "b": 2}),
            ({"$objectToArray": "$null"}, None),
            ({"$getField": {"field": "a.b", "input": "$dotted"}}, 1),
            ({"$getField": {"field": {"$literal": "$c"}, "input": "$dotted"}}, 2),
            ({"$getField": "n"}, 7),
            ({"$getField": {"field": "x", "input": "$n"}}, ABSENT),
            ({"$setField": {"field": "a.b", "input": "$dotted", "value": 5}}, {"a.b": 5, "$c": 2}),
            ({"$setField": {"field": "x", "input": "$o", "value": "$$REMOVE"}}, {"y": {"z": 2}}),
            ({"$unsetField": {"field": {"$literal": "$c"}, "input": "$dotted"}}, {"a.b": 1}),
            ({"$setField": {"field": "x", "input": "$null", "value": 1}}, None),
        ],
    )


async def test_expressions_serve_filters_and_projections_of_finds_too(docs):
    await docs.insert_one(DOCUMENT)
    assert await docs.count_documents({"$expr": {"$eq": [{"$size": "$l"}, 3]}}) == 1
    (found,) = await docs.find({}, {"_id": 0, "x": {"$concat": ["$s", "!"]}, "n": 1})
    assert typed(found) == typed({"n": 7, "x": "Hello!"})
