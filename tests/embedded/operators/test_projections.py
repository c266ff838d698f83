"""Which fields does a projection keep?"""

import copy
from typing import Any

import pytest

from embedded.errors import StoreError
from embedded.operators.projecting import compile_projection, compile_stage

DOCUMENT = {"_id": 1, "a": 1, "b": {"c": 2, "d": 3}, "l": [{"x": 1, "y": 1}, {"x": 2, "y": 2}, 7], "n": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (None, DOCUMENT),
        ({}, DOCUMENT),
        ({"a": 1}, {"_id": 1, "a": 1}),
        ({"a": True, "_id": 0}, {"a": 1}),
        ({"_id": 1}, {"_id": 1}),
        ({"_id": 0}, {key: value for key, value in DOCUMENT.items() if key != "_id"}),
        ({"_id": 0, "l": 0, "n": 0}, {"a": 1, "b": {"c": 2, "d": 3}}),
        ({"_id": 1, "l": 0, "n": 0, "b": 0}, {"_id": 1, "a": 1}),
        ({"b.c": 1}, {"_id": 1, "b": {"c": 2}}),
        ({"b": {"c": 1}}, {"_id": 1, "b": {"c": 2}}),
        ({"b.c": 0, "l": 0, "n": 0}, {"_id": 1, "a": 1, "b": {"d": 3}}),
        ({"a.x": 1}, {"_id": 1}),
        ({"a.x": 0, "b": 0, "l": 0, "n": 0}, {"_id": 1, "a": 1}),
        ({"l.x": 1}, {"_id": 1, "l": [{"x": 1}, {"x": 2}]}),
        ({"l.x": 0, "a": 0, "b": 0, "n": 0}, {"_id": 1, "l": [{"y": 1}, {"y": 2}, 7]}),
        ({"n": 1, "a": 1}, {"_id": 1, "a": 1, "n": [1, 2, 3, 4]}),
        ({"missing": 1}, {"_id": 1}),
        ({"n": {"$slice": 2}, "a": 1}, {"_id": 1, "a": 1, "n": [1, 2]}),
        ({"n": {"$slice": -1}, "a": 0, "b": 0, "l": 0}, {"_id": 1, "n": [4]}),
        ({"n": {"$slice": [1, 2]}, "a": 1}, {"_id": 1, "a": 1, "n": [2, 3]}),
        ({"n": {"$slice": [-3, 2]}, "a": 1}, {"_id": 1, "a": 1, "n": [2, 3]}),
        ({"n": {"$slice": 1}}, {**DOCUMENT, "n": [1]}),
        ({"n": {"$slice": 1}, "_id": 0}, {"a": 1, "b": {"c": 2, "d": 3}, "l": DOCUMENT["l"], "n": [1]}),
        ({"l": {"$elemMatch": {"x": 2}}}, {"_id": 1, "l": [{"x": 2, "y": 2}]}),
        ({"n": {"$elemMatch": {"$gt": 2}}}, {"_id": 1, "n": [3]}),
        ({"l": {"$elemMatch": {"x": 9}}, "a": 1}, {"_id": 1, "a": 1}),
        ({"sum": {"$add": ["$a", "$b.c"]}}, {"_id": 1, "sum": 3}),
        ({"a": 1, "copy": "$b.d"}, {"_id": 1, "a": 1, "copy": 3}),
        ({"b.e": "$a", "_id": 0}, {"b": {"e": 1}}),
    ],
)
def test_a_projection_keeps_these_fields(spec: Any, expected: dict[str, Any]) -> None:
    before = copy.deepcopy(DOCUMENT)
    result = compile_projection(spec)(DOCUMENT)
    assert result == expected
    assert list(result) == list(expected)
    assert result is not DOCUMENT
    assert before == DOCUMENT


def test_the_positional_operator_keeps_the_element_that_matched() -> None:
    assert compile_projection({"n.$": 1}, {"n": {"$gte": 3}})(DOCUMENT) == {"_id": 1, "n": [3]}
    assert compile_projection({"l.$": 1}, {"l.x": 2})(DOCUMENT) == {"_id": 1, "l": [{"x": 2, "y": 2}]}


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"a": 1, "b": 0}, 31254),
        ({"a": 0, "b": 1}, 31253),
        ({"a": 0, "x": "$b"}, 31310),
        ({"a": 1, "a.b": 1}, 31249),
        ({"a.b": 1, "a": 1}, 31249),
        ({"a": {"$meta": "textScore"}}, 238),
        ({"a": {}}, 51270),
        ({"a..b": 1}, 15998),
        ({"a.": 1}, 40353),
        ({"$a": 1}, 16410),
        ({"a": {"$elemMatch": 1}}, 31274),
        ({"a.b": {"$elemMatch": {}}}, 31275),
        ({"a": {"$slice": [1, 0]}}, 28729),
        ({"a": {"$foo": 1}}, 168),
        ({"a.$": 1, "b.$": 1}, 31276),
    ],
)
def test_wrong_projections_are_refused(spec: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        compile_projection(spec)
    assert raised.value.code == code


def test_a_positional_projection_without_a_match_is_refused() -> None:
    with pytest.raises(StoreError) as raised:
        compile_projection({"n.$": 1}, {"a": 1})(DOCUMENT)
    assert raised.value.code == 51246


def test_a_project_stage_reads_slice_as_an_expression() -> None:
    assert compile_stage({"n": {"$slice": ["$n", 2]}})(DOCUMENT) == {"_id": 1, "n": [1, 2]}
