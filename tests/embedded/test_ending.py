"""Every command that may take long ends where it is told to: by killOp, a time limit, the shutdown."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bson
import pytest

from embedded import counting
from embedded.commands import COMMANDS
from embedded.commands.call import Call, Read, Write
from embedded.commands.changing import PORTION, delete_matching
from embedded.counting import CollectionStats, collection_stats
from embedded.dispatch import Dispatcher, deliver, turns
from embedded.errors import StoreError
from embedded.ledger import Ledger
from embedded.store import Store
from embedded.wire import Request
from embedded.writer import Job

COUNT = PORTION + 100


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data.db", deliver=lambda jobs: None)
    yield made
    made.close()


@pytest.fixture
def ledger(store: Store) -> Iterator[Ledger]:
    """What a writer has begun to write: a collection `t.docs` with an index."""
    store.connection.execute("BEGIN IMMEDIATE")
    ledger = Ledger(store.connection, store.catalog)
    collection = ledger.create_collection("t", "docs")
    ledger.create_index(collection, {"v": 2, "key": {"n": 1}, "name": "by_n"})
    for number in range(COUNT):
        document = {"_id": number, "n": number}
        ledger.insert(ledger.catalog.get("t", "docs"), document, bson.encode(document))
    store.catalog = ledger.catalog
    store.connection.execute("COMMIT")
    store.connection.execute("BEGIN IMMEDIATE")
    yield ledger
    if store.connection.in_transaction:
        store.connection.execute("ROLLBACK")


def call_of(store: Store, body: dict[str, Any]) -> Call:
    return Call(next(iter(body)), {**body, "$db": body.get("$db", "t")}, {}, store)


class KilledAfter:
    """An operation that is killed when it has been asked about so many times."""

    writes = waiting = False

    def __init__(self, breaths: int) -> None:
        self.breaths = breaths

    @property
    def killed(self) -> bool:
        self.breaths -= 1
        return self.breaths < 0


@pytest.mark.parametrize(
    "body",
    [
        {"collStats": "docs"},
        {"dbStats": 1},
        {"dataSize": "t.docs"},
        {"listDatabases": 1, "$db": "admin"},
        {"count": "docs", "query": {"n": {"$gte": 0}}},
        {"distinct": "docs", "key": "n"},
        {"find": "docs", "filter": {"n": {"$mod": [7, 9]}}},
        {"validate": "docs"},
    ],
    ids=lambda body: next(iter(body)),
)
async def test_a_command_that_reads_ends_at_its_first_breath(store, ledger, body):
    store.connection.execute("COMMIT")
    assert isinstance(COMMANDS[next(iter(body))], Read)
    dispatcher = Dispatcher(store, asyncio.get_running_loop())
    store.closing = True
    answered = asyncio.get_running_loop().create_future()
    reply = dispatcher.handle(Request(1, {**body, "$db": body.get("$db", "t")}, {}), 1, answered.set_result)
    assert bson.decode(reply or await answered)["code"] == 11600
    dispatcher.close()


@pytest.mark.parametrize(
    "body",
    [
        {"insert": "docs", "documents": [{"_id": "new"}]},
        {"update": "docs", "updates": [{"q": {}, "u": {"$set": {"n": -1}}, "multi": True}]},
        {"delete": "docs", "deletes": [{"q": {}, "limit": 0}]},
        {"createIndexes": "docs", "indexes": [{"key": {"m": 1}, "name": "m"}]},
    ],
    ids=lambda body: next(iter(body)),
)
def test_a_write_that_was_ended_while_it_waited_does_nothing(store, ledger, body):
    command = COMMANDS[next(iter(body))]
    assert isinstance(command, Write)
    call = call_of(store, body)
    call.deadline = 0.0
    before = ledger.catalog
    with pytest.raises(StoreError) as caught:
        turns(call, command)(ledger)
    assert caught.value.code == 50
    assert ledger.catalog is before and [each["n"] for each in documents(ledger)] == list(range(COUNT))


def test_an_update_of_many_that_is_killed_on_the_way_changes_nothing(store, ledger):
    body = {"update": "docs", "ordered": False, "updates": [{"q": {}, "u": {"$set": {"n": -1}}, "multi": True}] * 3}
    call = call_of(store, body)
    call.operation = KilledAfter(COUNT // 2)  # type: ignore[assignment]
    with pytest.raises(StoreError) as caught:
        list(COMMANDS["update"].run(call, ledger))  # type: ignore[call-arg]
    assert caught.value.code == 11601
    assert [each["n"] for each in documents(ledger)] == list(range(COUNT))


def test_an_index_that_is_killed_while_it_is_built_is_not_there(store, ledger):
    call = call_of(store, {"createIndexes": "docs", "indexes": [{"key": {"m": 1}, "name": "m"}]})
    call.operation = KilledAfter(1)  # type: ignore[assignment]
    with pytest.raises(StoreError) as caught:
        COMMANDS["createIndexes"].run(call, ledger)  # type: ignore[call-arg]
    assert caught.value.code == 11601
    assert ledger.catalog.get("t", "docs").index_named("m") is None


@pytest.mark.parametrize("fate", ["dropped", "renamed"])
def test_a_delete_that_loses_its_collection_says_so(store, ledger, fate):
    collection = ledger.catalog.get("t", "docs")
    deleting = delete_matching(call_of(store, {"delete": "docs"}), ledger, collection, {}, limit=0)
    assert next(deleting) is None
    if fate == "dropped":
        ledger.drop_collection(ledger.catalog.get("t", "docs"))
    else:
        ledger.rename_collection(ledger.catalog.get("t", "docs"), "t", "other")
    with pytest.raises(StoreError) as caught:
        next(deleting)
    assert caught.value.code == 175


def test_sizes_are_added_up_in_pieces(store, ledger, monkeypatch):
    whole = last(collection_stats(store.catalog.get("t", "docs"), ledger.source))
    monkeypatch.setattr(counting, "PIECE", 7)
    pieces = list(collection_stats(store.catalog.get("t", "docs"), ledger.source))
    assert pieces[-1] == whole and len(pieces) > 2 * (COUNT // 7)
    assert whole.count == COUNT and whole.index_sizes["by_n"] > 8 * COUNT


async def test_a_reply_that_cannot_be_handed_over_leaves_the_others_of_a_commit_theirs():
    told = []

    def refuse(outcome: object) -> None:
        raise RuntimeError("the connection is in no state to take it")

    deliver([Job(lambda ledger: None, done, b"done") for done in (refuse, told.append)])
    assert told == [b"done"]


def documents(ledger: Ledger) -> list[dict[str, Any]]:
    rows = ledger.connection.execute("SELECT body FROM documents ORDER BY id").fetchall()
    return [bson.decode(raw) for (raw,) in rows]


def last(found: Iterator[CollectionStats | None]) -> CollectionStats:
    *_, stats = found
    assert stats is not None
    return stats
