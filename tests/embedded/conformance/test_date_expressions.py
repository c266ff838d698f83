"""Expressions of dates and of the present: what they give, and of which type."""

import datetime

from bson import DatetimeMS, Int64

from tests.embedded.conformance.asking import gives
from tests.embedded.conformance.one_of_each import DAY, DOCUMENT, utc


async def test_dates(docs):
    await docs.insert_one(DOCUMENT)
    paris = "Europe/Paris"
    whole = {"year": 2026, "month": 3, "day": 5, "hour": 14, "minute": 7, "second": 9, "millisecond": 123}
    await gives(
        docs,
        [
            ({"$year": "$day"}, 2026),
            ({"$month": "$day"}, 3),
            ({"$dayOfMonth": "$old"}, 17),
            ({"$hour": {"date": "$day", "timezone": paris}}, 15),
            ({"$hour": {"date": "$day", "timezone": "-05:30"}}, 8),
            ({"$minute": "$day"}, 7),
            ({"$second": "$old"}, 59),
            ({"$millisecond": "$old"}, 999),
            ({"$dayOfYear": "$day"}, 64),
            ({"$dayOfWeek": "$day"}, 5),
            ({"$week": "$day"}, 9),
            ({"$isoDayOfWeek": "$day"}, 4),
            ({"$isoWeek": "$day"}, 10),
            ({"$isoWeekYear": utc(2027, 1, 1)}, Int64(2026)),
            ({"$year": "$null"}, None),
            ({"$year": "$id"}, 2024),
            ({"$year": DatetimeMS(0)}, 1970),
            ({"$minute": ["$day"]}, 7),
            ({"$hour": {"date": "$day", "timezone": "America/New_York"}}, 9),
            ({"$dateToString": {"date": "$day"}}, "2026-03-05T14:07:09.123Z"),
            (
                {"$dateToString": {"date": "$day", "format": "%d/%m/%Y %H:%M:%S.%L %j %u %%"}},
                "05/03/2026 14:07:09.123 064 4 %",
            ),
            ({"$dateToString": {"date": "$day", "format": "%H %z", "timezone": paris}}, "15 +0100"),
            ({"$dateToString": {"date": "$null", "onNull": "none"}}, "none"),
            ({"$dateFromString": {"dateString": "2026-03-05T14:07:09.123Z"}}, DAY),
            ({"$dateFromString": {"dateString": "2026-03-05", "timezone": paris}}, utc(2026, 3, 4, 23)),
            ({"$dateFromString": {"dateString": "05/03/2026", "format": "%d/%m/%Y"}}, utc(2026, 3, 5)),
            ({"$dateFromString": {"dateString": "nonsense", "onError": "bad"}}, "bad"),
            ({"$dateFromString": {"dateString": "$null", "onNull": 0}}, 0),
            ({"$dateFromParts": {**whole}}, DAY),
            ({"$dateFromParts": {"year": 2026, "month": 14, "day": 0}}, utc(2027, 1, 31)),
            ({"$dateFromParts": {"isoWeekYear": 2026, "isoWeek": 10, "isoDayOfWeek": 4}}, utc(2026, 3, 5)),
            ({"$dateFromParts": {"year": 2026, "hour": 1, "timezone": paris}}, utc(2026, 1, 1)),
            ({"$dateToParts": {"date": "$day"}}, whole),
            ({"$dateAdd": {"startDate": "$day", "unit": "day", "amount": 1}}, DAY + datetime.timedelta(days=1)),
            ({"$dateAdd": {"startDate": utc(2026, 1, 31), "unit": "month", "amount": 1}}, utc(2026, 2, 28)),
            ({"$dateAdd": {"startDate": utc(2024, 2, 29), "unit": "year", "amount": 1}}, utc(2025, 2, 28)),
            (
                {"$dateSubtract": {"startDate": "$day", "unit": "quarter", "amount": 1}},
                utc(2025, 12, 5, 14, 7, 9, 123000),
            ),
            (
                {"$dateAdd": {"startDate": utc(2026, 3, 28, 12), "unit": "day", "amount": 1, "timezone": paris}},
                utc(2026, 3, 29, 11),  # the clocks go forward
            ),
            (
                {"$dateAdd": {"startDate": utc(2026, 3, 28, 12), "unit": "hour", "amount": 24, "timezone": paris}},
                utc(2026, 3, 29, 12),
            ),
            ({"$dateAdd": {"startDate": "$null", "unit": "day", "amount": 1}}, None),
            ({"$dateDiff": {"startDate": utc(2026, 1, 31), "endDate": utc(2026, 2, 1), "unit": "month"}}, Int64(1)),
            ({"$dateDiff": {"startDate": "$day", "endDate": utc(2026, 3, 6), "unit": "day"}}, Int64(1)),
            ({"$dateDiff": {"startDate": "$day", "endDate": "$old", "unit": "year"}}, Int64(-95)),
            ({"$dateDiff": {"startDate": utc(2026, 3, 7), "endDate": utc(2026, 3, 8), "unit": "week"}}, Int64(1)),
            (
                {
                    "$dateDiff": {
                        "startDate": utc(2026, 3, 7),
                        "endDate": utc(2026, 3, 8),
                        "unit": "week",
                        "startOfWeek": "monday",
                    }
                },
                Int64(0),
            ),
            ({"$dateTrunc": {"date": "$day", "unit": "month"}}, utc(2026, 3, 1)),
            ({"$dateTrunc": {"date": "$day", "unit": "hour", "binSize": 6}}, utc(2026, 3, 5, 12)),
            ({"$dateTrunc": {"date": "$day", "unit": "week", "startOfWeek": "mon"}}, utc(2026, 3, 2)),
            ({"$dateTrunc": {"date": "$day", "unit": "day", "timezone": paris}}, utc(2026, 3, 4, 23)),
            ({"$dateTrunc": {"date": "$old", "unit": "year"}}, utc(1931, 1, 1)),
        ],
    )


async def test_now_is_the_present_and_the_same_throughout(docs):
    await docs.insert_many([{"_id": n} for n in range(3)])
    found = await docs.aggregate([{"$set": {"a": "$$NOW"}}, {"$set": {"b": "$$NOW"}}])
    times = {each[name] for each in found for name in "ab"}
    assert len(times) == 1
    assert abs(times.pop() - datetime.datetime.now(datetime.UTC)) < datetime.timedelta(minutes=5)
    assert await docs.count_documents({"$expr": {"$lt": ["$$NOW", utc(2000, 1, 1)]}}) == 0
