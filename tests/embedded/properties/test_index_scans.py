"""Every index says the same as the documents themselves, whatever was written before."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded import counting, scanning
from embedded.codec import encode
from embedded.errors import StoreError
from embedded.keying import entry_keys
from tests.embedded.properties.dice import world
from tests.embedded.properties.documents import Document
from tests.embedded.properties.examples import examples
from tests.embedded.properties.rules import has_one_array, in_order, selects, sort_order
from tests.embedded.properties.stores import Opened, check_entries

worlds = st.integers(0, 2**24 - 1).map(world)  # of larger ones Hypothesis draws mostly small ones


def change(store: Opened, name: str, number: int, step: tuple[Any, ...]) -> None:
    """One step; what a rule of MongoDB's refuses is left out."""
    match step:
        case "insert", body:
            store.insert(name, [{"_id": f"new {number}", **body}])
        case "update", filter, update, many:
            store.run({"update": name, "updates": [{"q": filter, "u": update, "multi": many}]})
        case "replace", filter, body:
            with suppress(StoreError):
                store.run({"findAndModify": name, "query": filter, "update": body})
        case "delete", filter, many:
            store.run({"delete": name, "deletes": [{"q": filter, "limit": 0 if many else 1}]})
        case "index", definition:
            create_index(store, name, definition)
        case "drop index" | "rebuild", place:
            indexes = store.collection(name).indexes[1:]
            if indexes:
                index = indexes[place % len(indexes)]
                store.run({"dropIndexes": name, "index": index.name})
                if step[0] == "rebuild":
                    create_index(store, name, index.spec)


@pytest.fixture(scope="module", autouse=True)
def _small_pieces() -> Iterator[None]:
    """Scans and counts go on behind the last key again and again, even in collections of a few documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "FIRST_PIECE", 2)
        patch.setattr(scanning, "_LARGEST_FIRST", 2)
        patch.setattr(scanning, "_LARGEST_PIECE", 3)
        patch.setattr(counting, "PIECE", 3)
        yield


def create_index(store: Opened, name: str, definition: Document) -> None:
    """Create an index, unless there is such a one, or the documents do not allow it."""
    try:
        store.run({"createIndexes": name, "indexes": [definition]})
    except StoreError as error:
        assert error.code in (85, 86, 171, 11000), error


@examples(150)
@given(worlds)
def test_every_index_finds_what_the_documents_say(store, world):
    name = store.new_name()
    store.run({"create": name})
    for definition in world.definitions:
        create_index(store, name, definition)
    store.insert(name, world.documents)
    for number, step in enumerate(world.changes):
        change(store, name, number, step)
    check_entries(store.store.source())
    for query in world.queries:
        agree(store, name, *query)
    store.run({"drop": name})


@examples(60)
@given(worlds, st.integers(1, 3))
def test_a_cursor_finds_each_document_that_nobody_changes_once(store, world, size):
    name = store.new_name()
    create_index(store, name, world.definitions[0])
    store.insert(name, world.documents)
    filter = world.queries[0][0]
    kept = {document["_id"]: document for document in store.find(name, {}) if document["_id"] % 2}
    changes = iter(world.changes)
    cursor = store.run({"find": name, "filter": filter, "batchSize": size})["cursor"]
    found = cursor["firstBatch"]
    while cursor["id"]:
        if step := next(changes, None):
            change_others(store, name, step)
        cursor = store.run({"getMore": cursor["id"], "collection": name, "batchSize": size})["cursor"]
        found += cursor["nextBatch"]
    wanted = [document for document in kept.values() if selects(filter, document)]
    assert same([document for document in found if document["_id"] in kept], wanted)
    store.run({"drop": name})


def change_others(store: Opened, name: str, step: tuple[Any, ...]) -> None:
    """One step, as far as it is about documents with an even `_id` or about new ones."""
    match step:
        case "update" | "replace" | "delete", filter, *rest:
            change(store, name, 0, (step[0], {"$and": [filter, {"_id": {"$mod": [2, 0]}}]}, *rest))
        case "insert", _:
            change(store, name, 0, step)


def agree(store: Opened, name: str, filter: Document, sort: list[tuple[str, int]], skip: int, limit: int) -> None:
    """A scan, the planner's own choice and every index find what the rules select, in the order that they say."""
    everything = store.find(name, {}, hint={"$natural": 1})
    selected = [document for document in everything if selects(filter, document)]
    sort = sort if has_one_array(selected, sort) else []
    total = [*(pair for pair in sort if pair[0] != "_id"), ("_id", 1)]
    part = slice(skip, skip + limit if limit else None)
    for hint, held in hints(store, name):
        wanted = [document for document in selected if held(document)]
        assert same(store.find(name, filter, **hint), wanted), (filter, hint)
        in_total = list(map(encode, in_order(wanted, total)))
        for skipped, limited in ((0, 0), (skip, limit)):
            found = store.find(name, filter, sort=dict(total), skip=skipped, limit=limited, **hint)
            assert list(map(encode, found)) == in_total[skipped:][: limited or None], (filter, total, hint)
        if sort:
            found = store.find(name, filter, sort=dict(sort), skip=skip, limit=limit, **hint)
            keys = [sort_keys(document, sort) for document in in_order(wanted, sort)]
            assert [sort_keys(document, sort) for document in found] == keys[part], (filter, sort, hint)
        assert store.run({"count": name, "query": filter, **hint})["n"] == len(wanted), (filter, hint)
        counted = store.aggregate(name, {"$match": filter}, {"$count": "n"}, **hint)
        assert counted == ([{"n": len(wanted)}] if wanted else []), (filter, hint)


def hints(store: Opened, name: str) -> Iterator[tuple[Document, Callable[[Document], bool]]]:
    """What a find may be told to read, and which documents are there: a sparse or partial index that is asked for by
    its name finds what it holds and no more."""
    yield {}, lambda document: True
    yield {"hint": {"$natural": 1}}, lambda document: True
    for index in store.collection(name).indexes:
        yield {"hint": index.name}, lambda document, index=index: bool(entry_keys(index, document))


def sort_keys(document: Document, sort: list[tuple[str, int]]) -> list[Any]:
    return [sort_order(document, path, direction) for path, direction in sort]


def same(found: list[Document], wanted: list[Document]) -> bool:
    """The same documents in whatever order."""
    return sorted(map(encode, found)) == sorted(map(encode, wanted))
