"""What comes out of a pipeline's stages?"""

import copy
from typing import Any

import pytest
from bson import Decimal128, Int64

from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline

DOCUMENTS = [
    {"_id": 1, "k": "a", "n": 1, "l": [1, 2]},
    {"_id": 2, "k": "b", "n": 2, "l": []},
    {"_id": 3, "k": "a", "n": 3},
    {"_id": 4, "k": None, "n": 4, "l": 5},
]
OTHERS = {
    "users": [{"_id": "a", "name": "Ann"}, {"_id": "b", "name": "Bob"}, {"_id": "x", "tags": [1, 5]}, {"_id": None}]
}


def run(*stages: dict[str, Any], documents: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """The results over DOCUMENTS, after a check that those have not changed."""
    source = DOCUMENTS if documents is None else documents
    before = copy.deepcopy(source)
    results = list(run_pipeline(iter(source), stages, collection=lambda name: OTHERS.get(name, [])))
    assert source == before
    return results


def ids(*stages: dict[str, Any]) -> list[Any]:
    return [document["_id"] for document in run(*stages)]


def test_match_sort_skip_and_limit_choose_documents() -> None:
    assert ids({"$match": {"k": "a"}}) == [1, 3]
    assert ids({"$sort": {"n": -1}}, {"$skip": 1}, {"$limit": 2}) == [3, 2]
    assert ids() == [1, 2, 3, 4]


def test_project_keeps_and_computes() -> None:
    assert run({"$match": {"_id": 1}}, {"$project": {"_id": 0, "n": 1, "twice": {"$multiply": ["$n", 2]}}}) == [
        {"n": 1, "twice": 2}
    ]
    assert run({"$match": {"_id": 3}}, {"$project": {"k": 0}}) == [{"_id": 3, "n": 3}]


@pytest.mark.parametrize("name", ["$addFields", "$set"])
def test_fields_are_added_and_nested_documents_extended(name: str) -> None:
    documents = [{"_id": 1, "a": {"x": 1}, "l": [{"y": 1}, 2]}]
    stage = {name: {"a": {"z": "$a.x"}, "b.c": 2, "l.n": "$_id", "gone": "$missing"}}
    assert run(stage, documents=documents) == [
        {"_id": 1, "a": {"x": 1, "z": 1}, "l": [{"y": 1, "n": 1}, {"n": 1}], "b": {"c": 2}}
    ]
    assert run({name: {"a": "$$REMOVE"}}, documents=[{"a": 1, "b": 2}]) == [{"b": 2}]


def test_unset_takes_a_path_or_several() -> None:
    assert run({"$unset": "a"}, documents=[{"a": 1, "b": 2}]) == [{"b": 2}]
    assert run({"$unset": ["a", "b.c"]}, documents=[{"a": 1, "b": {"c": 1, "d": 2}}]) == [{"b": {"d": 2}}]


def test_group_gathers_values_in_the_order_keys_first_come() -> None:
    assert run({"$group": {"_id": "$k", "total": {"$sum": "$n"}, "n": {"$sum": 1}}}) == [
        {"_id": "a", "total": 4, "n": 2},
        {"_id": "b", "total": 2, "n": 1},
        {"_id": None, "total": 4, "n": 1},
    ]


def test_group_keys_are_equal_as_values_are() -> None:
    documents = [{"k": 1}, {"k": 1.0}, {"k": True}, {}, {"k": None}]
    assert run({"$group": {"_id": "$k", "n": {"$count": {}}}}, documents=documents) == [
        {"_id": 1, "n": 2},
        {"_id": True, "n": 1},
        {"_id": None, "n": 2},
    ]
    assert run({"$group": {"_id": {"k": "$k", "x": "$x"}}}, {"$limit": 1}, documents=documents) == [{"_id": {"k": 1}}]


@pytest.mark.parametrize(
    ("accumulator", "expected"),
    [
        ({"$sum": "$v"}, 6.5),
        ({"$avg": "$v"}, 3.25),
        ({"$min": "$v"}, 2),
        ({"$max": "$v"}, "x"),
        ({"$first": "$v"}, 2),
        ({"$last": "$v"}, None),
        ({"$push": "$v"}, [2, 4.5, "x", None, 2]),
        ({"$addToSet": "$v"}, [2, 4.5, "x", None]),
        ({"$count": {}}, 6),
        ({"$sum": "$missing"}, 0),
        ({"$avg": "$missing"}, None),
        ({"$min": "$missing"}, None),
        ({"$push": {"v": "$v"}}, [{"v": 2}, {"v": 4.5}, {"v": "x"}, {"v": None}, {"v": 2}, {}]),
        ({"$mergeObjects": "$o"}, {"a": 1, "b": 2}),
        ({"$stdDevSamp": "$missing"}, None),
    ],
)
def test_an_accumulator_makes_this_of_a_group(accumulator: dict[str, Any], expected: Any) -> None:
    values: list[Any] = [2, 4.5, "x", None]
    documents = [{"v": value} for value in values] + [{"v": 2, "o": {"a": 1, "b": 0}}, {"o": {"b": 2}}]
    if accumulator in ({"$sum": "$v"}, {"$avg": "$v"}):
        documents = documents[:4]
    assert run({"$group": {"_id": None, "r": accumulator}}, documents=documents) == [{"_id": None, "r": expected}]


def test_deviations_are_of_the_population_or_a_sample() -> None:
    documents = [{"v": value} for value in (2, 4, 4, 4, 5, 5, 7, 9)]
    stage = {"$group": {"_id": None, "p": {"$stdDevPop": "$v"}, "s": {"$stdDevSamp": "$v"}}}
    assert run(stage, documents=documents) == [{"_id": None, "p": 2.0, "s": pytest.approx(2.138089935)}]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2], 3),
        ([2**31 - 1, 1], Int64(2**31)),
        ([Int64(1), 1], Int64(2)),
        ([2**63 - 1, 1], float(2**63)),
        ([1, 0.5], 1.5),
        ([1, Decimal128("0.5")], Decimal128("1.5")),
        ([True, "3", 1], 1),
    ],
)
def test_sums_have_the_widest_type(values: list[Any], expected: Any) -> None:
    (found,) = run({"$group": {"_id": None, "s": {"$sum": "$v"}}}, documents=[{"v": value} for value in values])
    assert found["s"] == expected
    assert type(found["s"]) is type(expected)


