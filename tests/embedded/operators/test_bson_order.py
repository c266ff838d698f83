"""Do values compare as MongoDB says?"""

import datetime
import itertools

import pytest
from bson import SON, Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from hypothesis import given

from embedded.operators.values import MISSING, UNDEFINED, compare, equal
from tests.embedded.operators.bson_values import close_values, values

IN_ORDER = [
    MinKey(),
    UNDEFINED,
    None,
    float("nan"),
    -1,
    0,
    "",
    "a",
    {},
    {"a": 1},
    [],
    [1],
    b"",
    b"z",
    b"aa",
    Binary(b"aa", 5),
    ObjectId("0" * 24),
    False,
    True,
    datetime.datetime(1960, 1, 1),
    datetime.datetime(2026, 1, 1),
    Timestamp(1, 1),
    Regex("a"),
    MaxKey(),
]


@pytest.mark.parametrize(("a", "b"), list(itertools.pairwise(IN_ORDER)))
def test_types_come_in_mongodbs_order(a: object, b: object) -> None:
    assert compare(a, b) == -1
    assert compare(b, a) == 1


@pytest.mark.parametrize("one", [1, 1.0, Int64(1), Decimal128("1"), Decimal128("1.000")])
def test_numbers_are_equal_whatever_their_type(one: object) -> None:
    assert equal(1, one)
    assert equal(one, 1)


def test_true_is_not_one() -> None:
    assert not equal(True, 1)
    assert not equal({"a": False}, {"a": 0})


def test_embedded_documents_are_equal_only_with_their_fields_in_the_same_order() -> None:
    assert not equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert equal(SON([("a", 1), ("b", 2)]), {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 0}),
        ({"b": 1}, {"a": "x"}),  # the types of the values come before the names
        ({"a": 1}, {"a": 1, "b": None}),
    ],
)
def test_embedded_documents_compare_field_by_field(smaller: object, larger: object) -> None:
    assert compare(smaller, larger) == -1


def test_a_large_integer_and_a_double_are_compared_exactly() -> None:
    assert compare(2**53 + 1, float(2**53)) == 1
    assert compare(2**63 - 1, float(2**63)) == -1


def test_dates_with_and_without_a_zone_compare_in_utc() -> None:
    east = datetime.timezone(datetime.timedelta(hours=2))
    assert equal(datetime.datetime(2026, 1, 1, 2, tzinfo=east), datetime.datetime(2026, 1, 1))


def test_missing_and_undefined_are_false() -> None:
    assert not MISSING
    assert repr(UNDEFINED) == "UNDEFINED"


@given(values | close_values, values | close_values, values | close_values)
def test_the_order_is_total(a: object, b: object, c: object) -> None:
    assert compare(a, b) == -compare(b, a)
    assert compare(a, a) == 0
    if compare(a, b) <= 0 and compare(b, c) <= 0:
        assert compare(a, c) <= 0


@given(values | close_values, values | close_values)
def test_equal_agrees_with_compare(a: object, b: object) -> None:
    assert equal(a, b) == (compare(a, b) == 0)
