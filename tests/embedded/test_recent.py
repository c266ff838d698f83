"""A document that the writer has kept decoded is always the one that is stored."""

import pytest
from pymongo.errors import WriteError

from embedded.codec import encode
from embedded.recent import RecentlyDecoded


def test_what_is_kept_of_other_bytes_is_not_used():
    recent = RecentlyDecoded()
    kept = {"_id": 1, "n": 1}
    recent.put(7, encode(kept), kept)
    assert recent.decode(7, encode(kept)) is kept
    assert recent.decode(7, encode({"_id": 1, "n": 2})) == {"_id": 1, "n": 2}
    assert recent.decode(8, encode(kept)) == kept


def test_the_one_used_longest_ago_goes_first():
    documents = [{"_id": n, "pad": "x" * 100} for n in range(4)]
    size = len(encode(documents[0]))
    recent = RecentlyDecoded(max_bytes=3 * size)
    for n in range(3):
        recent.put(n, encode(documents[n]), documents[n])
    assert recent.decode(0, encode(documents[0])) is documents[0]
    recent.put(3, encode(documents[3]), documents[3])
    assert [recent.decode(n, encode(documents[n])) is documents[n] for n in (0, 2, 3)] == [True] * 3
    assert recent.decode(1, encode(documents[1])) is not documents[1]


def test_a_document_larger_than_all_that_is_kept_is_not_kept():
    small, large = {"_id": 1}, {"_id": 2, "pad": "x" * 1000}
    recent = RecentlyDecoded(max_bytes=500)
    recent.put(1, encode(small), small)
    recent.put(2, encode(large), large)
    assert recent.decode(2, encode(large)) is not large
    assert recent.decode(1, encode(small)) is small


async def test_a_write_after_one_that_was_undone_sees_what_is_stored(docs):
    await docs.create_index([("a", 1)], unique=True)
    await docs.insert_many([{"_id": 1, "a": 1, "n": 0}, {"_id": 2, "a": 2, "n": 0}])
    with pytest.raises(WriteError):
        await docs.update_many({}, {"$set": {"a": 9}, "$inc": {"n": 1}})  # the first is changed before the second fails
    await docs.update_one({"_id": 1}, {"$inc": {"n": 1}})
    assert await docs.find({"_id": 1}) == [{"_id": 1, "a": 1, "n": 1}]
