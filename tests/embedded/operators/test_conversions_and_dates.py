"""What do the expressions on types and dates give?"""

import datetime
from typing import Any

import pytest
from bson import DatetimeMS, Decimal128, Int64, ObjectId

from embedded.errors import StoreError
from embedded.operators.expressions import compile_expression

DAY = datetime.datetime(2026, 3, 5, 14, 7, 9, 123000, tzinfo=datetime.UTC)
DOCUMENT = {"n": 7, "l": [3, 1, 2], "day": DAY}


def value_of(expression: Any) -> Any:
    return compile_expression(expression)({"ROOT": DOCUMENT, "CURRENT": DOCUMENT})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # types
        ({"$type": "$n"}, "int"),
        ({"$type": "$missing"}, "missing"),
        ({"$type": "$day"}, "date"),
        ({"$isNumber": 1.5}, True),
        ({"$toString": 5}, "5"),
        ({"$toString": 1.5}, "1.5"),
        ({"$toString": 2.0}, "2"),
        ({"$toString": True}, "true"),
        ({"$toString": ObjectId("0" * 24)}, "0" * 24),
        ({"$toString": "$day"}, "2026-03-05T14:07:09.123Z"),
        ({"$toString": None}, None),
        ({"$toInt": "42"}, 42),
        ({"$toInt": 2.9}, 2),
        ({"$toLong": "42"}, Int64(42)),
        ({"$toLong": "$day"}, 1772719629123),
        ({"$toDouble": "1.5"}, 1.5),
        ({"$toDecimal": "1.5"}, Decimal128("1.5")),
        ({"$toBool": 0}, False),
        ({"$toDate": Int64(0)}, datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)),
        ({"$toDate": "2026-03-05T14:07:09.123Z"}, DAY),
        ({"$toObjectId": "0" * 24}, ObjectId("0" * 24)),
        ({"$convert": {"input": "x", "to": "int", "onError": -1}}, -1),
        ({"$convert": {"input": None, "to": "int", "onNull": 0}}, 0),
        ({"$convert": {"input": "7", "to": 16}}, 7),
        # dates
        ({"$year": "$day"}, 2026),
        ({"$month": "$day"}, 3),
        ({"$dayOfMonth": "$day"}, 5),
        ({"$dayOfWeek": "$day"}, 5),
        ({"$dayOfYear": "$day"}, 64),
        ({"$hour": "$day"}, 14),
        ({"$hour": {"date": "$day", "timezone": "+02:00"}}, 16),
        ({"$hour": {"date": "$day", "timezone": "America/New_York"}}, 9),
        ({"$minute": ["$day"]}, 7),
        ({"$second": "$day"}, 9),
        ({"$millisecond": "$day"}, 123),
        ({"$year": None}, None),
        ({"$year": DatetimeMS(0)}, 1970),
        ({"$dateToString": {"date": "$day"}}, "2026-03-05T14:07:09.123Z"),
        (
            {"$dateToString": {"date": "$day", "format": "%Y-%m-%d %H:%M:%S.%L %j %u %%"}},
            "2026-03-05 14:07:09.123 064 4 %",
        ),
        ({"$dateToString": {"date": "$day", "format": "%H%z", "timezone": "+0530"}}, "19+0530"),
        ({"$dateToString": {"date": None, "onNull": "never"}}, "never"),
        ({"$dateTrunc": {"date": "$day", "unit": "day"}}, DAY.replace(hour=0, minute=0, second=0, microsecond=0)),
        ({"$dateTrunc": {"date": "$day", "unit": "month"}}, datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)),
        ({"$dateTrunc": {"date": "$day", "unit": "week"}}, datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)),
        (
            {"$dateTrunc": {"date": "$day", "unit": "minute", "binSize": 5}},
            DAY.replace(minute=5, second=0, microsecond=0),
        ),
    ],
)
def test_an_expression_has_this_value(expression: Any, expected: Any) -> None:
    found = value_of(expression)
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, int | datetime.datetime)
    assert isinstance(found, bool) == isinstance(expected, bool)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ({"$toInt": "x"}, 241),
        ({"$toInt": 2**40}, 241),
        ({"$toInt": float("nan")}, 241),
        ({"$toString": "$l"}, 241),
        ({"$toDate": "yesterday"}, 241),
        ({"$toObjectId": "x"}, 241),
        ({"$year": "$n"}, 16006),
        ({"$hour": {"date": "$day", "timezone": "Nowhere/Land"}}, 40485),
        ({"$dateToString": {"date": "$day", "format": "%q"}}, 18536),
    ],
)
def test_wrong_values_are_refused_when_evaluated(expression: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        value_of(expression)
    assert raised.value.code == code
