"""Which values are equal to the one asked for, greater, or one of several?"""

import datetime
import re
from typing import Any

import pytest
from bson import Code, DBRef, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp

from embedded.operators.matching import compile_filter

DAY = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
NAN = float("nan")
ID = ObjectId()


def matches(filter: dict[str, Any], document: dict[str, Any]) -> bool:
    return compile_filter(filter)(document)


@pytest.mark.parametrize(
    ("operand", "value"),
    [
        (1, 1.0),
        (1, Int64(1)),
        (1.0, 1),
        (1, Decimal128("1")),
        (Decimal128("1"), 1),
        ("x", "x"),
        (True, True),
        (None, None),
        (ID, ID),
        (DAY, DAY.replace(tzinfo=None)),
        (NAN, NAN),
        (1, [3, 1]),
        ([3, 1], [3, 1]),
        ([3, 1], [[3, 1], 2]),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2.0}),
        ({"a": 1}, [{"a": 1}]),
        ({}, {}),
        ([], []),
        (b"x", b"x"),
        (DBRef("users", 5), DBRef("users", 5)),
        (Regex("a"), "cat"),
        (Regex("^A", "i"), "apple"),
        (Regex("a"), ["dog", "cat"]),
        (Regex("a"), Regex("a")),
        (re.compile("a"), "cat"),
    ],
)
def test_a_value_selects_equal_ones_also_in_arrays(operand: Any, value: Any) -> None:
    assert matches({"f": operand}, {"f": value})


@pytest.mark.parametrize(
    ("operand", "value"),
    [
        (1, True),
        (True, 1),
        (False, 0),
        (0, False),
        (0, None),
        (1, "1"),
        ("5", 5),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ([1, 2], [2, 1]),
        ([1], [True]),
        (None, 0),
        (None, []),
        (2**53 + 1, float(2**53)),
        ("a", Code("a")),
        (Regex("a"), "dog"),
        (Regex("a"), 1),
        (b"x", "x"),
    ],
)
def test_a_value_does_not_select_merely_similar_ones(operand: Any, value: Any) -> None:
    assert not matches({"f": operand}, {"f": value})
    assert not matches({"f": {"$in": [operand]}}, {"f": value})


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, True),
        ({"a": None}, True),
        ({"a": {}}, True),
        ({"a": 4}, True),
        ({"a": {"b": None}}, True),
        ({"a": {"b": 1}}, False),
        ({"a": [{"b": 1}, {}]}, True),
        ({"a": [{"b": 1}]}, False),
        ({"a": []}, False),
        ({"a": [1, "x"]}, False),
    ],
)
def test_null_also_selects_a_missing_field(document: dict[str, Any], expected: bool) -> None:
    assert matches({"a.b": None}, document) is expected
    assert matches({"a.b": {"$eq": None}}, document) is expected
    assert matches({"a.b": {"$in": [None, "q"]}}, document) is expected
    assert matches({"a.b": {"$ne": None}}, document) is not expected


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"$gt": 1}, 2, True),
        ({"$gt": 1}, 1, False),
        ({"$gte": 1}, 1.0, True),
        ({"$lt": 1}, 0.5, True),
        ({"$lte": 1}, Decimal128("1"), True),
        ({"$gt": 1}, "2", False),
        ({"$lt": "b"}, "a", True),
        ({"$lt": "b"}, 1, False),
        ({"$gt": 0}, True, False),
        ({"$gt": False}, True, True),
        ({"$gt": 1}, [0, 2], True),
        ({"$gt": [1, 2]}, [1, 3], True),
        ({"$gt": {"a": 1}}, {"a": 2}, True),
        ({"$gte": None}, None, True),
        ({"$gte": None}, 5, False),
        ({"$gt": None}, None, False),
        ({"$gt": DAY}, DAY + datetime.timedelta(milliseconds=1), True),
        ({"$gt": DAY}, Timestamp(2**31, 1), False),
        ({"$lt": 5}, NAN, False),
        ({"$lte": NAN}, NAN, True),
        ({"$gte": NAN}, 5, False),
        ({"$lt": ID}, ObjectId("0" * 24), True),
        ({"$gt": MinKey()}, 1, True),
        ({"$lt": MaxKey()}, "x", True),
        ({"$gt": 2**53}, 2**53 + 1, True),
        ({"$gt": 1, "$lt": 3}, [0, 5], True),
        ({"$ne": 1}, [1, 2], False),
        ({"$ne": 1}, True, True),
        ({"$eq": Regex("a")}, "cat", False),
        ({"$eq": Regex("a")}, Regex("a"), True),
    ],
)
def test_comparisons_stay_within_a_type(condition: dict[str, Any], value: Any, expected: bool) -> None:
    assert matches({"f": condition}, {"f": value}) is expected


def test_greater_or_equal_null_selects_a_missing_field() -> None:
    assert matches({"f": {"$gte": None}}, {})
    assert not matches({"f": {"$gt": None}}, {})


@pytest.mark.parametrize(
    ("operands", "value", "expected"),
    [
        ([1, "x"], "x", True),
        ([1, "x"], 1.0, True),
        ([1, "x"], True, False),
        ([1, 2], [5, 2], True),
        ([[5, 2]], [5, 2], True),
        ([Regex("^a")], "abc", True),
        ([Regex("^a"), 5], ["b", "ax"], True),
        ([re.compile("^a")], "bc", False),
        ([{"a": 1}], {"a": 1}, True),
        ([], 1, False),
    ],
)
def test_in_selects_one_of_several(operands: list[Any], value: Any, expected: bool) -> None:
    assert matches({"f": {"$in": operands}}, {"f": value}) is expected
    assert matches({"f": {"$nin": operands}}, {"f": value}) is not expected
