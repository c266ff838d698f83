"""Which filters are refused, and with which code?"""

from typing import Any

import pytest
from bson import Regex

from embedded.errors import StoreError
from embedded.operators.matching import compile_filter


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
        ({"a": {"$bitsAllSet": -1}}, 9),
        ({"a": {"$bitsAllSet": [2**53]}}, 2),
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
