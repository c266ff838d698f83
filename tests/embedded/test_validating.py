"""`validate` finds where documents and indexes do not agree."""

import pytest
from bson import decode, encode

from embedded.commands import validating
from embedded.commands.call import Call
from embedded.errors import StoreError
from embedded.keying import entry_keys
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


def test_the_keys_of_a_document_are_worked_out_once_however_many_there_are(store, monkeypatch):
    monkeypatch.setattr(validating, "PIECE", 7)
    worked_out = []

    def counted(index, document):
        worked_out.append((index.name, document["_id"]))
        return entry_keys(index, document)

    monkeypatch.setattr(validating, "entry_keys", counted)
    assert validated(store)["valid"] is True
    assert len(worked_out) == 2 * 25
    store.connection.execute("DELETE FROM entries WHERE key = (SELECT MAX(key) FROM entries)")
    worked_out.clear()
    assert validated(store)["valid"] is False
    assert len(worked_out) == 2 * 25 + 1  # the one whose entries do not add up once more


def test_the_keys_that_are_kept_are_bounded_and_hold_for_their_bytes_alone(store):
    index = store.catalog.get("t", "docs").index_named("by_tags")
    kept = validating.KeptKeys(index, max_bytes=2_000)
    for n in range(50):
        raw = encode({"_id": n, "tags": [n, n + 1]})
        assert kept.of(n, raw) is kept.of(n, raw)
    assert len(kept.of(49, encode({"_id": 49, "tags": [1, 2, 3]}))) == 3
    assert kept._bytes <= 2_000 and 1 <= len(kept._kept) < 10


def test_an_index_that_lost_its_mark_of_arrays_is_wrong_and_stays_as_it_is(store):
    index = store.catalog.get("t", "docs").index_named("by_tags")
    assert index.multikey == 1
    index.multikey = 0
    found = validated(store)
    assert index.multikey == 0
    assert found["valid"] is False and found["indexDetails"] == {"_id_": {"valid": True}, "by_tags": {"valid": False}}
    assert found["errors"] == ["index 'by_tags' holds arrays and is not marked multikey"]


def test_of_many_mistakes_all_are_counted_and_some_listed(store, monkeypatch):
    monkeypatch.setattr(validating, "MAX_TOLD", 5)
    store.connection.execute("UPDATE entries SET key = CAST(key || x'00' AS BLOB)")
    found = validated(store)
    assert found["errors"] == [
        "index 'by_tags' and the documents do not agree: 50 entries are missing, 50 too many",
    ]
    assert len(found["missingIndexEntries"]) == len(found["extraIndexEntries"]) == 5
    assert found["warnings"] == ["of each kind of mistake, 5 are listed"]
    store.connection.execute("UPDATE documents SET body = x'00'")
    found = validated(store)
    assert found["nInvalidDocuments"] == 25 and len(found["corruptRecords"]) == 5


def test_what_is_written_meanwhile_is_no_mistake(store, monkeypatch):
    monkeypatch.setattr(validating, "PIECE", 7)
    ledger = Ledger(store.connection, store.catalog)
    collection = store.catalog.get("t", "docs")
    call = Call("validate", {"validate": "docs", "$db": "t"}, {}, store)
    replies = []
    for number, reply in enumerate(validating.validate(call), 100):
        document = {"_id": number, "tags": [-number, number]}
        ledger.insert(collection, document, encode(document))
        replies.append(reply)
    assert decode(replies[-1])["errors"] == []


def test_what_is_not_there_is_26_and_a_repair_238(store):
    with pytest.raises(StoreError) as caught:
        validated(store, validate="nothing")
    assert caught.value.code == 26
    with pytest.raises(StoreError) as caught:
        validated(store, repair=True)
    assert caught.value.code == 238
