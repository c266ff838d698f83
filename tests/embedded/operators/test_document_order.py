"""In which order do sorted documents come?"""

from functools import cmp_to_key
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded.errors import StoreError
from embedded.operators.ordering import sort_documents
from embedded.operators.values import UNDEFINED, compare
from tests.embedded.operators.bson_values import close_values, scalars


def ids(documents: list[dict[str, Any]], spec: dict[str, Any]) -> list[Any]:
    return [document["_id"] for document in sort_documents(documents, spec)]


def test_documents_sort_by_several_fields_and_stay_in_place_when_equal() -> None:
    documents = [
        {"_id": 0, "a": 1, "b": 1},
        {"_id": 1, "a": 2},
        {"_id": 2, "a": 1, "b": 2},
        {"_id": 3, "a": 1, "b": 1.0},
    ]
    assert ids(documents, {"a": 1, "b": -1}) == [2, 0, 3, 1]
    assert ids(documents, {"a": -1}) == [1, 0, 2, 3]
    assert ids(documents, {}) == [0, 1, 2, 3]


def test_an_array_counts_as_its_smallest_or_largest_element() -> None:
    documents = [{"_id": 0, "a": [1, 9]}, {"_id": 1, "a": 5}, {"_id": 2, "a": [4, 6]}]
    assert ids(documents, {"a": 1}) == [0, 2, 1]
    assert ids(documents, {"a": -1}) == [0, 2, 1]


def test_empty_arrays_come_before_null_and_missing() -> None:
    documents = [{"_id": 0, "a": None}, {"_id": 1}, {"_id": 2, "a": []}, {"_id": 3, "a": 0}]
    assert ids(documents, {"a": 1}) == [2, 0, 1, 3]
    assert ids(documents, {"a": -1}) == [3, 0, 1, 2]


def test_integers_do_not_sort_as_text() -> None:
    assert ids([{"_id": 10}, {"_id": 9}, {"_id": "5"}, {"_id": 100}], {"_id": 1}) == [9, 10, 100, "5"]


def test_dotted_paths_are_followed() -> None:
    documents = [{"_id": 0, "a": {"b": 2}}, {"_id": 1, "a": [{"b": 1}, {"b": 3}]}]
    assert ids(documents, {"a.b": 1}) == [1, 0]
    assert ids(documents, {"a.b": -1}) == [1, 0]


single_values = (scalars | close_values).filter(lambda value: value is not UNDEFINED and not isinstance(value, list))


@given(
    st.lists(st.tuples(single_values, single_values), max_size=6), st.sampled_from([1, -1]), st.sampled_from([1, -1])
)
def test_sorting_agrees_with_comparing(pairs: list[tuple[Any, Any]], first: int, second: int) -> None:
    def order(a: dict[str, Any], b: dict[str, Any]) -> int:
        return first * compare(a["x"], b["x"]) or second * compare(a["y"], b["y"])

    documents = [{"_id": place, "x": x, "y": y} for place, (x, y) in enumerate(pairs)]
    expected = [document["_id"] for document in sorted(documents, key=cmp_to_key(order))]
    assert ids(documents, {"x": first, "y": second}) == expected


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"a": 2}, 15975),
        ({"a": 0}, 15975),
        ({"a": "x"}, 15974),
        ({"a": {"$meta": "textScore"}}, 238),
        ({"a": {"b": 1}}, 17312),
        ({"a..b": 1}, 15998),
        ({"$a": 1}, 16410),
    ],
)
def test_wrong_sorts_are_refused(spec: dict[str, Any], code: int) -> None:
    with pytest.raises(StoreError) as raised:
        sort_documents([], spec)
    assert raised.value.code == code
