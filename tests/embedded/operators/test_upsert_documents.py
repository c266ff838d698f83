"""Which document does an upsert insert?"""

from typing import Any

import pytest
from bson import Regex

from embedded.errors import StoreError
from embedded.operators.updating import upsert_document


@pytest.mark.parametrize(
    ("filter", "update", "expected"),
    [
        ({"a": 1}, {"$set": {"b": 2}}, {"a": 1, "b": 2}),
        ({"a": 1, "_id": 7}, {"$set": {"b": 2}}, {"_id": 7, "a": 1, "b": 2}),
        ({"a": {"$eq": 1}}, {"$inc": {"n": 1}}, {"a": 1, "n": 1}),
        ({"a": {"$gt": 1}}, {"$set": {"b": 2}}, {"b": 2}),
        ({"$and": [{"a": 1}, {"b.c": 2}]}, {"$set": {"x": 1}}, {"a": 1, "b": {"c": 2}, "x": 1}),
        ({"$or": [{"a": 1}]}, {"$set": {"x": 1}}, {"a": 1, "x": 1}),
        ({"$or": [{"a": 1}, {"a": 2}]}, {"$set": {"x": 1}}, {"x": 1}),
        ({"a": {"$in": [1]}}, {"$set": {"x": 1}}, {"a": 1, "x": 1}),
        ({"a": {"$in": [1, 2]}}, {"$set": {"x": 1}}, {"x": 1}),
        ({"a": {"$all": [1]}}, {"$set": {"x": 1}}, {"a": 1, "x": 1}),
        ({"a": Regex("x")}, {"$set": {"x": 1}}, {"x": 1}),
        ({"a": {"k": 1}}, {"$set": {"x": 1}}, {"a": {"k": 1}, "x": 1}),
        ({"a": 1}, {"$setOnInsert": {"b": 1}, "$set": {"a": 2}}, {"a": 2, "b": 1}),
        ({"a": 1}, {"$inc": {"a": 1}}, {"a": 2}),
        ({"a": 1, "_id": 7}, {"b": 2}, {"_id": 7, "b": 2}),
        ({"a": 1}, {"b": 2}, {"b": 2}),
        ({"a": 1}, {"b": 2, "_id": 9}, {"_id": 9, "b": 2}),
        ({"a": 1}, {"$setOnInsert": {"_id": 9}}, {"_id": 9, "a": 1}),
        ({"_id": {"$gt": 1}}, {"$set": {"x": 1}}, {"x": 1}),
        ({"_id": 1, "v": {"$ne": 2}}, {"$push": {"l": {"$each": [1]}}}, {"_id": 1, "l": [1]}),
    ],
)
def test_the_filters_equalities_come_first(filter: Any, update: Any, expected: Any) -> None:
    result = upsert_document(filter, update)
    assert result == expected
    assert list(result) == list(expected)


@pytest.mark.parametrize(
    ("filter", "update", "code"),
    [
        ({"a": 1, "$and": [{"a": 2}]}, {"$set": {"x": 1}}, 54),
        ({"a": {"b": 1}, "a.c": 2}, {"$set": {"x": 1}}, 54),
        ({"_id": 1}, {"$set": {"_id": 2}}, 66),
        ({"_id": 1}, {"_id": 2}, 66),
        ({"a": 1}, {"$set": {"a.b": 2}}, 28),
        ({"_id": 1}, [{"$set": {"_id": 2}}], 66),
    ],
)
def test_contradictions_are_refused(filter: Any, update: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        upsert_document(filter, update)
    assert raised.value.code == code
