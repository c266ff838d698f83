"""A copy of a running store is whole, and a store again."""

import sqlite3
import stat
import threading

import pytest
from pymongo import MongoClient

from embedded.backup import back_up
from embedded.schema import FileRefused
from tests.embedded.drivers import kept_attached, until


def test_a_copy_of_a_store_that_is_written_to_is_a_moment_of_it(tmp_path):
    written: list[int] = []
    enough, over = threading.Event(), threading.Event()
    with kept_attached(tmp_path / "home") as uri, MongoClient(uri) as client:
        client.t.docs.create_index("k")

        def write() -> None:
            while not over.is_set():
                client.t.docs.insert_one({"_id": len(written), "k": len(written) % 5, "pad": "x" * 1_000})
                written.append(len(written))
                if len(written) == 500:
                    enough.set()

        writer = threading.Thread(target=write)
        writer.start()
        assert enough.wait(20)
        before = len(written)
        size = back_up(tmp_path / "home" / "store" / "data.db", tmp_path / "copy.db")
        after = len(written) + 1
        over.set()
        writer.join(20)
    copy = tmp_path / "copy.db"
    assert size == copy.stat().st_size and stat.S_IMODE(copy.stat().st_mode) == 0o600
    restored = tmp_path / "other" / "store"
    restored.mkdir(parents=True)
    copy.rename(restored / "data.db")
    with kept_attached(tmp_path / "other") as uri, MongoClient(uri) as client:
        ids = [each["_id"] for each in client.t.docs.find().sort("_id", 1)]
        assert ids == list(range(len(ids))) and before <= len(ids) <= after
        assert client.t.docs.count_documents({"k": 3}) == sum(number % 5 == 3 for number in ids)
        client.t.docs.insert_one({"_id": "new"})
    assert not list(tmp_path.glob(".copy*"))


def test_a_copy_in_the_place_of_a_killed_store_is_not_mixed_with_its_log(tmp_path):
    store = tmp_path / "store"
    with kept_attached(tmp_path, idle_exit=0.3) as uri, MongoClient(uri) as client:
        client.t.docs.create_index("k")
        client.t.docs.insert_many({"_id": n, "k": n} for n in range(300))
        back_up(store / "data.db", tmp_path / "copy.db")
        client.t.docs.insert_many({"_id": n, "k": n, "pad": "x" * 900} for n in range(300, 900))
        client.t.docs.delete_many({"_id": {"$lt": 200}})
        left = {name: (store / name).read_bytes() for name in ("data.db-wal", "data.db-shm")}
    until(lambda: not (store / "store.json").exists())
    until(lambda: not (store / "data.db-wal").exists())
    (tmp_path / "copy.db").replace(store / "data.db")
    for name, content in left.items():  # as a kill leaves them
        (store / name).write_bytes(content)
    with kept_attached(tmp_path) as uri, MongoClient(uri) as client:
        assert client.t.docs.count_documents({}) == client.t.docs.count_documents({"k": {"$gte": 0}}) == 300
        assert client.t.command("validate", "docs")["valid"] is True
    assert (store / "data.db-wal.replaced").read_bytes() == left["data.db-wal"]


def test_a_copy_never_takes_the_place_of_a_file_and_only_stores_are_copied(tmp_path):
    taken, foreign = tmp_path / "taken", tmp_path / "foreign.db"
    taken.write_text("mine")
    sqlite3.connect(foreign).execute("CREATE TABLE t (a)").connection.close()
    with kept_attached(tmp_path / "home"), pytest.raises(FileExistsError):
        back_up(tmp_path / "home" / "store" / "data.db", taken)
    assert taken.read_text() == "mine"
    for file in (foreign, tmp_path / "nowhere.db"):
        with pytest.raises(FileRefused, match=file.name):
            back_up(file, tmp_path / "copy")
    with kept_attached(tmp_path / "home"), pytest.raises(FileRefused, match="cannot be copied"):
        back_up(tmp_path / "home" / "store" / "data.db", tmp_path / "no" / "folder")
    assert not list(tmp_path.glob(".copy*"))