def test_counting_gives_a_number_or_the_largest_groups_first() -> None:
    assert run({"$count": "n"}) == [{"n": 4}]
    assert run({"$match": {"_id": 99}}, {"$count": "n"}) == []
    assert run({"$sortByCount": "$k"}, {"$limit": 1}) == [{"_id": "a", "count": 2}]


def test_unwind_drops_what_has_no_elements_unless_told_otherwise() -> None:
    assert [(found["_id"], found["l"]) for found in run({"$unwind": "$l"})] == [(1, 1), (1, 2), (4, 5)]
    kept = run({"$unwind": {"path": "$l", "preserveNullAndEmptyArrays": True, "includeArrayIndex": "at"}})
    assert [(found["_id"], found.get("l", "none"), found["at"]) for found in kept] == [
        (1, 1, 0),
        (1, 2, 1),
        (2, "none", None),
        (3, "none", None),
        (4, 5, None),
    ]


def test_unwind_follows_a_dotted_path() -> None:
    assert run({"$unwind": "$a.b"}, documents=[{"a": {"b": [1, 2], "c": 3}}]) == [
        {"a": {"b": 1, "c": 3}},
        {"a": {"b": 2, "c": 3}},
    ]


def test_lookup_joins_by_equality_and_null_joins_missing() -> None:
    stage = {"$lookup": {"from": "users", "localField": "k", "foreignField": "_id", "as": "u"}}
    assert [[user["_id"] for user in found["u"]] for found in run(stage)] == [["a"], ["b"], ["a"], [None]]
    by_tag = {"$lookup": {"from": "users", "localField": "l", "foreignField": "tags", "as": "u.found"}}
    assert [[user["_id"] for user in found["u"]["found"]] for found in run(by_tag)] == [
        ["x"],
        ["a", "b", None],  # an empty array joins as null does
        ["a", "b", None],
        ["x"],
    ]
    nowhere = {"$lookup": {"from": "none", "localField": "k", "foreignField": "_id", "as": "u"}}
    assert all(found["u"] == [] for found in run(nowhere))


def test_facet_runs_several_pipelines_over_the_same_documents() -> None:
    assert run(
        {"$facet": {"n": [{"$count": "n"}], "top": [{"$sort": {"n": -1}}, {"$limit": 1}, {"$project": {"n": 1}}]}}
    ) == [{"n": [{"n": 4}], "top": [{"_id": 4, "n": 4}]}]


def test_the_root_is_replaced_by_a_document() -> None:
    documents = [{"_id": 1, "o": {"x": 1}}]
    assert run({"$replaceRoot": {"newRoot": "$o"}}, documents=documents) == [{"x": 1}]
    assert run({"$replaceWith": {"$mergeObjects": ["$o", {"y": "$_id"}]}}, documents=documents) == [{"x": 1, "y": 1}]


def test_sample_takes_so_many() -> None:
    assert len(run({"$sample": {"size": 2}})) == 2
    assert sorted(ids({"$sample": {"size": 10}})) == [1, 2, 3, 4]


def test_a_new_root_that_is_no_document_is_refused() -> None:
    with pytest.raises(StoreError) as raised:
        run({"$replaceWith": "$n"})
    assert raised.value.code == 40228
