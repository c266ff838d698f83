"""What do updates of arrays give, and is the document they came from left alone?"""

import contextlib
import copy
from typing import Any

import pytest
from bson import DBRef, ObjectId, Regex
from hypothesis import given
from hypothesis import strategies as st

from embedded.errors import StoreError
from embedded.operators.updating import apply_update

ID = ObjectId()


@pytest.mark.parametrize(
    ("array", "operand", "expected"),
    [
        ([1], 2, [1, 2]),
        ([1], [2, 3], [1, [2, 3]]),
        ([1], {"$each": [2, 3]}, [1, 2, 3]),
        ([1], {"$each": []}, [1]),
        ([1, 2, 3], {"$each": [4], "$slice": -2}, [3, 4]),
        ([1, 2, 3], {"$each": [4], "$slice": 2}, [1, 2]),
        ([1, 2, 3], {"$each": [4], "$slice": 0}, []),
        ([1, 2], {"$each": [9], "$position": 0}, [9, 1, 2]),
        ([1, 2], {"$each": [9], "$position": -1}, [1, 9, 2]),
        ([1, 2], {"$each": [9], "$position": 10}, [1, 2, 9]),
        ([1, 2], {"$each": [9], "$position": -10}, [9, 1, 2]),
        ([3, 1], {"$each": [2], "$sort": 1}, [1, 2, 3]),
        ([3, 1], {"$each": [2], "$sort": -1, "$slice": 2}, [3, 2]),
        ([{"n": 2}, {"n": 1}], {"$each": [{"n": 3}], "$sort": {"n": -1}}, [{"n": 3}, {"n": 2}, {"n": 1}]),
        (
            [{"n": 1, "m": 1}],
            {"$each": [{"n": 1, "m": 0}, {"n": 0}], "$sort": {"n": 1, "m": 1}},
            [{"n": 0}, {"n": 1, "m": 0}, {"n": 1, "m": 1}],
        ),
        (["b", 1, None], {"$each": [True], "$sort": 1}, [None, 1, "b", True]),
    ],
)
def test_push_adds_then_sorts_then_slices(array: list[Any], operand: Any, expected: list[Any]) -> None:
    assert apply_update({"l": array}, {"$push": {"l": operand}}, filter={}) == {"l": expected}


