"""The bytes of a key sort as the values do."""

import datetime

import pytest
from bson import Binary, Code, DatetimeMS, DBRef, Decimal128, Int64, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from embedded.operators.values import compare, encode_key, invert_key
from tests.embedded.operators.bson_values import close_values, numbers, values


def order(a: bytes, b: bytes) -> int:
    return (a > b) - (a < b)


@given(values | close_values, values | close_values)
def test_keys_sort_as_the_values_do(a: object, b: object) -> None:
    assert order(encode_key(a), encode_key(b)) == compare(a, b)


@given(numbers, numbers)
def test_keys_of_numbers_sort_exactly_across_their_types(a: object, b: object) -> None:
    assert order(encode_key(a), encode_key(b)) == compare(a, b)


@given(values | close_values, values | close_values)
def test_inverted_keys_sort_the_other_way_round(a: object, b: object) -> None:
    assert order(invert_key(encode_key(a)), invert_key(encode_key(b))) == -compare(a, b)


@given(
    st.lists(st.tuples(close_values | values, close_values | values), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_keys_written_one_after_the_other_sort_as_tuples_do(
    pairs: list[tuple[object, object]], descending: list[bool]
) -> None:
    expected = 0
    left = right = b""
    for (a, b), down in zip(pairs, descending, strict=True):
        expected = expected or (-compare(a, b) if down else compare(a, b))
        left += invert_key(encode_key(a)) if down else encode_key(a)
        right += invert_key(encode_key(b)) if down else encode_key(b)
    assert order(left, right) == expected


@given(values)
def test_inverting_a_key_twice_gives_it_back(value: object) -> None:
    assert invert_key(invert_key(encode_key(value))) == encode_key(value)


@given(close_values | values, close_values | values)
def test_no_key_is_the_beginning_of_another(a: object, b: object) -> None:
    assert encode_key(a) == encode_key(b) or not encode_key(b).startswith(encode_key(a))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (1, Int64(1)),
        (1, Decimal128("1.00")),
        (-0.0, 0),
        (Decimal128("-0"), 0),
        (float("nan"), Decimal128("NaN")),
        (float("inf"), Decimal128("Infinity")),
        (b"ab", Binary(b"ab", 0)),
        (datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)),
        (datetime.datetime(2026, 1, 1), DatetimeMS(1_767_225_600_000)),
        (datetime.datetime(2026, 1, 1, 0, 0, 0, 999), datetime.datetime(2026, 1, 1)),
        (DBRef("users", 5), {"$ref": "users", "$id": 5}),
        ({"a": 1}, {"a": 1.0}),
    ],
)
def test_equal_values_share_a_key(a: object, b: object) -> None:
    assert encode_key(a) == encode_key(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (2**53, 2**53 + 1),
        (float(2**53), 2**53 + 1),
        (2**63 - 1, float(2**63)),
        (-(2**53) - 1, float(-(2**53))),
        (Decimal128("0.1"), 0.1),
        (0, Decimal128("1E-6000")),
        (Decimal128("-1E-6000"), 0),
        (1e308, Decimal128("1E6000")),
        (Decimal128("9E6000"), float("inf")),
        (float("nan"), float("-inf")),
        ("a", "a\x00"),
        ("a\x00b", "a\x01"),
        ("a", Code("a")),
        (1, True),
        (ObjectId("0" * 24), False),
    ],
)
def test_neighbours_keep_their_order(a: object, b: object) -> None:
    assert encode_key(a) < encode_key(b)


def test_a_value_that_bson_lacks_has_no_key() -> None:
    with pytest.raises(TypeError):
        encode_key(object())
