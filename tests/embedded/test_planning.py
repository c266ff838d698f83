"""Plans: which are made, and what they do while others write. That all of them select the same is in properties/."""

import threading

import pytest

from embedded import querying
from embedded.codec import decode
from embedded.commands.call import Call
from embedded.commands.call import write as writing
from embedded.commands.collections import drop
from embedded.commands.indexes import create_indexes, drop_indexes
from embedded.commands.writing import delete, insert
from embedded.dispatch import turns
from embedded.errors import StoreError
from embedded.querying import Query, run_query
from embedded.store import Store
from embedded.writer import Job


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "data.db", deliver=lambda jobs: [job.done(job.outcome) for job in jobs])
    yield made
    made.close()


def write(store, run, body):
    done, over = [], threading.Event()
    call = Call(next(iter(body)), {**body, "$db": "t"}, {}, store)
    store.writer.put(Job(turns(call, writing(run)), lambda outcome: (done.append(outcome), over.set())))
    assert over.wait(20)
    if isinstance(done[0], Exception):
        raise done[0]


def test_a_scan_of_an_index_that_is_dropped_meanwhile_is_told(store):
    write(store, create_indexes, {"createIndexes": "c", "indexes": [{"key": {"a": 1}, "name": "a"}]})
    write(store, insert, {"insert": "c", "documents": [{"_id": n, "a": n} for n in range(100)]})
    collection = store.catalog.get("t", "c")
    stream = run_query(collection, Query({"a": {"$gte": 0}}), store.source)
    assert next(stream) is not None
    write(store, drop_indexes, {"dropIndexes": "c", "index": "a"})
    with pytest.raises(StoreError) as caught:
        list(stream)
    assert caught.value.code == 175
    again = run_query(collection, Query({"a": {"$gte": 0}}), store.source)
    assert len([raw for raw in again if raw]) == 100


def test_a_scan_of_a_collection_that_is_dropped_meanwhile_is_told(store):
    write(store, insert, {"insert": "c", "documents": [{"_id": n} for n in range(100)]})
    stream = run_query(store.catalog.get("t", "c"), Query({}), store.source)
    assert next(stream) is not None
    write(store, drop, {"drop": "c"})
    with pytest.raises(StoreError) as caught:
        list(stream)
    assert caught.value.code == 175


def test_a_large_sort_keeps_keys_and_reads_the_documents_again(store, monkeypatch):
    monkeypatch.setattr(querying, "KEPT_WHOLE", 2_000)
    write(store, insert, {"insert": "c", "documents": [{"_id": n, "a": n * 37 % 100} for n in range(100)]})
    collection = store.catalog.get("t", "c")
    for limit in (0, 7):
        found = run_query(collection, Query({}, [("a", -1)], limit=limit), store.source)
        assert [decode(raw)["a"] for raw in found if raw] == list(range(99, -1, -1))[: limit or None]
    stream = run_query(collection, Query({}, [("a", 1)]), store.source)
    first = next(raw for raw in stream if raw)
    write(store, delete, {"delete": "c", "deletes": [{"q": {"a": {"$gte": 50}}, "limit": 0}]})
    assert [decode(raw)["a"] for raw in [first, *stream] if raw] == list(range(50))


def test_a_large_delete_lets_other_writes_go_first(store):
    write(store, insert, {"insert": "c", "documents": [{"_id": n} for n in range(1200)]})
    finished, over = [], threading.Event()

    def told(name):
        finished.append(name)
        if len(finished) == 2:
            over.set()

    def job(run, body):
        call = Call(next(iter(body)), {**body, "$db": "t"}, {}, store)
        return Job(turns(call, writing(run)), lambda outcome: told(call.name))

    large = job(delete, {"delete": "c", "deletes": [{"q": {}, "limit": 0}]})
    small = job(insert, {"insert": "other", "documents": [{"_id": 1}]})
    store.writer.put(large)
    store.writer.put(small)
    assert over.wait(20)
    assert finished == ["insert", "delete"]
    assert store.source().execute("SELECT COUNT(*) FROM documents").fetchone() == (1,)


async def test_an_or_is_read_from_the_index_that_serves_all_its_branches(docs, db, on_store):
    await docs.create_index([("user_id", 1), ("change", 1)], name="owner_change")
    await docs.insert_many([{"_id": f"{user}{n}", "user_id": user, "change": n} for user in "abc" for n in range(50)])
    query = {
        "$or": [{"user_id": "a", "change": {"$gt": 47}}, {"user_id": "b", "change": {"$gte": 48}}, {"user_id": "a"}]
    }
    narrow = {"$or": query["$or"][:2]}
    assert {each["_id"] for each in await docs.find(narrow)} == {"a48", "a49", "b48", "b49"}
    assert len(await docs.find(query)) == 52
    explained = await db.command("explain", {"find": "docs", "filter": narrow}, verbosity="executionStats")
    assert explained["executionStats"]["totalDocsExamined"] == 4


async def test_keys_of_a_unique_index_are_read_rather_than_a_range_of_another(docs, db, on_store):
    await docs.create_index([("state", 1), ("until", 1)], name="work")
    await docs.insert_many([{"_id": n, "state": "pending", "until": n} for n in range(200)])
    query = {"_id": {"$in": [5, 7, 500]}, "state": "pending", "until": {"$lte": 150}}
    assert {each["_id"] for each in await docs.find(query)} == {5, 7}
    explained = await db.command("explain", {"find": "docs", "filter": query}, verbosity="executionStats")
    assert explained["executionStats"]["totalDocsExamined"] == 2