@pytest.mark.parametrize(
    ("array", "operand", "expected"),
    [
        ([1], 1.0, [1]),
        ([1], True, [1, True]),
        ([{"a": 1, "b": 2}], {"b": 2, "a": 1}, [{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
        ([{"a": 1}], {"a": 1}, [{"a": 1}]),
        ([1], {"$each": [1, 2, 2]}, [1, 2]),
        ([1], [2], [1, [2]]),
    ],
)
def test_add_to_set_adds_only_what_is_not_there(array: list[Any], operand: Any, expected: list[Any]) -> None:
    result = apply_update({"l": array}, {"$addToSet": {"l": operand}}, filter={})["l"]
    assert [(type(item), item) for item in result] == [(type(item), item) for item in expected]


@pytest.mark.parametrize(
    ("array", "operand", "expected"),
    [
        ([1, 2, 1.0], 1, [2]),
        ([1, True], 1, [True]),
        ([1, 5, 9], {"$gte": 5}, [1]),
        ([1, 5, 9], {"$in": [1, 9]}, [5]),
        ([1, 5], {"$ne": 5}, [5]),
        (["ab", "b"], Regex("^a"), ["b"]),
        ([{"x": 1, "y": 2}, {"x": 2}], {"x": 1}, [{"x": 2}]),
        ([{"x": 1}, {"x": 5}, 3], {"x": {"$gt": 2}}, [{"x": 1}, 3]),
        ([{"x": 1}, {"x": 5}, {"x": 3}], {"$or": [{"x": 1}, {"x": 3}]}, [{"x": 5}]),
        ([{"a": [{"b": 1}]}, {"a": []}], {"a": {"$elemMatch": {"b": 1}}}, [{"a": []}]),
        ([[1, 2], [2, 1], 1], [1, 2], [[2, 1], 1]),
        ([ID, "x"], ID, ["x"]),
        ([DBRef("u", 1), DBRef("u", 2)], DBRef("u", 1), [DBRef("u", 2)]),
        ([None, 1], None, [1]),
    ],
)
def test_pull_removes_what_meets_its_condition(array: list[Any], operand: Any, expected: list[Any]) -> None:
    assert apply_update({"l": array}, {"$pull": {"l": operand}}, filter={})["l"] == expected


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"$pullAll": {"l": [1, 3.0]}}, [2]),
        ({"$pullAll": {"l": [True]}}, [1, 2, 3]),
        ({"$pop": {"l": 1}}, [1, 2]),
        ({"$pop": {"l": -1}}, [2, 3]),
    ],
)
def test_pull_all_removes_values_and_pop_an_end(update: dict[str, Any], expected: list[int]) -> None:
    assert apply_update({"l": [1, 2, 3]}, update, filter={}) == {"l": expected}


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"$push": {"l": 1}}, {"l": [1]}),
        ({"$push": {"a.l": {"$each": [1]}}}, {"a": {"l": [1]}}),
        ({"$addToSet": {"l": 1}}, {"l": [1]}),
        ({"$addToSet": {"l": {"$each": []}}}, {"l": []}),
        ({"$pull": {"l": 1}}, {}),
        ({"$pullAll": {"l": [1]}}, {}),
        ({"$pop": {"l": 1}}, {}),
    ],
)
def test_a_missing_array_is_made_by_additions_alone(update: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply_update({}, update, filter={}) == expected


@pytest.mark.parametrize(
    ("update", "code"),
    [
        ({"$push": {"n": 1}}, 2),
        ({"$addToSet": {"n": 1}}, 2),
        ({"$pull": {"n": 1}}, 2),
        ({"$pullAll": {"n": [1]}}, 2),
        ({"$pop": {"n": 1}}, 14),
        ({"$pop": {"l": 2}}, 9),
        ({"$pop": {"l": "x"}}, 9),
        ({"$pullAll": {"l": 1}}, 2),
        ({"$pull": {"l": {"$foo": 1}}}, 2),
        ({"$push": {"l": {"$each": 1}}}, 2),
        ({"$push": {"l": {"$each": [1], "$foo": 1}}}, 2),
        ({"$push": {"l": {"$each": [1], "$slice": "x"}}}, 2),
        ({"$push": {"l": {"$each": [1], "$position": 1.5}}}, 2),
        ({"$push": {"l": {"$each": [1], "$sort": 2}}}, 2),
        ({"$push": {"l": {"$each": [1], "$sort": {"a": "x"}}}}, 2),
        ({"$addToSet": {"l": {"$each": {"a": 1}}}}, 2),
        ({"$addToSet": {"l": {"$each": [1], "$slice": 1}}}, 2),
    ],
)
def test_wrong_operands_and_targets_are_refused(update: dict[str, Any], code: int) -> None:
    with pytest.raises(StoreError) as raised:
        apply_update({"_id": 1, "n": 5, "l": [1]}, update, filter={})
    assert raised.value.code == code


fields = st.sampled_from(["a", "b", "a.b", "a.0", "b.a.1", "c"])
values = st.recursive(
    st.integers(0, 3) | st.none() | st.text("xy", max_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
operators = st.sampled_from(
    ["$set", "$unset", "$inc", "$mul", "$min", "$max", "$push", "$addToSet", "$pull", "$pop", "$rename"]
)


@given(
    st.dictionaries(st.sampled_from("abc"), values, max_size=3),
    st.dictionaries(operators, st.dictionaries(fields, values | st.just(1) | st.just("d"), max_size=2), min_size=1),
)
def test_an_update_never_changes_the_document_it_came_from(document: dict[str, Any], update: dict[str, Any]) -> None:
    before, asked = copy.deepcopy(document), copy.deepcopy(update)
    with contextlib.suppress(StoreError):
        apply_update(document, update, filter={})
    assert document == before
    assert update == asked
