"""A document with a value of every kind, of which expressions are asked."""

import datetime

from bson import Binary, Decimal128, Int64, ObjectId, Timestamp

DAY = datetime.datetime(2026, 3, 5, 14, 7, 9, 123000, tzinfo=datetime.UTC)
OLD = datetime.datetime(1931, 5, 17, 23, 59, 59, 999000, tzinfo=datetime.UTC)
NAN = float("nan")
ID = ObjectId("65a000000000000000000001")
DOCUMENT = {
    "_id": 1,
    "n": 7,
    "d": 2.5,
    "big": Int64(2**63 - 1),
    "dec": Decimal128("1.10"),
    "nan": NAN,
    "s": "Hello",
    "u": "naïve €",
    "l": [3, 1, 2],
    "nested": [[1, 2], [3]],
    "none": [],
    "o": {"x": 1, "y": {"z": 2}},
    "docs": [{"a": 1, "t": "x"}, {"a": 2, "b": 5}, 9, [{"a": 3}]],
    "day": DAY,
    "old": OLD,
    "null": None,
    "yes": True,
    "id": ID,
    "ts": Timestamp(100, 5),
    "bin": Binary(b"abc", 5),
    "dotted": {"a.b": 1, "$c": 2},
}


def utc(*parts):
    return datetime.datetime(*parts, tzinfo=datetime.UTC)
