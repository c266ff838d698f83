"""Dotted paths: the values that an index holds, and those that filters look at."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded.operators.paths import walk
from embedded.operators.values import MISSING, UNDEFINED, encode_key, index_values, lookup, values_at


@pytest.mark.parametrize(
    ("document", "path", "expected"),
    [
        ({"a": 1}, "a", [1]),
        ({}, "a", [None]),
        ({"a": None}, "a", [None]),
        ({"a": [1, 2]}, "a", [1, 2]),
        ({"a": []}, "a", [UNDEFINED]),
        ({"a": [[1, 2], 3]}, "a", [[1, 2], 3]),
        ({"a": {"b": 1}}, "a.b", [1]),
        ({"a": 5}, "a.b", [None]),
        ({"a": [{"b": 1}, {"b": 2}]}, "a.b", [1, 2]),
        ({"a": [{"b": [1, 2]}, {"b": 3}]}, "a.b", [1, 2, 3]),
        ({"a": [{"b": 1}, {}]}, "a.b", [1, None]),
        ({"a": [{"b": 1}, 7]}, "a.b", [1, None]),
        ({"a": []}, "a.b", [None]),
        ({"a": [{"b": []}]}, "a.b", [UNDEFINED]),
        ({"a": [5, 6]}, "a.1", [6]),
        ({"a": [5, 6]}, "a.2", [None, None]),
        ({"a": [{"b": 1}, {"b": 2}]}, "a.1.b", [2]),
        ({"a": {"0": 7}}, "a.0", [7]),
        ({"a": [{"0": 7}]}, "a.0", [{"0": 7}, 7]),
    ],
)
def test_arrays_fan_out_and_missing_counts_as_null(document: Any, path: str, expected: list[Any]) -> None:
    assert values_at(document, path) == expected
    assert index_values(document, path).values == expected


@pytest.mark.parametrize(
    ("document", "path", "absent", "multikey"),
    [
        ({"a": 1}, "a", False, False),
        ({"a": None}, "a", False, False),
        ({}, "a", True, False),
        ({"a": []}, "a", False, True),
        ({"a": [1]}, "a", False, True),
        ({"a": [{"b": 1}, {}]}, "a.b", False, True),
        ({"a": [{}]}, "a.b", True, True),
        ({"a": {"b": 1}}, "a.b", False, False),
        ({"a": {}}, "a.b", True, False),
    ],
)
def test_an_index_knows_absent_paths_and_arrays(document: Any, path: str, absent: bool, multikey: bool) -> None:
    found = index_values(document, path)
    assert (found.absent, found.multikey) == (absent, multikey)


def test_lookup_enters_documents_but_not_arrays() -> None:
    assert lookup({"a": {"b": 1}}, "a.b") == 1
    assert lookup({"a": [{"b": 1}]}, "a.b") is MISSING
    assert lookup({"a": 1}, "a.b") is MISSING


@pytest.mark.parametrize(
    ("document", "path", "expected"),
    [
        ({"a": [1, 2]}, "a", [1, 2, [1, 2]]),
        ({"a": [{"b": 1}, {}, 3]}, "a.b", [1, MISSING]),
        ({"a": []}, "a.b", []),
        ({"a": [5, [2, 4], 3]}, "a.1", [[2, 4]]),
        ({"a": [5, {"1": 4}]}, "a.1", [4, {"1": 4}]),
        ({"a": [[{"b": 1}]]}, "a.0.b", [1]),
        ({"a": [[{"b": 1}]]}, "a.b", []),
    ],
)
def test_a_filter_looks_at_elements_and_then_the_array(document: Any, path: str, expected: list[Any]) -> None:
    assert list(walk(document, path.split("."))) == expected


leaves = st.none() | st.integers(0, 2) | st.just("x")
nested = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
)


@given(st.dictionaries(st.sampled_from("ab"), nested, max_size=2), st.sampled_from(["a", "a.b", "a.b.a", "b.a"]))
def test_an_index_holds_every_value_that_a_filter_can_find(document: dict[str, Any], path: str) -> None:
    held = {encode_key(value) for value in values_at(document, path)}
    for value in walk(document, path.split(".")):
        if not isinstance(value, list):
            assert encode_key(None if value is MISSING else value) in held
