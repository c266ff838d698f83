"""Which stages are refused, and with which code?"""

from typing import Any

import pytest

from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        ({"$foo": 1}, 40324),
        ({"$match": {}, "$limit": 1}, 40323),
        ({}, 40323),
        ("x", 14),
        ({"$match": 1}, 15959),
        ({"$match": {"a": {"$foo": 1}}}, 2),
        ({"$project": {}}, 51272),
        ({"$project": 1}, 15969),
        ({"$project": {"a": 1, "b": 0}}, 31254),
        ({"$addFields": 1}, 40272),
        ({"$unset": 1}, 31002),
        ({"$group": 1}, 15947),
        ({"$group": {"n": {"$sum": 1}}}, 15955),
        ({"$group": {"_id": 1, "n": 1}}, 40234),
        ({"$group": {"_id": 1, "n": {}}}, 40238),
        ({"$group": {"_id": 1, "n.m": {"$sum": 1}}}, 40235),
        ({"$group": {"_id": 1, "n": {"$foo": 1}}}, 15952),
        ({"$group": {"_id": 1, "n": {"$sum": [1, 2]}}}, 40237),
        ({"$sort": 1}, 15973),
        ({"$sort": {}}, 15976),
        ({"$sort": {"a": 3}}, 15975),
        ({"$limit": 0}, 15958),
        ({"$limit": "x"}, 5107201),
        ({"$skip": -1}, 5107200),
        ({"$unwind": 1}, 15981),
        ({"$unwind": "a"}, 28818),
        ({"$unwind": {}}, 28812),
        ({"$unwind": {"path": "$a", "foo": 1}}, 28811),
        ({"$unwind": {"path": "$a", "preserveNullAndEmptyArrays": 1}}, 28809),
        ({"$unwind": {"path": "$a", "includeArrayIndex": "$b"}}, 28822),
        ({"$count": ""}, 40157),
        ({"$count": "$a"}, 40158),
        ({"$count": "a.b"}, 40160),
        ({"$count": 1}, 40156),
        ({"$sortByCount": "a"}, 40148),
        ({"$sortByCount": {"a": 1}}, 40147),
        ({"$lookup": {"from": "x"}}, 9),
        ({"$lookup": 1}, 9),
        ({"$facet": {}}, 40169),
        ({"$facet": {"a": 1}}, 40170),
        ({"$facet": {"a": [{"$facet": {}}]}}, 40600),
        ({"$facet": {"a": [{"$foo": {}}]}}, 40324),
        ({"$replaceRoot": {}}, 40231),
        ({"$sample": {"size": -1}}, 28747),
        ({"$sample": {}}, 28749),
        ({"$project": {"a": {"$foo": 1}}}, 168),
    ],
)
def test_wrong_stages_are_refused_before_anything_is_read(stage: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        run_pipeline([], [stage], collection=lambda name: [])
    assert raised.value.code == code


@pytest.mark.parametrize(
    "stage",
    [
        {"$lookup": {"from": "x", "pipeline": [], "as": "y"}},
        {"$lookup": {"from": "x", "let": {}, "localField": "a", "foreignField": "b", "as": "y"}},
        {"$graphLookup": {}},
        {"$merge": "x"},
        {"$out": "x"},
        {"$bucket": {}},
        {"$setWindowFields": {}},
        {"$group": {"_id": 1, "n": {"$percentile": {}}}},
        {"$project": {"a": {"$function": {}}}},
        {"$project": {"a": "$$CLUSTER_TIME"}},
    ],
)
def test_what_the_store_lacks_is_refused_and_not_ignored(stage: dict[str, Any]) -> None:
    with pytest.raises(StoreError) as raised:
        run_pipeline([], [stage], collection=lambda name: [])
    assert raised.value.code == 238
