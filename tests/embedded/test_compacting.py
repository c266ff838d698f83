"""The file gives back the room of what was deleted, while others read and write."""

import os
import threading

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from tests.embedded.drivers import kept_attached


async def test_compact_shrinks_the_file_and_keeps_what_is_there(tmp_path):
    with kept_attached(tmp_path) as uri, MongoClient(uri) as client:
        docs = client.t.docs
        docs.create_index("k")
        docs.insert_many({"_id": n, "k": n % 7, "pad": os.urandom(2_000)} for n in range(4_000))
        docs.delete_many({"_id": {"$gte": 400}})
        docs.update_one({"_id": 3}, {"$set": {"k": "kept decoded"}})
        before = (tmp_path / "store" / "data.db").stat().st_size
        over = threading.Event()
        written: list[int] = []
        read: list[int] = []

        def write() -> None:
            with MongoClient(uri) as other:
                while not over.is_set():
                    other.t.more.insert_one({"_id": len(written)})
                    written.append(len(written))

        def look() -> None:
            with MongoClient(uri) as other:
                while not over.is_set():
                    read.append(other.t.docs.count_documents({"pad": {"$exists": True}}))

        threads = [threading.Thread(target=run) for run in (write, look)]
        for thread in threads:
            thread.start()
        freed = [client.t.command("compact", "docs")["bytesFreed"] for _ in range(3)]
        over.set()
        for thread in threads:
            thread.join(20)
        assert freed[0] > 0.7 * before
        assert (tmp_path / "store" / "data.db").stat().st_size < 0.3 * before
        assert set(read) == {400}
        assert client.t.more.count_documents({}) == len(written)
        assert docs.find_one_and_update({"_id": 3}, {"$set": {"seen": True}})["k"] == "kept decoded"
        assert docs.count_documents({"k": 5}) == len(docs.find({"k": 5}, hint=[("$natural", 1)]).to_list()) == 57


def test_compacting_what_is_not_there_is_26(tmp_path):
    with kept_attached(tmp_path) as uri, MongoClient(uri) as client:
        with pytest.raises(OperationFailure) as refused:
            client.t.command("compact", "docs")
        assert refused.value.code == 26
