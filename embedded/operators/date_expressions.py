"""What do the expressions on dates give?"""

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.dates import as_utc, iso_text, zone
from embedded.operators.operands import Compile, Expression, Form, as_whole, is_nothing, named
from embedded.operators.typenames import is_string, type_name

Time = datetime.datetime
_PARTS: dict[str, Callable[[Time], int]] = {
    "$year": lambda time: time.year,
    "$month": lambda time: time.month,
    "$dayOfMonth": lambda time: time.day,
    "$dayOfYear": lambda time: time.timetuple().tm_yday,
    "$dayOfWeek": lambda time: time.isoweekday() % 7 + 1,
    "$hour": lambda time: time.hour,
    "$minute": lambda time: time.minute,
    "$second": lambda time: time.second,
    "$millisecond": lambda time: time.microsecond // 1000,
}
_FORMATS: dict[str, Callable[[Time], str]] = {
    "%": lambda time: "%",
    "Y": lambda time: f"{time.year:04d}",
    "m": lambda time: f"{time.month:02d}",
    "d": lambda time: f"{time.day:02d}",
    "H": lambda time: f"{time.hour:02d}",
    "M": lambda time: f"{time.minute:02d}",
    "S": lambda time: f"{time.second:02d}",
    "L": lambda time: f"{time.microsecond // 1000:03d}",
    "j": lambda time: f"{time.timetuple().tm_yday:03d}",
    "w": lambda time: str(time.isoweekday() % 7 + 1),
    "u": lambda time: str(time.isoweekday()),
    "U": lambda time: time.strftime("%U"),
    "V": lambda time: f"{time.isocalendar().week:02d}",
    "G": lambda time: f"{time.isocalendar().year:04d}",
    "b": lambda time: time.strftime("%b"),
    "B": lambda time: time.strftime("%B"),
    "z": lambda time: time.strftime("%z"),
    "Z": lambda time: str(_offset_minutes(time)),
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SPANS = {
    "week": datetime.timedelta(weeks=1),
    "day": datetime.timedelta(days=1),
    "hour": datetime.timedelta(hours=1),
    "minute": datetime.timedelta(minutes=1),
    "second": datetime.timedelta(seconds=1),
    "millisecond": datetime.timedelta(milliseconds=1),
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_REFERENCE = datetime.datetime(2000, 1, 1)  # bins are counted from here, weeks from the first start of one after it


def _text(date: Any, format: Any, timezone: Any, on_null: Any) -> Any:
    if is_nothing(date):
        return None if on_null is MISSING else on_null
    if format is None or timezone is None:
        return None
    time = as_utc(date).astimezone(zone(timezone))
    if format is MISSING:
        return iso_text(date) if timezone is MISSING else _formatted(time, "%Y-%m-%dT%H:%M:%S.%L")
    if not is_string(format):
        raise StoreError(18533, f"$dateToString requires that 'format' be a string, found: {type_name(format)}")
    return _formatted(time, format)


def _formatted(time: Time, format: str) -> str:
    parts = []
    letters = iter(format)
    for letter in letters:
        if letter != "%":
            parts.append(letter)
            continue
        code = next(letters, None)
        if code is None:
            raise StoreError(18535, "Unmatched '%' at end of format string")
        if code not in _FORMATS:
            raise StoreError(18536, f"Invalid format character '%{code}' in format string")
        parts.append(_FORMATS[code](time))
    return "".join(parts)


def _offset_minutes(time: Time) -> int:
    return round((time.utcoffset() or datetime.timedelta()).total_seconds() / 60)


def _truncate(date: Any, unit: Any, bin_size: Any, timezone: Any, start_of_week: Any) -> Any:
    if is_nothing(date) or is_nothing(unit) or bin_size is None or timezone is None:
        return None
    size = 1 if bin_size is MISSING else as_whole("$dateTrunc", bin_size, 5439017)
    if size < 1:
        raise StoreError(5439018, "$dateTrunc requires 'binSize' to be greater than 0")
    where = zone(timezone)
    local = as_utc(date).astimezone(where).replace(tzinfo=None)
    if unit in _MONTHS:
        step = _MONTHS[unit] * size
        count = ((local.year - 2000) * 12 + local.month - 1) // step * step
        if not datetime.MINYEAR <= 2000 + count // 12 <= datetime.MAXYEAR:
            raise StoreError(15, f"$dateTrunc by {size} {unit}s leaves the years 1 to 9999")
        start = _REFERENCE.replace(year=2000 + count // 12, month=count % 12 + 1)
    elif unit in _SPANS:
        origin = _first_week(start_of_week) if unit == "week" else _REFERENCE
        try:
            span = _SPANS[unit] * size
            start = origin + (local - origin) // span * span
        except OverflowError:
            raise StoreError(15, f"$dateTrunc by {size} {unit}s leaves the years 1 to 9999") from None
    else:
        raise StoreError(9, f"unknown time unit value: {unit}")
    return start.replace(tzinfo=where).astimezone(datetime.UTC)


def _first_week(start_of_week: Any) -> Time:
    name = "sunday" if is_nothing(start_of_week) else str(start_of_week).lower()
    weekday = next((place for place, full in enumerate(_WEEKDAYS) if name in (full, full[:3])), None)
    if weekday is None:
        raise StoreError(9, f"unknown day of week value: {start_of_week}")
    return _REFERENCE + datetime.timedelta(days=(weekday - _REFERENCE.weekday()) % 7)


def _part(name: str) -> Form:
    """`{$year: date}` or `{$year: {date: …, timezone: …}}`."""

    def call(date: Any, timezone: Any = MISSING) -> int | None:
        if is_nothing(date) or timezone is None:
            return None
        return _PARTS[name](as_utc(date).astimezone(zone(timezone)))

    by_name = named(name, call, ("date",), ("timezone",))

    def form(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
        if isinstance(operand, Mapping) and not next(iter(operand), "").startswith("$"):
            return by_name(operand, variables, build)
        if isinstance(operand, list):
            if len(operand) != 1:
                raise StoreError(40536, f"{name} accepts exactly one argument if given an array")
            operand = operand[0]
        date = build(operand, variables)
        return lambda scope: call(date(scope))

    return form


DATE_FORMS: dict[str, Form] = {name: _part(name) for name in _PARTS} | {
    "$dateToString": named("$dateToString", _text, ("date",), ("format", "timezone", "onNull")),
    "$dateTrunc": named("$dateTrunc", _truncate, ("date", "unit"), ("binSize", "timezone", "startOfWeek")),
}
