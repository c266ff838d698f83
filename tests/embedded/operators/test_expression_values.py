"""What is the value of an expression?"""

import datetime
from typing import Any

import pytest
from bson import Decimal128, Int64

from embedded.errors import StoreError
from embedded.operators.expressions import compile_expression
from embedded.operators.values import MISSING

DAY = datetime.datetime(2026, 3, 5, 14, 7, 9, 123000, tzinfo=datetime.UTC)
DOCUMENT = {
    "_id": 1,
    "n": 7,
    "s": "Hello",
    "l": [3, 1, 2],
    "o": {"x": 1, "y": {"z": 2}},
    "docs": [{"a": 1}, {"a": 2, "b": 5}, 9],
    "day": DAY,
    "null": None,
}


def value_of(expression: Any) -> Any:
    return compile_expression(expression)({"ROOT": DOCUMENT, "CURRENT": DOCUMENT})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("$n", 7),
        ("$o.y.z", 2),
        ("$docs.a", [1, 2]),
        ("$docs.b", [5]),
        ("$l.0", []),
        ("$missing", MISSING),
        ("$n.x", MISSING),
        ("$$ROOT", DOCUMENT),
        ("$$ROOT.n", 7),
        ("$$CURRENT.o.x", 1),
        ("$$REMOVE", MISSING),
        ("plain", "plain"),
        (5, 5),
        (None, None),
        (["$n", "$missing"], [7, None]),
        ({"a": "$n", "b": "$missing", "c": {"d": 1}}, {"a": 7, "c": {"d": 1}}),
        ({"$literal": "$n"}, "$n"),
        # arithmetic
        ({"$add": ["$n", 1]}, 8),
        ({"$add": []}, 0),
        ({"$add": ["$n", None]}, None),
        ({"$add": ["$day", 1000]}, DAY + datetime.timedelta(seconds=1)),
        ({"$add": [2**31 - 1, 1]}, Int64(2**31)),
        ({"$add": [2**63 - 1, 1]}, float(2**63)),
        ({"$subtract": ["$n", 0.5]}, 6.5),
        ({"$subtract": ["$day", DAY - datetime.timedelta(seconds=2)]}, 2000),
        ({"$subtract": ["$day", 123]}, DAY - datetime.timedelta(milliseconds=123)),
        ({"$multiply": ["$n", 2, 3]}, 42),
        ({"$divide": ["$n", 2]}, 3.5),
        ({"$divide": [Decimal128("1"), 4]}, Decimal128("0.25")),
        ({"$mod": [-7, 4]}, -3),
        ({"$mod": [7.5, 2]}, 1.5),
        ({"$abs": -3}, 3),
        ({"$ceil": 1.2}, 2.0),
        ({"$floor": -1.2}, -2.0),
        ({"$round": [2.5]}, 2.0),
        ({"$round": [1.255, 1]}, 1.3),
        ({"$round": [1250, -2]}, 1200),
        ({"$trunc": [-1.29, 1]}, -1.2),
        ({"$pow": [2, 10]}, 1024),
        ({"$pow": [2, -1]}, 0.5),
        ({"$pow": [3, 30]}, Int64(3**30)),
        ({"$pow": [3, 40]}, float(3**40)),
        ({"$pow": [10, 400]}, float("inf")),
        ({"$stdDevPop": [1, float("inf")]}, pytest.approx(float("nan"), nan_ok=True)),
        ({"$mod": [Decimal128("7.5"), 2]}, Decimal128("1.5")),
        ({"$sqrt": 9}, 3.0),
        ({"$ln": 1}, 0.0),
        ({"$log10": 100}, 2.0),
        ({"$log": [8, 2]}, 3.0),
        ({"$exp": 0}, 1.0),
        ({"$sum": ["$n", 1, "x"]}, 8),
        ({"$sum": "$l"}, 6),
        ({"$avg": "$l"}, 2.0),
        ({"$max": "$l"}, 3),
        ({"$min": ["$n", 3]}, 3),
        # comparison
        ({"$eq": ["$n", 7.0]}, True),
        ({"$eq": [1, True]}, False),
        ({"$ne": ["$n", 7]}, False),
        ({"$gt": ["x", 5]}, True),
        ({"$lt": ["$missing", None]}, True),
        ({"$gte": ["$n", 7]}, True),
        ({"$lte": ["$n", 6]}, False),
        ({"$cmp": [1, 2]}, -1),
        # choice
        ({"$and": ["$n", 1, "x"]}, True),
        ({"$and": []}, True),
        ({"$and": ["$n", 0]}, False),
        ({"$or": ["$missing", None, 0]}, False),
        ({"$or": [0, ""]}, True),
        ({"$not": ["$missing"]}, True),
        ({"$not": [[]]}, False),
        ({"$cond": [{"$gt": ["$n", 5]}, "big", "small"]}, "big"),
        ({"$cond": {"if": False, "then": 1, "else": "$n"}}, 7),
        ({"$ifNull": ["$missing", "$null", 3]}, 3),
        ({"$switch": {"branches": [{"case": False, "then": 1}, {"case": True, "then": 2}]}}, 2),
        ({"$switch": {"branches": [{"case": False, "then": 1}], "default": 9}}, 9),
        ({"$let": {"vars": {"a": 2}, "in": {"$multiply": ["$$a", "$n"]}}}, 14),
        # strings
        ({"$concat": ["$s", "-", "x"]}, "Hello-x"),
        ({"$concat": ["$s", None]}, None),
        ({"$toLower": "$s"}, "hello"),
        ({"$toUpper": "éa"}, "éA"),
        ({"$toUpper": None}, ""),
        ({"$substrCP": ["$s", 1, 3]}, "ell"),
        ({"$strLenCP": "né"}, 2),
        ({"$split": ["a-b-", "-"]}, ["a", "b", ""]),
        ({"$trim": {"input": " \tx\n "}}, "x"),
        ({"$trim": {"input": "xxaxx", "chars": "x"}}, "a"),
        ({"$ltrim": {"input": " x "}}, "x "),
        ({"$rtrim": {"input": " x "}}, " x"),
        ({"$indexOfCP": ["$s", "l"]}, 2),
        ({"$indexOfCP": ["$s", "l", 3, 4]}, 3),
        ({"$indexOfCP": ["$s", "z"]}, -1),
        ({"$indexOfCP": [None, "z"]}, None),
        ({"$regexMatch": {"input": "$s", "regex": "^h", "options": "i"}}, True),
        ({"$regexMatch": {"input": None, "regex": "a"}}, False),
        ({"$replaceAll": {"input": "aba", "find": "a", "replacement": "c"}}, "cbc"),
        ({"$replaceOne": {"input": "aba", "find": "a", "replacement": "c"}}, "cba"),
        # arrays
        ({"$size": "$l"}, 3),
        ({"$arrayElemAt": ["$l", -1]}, 2),
        ({"$arrayElemAt": ["$l", 5]}, MISSING),
        ({"$arrayElemAt": [None, 5]}, None),
        ({"$first": "$l"}, 3),
        ({"$last": "$l"}, 2),
        ({"$slice": ["$l", 2]}, [3, 1]),
        ({"$slice": ["$l", -2]}, [1, 2]),
        ({"$slice": ["$l", 1, 1]}, [1]),
        ({"$slice": ["$l", -5, 2]}, [3, 1]),
        ({"$in": [2.0, "$l"]}, True),
        ({"$in": [True, "$l"]}, False),
        ({"$concatArrays": ["$l", [4]]}, [3, 1, 2, 4]),
        ({"$isArray": "$l"}, True),
        ({"$isArray": ["$n"]}, False),
        ({"$range": [0, 5, 2]}, [0, 2, 4]),
        ({"$range": [3, 0, -1]}, [3, 2, 1]),
        ({"$reverseArray": "$l"}, [2, 1, 3]),
        ({"$filter": {"input": "$l", "as": "x", "cond": {"$gt": ["$$x", 1]}}}, [3, 2]),
        ({"$filter": {"input": "$l", "cond": {"$gt": ["$$this", 1]}, "limit": 1}}, [3]),
        ({"$map": {"input": "$docs", "as": "d", "in": "$$d.a"}}, [1, 2, None]),
        ({"$reduce": {"input": "$l", "initialValue": 0, "in": {"$add": ["$$value", "$$this"]}}}, 6),
        ({"$map": {"input": None, "in": 1}}, None),
        ({"$setUnion": [[2, 1], [1.0, 3]]}, [1, 2, 3]),
        ({"$setIntersection": [[2, 1], [1, 3]]}, [1]),
        ({"$setDifference": [[2, 1, 2], [1]]}, [2]),
        ({"$setEquals": [[1, 2], [2, 1, 1]]}, True),
        ({"$setIsSubset": [[1], [2, 1]]}, True),
        ({"$anyElementTrue": [[0, 1]]}, True),
        ({"$allElementsTrue": [[0, 1]]}, False),
        # documents
        ({"$mergeObjects": ["$o", {"x": 5}, None]}, {"x": 5, "y": {"z": 2}}),
        ({"$objectToArray": {"a": 1}}, [{"k": "a", "v": 1}]),
        ({"$arrayToObject": [[{"k": "a", "v": 1}]]}, {"a": 1}),
        ({"$arrayToObject": [[["a", 1], ["b", 2]]]}, {"a": 1, "b": 2}),
    ],
)
def test_an_expression_has_this_value(expression: Any, expected: Any) -> None:
    found = value_of(expression)
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, int | float | datetime.datetime)
    assert isinstance(found, bool) == isinstance(expected, bool)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ({"$foo": 1}, 168),
        ({"$add": [1], "$sum": [1]}, 15983),
        ({"$subtract": [1]}, 16020),
        ({"$slice": [1]}, 28667),
        ("$$nope", 17276),
        ("$", 16872),
        ("$a..b", 15998),
        ({"a.b": 1}, 16412),
        ({"a": 1, "$b": 1}, 16410),
        ({"$cond": [1, 2]}, 16020),
        ({"$cond": {"if": 1, "then": 2}}, 17082),
        ({"$switch": {"branches": []}}, 40068),
        ({"$filter": {"input": []}}, 28650),
        ({"$map": {"input": [], "in": 1, "foo": 1}}, 16879),
        ({"$map": {"input": [], "in": 1, "as": "Upper"}}, 9),
        ({"$zip": {}}, 34465),
        ({"$median": {}}, 238),
        ("$$CLUSTER_TIME", 238),
    ],
)
def test_wrong_expressions_are_refused_when_compiled(expression: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        compile_expression(expression)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ({"$add": ["$s", 1]}, 14),
        ({"$add": ["$day", "$day"]}, 16612),
        ({"$add": ["$day", float("inf")]}, 15),
        ({"$subtract": ["$day", float("nan")]}, 15),
        ({"$divide": [1, 0]}, 2),
        ({"$mod": [1, 0]}, 16610),
        ({"$sqrt": -1}, 28714),
        ({"$ln": 0}, 28766),
        ({"$pow": [0, -1]}, 28764),
        ({"$concat": ["$n"]}, 16702),
        ({"$strLenCP": "$missing"}, 34471),
        ({"$substrCP": ["$s", -1, 1]}, 34455),
        ({"$split": ["$s", ""]}, 40087),
        ({"$size": "$n"}, 17124),
        ({"$in": [1, "$n"]}, 40081),
        ({"$arrayElemAt": ["$n", 0]}, 28689),
        ({"$slice": ["$l", 1, 0]}, 28729),
        ({"$range": [0, 5, 0]}, 34449),
        ({"$concatArrays": ["$l", 1]}, 28664),
        ({"$mergeObjects": ["$n"]}, 40400),
        ({"$arrayToObject": [[1]]}, 40392),
        ({"$objectToArray": "$n"}, 40390),
        ({"$switch": {"branches": [{"case": False, "then": 1}]}}, 40066),
        ({"$setUnion": [1]}, 17043),
    ],
)
def test_wrong_values_are_refused_when_evaluated(expression: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        value_of(expression)
    assert raised.value.code == code
