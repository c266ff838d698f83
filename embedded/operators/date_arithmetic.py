"""Date arithmetic, on the calendar of a time zone: so many units after a date, and the units between two."""

import calendar
import datetime
from typing import Any

from bson import Int64

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.dates import REFERENCE, as_utc, first_week, local_time, zone
from embedded.operators.operands import Form, is_nothing, named
from embedded.operators.typenames import INT64, is_string, type_name, whole_number

MONTHS = {"month": 1, "quarter": 3, "year": 12}
SPANS = {
    "week": datetime.timedelta(weeks=1),
    "day": datetime.timedelta(days=1),
    "hour": datetime.timedelta(hours=1),
    "minute": datetime.timedelta(minutes=1),
    "second": datetime.timedelta(seconds=1),
    "millisecond": datetime.timedelta(milliseconds=1),
}
_CLOCK = frozenset({"hour", "minute", "second", "millisecond"})


def unit_of(name: str, unit: Any, code: int) -> str:
    """The unit. Raises StoreError `code` for another type than text, 9 for an unknown one."""
    if not is_string(unit):
        raise StoreError(code, f"{name} requires 'unit' to be a string, but got {type_name(unit)}")
    if unit not in MONTHS and unit not in SPANS:
        raise StoreError(9, f"unknown time unit value: {unit}")
    return str(unit)


def _shifted(name: str, sign: int) -> Form:
    def call(start: Any, unit: Any, amount: Any, timezone: Any) -> Any:
        if is_nothing(start) or is_nothing(unit) or is_nothing(amount) or timezone is None:
            return None
        wanted, count = unit_of(name, unit, 5166403), whole_number(amount)
        if count is None or count not in INT64:
            raise StoreError(5166405, f"{name} expects integer amount of time units")
        try:
            return _add(as_utc(start), wanted, sign * count, zone(timezone))
        except (OverflowError, ValueError):
            raise StoreError(5166406, f"{name} overflowed") from None

    return named(name, call, ("startDate", "unit", "amount"), ("timezone",))


def _add(start: datetime.datetime, unit: str, count: int, where: datetime.tzinfo) -> datetime.datetime:
    if unit in _CLOCK:
        return start + SPANS[unit] * count
    local = start.astimezone(where)
    if unit in SPANS:
        return (local.replace(tzinfo=None) + SPANS[unit] * count).replace(tzinfo=where).astimezone(datetime.UTC)
    months = local.year * 12 + local.month - 1 + MONTHS[unit] * count
    year, month = months // 12, months % 12 + 1
    if not datetime.MINYEAR <= year <= datetime.MAXYEAR:
        raise OverflowError
    day = min(local.day, calendar.monthrange(year, month)[1])
    return local.replace(year=year, month=month, day=day, fold=0).astimezone(datetime.UTC)


def _difference(start: Any, end: Any, unit: Any, timezone: Any, start_of_week: Any) -> Int64 | None:
    """How many borders of the unit lie between the dates."""
    if is_nothing(start) or is_nothing(end) or is_nothing(unit) or timezone is None or start_of_week is None:
        return None
    wanted, where = unit_of("$dateDiff", unit, 5439013), zone(timezone)
    if start_of_week is not MISSING and wanted == "week" and not is_string(start_of_week):
        raise StoreError(5439015, "$dateDiff requires 'startOfWeek' to be a string")
    return Int64(_borders(as_utc(start), as_utc(end), wanted, where, start_of_week))


def _borders(
    start: datetime.datetime, end: datetime.datetime, unit: str, where: datetime.tzinfo, start_of_week: Any
) -> int:
    first, last = (local_time(date, where).replace(tzinfo=None) for date in (start, end))
    if unit in MONTHS:
        before, after = ((date.year * 12 + date.month - 1) // MONTHS[unit] for date in (first, last))
        return after - before
    if unit == "day":
        return (last.date() - first.date()).days
    if unit == "week":
        origin = first_week(start_of_week)
        return (last - origin) // SPANS[unit] - (first - origin) // SPANS[unit]
    # Hours go by even where the clocks are changed, so the end is told by the start's clock.
    offset = first - REFERENCE
    return (offset + (end - start)) // SPANS[unit] - offset // SPANS[unit]


DATE_ARITHMETIC: dict[str, Form] = {
    "$dateAdd": _shifted("$dateAdd", 1),
    "$dateSubtract": _shifted("$dateSubtract", -1),
    "$dateDiff": named("$dateDiff", _difference, ("startDate", "endDate", "unit"), ("timezone", "startOfWeek")),
}
