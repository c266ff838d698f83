"""Pipelines leave everybody else alone, and belong to whoever asks for their next documents."""

import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bson
import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from embedded.commands.aggregating import aggregate
from embedded.commands.call import Call
from embedded.commands.reading import get_more
from embedded.cursors import Leave
from embedded.errors import StoreError
from embedded.ledger import Ledger
from embedded.store import Store
from tests.embedded.drivers import until

pytestmark = pytest.mark.usefixtures("on_store")

LONG = [{"$set": {"b": "$a"}}, {"$unwind": "$a"}, {"$unwind": "$b"}, {"$group": {"_id": None, "n": {"$sum": 1}}}]


class Long:
    """A pipeline that keeps one document for a dozen seconds, in a thread; `code` is what ended it."""

    def __init__(self, uri: str, database: str, *, in_get_more: bool) -> None:
        self.code: int | None = None
        self.client = MongoClient(uri)
        self.database = self.client[database]
        self.database.docs.insert_one({"_id": 1, "a": list(range(2500))})
        self._in_get_more = in_get_more
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.database.docs.aggregate(LONG, batchSize=0 if self._in_get_more else 101).to_list()
        except OperationFailure as error:
            self.code = error.code

    def ended(self) -> int | None:
        self.thread.join(30)
        self.client.close()
        return self.code


@pytest.fixture
def admin(uri: str) -> Iterator[Any]:
    with MongoClient(uri) as client:
        yield client.admin


@pytest.fixture
def database(admin: Any) -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex[:12]}"
    yield name
    admin.client.drop_database(name)


def under_way(admin: Any, database: str, kind: str) -> list[int]:
    shown = admin.aggregate([{"$currentOp": {}}, {"$match": {"ns": f"{database}.docs", "op": kind}}])
    return [each["opid"] for each in shown]


@pytest.mark.parametrize("in_get_more", [False, True], ids=["in the first batch", "in a getMore"])
def test_a_ping_and_a_find_end_before_a_long_pipeline_on_one_document(uri, admin, database, in_get_more):
    long = Long(uri, database, in_get_more=in_get_more)
    kind = "getmore" if in_get_more else "command"
    until(lambda: under_way(admin, database, kind) != [])
    assert admin.command("ping")["ok"] == 1.0
    assert admin.client[database].docs.find_one({"_id": 1}, {"_id": 1}) == {"_id": 1}
    assert long.thread.is_alive()
    (number,) = under_way(admin, database, kind)
    admin.command({"killOp": 1, "op": number})
    assert long.ended() == 11601


def test_a_time_limit_of_a_get_more_holds_within_its_pipeline(admin, database):
    docs = admin.client[database].docs
    docs.insert_one({"_id": 1, "a": list(range(6_000))})
    reply = docs.database.command({"aggregate": "docs", "pipeline": LONG, "cursor": {"batchSize": 0}})
    with pytest.raises(OperationFailure) as caught:
        docs.database.command({"getMore": reply["cursor"]["id"], "collection": "docs", "maxTimeMS": 50})
    assert caught.value.code == 50


def test_operations_are_shown_while_pipelines_keep_every_thread_busy(uri, admin, database):
    names = [f"{database}_{number}" for number in range(4)]
    busy = [Long(uri, name, in_get_more=False) for name in names]
    try:
        until(lambda: all(under_way(admin, name, "command") for name in names), seconds=30)
        assert all(each.thread.is_alive() for each in busy)
    finally:
        admin.command({"killAllSessions": []})
        assert {each.ended() for each in busy} == {11601}
        for name in names:
            admin.client.drop_database(name)


@pytest.mark.parametrize(
    ("stages", "leave"),
    [
        ([{"$currentOp": {}}], Leave.NEVER),
        ([{"$currentOp": {}}, {"$match": {"op": "command"}}], Leave.NEVER),
        ([{"$currentOp": {}}, {"$group": {"_id": "$op"}}], Leave.LOOP),
    ],
)
def test_operations_are_shown_on_the_event_loop_however_long_it_waited_for_its_turn(store, stages, leave):
    body = {"aggregate": 1, "pipeline": stages, "cursor": {}, "$db": "admin"}
    assert next(iter(aggregate(Call("aggregate", body, {}, store)))) is leave


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data.db", deliver=lambda jobs: None)
    ledger = Ledger(made.connection, made.catalog)
    collection = ledger.create_collection("t", "docs")
    for number in range(300):
        document = {"_id": number}
        ledger.insert(collection, document, bson.encode(document))
    made.catalog = ledger.catalog
    yield made
    made.close()


def opened(store: Store, size: int) -> tuple[Call, int]:
    """An aggregate that has answered with so many documents, and its cursor."""
    stages = [{"$set": {"a": 1}}]
    body = {"aggregate": "docs", "pipeline": stages, "cursor": {"batchSize": size}, "$db": "t"}
    call = Call("aggregate", body, {}, store)
    *_, reply = aggregate(call)
    return call, bson.decode(reply)["cursor"]["id"]


def more(store: Store, cursor: int, size: int = 10) -> Call:
    return Call("getMore", {"getMore": cursor, "collection": "docs", "batchSize": size, "$db": "t"}, {}, store)


def test_the_time_limit_of_an_aggregate_is_not_that_of_its_cursor(store):
    call, cursor = opened(store, 10)
    call.deadline = 0.0
    *_, reply = get_more(more(store, cursor))
    assert len(bson.decode(reply)["cursor"]["nextBatch"]) == 10


def test_a_get_more_that_is_killed_ends_what_its_pipeline_reads(store):
    _, cursor = opened(store, 10)
    call = more(store, cursor)
    call.operation.killed = True
    with pytest.raises(StoreError) as caught:
        list(get_more(call))
    assert caught.value.code == 11601


def test_each_batch_of_a_pipeline_leaves_the_event_loop(store):
    _, cursor = opened(store, 10)
    for _ in range(3):
        first, *_, reply = get_more(more(store, cursor))
        assert first is not None and not isinstance(first, bytes)
        cursor = bson.decode(reply)["cursor"]["id"]


@pytest.mark.parametrize(
    ("start", "operator", "code"), [("x" * 1_000, "$concat", 13548), ([0] * 1_000, "$concatArrays", 146)]
)
def test_a_value_that_doubles_is_stopped(uri, start, operator, code):
    doubled = {"input": {"$range": [0, 40]}, "initialValue": start, "in": {operator: ["$$value", "$$value"]}}
    stages = [{"$limit": 1}, {"$project": {"v": {"$reduce": doubled}}}]
    with MongoClient(uri) as client, pytest.raises(OperationFailure) as refused:
        client.admin.command({"aggregate": 1, "pipeline": [{"$currentOp": {}}, *stages], "cursor": {}})
    assert refused.value.code == code
