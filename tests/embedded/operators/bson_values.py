"""Hypothesis strategies for the values that BSON decodes to."""

import datetime
import uuid

from bson import Binary, Code, DatetimeMS, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from hypothesis import strategies as st

from embedded.operators.values import UNDEFINED

BORDERS = [0, 1, -1, 2**31, 2**53, 2**53 + 1, 2**53 - 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
names = st.text(alphabet="ab\x01é", max_size=3)
texts = st.text(alphabet="ab\x00\x01\x02é\U0001f600", max_size=4)
integers = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3) | st.sampled_from(BORDERS)
decimals = st.builds(
    lambda digits, exponent: Decimal128(f"{digits}E{exponent}"),
    st.integers(-(10**34) + 1, 10**34 - 1) | st.integers(-20, 20) | st.sampled_from(BORDERS),
    st.integers(-6000, 6000) | st.integers(-3, 3),
) | st.sampled_from([Decimal128("NaN"), Decimal128("Infinity"), Decimal128("-Infinity"), Decimal128("-0")])
numbers = (
    integers
    | integers.map(Int64)
    | st.floats()
    | st.sampled_from(BORDERS).map(float)
    | st.integers(-20, 20).map(lambda value: value / 10)
    | decimals
)
dates = st.datetimes() | st.datetimes(timezones=st.just(datetime.UTC)) | st.integers(-(2**40), 2**40).map(DatetimeMS)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    numbers,
    texts,
    dates,
    st.binary(min_size=12, max_size=12).map(ObjectId),
    st.binary(max_size=3),
    st.binary(max_size=3).map(lambda raw: Binary(raw, 128)),
    st.uuids().map(lambda value: Binary.from_uuid(uuid.UUID(value.hex))),
    st.builds(Timestamp, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)),
    st.builds(Regex, st.text("ab", max_size=2), st.sampled_from(["", "i", "im"])),
    st.builds(Code, st.text("ab", max_size=2)),
    st.sampled_from([MinKey(), MaxKey(), UNDEFINED]),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
close_values = (
    st.sampled_from([None, True, False, "", "a", "a\x00", "a\x01"])
    | st.sampled_from([0, -0.0, 1, 1.0, Int64(1), Decimal128("1.0"), Decimal128("0.1"), 0.1, float("nan")])
    | st.sampled_from([2**53 + 1, float(2**53), Decimal128("9007199254740993"), Decimal128("9007199254740992.5")])
    | st.sampled_from([{}, {"a": 1}, {"a": "x"}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}])
    | st.sampled_from([[], [1], [1, 2], [None], [[]]])
)
"""Values next to each other, so that equality and ties are common."""
