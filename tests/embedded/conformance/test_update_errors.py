"""Refused updates: their codes, and that the document stays as it was."""

import pytest
from bson import Int64

from tests.embedded.conformance.asking import code_of, refused, same

DOCUMENT = {"_id": 1, "a": 1, "s": "text", "l": [1, 2], "o": {"x": 1}, "null": None, "big": Int64(2**63 - 1), "d": 1.5}
CASES = [
    ({"$set": {"a": 1}, "$inc": {"a": 1}}, 40),
    ({"$set": {"o": 1, "o.x": 2}}, 40),
    ({"$rename": {"a": "b"}, "$set": {"b": 1}}, 40),
    ({"$rename": {"o": "o.y"}}, 40),
    ({"$set": {"_id": 2}}, 66),
    ({"$unset": {"_id": 1}}, 66),
    ({"$inc": {"_id": 1}}, 66),
    ({"$rename": {"_id": "b"}}, 66),
    ({"$set": {"a.b": 1}}, 28),
    ({"$set": {"s.0": 1}}, 28),
    ({"$set": {"null.x": 1}}, 28),
    ({"$set": {"l.x": 1}}, 28),
    ({"$inc": {"a.b": 1}}, 28),
    ({"$set": {"a..b": 1}}, 56),
    ({"$set": {"": 1}}, 56),
    ({"$set": {"a.": 1}}, 56),
    ({"$set": {"$a": 1}}, 52),
    ({"$nonsense": {"a": 1}}, 9),
    ({"$set": 5}, 9),
    ({"$set": {"a": 1}, "b": 1}, 9),
    ({"$inc": {"s": 1}}, 14),
    ({"$inc": {"null": 1}}, 14),
    ({"$inc": {"a": "x"}}, 14),
    ({"$inc": {"a": None}}, 14),
    ({"$mul": {"s": 1}}, 14),
    ({"$mul": {"a": "x"}}, 14),
    ({"$inc": {"big": 1}}, 2),
    ({"$mul": {"big": 2}}, 2),
    ({"$push": {"a": 1}}, 2),
    ({"$push": {"l": {"$each": 1}}}, 2),
    ({"$push": {"l": {"$each": [], "$slice": "x"}}}, 2),
    ({"$push": {"l": {"$each": [], "$position": "x"}}}, 2),
    ({"$push": {"l": {"$each": [], "$sort": 5}}}, 2),
    ({"$push": {"l": {"$each": [], "$nonsense": 5}}}, 2),
    ({"$addToSet": {"a": 1}}, 2),
    ({"$addToSet": {"l": {"$each": 1}}}, 2),
    ({"$pull": {"a": 1}}, 2),
    ({"$pullAll": {"l": 1}}, 2),
    ({"$pullAll": {"a": [1]}}, 2),
    ({"$pop": {"a": 1}}, 14),
    ({"$pop": {"l": 2}}, 9),
    ({"$pop": {"l": "x"}}, 9),
    ({"$bit": {"d": {"and": 1}}}, 2),
    ({"$bit": {"a": {"nand": 1}}}, 2),
    ({"$bit": {"a": {"and": 1.5}}}, 2),
    ({"$bit": {"a": 5}}, 2),
    ({"$currentDate": {"b": "date"}}, 2),
    ({"$currentDate": {"b": {"$type": "time"}}}, 2),
    ({"$rename": {"a": 5}}, 2),
    ({"$rename": {"a": "a"}}, 2),
    ({"$rename": {"l.0": "b"}}, 2),
    ({"$set": {"l.$": 1}}, 2),
    ({"$set": {"a.$[]": 1}}, 2),
    ({"$set": {"missing.$[]": 1}}, 2),
    ({"$set": {"l.$[x]": 1}}, 2),
    ({"$set": {"l.2000000": 1}}, 2),
    ({"$set": {"_id": True}}, 66),
    ({"$set": {"_id": "1"}}, 66),
    ({"$mul": {"a": True}}, 14),
    ({"$push": {"l": {"$each": [1], "$sort": {"a": "x"}}}}, 2),
    ({"$push": {"l": {"$each": [1], "$position": 1.5}}}, 2),
    ({"$pull": {"l": {"$nonsense": 1}}}, 2),
    ({"$addToSet": {"l": {"$each": [1], "$slice": 1}}}, 2),
]


async def test_updates_that_cannot_be_are_refused_and_change_nothing(docs):
    await docs.insert_one(DOCUMENT)
    same([(change, code, await code_of(docs.update_one({"_id": 1}, change))) for change, code in CASES])
    same([(change, code, await code_of(docs.update_many({"_id": 1}, change))) for change, code in CASES])
    same([(change, code, await code_of(docs.find_one_and_update({"_id": 1}, change))) for change, code in CASES])
    assert await docs.find({}) == [DOCUMENT]


