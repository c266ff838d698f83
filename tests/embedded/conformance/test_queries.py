"""Query operators: the documents that each selects."""

import datetime
import re

import pytest
from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp

from tests.embedded.conformance.asking import ids, selects

NAN = float("nan")
EARLY = datetime.datetime(1931, 5, 1, tzinfo=datetime.UTC)


async def test_values_compare_within_their_type_and_numbers_across_theirs(docs):
    values = [1, 1.0, Int64(1), Decimal128("1.0"), True, "1", 2.5, None, -0.0, NAN, Decimal128("NaN"), [], {}]
    await docs.insert_many([{"_id": n, "v": value} for n, value in enumerate(values)])
    cases = [
        ({"v": 1}, [0, 1, 2, 3]),
        ({"v": Decimal128("1")}, [0, 1, 2, 3]),
        ({"v": True}, [4]),
        ({"v": "1"}, [5]),
        ({"v": 0}, [8]),
        ({"v": NAN}, [9, 10]),
        ({"v": {"$gt": 0}}, [0, 1, 2, 3, 6]),
        ({"v": {"$gte": 0}}, [0, 1, 2, 3, 6, 8]),
        ({"v": {"$lt": 3}}, [0, 1, 2, 3, 6, 8]),
        ({"v": {"$gte": NAN}}, [9, 10]),
        ({"v": {"$gt": NAN}}, []),
        ({"v": {"$ne": 1}}, [4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ({"v": {"$in": [1, "1"]}}, [0, 1, 2, 3, 5]),
        ({"v": {"$nin": [1, None]}}, [4, 5, 6, 8, 9, 10, 11, 12]),
        ({"v": {"$gt": False}}, [4]),
        ({"v": {"$gte": ""}}, [5]),
        ({"v": {"$gt": 0, "$lt": 2}}, [0, 1, 2, 3]),
        ({"v": {"$in": []}}, []),
        ({"v": {"$gt": MinKey()}}, list(range(13))),
        ({"v": {"$size": 1}}, []),
        ({"v": {"$lt": MaxKey()}}, list(range(13))),
    ]
    await selects(docs, cases)
    await docs.create_index("v")
    await selects(docs, cases)


async def test_dates_timestamps_ids_and_bytes_compare_with_their_own_kind(docs):
    first, second = ObjectId("000000000000000000000001"), ObjectId("000000000000000000000002")
    values = [EARLY, Timestamp(5, 1), first, second, b"ab", Binary(b"a", 128), Binary(b"abc", 0)]
    await docs.insert_many([{"_id": n, "v": value} for n, value in enumerate(values)])
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    cases = [
        ({"v": {"$lt": epoch}}, [0]),
        ({"v": {"$gte": EARLY}}, [0]),
        ({"v": {"$gt": Timestamp(5, 0)}}, [1]),
        ({"v": {"$gt": first}}, [3]),
        ({"v": {"$gt": b"ab"}}, [6]),  # by length first
        ({"v": Binary(b"a", 0)}, []),
        ({"v": Binary(b"a", 128)}, [5]),
    ]
    await selects(docs, cases)
    await docs.create_index([("v", -1)])
    await selects(docs, cases)


async def test_null_stands_for_missing_and_exists_tells_them_apart(docs):
    await docs.insert_many(
        [
            {"_id": 1},
            {"_id": 2, "a": None},
            {"_id": 3, "a": {}},
            {"_id": 4, "a": {"b": None}},
            {"_id": 5, "a": []},
            {"_id": 6, "a": [{}, {"b": 1}]},
            {"_id": 7, "a": [1, 2]},
            {"_id": 8, "a": 4},
            {"_id": 9, "a": {"b": 5}},
            {"_id": 10, "a": [None, 1]},
        ]
    )
    cases = [
        ({"a": None}, [1, 2, 10]),
        ({"a": {"$ne": None}}, [3, 4, 5, 6, 7, 8, 9]),
        ({"a": {"$exists": False}}, [1]),
        ({"a": {"$exists": 0}}, [1]),
        ({"a": {"$exists": True, "$eq": None}}, [2, 10]),
        ({"a.b": None}, [1, 2, 3, 4, 6, 8]),
        ({"a.b": {"$ne": None}}, [5, 7, 9, 10]),
        ({"a.b": {"$exists": True}}, [4, 6, 9]),
        ({"a.b": {"$exists": False}}, [1, 2, 3, 5, 7, 8, 10]),
        ({"a": {"$gte": None}}, [1, 2, 10]),
        ({"a": {"$gt": None}}, []),
        ({"a": {"$in": [None, 4]}}, [1, 2, 8, 10]),
        ({"a": {"$type": "null"}}, [2, 10]),
        ({"a": {"$not": {"$type": 10}}}, [1, 3, 4, 5, 6, 7, 8, 9]),
        ({"a": {"$elemMatch": {"$eq": None}}}, [10]),
    ]
    await selects(docs, cases)
    await docs.create_index("a")
    await docs.create_index("a.b")
    await selects(docs, cases)


async def test_arrays_are_met_by_an_element_or_as_a_whole(docs):
    await docs.insert_many(
        [
            {"_id": 1, "a": [1, 2]},
            {"_id": 2, "a": [[1, 2], 3]},
            {"_id": 3, "a": [2, 1]},
            {"_id": 4, "a": 1},
            {"_id": 5, "a": []},
            {"_id": 6, "a": [[]]},
            {"_id": 7, "a": [[[1, 2]]]},
        ]
    )
    cases = [
        ({"a": 1}, [1, 3, 4]),
        ({"a": [1, 2]}, [1, 2]),
        ({"a": []}, [5, 6]),
        ({"a": [[1, 2]]}, [7]),
        ({"a": {"$in": [[1, 2], 2]}}, [1, 2, 3]),
        ({"a": {"$nin": [1]}}, [2, 5, 6, 7]),
        ({"a": {"$ne": [1, 2]}}, [3, 4, 5, 6, 7]),
        ({"a": {"$size": 2}}, [1, 2, 3]),
        ({"a": {"$size": 0}}, [5]),
        ({"a": {"$size": 1.0}}, [6, 7]),
        ({"a": {"$gt": 1}}, [1, 2, 3]),
        ({"a": {"$all": [1, 2]}}, [1, 3]),
        ({"a": {"$all": [[1, 2]]}}, [1, 2]),
        ({"a": {"$all": [1]}}, [1, 3, 4]),
        ({"a": {"$all": []}}, []),
        ({"a": {"$type": "array"}}, [1, 2, 3, 5, 6, 7]),
        ({"a": {"$type": "int"}}, [1, 2, 3, 4]),
        ({"a.0": 1}, [1]),
        ({"a.1": {"$exists": True}}, [1, 2, 3]),
        ({"a.0": {"$exists": True}}, [1, 2, 3, 6, 7]),
        ({"a.0.1": 2}, [2]),
        ({"a.0": [1, 2]}, [2]),
        ({"a.5": {"$exists": False}}, [1, 2, 3, 4, 5, 6, 7]),
        ({"a": {"$elemMatch": {"$gte": 2, "$lt": 3}}}, [1, 3]),
        ({"a": {"$elemMatch": {"$in": [3]}}}, [2]),
        ({"a": {"$elemMatch": {"$ne": 1}}}, [1, 2, 3, 6, 7]),
        ({"a": {"$elemMatch": {"0": 1}}}, [2, 7]),
        ({"a": {"$elemMatch": {"$elemMatch": {"$eq": 3}}}}, []),
        ({"a": {"$elemMatch": {"$elemMatch": {"$eq": 2}}}}, [2]),
        ({"a": {"$not": {"$elemMatch": {"$gt": 0}}}}, [4, 5, 6, 7]),
    ]
    await selects(docs, cases)
    await docs.create_index("a")
    await selects(docs, cases)


async def test_documents_in_arrays_are_reached_by_path_position_and_elem_match(docs):
    await docs.insert_many(
        [
            {"_id": 1, "r": [{"p": "x", "s": 8}, {"p": "y", "s": 5}]},
            {"_id": 2, "r": [{"p": "x", "s": 5}, {"p": "y", "s": 8}]},
            {"_id": 3, "r": {"p": "x", "s": 8}},
            {"_id": 4, "r": [{"p": "x", "t": [1, 9]}]},
            {"_id": 5, "r": {"0": {"p": "x"}}},
        ]
    )
    cases = [
        ({"r.p": "x"}, [1, 2, 3, 4]),
        ({"r.p": "x", "r.s": 8}, [1, 2, 3]),
        ({"r": {"$elemMatch": {"p": "x", "s": 8}}}, [1]),
        ({"r": {"$elemMatch": {"p": "x", "s": {"$gt": 4, "$lt": 6}}}}, [2]),
        ({"r": {"$all": [{"$elemMatch": {"p": "x"}}, {"$elemMatch": {"s": 8}}]}}, [1, 2]),
        ({"r": {"$elemMatch": {"$or": [{"s": 8}, {"t": 1}]}}}, [1, 2, 4]),
        ({"r": {"$elemMatch": {}}}, [1, 2, 4]),
        ({"r.0.p": "x"}, [1, 2, 4, 5]),
        ({"r.1.s": {"$gte": 8}}, [2]),
        ({"r.t": {"$gt": 5}}, [4]),
        ({"r.t.1": 9}, [4]),
        ({"r": {"p": "x", "s": 8}}, [1, 3]),
        ({"r": {"s": 8, "p": "x"}}, []),
        ({"r.s": {"$nin": [8]}}, [4, 5]),
    ]
    await selects(docs, cases)
    await docs.create_index("r.p")
    await docs.create_index("r.s")
    await selects(docs, cases)


async def test_logic_combines_conditions(docs):
    await docs.insert_many([{"_id": n, "a": n % 3, "b": n % 2} for n in range(6)])
    await selects(
        docs,
        [
            ({"$or": [{"a": 1}, {"b": 1}]}, [1, 3, 4, 5]),
            ({"$and": [{"a": 1}, {"b": 1}]}, [1]),
            ({"$nor": [{"a": 1}, {"b": 1}]}, [0, 2]),
            ({"a": {"$not": {"$gt": 0}}}, [0, 3]),
            ({"a": {"$not": {"$gt": 0, "$lt": 2}}}, [0, 2, 3, 5]),
            ({"$or": [{"$and": [{"a": 0}, {"b": 0}]}, {"_id": 5}]}, [0, 5]),
            ({"$expr": {"$gt": ["$a", "$b"]}}, [2, 4, 5]),
            ({"b": 1, "$expr": {"$eq": ["$a", 1]}}, [1]),
            ({"a": 1, "$comment": "why"}, [1, 4]),
            ({"a": {"$eq": 1, "$comment": "why"}}, [1, 4]),
            ({"_id": {"$gte": 1, "$lte": 4, "$ne": 2, "$exists": True}}, [1, 3, 4]),
        ],
    )


async def test_remainders_and_bits_are_of_whole_numbers(docs):
    values = [4, 5.9, -3, Int64(8), "4", Binary(b"\x05"), 2.5, None, [1, 4], NAN]
    await docs.insert_many([{"_id": n, "v": value} for n, value in enumerate(values)])
    await selects(
        docs,
        [
            ({"v": {"$mod": [4, 0]}}, [0, 3, 8]),
            ({"v": {"$mod": [5, 0]}}, [1]),
            ({"v": {"$mod": [2, -1]}}, [2]),
            ({"v": {"$mod": [4.9, 0.5]}}, [0, 3, 8]),
            ({"v": {"$bitsAllSet": 4}}, [0, 2, 5, 8]),
            ({"v": {"$bitsAllSet": [0, 2]}}, [2, 5]),
            ({"v": {"$bitsAllSet": [1]}}, []),
            ({"v": {"$bitsAnySet": [0]}}, [2, 5, 8]),
            ({"v": {"$bitsAllClear": [0, 1]}}, [0, 3, 8]),
            ({"v": {"$bitsAnyClear": [0]}}, [0, 3, 8]),
            ({"v": {"$bitsAllSet": Binary(b"\x05")}}, [2, 5]),
            ({"v": {"$bitsAllSet": [62]}}, [2]),  # a negative number goes on in ones
        ],
    )


async def test_types_are_named_or_numbered(docs):
    values = {
        "double": 1.5,
        "string": "x",
        "object": {"a": 1},
        "array": [],
        "binData": b"x",
        "objectId": ObjectId(),
        "bool": True,
        "date": EARLY,
        "null": None,
        "regex": Regex("x"),
        "int": 1,
        "timestamp": Timestamp(1, 1),
        "long": Int64(1),
        "decimal": Decimal128("1"),
        "minKey": MinKey(),
        "maxKey": MaxKey(),
    }
    codes = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 16, 17, 18, 19, -1, 127]
    await docs.insert_many([{"_id": name, "v": value} for name, value in values.items()])
    for name, code in zip(values, codes, strict=True):
        assert await ids(docs, {"v": {"$type": name}}) == [name]
        assert await ids(docs, {"v": {"$type": code}}) == [name]
    assert await ids(docs, {"v": {"$type": "number"}}) == ["decimal", "double", "int", "long"]
    assert await ids(docs, {"v": {"$type": ["bool", 2]}}) == ["bool", "string"]


@pytest.mark.parametrize("indexed", [False, True])
async def test_regular_expressions_find_text(docs, indexed):
    texts = ["abc", "ABC", "xabc", "a\nabc", "a.c", "naïve", "Ärger", "", "a b c", "a/b"]
    await docs.insert_many([{"_id": n, "s": text} for n, text in enumerate(texts)] + [{"_id": 50, "s": ["q", "abd"]}])
    await docs.insert_one({"_id": 51, "s": Regex("^abc")})
    if indexed:
        await docs.create_index("s")
    await selects(
        docs,
        [
            ({"s": {"$regex": "^abc"}}, [0, 51]),
            ({"s": Regex("^abc")}, [0, 51]),
            ({"s": {"$regex": "^abc", "$options": "i"}}, [0, 1]),
            ({"s": re.compile("^ABC", re.IGNORECASE)}, [0, 1]),
            ({"s": {"$regex": "^abc", "$options": "m"}}, [0, 3]),
            ({"s": {"$regex": "a.abc"}}, []),
            ({"s": {"$regex": "a.abc", "$options": "s"}}, [3]),
            ({"s": {"$regex": "a b c # three", "$options": "x"}}, [0, 2, 3]),
            ({"s": {"$regex": r"^a\.c$"}}, [4]),
            ({"s": {"$regex": r"\Qa.c\E"}}, [4]),
            ({"s": {"$regex": "ärger", "$options": "i"}}, [6]),
            ({"s": {"$regex": "^na.ve$"}}, [5]),
            ({"s": {"$regex": "^$"}}, [7]),
            ({"s": {"$regex": "^ab[cd]"}}, [0, 50]),
            ({"s": {"$regex": "(?i)^abc$"}}, [0, 1]),
            ({"s": {"$in": [Regex("^x"), "a.c"]}}, [2, 4]),
            ({"s": {"$nin": [Regex("a", "i")]}}, [6, 7, 51]),
            ({"s": {"$not": Regex("a", "i")}}, [6, 7, 51]),
            ({"s": {"$not": {"$regex": "a", "$options": "i"}}}, [6, 7, 51]),
            ({"s": {"$all": [Regex("q"), Regex("d$")]}}, [50]),
            ({"s": {"$elemMatch": {"$regex": "^a"}}}, [50]),
            ({"s": {"$eq": Regex("^abc")}}, [51]),
            ({"s": {"$regex": "^ab", "$ne": "abc"}}, [50]),
            ({"s": {"$regex": "^a/b"}}, [9]),
            ({"s": {"$regex": Regex("^ABC", "i")}}, [0, 1]),
            ({"s": {"$regex": Regex("^ABC"), "$options": "i"}}, [0, 1]),
            ({"s": {"$regex": r"(?<first>q)"}}, [50]),
            ({"s": {"$regex": r"(?<=x)abc"}}, [2]),
            ({"s": {"$regex": r"^n\w+$"}}, []),  # a word is of ASCII
            ({"s": {"$regex": "ÄRGER", "$options": "i"}}, [6]),
        ],
    )
