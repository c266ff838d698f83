"""Documents go when their time is over, and only those."""

import datetime
import threading

import pytest

from embedded.commands.call import Call
from embedded.commands.call import write as writing
from embedded.commands.indexes import create_indexes
from embedded.commands.writing import insert
from embedded.dispatch import turns
from embedded.store import Store
from embedded.sweeping import expire, sweeps
from embedded.writer import Job

NOON = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=datetime.UTC)


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "data.db", deliver=lambda jobs: [job.done(job.outcome) for job in jobs])
    yield made
    made.close()


def write(store, run):
    done, over = [], threading.Event()
    store.writer.put(Job(run, lambda outcome: (done.append(outcome), over.set())))
    assert over.wait(10)
    assert isinstance(done[0], bytes), done[0]
    return done[0]


def command(store, run, body):
    return write(store, turns(Call(next(iter(body)), body, {}, store), writing(run)))


def seconds(ago: float) -> datetime.datetime:
    return NOON - datetime.timedelta(seconds=ago)


@pytest.mark.parametrize("direction", [1, -1])
def test_expired_documents_and_their_entries_are_removed(store, direction):
    index = {"key": {"at": direction}, "name": "ttl", "expireAfterSeconds": 60}
    command(store, create_indexes, {"createIndexes": "c", "$db": "t", "indexes": [index]})
    documents = [
        {"_id": "old", "at": seconds(61)},
        {"_id": "new", "at": seconds(59)},
        {"_id": "no date", "at": "yesterday"},
        {"_id": "number", "at": 5},
        {"_id": "none"},
        {"_id": "one of several", "at": [seconds(3600), seconds(-3600)]},
        {"_id": "future", "at": seconds(-3600)},
    ]
    command(store, insert, {"insert": "c", "$db": "t", "documents": documents})
    removed = []
    write(store, lambda ledger: _note(removed, ledger))
    assert removed == [2]
    reader = store.source()
    assert reader.execute("SELECT COUNT(*) FROM documents").fetchone() == (5,)
    assert reader.execute("SELECT COUNT(*) FROM entries").fetchone() == (5,)


def _note(removed, ledger):
    removed.append(expire(ledger, NOON))
    return b""


def test_the_sweep_removes_in_portions(store):
    index = {"key": {"at": 1}, "name": "ttl", "expireAfterSeconds": 0}
    command(store, create_indexes, {"createIndexes": "c", "$db": "t", "indexes": [index]})
    documents = [{"_id": n, "at": datetime.datetime(2020, 1, 1)} for n in range(700)]
    command(store, insert, {"insert": "c", "$db": "t", "documents": documents})
    (run,) = sweeps(store.catalog)
    assert [write(store, run), write(store, run), write(store, run)] == [b"more", b"done", b"done"]
    assert store.source().execute("SELECT COUNT(*) FROM documents").fetchone() == (0,)


def test_a_partial_ttl_index_removes_only_what_it_holds(store):
    index = {
        "key": {"at": 1},
        "name": "ttl",
        "expireAfterSeconds": 0,
        "partialFilterExpression": {"temporary": True},
    }
    command(store, create_indexes, {"createIndexes": "c", "$db": "t", "indexes": [index]})
    documents = [{"_id": n, "at": seconds(5), "temporary": n == 1} for n in range(3)]
    command(store, insert, {"insert": "c", "$db": "t", "documents": documents})
    removed = []
    write(store, lambda ledger: _note(removed, ledger))
    assert removed == [1]
