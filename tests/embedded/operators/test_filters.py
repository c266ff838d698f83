"""Do conditions combine, follow paths, and know types, patterns and arrays as in MongoDB?"""

import datetime
from typing import Any

import pytest
from bson import DBRef, Decimal128, Int64, MinKey, ObjectId, Regex

from embedded.operators.matching import compile_filter

DAY = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
NAN = float("nan")
ID = ObjectId()


def matches(filter: dict[str, Any], document: dict[str, Any]) -> bool:
    return compile_filter(filter)(document)


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({"$and": [{"a": 1}, {"b": 2}]}, True),
        ({"$and": [{"a": 1}, {"b": 3}]}, False),
        ({"$or": [{"a": 9}, {"b": 2}]}, True),
        ({"$or": [{"a": 9}, {"b": 9}]}, False),
        ({"$nor": [{"a": 9}, {"b": 9}]}, True),
        ({"$nor": [{"a": 1}, {"b": 9}]}, False),
        ({"a": {"$not": {"$gt": 5}}}, True),
        ({"a": {"$not": {"$gt": 0}}}, False),
        ({"c": {"$not": {"$gt": 0}}}, True),
        ({"s": {"$not": Regex("^t")}}, False),
        ({"s": {"$not": {"$regex": "^x"}}}, True),
        ({"a": 1, "$comment": "why"}, True),
        ({"a": {"$eq": 1, "$comment": "why"}}, True),
        ({}, True),
    ],
)
def test_conditions_combine(filter: dict[str, Any], expected: bool) -> None:
    assert matches(filter, {"a": 1, "b": 2, "s": "text"}) is expected


@pytest.mark.parametrize(
    ("filter", "document", "expected"),
    [
        ({"a": {"$exists": True}}, {"a": None}, True),
        ({"a": {"$exists": True}}, {}, False),
        ({"a": {"$exists": False}}, {}, True),
        ({"a": {"$exists": 0}}, {"a": 1}, False),
        ({"a": {"$exists": True}}, {"a": []}, True),
        ({"a.b": {"$exists": True}}, {"a": [{}, {"b": 1}]}, True),
        ({"a.0": {"$exists": True}}, {"a": []}, False),
        ({"a.0": {"$exists": True}}, {"a": [None]}, True),
        ({"a.1": 5}, {"a": [1, 5]}, True),
        ({"a.0": 5}, {"a": [1, 5]}, False),
        ({"a.b": 2}, {"a": [{"b": 1}, {"b": 2}]}, True),
        ({"a.b": 2}, {"a": [{"b": [1, 2]}]}, True),
        ({"a.b": 2}, {"a": [[{"b": 2}]]}, False),
        ({"a.0.b": 2}, {"a": [[{"b": 2}]]}, True),
        ({"a.1.b": 2}, {"a": [{"b": 1}, {"b": 2}]}, True),
        ({"a.b": {"$ne": 2}}, {"a": [{"b": 1}, {"b": 2}]}, False),
        ({"a.b": {"$size": 2}}, {"a": [{"b": [1, 2]}]}, True),
        ({"r.$id": 5}, {"r": DBRef("users", 5)}, True),
    ],
)
def test_paths_go_through_documents_arrays_and_positions(filter: Any, document: Any, expected: bool) -> None:
    assert matches(filter, document) is expected


