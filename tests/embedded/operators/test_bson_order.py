"""Values compare as MongoDB says."""

import datetime

import pytest
from hypothesis import given

from embedded.operators.values import MISSING, UNDEFINED, compare, equal
from tests.embedded.operators.bson_values import close_values, values


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
