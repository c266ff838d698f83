"""Does a filter select what MongoDB would?"""

import datetime
import re
from typing import Any

import pytest
from bson import Code, DBRef, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp

from embedded.errors import StoreError
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
def test_conditions_on_arrays(condition: Any, value: Any, expected: bool) -> None:
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
def test_remainders_and_bits(condition: Any, value: Any, expected: bool) -> None:
    assert matches({"f": condition}, {"f": value}) is expected


def test_expr_compares_fields_with_each_other() -> None:
    filter = {"$expr": {"$gt": ["$a", "$b"]}}
    assert matches(filter, {"a": 2, "b": 1})
    assert not matches(filter, {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("filter", "code"),
    [
        ({"a": {"$foo": 1}}, 2),
        ({"a": {"$gt": 1, "b": 2}}, 2),
        ({"$foo": 1}, 2),
        ({"a": {"$in": 1}}, 2),
        ({"a": {"$nin": {"x": 1}}}, 2),
        ({"a": {"$in": [{"$gt": 1}]}}, 2),
        ({"$and": {}}, 2),
        ({"$or": []}, 2),
        ({"$nor": [1]}, 2),
        ({"a": {"$not": 1}}, 2),
        ({"a": {"$not": {}}}, 2),
        ({"a": {"$not": {"b": 1}}}, 2),
        ({"a": {"$elemMatch": 1}}, 2),
        ({"a": {"$all": 1}}, 2),
        ({"a": {"$all": [{"$gt": 1}]}}, 2),
        ({"a": {"$all": [{"$elemMatch": {}}, 1]}}, 2),
        ({"a": {"$size": "x"}}, 2),
        ({"a": {"$size": -1}}, 2),
        ({"a": {"$size": 1.5}}, 2),
        ({"a": {"$mod": 1}}, 2),
        ({"a": {"$mod": [1]}}, 2),
        ({"a": {"$mod": [0, 1]}}, 2),
        ({"a": {"$mod": ["x", 1]}}, 2),
        ({"a": {"$type": "foo"}}, 2),
        ({"a": {"$type": 99}}, 2),
        ({"a": {"$type": []}}, 9),
        ({"a": {"$type": {}}}, 14),
        ({"a": {"$regex": 1}}, 2),
        ({"a": {"$regex": "a", "$options": 1}}, 2),
        ({"a": {"$options": "i"}}, 2),
        ({"a": {"$regex": Regex("a", "i"), "$options": "m"}}, 51075),
        ({"a": {"$regex": "a", "$options": "q"}}, 51108),
        ({"a": {"$regex": "("}}, 51091),
        ({"a": {"$ne": Regex("a")}}, 2),
        ({"a": {"$gt": Regex("a")}}, 2),
        ({"a": {"$bitsAllSet": -1}}, 2),
        ({"$expr": {"$foo": 1}}, 168),
    ],
)
def test_malformed_filters_are_refused(filter: dict[str, Any], code: int) -> None:
    with pytest.raises(StoreError) as raised:
        compile_filter(filter)
    assert raised.value.code == code


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(StoreError, match=r"unknown operator: \$foo"):
        compile_filter({"a": {"$foo": 1}})


@pytest.mark.parametrize(
    "filter",
    [
        {"$where": "true"},
        {"$text": {"$search": "x"}},
        {"$jsonSchema": {}},
        {"a": {"$near": [0, 0]}},
        {"a": {"$geoWithin": {}}},
        {"a": {"$regex": "[[:alpha:]]"}},
    ],
)
def test_what_the_store_lacks_is_refused_and_not_ignored(filter: dict[str, Any]) -> None:
    with pytest.raises(StoreError) as raised:
        compile_filter(filter)
    assert raised.value.code == 238