@pytest.mark.parametrize(
    ("wanted", "value", "expected"),
    [
        ("string", "x", True),
        (2, "x", True),
        ("number", 1, True),
        ("number", Decimal128("1"), True),
        ("number", True, False),
        ("bool", True, True),
        ("int", 1, True),
        ("int", Int64(1), False),
        ("long", 2**40, True),
        ("double", 1.0, True),
        ("array", [1], True),
        ("int", [1, "x"], True),
        (["null", "date"], None, True),
        (["null", "date"], DAY, True),
        ("object", {}, True),
        ("objectId", ID, True),
        ("binData", b"", True),
        (-1, MinKey(), True),
        ("undefined", None, False),
    ],
)
def test_type_knows_names_numbers_and_lists(wanted: Any, value: Any, expected: bool) -> None:
    assert matches({"f": {"$type": wanted}}, {"f": value}) is expected
    assert not matches({"f": {"$type": wanted}}, {})


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"$regex": "^ab"}, "abc", True),
        ({"$regex": "^AB"}, "abc", False),
        ({"$regex": "^AB", "$options": "i"}, "abc", True),
        ({"$options": "i", "$regex": "^AB"}, "abc", True),
        ({"$regex": Regex("^AB", "i")}, "abc", True),
        ({"$regex": Regex("^AB"), "$options": "i"}, "abc", True),
        ({"$regex": "^b", "$options": "m"}, "a\nb", True),
        ({"$regex": "a.b", "$options": "s"}, "a\nb", True),
        ({"$regex": "a b # c", "$options": "x"}, "ab", True),
        ({"$regex": r"\Qa.b\E"}, "a.b", True),
        ({"$regex": r"\Qa.b\E"}, "axb", False),
        ({"$regex": r"(?<first>a)"}, "a", True),
        ({"$regex": r"(?<=a)b"}, "ab", True),
        ({"$regex": r"^\w+$"}, "é", False),
        ({"$regex": "É", "$options": "i"}, "é", True),
        ({"$regex": "a"}, ["b", "a"], True),
        ({"$regex": "1"}, 1, False),
        ({"$regex": "a", "$ne": "cat"}, "cat", False),
    ],
)
def test_regular_expressions_search_in_strings(condition: Any, value: Any, expected: bool) -> None:
    assert matches({"f": condition}, {"f": value}) is expected


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"$elemMatch": {"x": 1, "y": 2}}, [{"x": 1, "y": 2}], True),
        ({"$elemMatch": {"x": 1, "y": 2}}, [{"x": 1}, {"y": 2}], False),
        ({"$elemMatch": {"$gt": 1, "$lt": 3}}, [0, 5], False),
        ({"$elemMatch": {"$gt": 1, "$lt": 3}}, [2], True),
        ({"$elemMatch": {"$gt": 1}}, 2, False),
        ({"$elemMatch": {"$ne": 1}}, [1, 2], True),
        ({"$elemMatch": {"$in": [2]}}, [2], True),
        ({"$elemMatch": {"$or": [{"x": 1}, {"y": 1}]}}, [{"y": 1}], True),
        ({"$elemMatch": {}}, [{}], True),
        ({"$elemMatch": {"0": 5}}, [[5]], True),
        ({"$elemMatch": {"$elemMatch": {"$eq": 1}}}, [[1]], True),
        ({"$all": [1, 2]}, [2, 3, 1], True),
        ({"$all": [1, 9]}, [1, 2], False),
        ({"$all": [1]}, 1, True),
        ({"$all": [[1, 2]]}, [1, 2], True),
        ({"$all": []}, [], False),
        ({"$all": [Regex("^a")]}, ["ab"], True),
        ({"$all": [{"$elemMatch": {"x": 1}}, {"$elemMatch": {"x": 2}}]}, [{"x": 1}, {"x": 2}], True),
        ({"$all": [{"$elemMatch": {"x": 1}}, {"$elemMatch": {"x": 3}}]}, [{"x": 1}, {"x": 2}], False),
        ({"$size": 2}, [1, 2], True),
        ({"$size": 0}, [], True),
        ({"$size": 2.0}, [[1, 2]], False),
        ({"$size": 1}, "x", False),
    ],
)
def test_conditions_look_into_arrays(condition: Any, value: Any, expected: bool) -> None:
    assert matches({"f": condition}, {"f": value}) is expected


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"$mod": [4, 0]}, 8, True),
        ({"$mod": [4, 1]}, 8, False),
        ({"$mod": [4, -1]}, -5, True),
        ({"$mod": [4.9, 0.2]}, 8.7, True),
        ({"$mod": [2, 0]}, "8", False),
        ({"$mod": [2, 1]}, 2**53 + 1, True),
        ({"$bitsAllSet": 5}, 7, True),
        ({"$bitsAllSet": [0, 3]}, 7, False),
        ({"$bitsAnySet": [0, 3]}, 7, True),
        ({"$bitsAllClear": 8}, 7, True),
        ({"$bitsAnyClear": 7}, 7, False),
        ({"$bitsAllSet": b"\x05"}, 7, True),
    ],
)
def test_remainders_and_bits_are_those_of_integers(condition: Any, value: Any, expected: bool) -> None:
    assert matches({"f": condition}, {"f": value}) is expected


def test_expr_compares_fields_with_each_other() -> None:
    filter = {"$expr": {"$gt": ["$a", "$b"]}}
    assert matches(filter, {"a": 2, "b": 1})
    assert not matches(filter, {"a": 1, "b": 2})
