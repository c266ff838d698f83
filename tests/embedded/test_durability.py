"""Durability: what was acknowledged is there after reopening, and nothing of a failed transaction is."""

import threading

import pytest

from embedded.codec import decode
from embedded.commands.call import Call
from embedded.commands.call import write as writing
from embedded.commands.indexes import create_indexes
from embedded.commands.writing import insert, update
from embedded.dispatch import turns
from embedded.errors import StoreError
from embedded.schema import open_file
from embedded.store import Store
from embedded.writer import Job


class Opened:
    """A store in this process, whose writes are waited for."""

    def __init__(self, path) -> None:
        self.store = Store(path, deliver=lambda jobs: [job.done(job.outcome) for job in jobs])

    def reopen(self) -> None:
        self.store.close()
        self.store = Store(self.store.path, deliver=lambda jobs: [job.done(job.outcome) for job in jobs])

    def write(self, command, body):
        done: list[object] = []
        over = threading.Event()
        call = Call(next(iter(body)), body, {}, self.store)
        self.store.writer.put(Job(turns(call, writing(command)), lambda outcome: (done.append(outcome), over.set())))
        assert over.wait(10)
        return done[0]


@pytest.fixture
def opened(tmp_path):
    made = Opened(tmp_path / "data.db")
    yield made
    made.store.close()


def test_a_full_disk_refuses_writes_and_reads_go_on(opened):
    assert isinstance(opened.write(insert, {"insert": "c", "$db": "t", "documents": [{"_id": 1}]}), bytes)
    connection = opened.store.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    large = {"insert": "c", "$db": "t", "documents": [{"_id": 2, "s": "x" * 100_000}]}
    outcome = opened.write(insert, large)
    assert isinstance(outcome, StoreError) and outcome.code == 14031
    reader = opened.store.source()
    assert reader.execute("SELECT COUNT(*) FROM documents").fetchone() == (1,)
    connection.execute("PRAGMA max_page_count = 100000")
    assert isinstance(opened.write(insert, large), bytes)
    assert reader.execute("SELECT COUNT(*) FROM documents").fetchone() == (2,)


def test_a_damaged_file_is_told_and_nothing_else_stops(opened):
    documents = [{"_id": n, "s": "x" * 5_000} for n in range(200)]
    assert isinstance(opened.write(insert, {"insert": "c", "$db": "t", "documents": documents}), bytes)
    connection = opened.store.connection
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entries'").fetchone()
    with opened.store.path.open("r+b") as file:  # the root of the table of entries
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    opened.reopen()
    index = {"createIndexes": "c", "$db": "t", "indexes": [{"key": {"s": 1}, "name": "s"}]}
    outcome = opened.write(create_indexes, index)
    assert isinstance(outcome, StoreError) and outcome.code == 327 and "copy from before" in outcome.message
    assert opened.store.source().execute("SELECT COUNT(*) FROM documents").fetchone() == (200,)


def test_a_collection_of_a_failed_transaction_is_not_there(opened):
    connection = opened.store.connection
    connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
    large = {"insert": "new", "$db": "t", "documents": [{"_id": 2, "s": "x" * 100_000}]}
    assert opened.write(insert, large).code == 14031
    assert opened.store.catalog.get("t", "new") is None
    connection.execute("PRAGMA max_page_count = 100000")
    assert isinstance(opened.write(insert, large), bytes)
    assert opened.store.catalog.get("t", "new") is not None


def test_a_bug_in_one_write_leaves_the_others_alone(opened):
    outcome = opened.write(lambda call, ledger: 1 / 0, {"insert": "c", "$db": "t"})
    assert isinstance(outcome, ZeroDivisionError)
    assert isinstance(opened.write(insert, {"insert": "c", "$db": "t", "documents": [{"_id": 1}]}), bytes)


def test_a_bug_at_the_commit_is_answered_and_the_next_write_goes_on(opened, monkeypatch):
    body = {"insert": "c", "$db": "t", "documents": [{"_id": 1}]}
    with monkeypatch.context() as patch:
        patch.setattr(opened.store.writer._ledger, "before_commit", lambda: 1 / 0)
        assert isinstance(opened.write(insert, body), ZeroDivisionError)
    assert opened.store.source().execute("SELECT COUNT(*) FROM documents").fetchone() == (0,)
    assert isinstance(opened.write(insert, body), bytes)


def test_an_index_that_was_not_made_leaves_nothing_to_the_next_of_its_number(opened):
    documents = [{"_id": n, "u": 1, "a": [1, 2], "c": n} for n in range(3)]
    opened.write(insert, {"insert": "c", "$db": "t", "documents": documents})

    def both(call, ledger):
        with pytest.raises(StoreError):
            create_indexes(call, ledger)
        call.body["indexes"] = [{"key": {"c": 1}, "name": "plain"}]
        return create_indexes(call, ledger)

    refused = [{"key": {"u": 1, "a": 1}, "name": "refused", "unique": True}]
    assert isinstance(opened.write(both, {"createIndexes": "c", "$db": "t", "indexes": refused}), bytes)
    assert opened.store.connection.execute("SELECT multikey FROM indexes").fetchall() == [(0,), (0,)]


def test_what_is_done_is_answered_before_the_file_is_written_anew(opened):
    order = []
    inserting = Call("insert", {"insert": "c", "$db": "t", "documents": [{"_id": 1}]}, {}, opened.store)

    def compacting(ledger):
        ledger.between_transactions(lambda connection: order.append("between"))
        return insert_reply(ledger)

    def insert_reply(ledger):
        return next(each for each in insert(inserting, ledger) if each)

    over = threading.Event()
    opened.store.writer.put(Job(compacting, lambda outcome: order.append("answered")))
    opened.store.writer.put(Job(insert_reply, lambda outcome: over.set()))
    assert over.wait(10)
    assert order == ["answered", "between"]


def test_what_was_defined_is_there_after_reopening(tmp_path):
    first = Opened(tmp_path / "data.db")
    first.write(insert, {"insert": "c", "$db": "t", "documents": [{"_id": 1, "a": [1, 2]}]})
    first.write(create_indexes, {"createIndexes": "c", "$db": "t", "indexes": [{"key": {"a": 1}, "name": "a"}]})
    first.write(update, {"update": "c", "$db": "t", "updates": [{"q": {"_id": 1}, "u": {"$push": {"a": 3}}}]})
    first.store.close()
    again = Opened(tmp_path / "data.db")
    collection = again.store.catalog.get("t", "c")
    assert [(index.name, index.multikey) for index in collection.indexes] == [("_id_", 0), ("a", 1)]
    again.store.close()


def test_commits_are_synchronised_in_full(tmp_path):
    connection = open_file(tmp_path / "data.db")
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_batch_that_paused_is_finished_before_the_store_closes(tmp_path):
    first = Opened(tmp_path / "data.db")
    body = {"insert": "c", "$db": "t", "documents": [{"_id": n} for n in range(20_000)]}
    replies = []
    first.store.writer.put(Job(turns(Call("insert", body, {}, first.store), writing(insert)), replies.append))
    first.store.close()
    assert decode(replies[0])["n"] == 20_000
    again = Opened(tmp_path / "data.db")
    assert again.store.source().execute("SELECT COUNT(*) FROM documents").fetchone() == (20_000,)
    again.store.close()
