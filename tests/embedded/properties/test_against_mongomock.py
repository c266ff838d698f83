"""The store answers a client as mongomock does, where mongomock follows MongoDB."""

import copy
from functools import partial
from typing import Any

import mongomock
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from tests.embedded.properties.examples import examples
from tests.embedded.properties.shared_language import (
    Document,
    collections,
    comparisons,
    filters,
    operations,
    pipelines,
    projections,
    scalars,
    sorts,
    updates,
)


@pytest.fixture(scope="module")
def client(uri):
    with MongoClient(uri) as made:
        yield made
        made.drop_database("properties")


def both(client: Any, documents: list[Document], others: list[Document] | None = None) -> list[Any]:
    """The same documents in a collection of the store's and in one of mongomock's; `others` in a second one there."""
    found = []
    for database in (client.properties, mongomock.MongoClient().properties):
        for name, content in (("docs", documents), ("others", others)):
            if content:
                database[name].drop()
                database[name].insert_many(copy.deepcopy(content))
        found.append(database.docs)
    return found


def outcome(call: Any) -> Any:
    """What a call gives, or that it is refused; mongomock refuses with whatever Python raises."""
    try:
        return call()
    except NotImplementedError:
        assume(False)
    except (PyMongoError, ValueError, TypeError, AttributeError, KeyError):
        return "refused"


@examples(150)
@given(collections, filters, sorts, projections, st.integers(0, 2), st.integers(0, 3))
def test_a_find_gives_the_same(client, documents, filter, sort, projection, skip, limit):
    ours, mock = both(client, documents)
    arguments = {"filter": filter, "projection": projection, "sort": list(sort.items()), "skip": skip, "limit": limit}
    assert list(ours.find(**arguments)) == list(mock.find(**arguments))
    assert ours.count_documents(filter) == mock.count_documents(filter)


@examples(150)
@given(collections, filters, updates, st.booleans())
def test_an_update_leaves_the_same(client, documents, filter, update, many):
    leaves_the_same(client, documents, filter, update, many=many, upsert=False)


@examples(120)
@given(
    collections,
    st.dictionaries(st.sampled_from(["_id", "b", "d.x"]), scalars | comparisons, max_size=2),
    updates.filter(lambda update: "$pop" not in update),  # mongomock takes nothing from what is not there
)
def test_an_upsert_leaves_the_same(client, documents, filter, update):
    leaves_the_same(client, documents, filter, update, many=False, upsert=True)


def leaves_the_same(
    client: Any, documents: list[Document], filter: Document, update: Document, *, many: bool, upsert: bool
) -> None:
    """Both say the same of an update, and have the same documents after it."""
    said, left = [], []
    for collection in both(client, documents):
        change = collection.update_many if many else collection.update_one
        found = outcome(partial(change, filter, copy.deepcopy(update), upsert=upsert))
        said.append(found if found == "refused" else (found.matched_count, found.upserted_id is not None))
        left.append(list(collection.find({}, {"_id": 0}).sort("_id")))
    assert said[0] == said[1]
    assert left[0] == left[1]


@examples(100)
@given(collections, st.lists(operations, min_size=2, max_size=5))
def test_operations_one_after_the_other_say_and_leave_the_same(client, documents, operations):
    ours, mock = both(client, documents)
    for name, arguments, options in operations:
        said = [
            told(outcome(partial(getattr(collection, name), *copy.deepcopy(arguments), **options)))
            for collection in (ours, mock)
        ]
        assert said[0] == said[1], name
        assert list(ours.find().sort("_id")) == list(mock.find().sort("_id"))


def told(result: Any) -> Any:
    """What an operation says that both know."""
    names = ("inserted_id", "matched_count", "deleted_count")
    found = {name: getattr(result, name) for name in names if hasattr(result, name)}
    return found or result


@examples(200)
@given(collections, collections, pipelines)
def test_a_pipeline_gives_the_same(client, documents, others, pipeline):
    ours, mock = (outcome(partial(aggregated, collection, pipeline)) for collection in both(client, documents, others))
    assert ours == mock


def aggregated(collection: Any, pipeline: list[Document]) -> list[Document]:
    """The results; those of groups sorted, for their order is not defined."""
    results = list(collection.aggregate(pipeline))
    grouped = any(name in ("$group", "$sortByCount") for stage in pipeline for name in stage)
    return sorted(results, key=lambda each: repr(each["_id"])) if grouped else results
