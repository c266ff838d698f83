"""Does validate find what documents and indexes do not agree in?"""

import pytest
from bson import decode, encode

from embedded.commands import validating
from embedded.commands.call import Call
from embedded.errors import StoreError
from embedded.ledger import Ledger
from embedded.store import Store


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "data.db", deliver=lambda jobs: None)
    ledger = Ledger(made.connection, made.catalog)
    collection = ledger.create_collection("t", "docs")
    collection = ledger.create_index(collection, {"v": 2, "key": {"tags": 1}, "name": "by_tags"})
    for n in range(25):
        document = {"_id": n, "tags": [n, n + 1]}
        ledger.insert(collection, document, encode(document))
    made.catalog = ledger.catalog
    yield made
    made.close()


def validated(store, **options):
    call = Call("validate", {"validate": "docs", "$db": "t", **options}, {}, store)
    return decode([reply for reply in validating.validate(call) if reply is not None][-1])


def test_a_sound_collection_is_valid(store, monkeypatch):
    monkeypatch.setattr(validating, "PIECE", 7)
    found = validated(store, full=True)
    assert found["valid"] is True and found["errors"] == []
    assert (found["nrecords"], found["keysPerIndex"]) == (25, {"_id_": 25, "by_tags": 50})


def test_a_missing_and_a_stray_entry_are_found(store):
    row, key = store.connection.execute("SELECT doc, key FROM entries LIMIT 1").fetchone()
    store.connection.execute("UPDATE entries SET key = ? WHERE doc = ? AND key = ?", (b"\x7f", row, key))
    found = validated(store)
    assert found["valid"] is False and found["indexDetails"]["by_tags"] == {"valid": False}
    assert found["indexDetails"]["_id_"] == {"valid": True}
    assert found["missingIndexEntries"] == found["extraIndexEntries"] == [{"indexName": "by_tags", "recordId": row}]


def test_a_lost_document_leaves_stray_entries(store):
    (row,) = store.connection.execute("SELECT id FROM documents LIMIT 1").fetchone()
    store.connection.execute("DELETE FROM documents WHERE id = ?", (row,))
    found = validated(store)
    assert found["nrecords"] == 24 and found["valid"] is False
    assert {each["recordId"] for each in found["extraIndexEntries"]} == {row}


def test_a_document_that_cannot_be_read_is_told(store):
    (row,) = store.connection.execute("SELECT id FROM documents LIMIT 1").fetchone()
    store.connection.execute("UPDATE documents SET body = ? WHERE id = ?", (b"nonsense", row))
    found = validated(store)
    assert found["valid"] is False and found["corruptRecords"] == [row] and found["nInvalidDocuments"] == 1


def test_what_is_not_there_is_26_and_a_repair_238(store):
    with pytest.raises(StoreError) as caught:
        validated(store, validate="nothing")
    assert caught.value.code == 26
    with pytest.raises(StoreError) as caught:
        validated(store, repair=True)
    assert caught.value.code == 238
