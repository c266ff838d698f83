"""Expressions on dates."""

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from bson import Int64, Timestamp

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.date_arithmetic import MONTHS, SPANS, unit_of
from embedded.operators.dates import REFERENCE, first_week, iso_text, local_time, zone
from embedded.operators.operands import Compile, Expression, Form, Operator, as_whole, is_nothing, named, null_safe
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
    "$week": lambda time: int(time.strftime("%U")),
    "$isoDayOfWeek": lambda time: time.isoweekday(),
    "$isoWeek": lambda time: time.isocalendar().week,
    "$isoWeekYear": lambda time: Int64(time.isocalendar().year),
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


def _text(date: Any, format: Any, timezone: Any, on_null: Any) -> Any:
    if is_nothing(date):
        return None if on_null is MISSING else on_null
    if format is None or timezone is None:
        return None
    time = local_time(date, zone(timezone))
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
    local = local_time(date, where).replace(tzinfo=None)
    unit = unit_of("$dateTrunc", unit, 5439013)
    if unit in MONTHS:
        step = MONTHS[unit] * size
        count = ((local.year - 2000) * 12 + local.month - 1) // step * step
        if not datetime.MINYEAR <= 2000 + count // 12 <= datetime.MAXYEAR:
            raise StoreError(15, f"$dateTrunc by {size} {unit}s leaves the years 1 to 9999")
        start = REFERENCE.replace(year=2000 + count // 12, month=count % 12 + 1)
    else:
        origin = first_week(start_of_week) if unit == "week" else REFERENCE
        try:
            span = SPANS[unit] * size
            start = origin + (local - origin) // span * span
        except OverflowError:
            raise StoreError(15, f"$dateTrunc by {size} {unit}s leaves the years 1 to 9999") from None
    return local_time(start.replace(tzinfo=where), datetime.UTC)


def _of_timestamp(name: str, code: int, part: Callable[[Timestamp], int]) -> Operator:
    def call(value: Any) -> Int64:
        if not isinstance(value, Timestamp):
            raise StoreError(code, f"Argument to {name} must be a timestamp, but is {type_name(value)}")
        return Int64(part(value))

    return Operator(null_safe(call))


def _part(name: str) -> Form:
    """`{$year: date}` or `{$year: {date: …, timezone: …}}`."""

    def call(date: Any, timezone: Any = MISSING) -> int | None:
        if is_nothing(date) or timezone is None:
            return None
        return _PARTS[name](local_time(date, zone(timezone)))

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
DATES: dict[str, Operator] = {
    "$tsSecond": _of_timestamp("$tsSecond", 5687301, lambda value: value.time),
    "$tsIncrement": _of_timestamp("$tsIncrement", 5687302, lambda value: value.inc),
}