@pytest.mark.parametrize(
    ("change", "filters", "code"),
    [
        ({"$set": {"l.$[x]": 1}}, [{"y": 1}], 2),
        ({"$set": {"l.$[x]": 1}}, [{"x": 1}, {"y": 1}], 9),
        ({"$set": {"l.$[x]": 1}}, [{"x": 1}, {"x": 2}], 9),
        ({"$set": {"l.$[x]": 1}}, [{"x": 1, "y": 2}], 9),
        ({"$set": {"l.$[x]": 1}}, [{}], 9),
        ({"$set": {"l.$[X]": 1}}, [{"X": 1}], 2),
        ({"$set": {"l.$[x]": 1}}, [{"x": {"$nonsense": 1}}], 2),
        ({"$set": {"$[x]": 1}}, [{"x": 1}], 2),
        ({"$set": {"a.$[x]": 1}}, [{"x": 1}], 2),
        ({"$set": {"l.$[x]": 1, "l.$[y]": 2}}, [{"x": 1}, {"y": 1}], 40),
    ],
)
async def test_array_filters_that_fit_nothing_are_refused(docs, change, filters, code):
    await docs.insert_one(DOCUMENT)
    assert await refused(docs.update_one({"_id": 1}, change, array_filters=filters)) == code
    assert await docs.find({}) == [DOCUMENT]


@pytest.mark.parametrize(
    ("filter", "change", "code"),
    [
        ({"_id": 5}, {"$set": {"_id": 6}}, 66),
        ({"a": 5}, {"$set": {"a.b": 6}}, 28),
        ({"$and": [{"z": 1}, {"z": 2}]}, {"$set": {"b": 1}}, 54),
        ({"z": {"b": 1}, "z.c": 2}, {"$set": {"b": 1}}, 54),
    ],
)
async def test_upserts_that_contradict_their_filter_are_refused(docs, filter, change, code):
    assert await refused(docs.update_one(filter, change, upsert=True)) == code
    assert await docs.find({}) == []


async def test_replacements_are_checked_as_documents(docs, db):
    await docs.insert_one(DOCUMENT)
    attempts = [
        ({"q": {"_id": 1}, "u": {"_id": 2, "a": 1}}, 66),
        ({"q": {"_id": 1}, "u": {"a": 1, "$set": {"b": 1}}}, 52),
        ({"q": {}, "u": {"a": 1}, "multi": True}, 9),
        ({"q": {}, "u": 5}, 9),
    ]
    for attempt, code in attempts:
        try:
            reply = await db.command({"update": "docs", "updates": [attempt]})
        except Exception as error:
            assert getattr(error, "code", None) == code, attempt
        else:
            assert reply["writeErrors"][0]["code"] == code, attempt
    assert await docs.find({}) == [DOCUMENT]


async def test_an_update_of_many_that_fails_on_one_is_refused(docs, on_store):
    await docs.insert_many([{"_id": 1, "n": 1}, {"_id": 2, "n": "text"}])
    assert await refused(docs.update_many({}, {"$inc": {"n": 1}})) == 14
    assert await docs.find({}) == [{"_id": 1, "n": 1}, {"_id": 2, "n": "text"}]


async def test_what_no_document_could_take_is_refused_where_there_is_none(docs):
    cases = [
        ({"$set": {"a": 1}, "$inc": {"a": 1}}, 40),
        ({"$nonsense": {"a": 1}}, 9),
        ({"$set": 5}, 9),
        ({"$set": {"a..b": 1}}, 56),
        ({"$inc": {"a": "x"}}, 14),
        ({"$mul": {"a": None}}, 14),
        ({"$push": {"a": {"$each": 1}}}, 2),
        ({"$push": {"a": {"$each": [], "$sort": 5}}}, 2),
        ({"$addToSet": {"a": {"$each": 1}}}, 2),
        ({"$pull": {"a": {"$nonsense": 1}}}, 2),
        ({"$pullAll": {"a": 1}}, 2),
        ({"$pop": {"a": 5}}, 9),
        ({"$bit": {"a": {"nand": 1}}}, 2),
        ({"$currentDate": {"a": "date"}}, 2),
        ({"$rename": {"a": "a"}}, 2),
        ({"$set": {"a.$[x]": 1}}, 2),
        ([{"$match": {}}], 72),
        ([{"$set": {"a": {"$nonsense": 1}}}], 168),
    ]
    for _ in range(2):
        same([(change, code, await code_of(docs.update_one({"_id": 9}, change))) for change, code in cases])
        same([(change, code, await code_of(docs.update_many({"_id": 9}, change))) for change, code in cases])
        same([(change, code, await code_of(docs.find_one_and_update({"_id": 9}, change))) for change, code in cases])
        await docs.insert_one({"_id": 1})
        await docs.delete_one({"_id": 1})
    unused = docs.update_one({"_id": 9}, {"$set": {"a": 1}}, array_filters=[{"x": 1}])
    assert await refused(unused) == 9
