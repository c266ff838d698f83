"""Expressions of strings and of conversions: what they give, and of which type."""

from bson import Decimal128, Int64, Regex

from tests.embedded.conformance.asking import gives
from tests.embedded.conformance.one_of_each import DAY, DOCUMENT, ID, utc


async def test_strings(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$concat": ["$s", "-", "x"]}, "Hello-x"),
            ({"$concat": ["$s", "$null"]}, None),
            ({"$toLower": "$s"}, "hello"),
            ({"$toUpper": "$u"}, "NAïVE €"),
            ({"$toUpper": "$missing"}, ""),
            ({"$substrCP": ["$u", 2, 3]}, "ïve"),
            ({"$substrBytes": ["$u", 2, 2]}, "ï"),
            ({"$substr": ["$s", 1, -1]}, "ello"),
            ({"$substr": ["$n", 0, 5]}, "7"),
            ({"$strLenCP": "$u"}, 7),
            ({"$strLenBytes": "$u"}, 10),
            ({"$strcasecmp": ["HELLO", "$s"]}, 0),
            ({"$strcasecmp": ["a", "B"]}, -1),
            ({"$split": ["a-b-", "-"]}, ["a", "b", ""]),
            ({"$split": ["$null", "-"]}, None),
            ({"$trim": {"input": " \tx\n "}}, "x"),
            ({"$trim": {"input": "xxaxx", "chars": "x"}}, "a"),
            ({"$ltrim": {"input": " x "}}, "x "),
            ({"$rtrim": {"input": " x "}}, " x"),
            ({"$indexOfCP": ["$u", "v"]}, 3),
            ({"$indexOfBytes": ["$u", "v"]}, 4),
            ({"$indexOfCP": ["$s", "l", 3]}, 3),
            ({"$indexOfCP": ["$s", "l", 3, 4]}, 3),
            ({"$indexOfCP": ["$s", "z"]}, -1),
            ({"$indexOfCP": ["$null", "z"]}, None),
            ({"$regexMatch": {"input": "$s", "regex": "^h", "options": "i"}}, True),
            ({"$regexMatch": {"input": "$null", "regex": "a"}}, False),
            (
                {"$regexFind": {"input": "$s", "regex": "(l)(x)?"}},
                {"match": "l", "idx": 2, "captures": ["l", None]},
            ),
            ({"$regexFind": {"input": "$s", "regex": Regex("z")}}, None),
            (
                {"$regexFindAll": {"input": "$s", "regex": "l"}},
                [{"match": "l", "idx": 2, "captures": []}, {"match": "l", "idx": 3, "captures": []}],
            ),
            ({"$regexFindAll": {"input": "$missing", "regex": "l"}}, []),
            ({"$replaceOne": {"input": "aba", "find": "a", "replacement": "c"}}, "cba"),
            ({"$replaceAll": {"input": "aba", "find": "a", "replacement": "c"}}, "cbc"),
            ({"$replaceAll": {"input": "$null", "find": "a", "replacement": "c"}}, None),
            ({"$binarySize": "$u"}, 10),
            ({"$binarySize": "$bin"}, 3),
            ({"$bsonSize": {"a": 1}}, 12),
        ],
    )


async def test_conversions(docs):
    await docs.insert_one(DOCUMENT)
    await gives(
        docs,
        [
            ({"$toString": "$n"}, "7"),
            ({"$toString": "$d"}, "2.5"),
            ({"$toString": 2.0}, "2"),
            ({"$toString": "$null"}, None),
            ({"$toString": "$dec"}, "1.10"),
            ({"$toString": "$yes"}, "true"),
            ({"$toString": "$id"}, str(ID)),
            ({"$toString": "$day"}, "2026-03-05T14:07:09.123Z"),
            ({"$toInt": "12"}, 12),
            ({"$toInt": "-5"}, -5),
            ({"$toInt": 7.9}, 7),
            ({"$toInt": True}, 1),
            ({"$toLong": "$n"}, Int64(7)),
            ({"$toLong": "$day"}, Int64(1772719629123)),
            ({"$toDouble": "1.5e3"}, 1500.0),
            ({"$toDouble": "$n"}, 7.0),
            ({"$toDecimal": "1.10"}, Decimal128("1.10")),
            ({"$toBool": 0}, False),
            ({"$toBool": "false"}, True),
            ({"$toDate": Int64(0)}, utc(1970, 1, 1)),
            ({"$toDate": "2026-03-05T14:07:09.123Z"}, DAY),
            ({"$toDate": "2026-03-05"}, utc(2026, 3, 5)),
            ({"$toDate": "$id"}, ID.generation_time),
            ({"$toObjectId": str(ID)}, ID),
            ({"$toInt": "$missing"}, None),
            ({"$convert": {"input": "x", "to": "int", "onError": -1}}, -1),
            ({"$convert": {"input": "$null", "to": "int", "onNull": 0}}, 0),
            ({"$convert": {"input": "5", "to": 18}}, Int64(5)),
            ({"$isNumber": "$dec"}, True),
            ({"$isNumber": "$s"}, False),
            ({"$type": "$missing"}, "missing"),
            ({"$type": "$big"}, "long"),
            ({"$type": "$bin"}, "binData"),
            ({"$type": ["$ts"]}, "timestamp"),
            ({"$tsSecond": "$ts"}, Int64(100)),
            ({"$tsIncrement": "$ts"}, Int64(5)),
        ],
    )
