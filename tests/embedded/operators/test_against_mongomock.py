"""Do filters and updates agree with mongomock where mongomock follows MongoDB?"""

import copy
from typing import Any

import mongomock
from hypothesis import given, settings
from hypothesis import strategies as st

from embedded.operators.matching import compile_filter
from embedded.operators.updating import apply_update

fields = st.sampled_from(["a", "b", "a.b"])
scalars = st.integers(0, 3) | st.sampled_from(["", "x", "y"])
documents = st.dictionaries(
    st.sampled_from(["a", "b"]),
    scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.sampled_from(["b", "c"]), scalars, max_size=1),
)
conditions = st.one_of(
    scalars,
    st.builds(
        lambda name, value: {name: value}, st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), scalars
    ),
    st.builds(lambda name, values: {name: values}, st.sampled_from(["$in", "$nin"]), st.lists(scalars, max_size=3)),
    st.booleans().map(lambda wanted: {"$exists": wanted}),
    st.lists(scalars, min_size=1, max_size=2).map(lambda values: {"$all": values}),
    st.sampled_from([{"$regex": "x"}, {"$elemMatch": {"$gt": 0, "$lt": 3}}, {"$type": "string"}]),
)
simple = st.dictionaries(fields, conditions, max_size=2)
filters = simple | st.builds(
    lambda name, clauses: {name: clauses},
    st.sampled_from(["$and", "$or", "$nor"]),
    st.lists(simple, min_size=1, max_size=2),
)
updates = st.one_of(
    st.builds(lambda name, value: {"$set": {name: value}}, st.sampled_from(["a", "c", "d.e"]), scalars),
    st.builds(lambda value: {"$inc": {"n": value}}, st.integers(-3, 3)),
    st.builds(lambda value: {"$push": {"l": value}}, scalars),
    st.builds(
        lambda values, size: {"$push": {"l": {"$each": values, "$slice": size}}}, st.lists(scalars), st.integers(-3, -1)
    ),
    st.builds(lambda value: {"$addToSet": {"l": value}}, scalars),
    st.builds(lambda value: {"$pull": {"l": value}}, scalars),
    st.just({"$unset": {"a": ""}}),
    st.just({"$pop": {"l": 1}}),
    st.builds(lambda value: {"$max": {"n": value}}, st.integers(0, 9)),
)


def mock_collection() -> Any:
    return mongomock.MongoClient().db.collection


@settings(max_examples=300, deadline=None, derandomize=True)
@given(documents, filters)
def test_filters_select_the_same(document: dict[str, Any], filter: dict[str, Any]) -> None:
    collection = mock_collection()
    collection.insert_one({"_id": 1, **copy.deepcopy(document)})
    assert compile_filter(filter)({"_id": 1, **document}) == (collection.count_documents(filter) == 1)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(documents, st.integers(0, 5), st.lists(scalars, max_size=4), updates)
def test_updates_give_the_same(document: dict[str, Any], number: int, array: list[Any], update: dict[str, Any]) -> None:
    whole = {"_id": 1, **document, "n": number, "l": array}
    collection = mock_collection()
    collection.insert_one(copy.deepcopy(whole))
    collection.update_one({"_id": 1}, copy.deepcopy(update))
    assert apply_update(whole, update, filter={"_id": 1}) == collection.find_one({"_id": 1})
