"""Dates put together from their parts or from a text, and taken apart again."""

import datetime
import re
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.dates import local_time, parse_local, zone
from embedded.operators.named_arguments import arguments
from embedded.operators.operands import Compile, Expression, Form, Variables, is_nothing, named
from embedded.operators.typenames import is_string, type_name, whole_number

_CALENDAR = ("year", "month", "day")
_WEEKS = ("isoWeekYear", "isoWeek", "isoDayOfWeek")
_CLOCK = ("hour", "minute", "second", "millisecond")
_FIELDS = {
    "Y": r"(?P<year>\d{4})",
    "m": r"(?P<month>\d{1,2})",
    "d": r"(?P<day>\d{1,2})",
    "H": r"(?P<hour>\d{1,2})",
    "M": r"(?P<minute>\d{1,2})",
    "S": r"(?P<second>\d{1,2})",
    "L": r"(?P<millisecond>\d{1,3})",
    "j": r"(?P<day_of_year>\d{1,3})",
    "G": r"(?P<iso_year>\d{4})",
    "V": r"(?P<iso_week>\d{1,2})",
    "u": r"(?P<iso_day>\d)",
    "b": r"(?P<month_name>[A-Za-z]{3})",
    "B": r"(?P<month_name>[A-Za-z]+)",
    "z": r"(?P<offset>Z|[+-]\d{2}:?\d{2})",
    "Z": r"(?P<minutes>[+-]?\d+)",
    "%": "%",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _from_parts(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    given = arguments("$dateFromParts", operand, (), (*_CALENDAR, *_WEEKS, *_CLOCK, "timezone"))
    by_week = "isoWeekYear" in given
    if by_week and given.keys() & set(_CALENDAR):
        raise StoreError(40489, "$dateFromParts does not allow mixing natural dates with ISO dates")
    if not by_week and ("year" not in given or given.keys() & set(_WEEKS)):
        raise StoreError(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present")
    names = (*(_WEEKS if by_week else _CALENDAR), *_CLOCK)
    parts = {name: build(given[name], variables) for name in names if name in given}
    timezone = build(given["timezone"], variables) if "timezone" in given else None

    def evaluate(scope: Variables) -> Any:
        values = {name: part(scope) for name, part in parts.items()}
        where = MISSING if timezone is None else timezone(scope)
        if any(map(is_nothing, values.values())) or where is None:
            return None
        numbers = {name: _whole(name, value) for name, value in values.items()}
        return local_time(_made(numbers, by_week=by_week).replace(tzinfo=zone(where)), datetime.UTC)

    return evaluate


def _whole(name: str, value: Any) -> int:
    number = whole_number(value)
    if number is None:
        raise StoreError(40515, f"'{name}' must evaluate to an integer, found {type_name(value)}")
    if name in ("year", "isoWeekYear"):
        if not 1 <= number <= 9999:
            raise StoreError(40523, f"'{name}' must evaluate to an integer in the range 1 to 9999, found {number}")
    elif not -32768 <= number <= 32767 and name not in ("second", "millisecond"):
        raise StoreError(31034, f"'{name}' must evaluate to a value in the range [-32768, 32767]; value {number}")
    return number


def _made(numbers: dict[str, int], *, by_week: bool) -> datetime.datetime:
    """The date; parts beyond their range carry over, so day 0 is the last of the month before."""
    if by_week:
        start = datetime.datetime.fromisocalendar(numbers["isoWeekYear"], 1, 1)
        days = (numbers.get("isoWeek", 1) - 1) * 7 + numbers.get("isoDayOfWeek", 1) - 1
    else:
        months = numbers["year"] * 12 + numbers.get("month", 1) - 1
        start = _first_of_month(months)
        days = numbers.get("day", 1) - 1
    clock = {f"{name}s": numbers.get(name, 0) for name in _CLOCK}
    try:
        return start + datetime.timedelta(days=days, **clock)
    except OverflowError:
        raise StoreError(15, "$dateFromParts leaves the years 1 to 9999") from None


def _first_of_month(months: int) -> datetime.datetime:
    if not datetime.MINYEAR <= months // 12 <= datetime.MAXYEAR:
        raise StoreError(15, "$dateFromParts leaves the years 1 to 9999")
    return datetime.datetime(months // 12, months % 12 + 1, 1)


def _to_parts(date: Any, timezone: Any, iso8601: Any) -> dict[str, int] | None:
    if is_nothing(date) or timezone is None or iso8601 is None:
        return None
    if iso8601 is not MISSING and not isinstance(iso8601, bool):
        raise StoreError(40521, f"iso8601 must evaluate to a bool, found {type_name(iso8601)}")
    time = local_time(date, zone(timezone))
    day = time.isocalendar() if iso8601 is True else (time.year, time.month, time.day)
    clock = (time.hour, time.minute, time.second, time.microsecond // 1000)
    return dict(zip((*(_WEEKS if iso8601 is True else _CALENDAR), *_CLOCK), (*day, *clock), strict=True))


def _from_text(text: Any, format: Any, timezone: Any, on_error: Any, on_null: Any) -> Any:
    if is_nothing(text):
        return None if on_null is MISSING else on_null
    if format is None or timezone is None:
        return None
    try:
        if not is_string(text):
            raise StoreError(241, f"$dateFromString requires that 'dateString' be a string, found: {type_name(text)}")
        found = _parsed(text, format)
        if found.tzinfo is not None:
            if timezone is not MISSING:
                raise StoreError(241, f"you cannot pass in a date/time string with time zone information: '{text}'")
            return local_time(found, datetime.UTC)
        return local_time(found.replace(tzinfo=zone(timezone)), datetime.UTC)
    except StoreError as error:
        if error.code == 241 and on_error is not MISSING:
            return on_error
        raise


def _parsed(text: str, format: Any) -> datetime.datetime:
    if format is MISSING:
        return parse_local(text)
    if not is_string(format):
        raise StoreError(40684, f"$dateFromString requires that 'format' be a string, found: {type_name(format)}")
    found = re.compile(_pattern(format)).fullmatch(text)
    if found is None:
        raise StoreError(241, f"Error parsing date string '{text}' by '{format}'")
    parts = {name: value for name, value in found.groupdict().items() if value is not None}
    try:
        return _day(parts) + datetime.timedelta(
            **{f"{name}s": int(parts.get(name, 0)) for name in _CLOCK},
        )
    except (KeyError, ValueError, OverflowError):  # a part that is missing, or out of its range
        raise StoreError(241, f"Error parsing date string '{text}' by '{format}'") from None


def _pattern(format: str) -> str:
    parts = []
    letters = iter(format)
    for letter in letters:
        if letter != "%":
            parts.append(r"\s+" if letter.isspace() else re.escape(letter))
            continue
        code = next(letters, None)
        if code is None:
            raise StoreError(18535, "Unmatched '%' at end of format string")
        if code not in _FIELDS:
            raise StoreError(18536, f"Invalid format character '%{code}' in format string")
        parts.append(_FIELDS[code])
    return "".join(parts)


def _day(parts: dict[str, str]) -> datetime.datetime:
    """Midnight of the day, in the zone that the text names. Raises ValueError for a day that is none,
    KeyError where a part is missing.
    """
    clock = {"hour": 23, "minute": 59, "second": 59}
    if any(int(parts.get(name, 0)) > most for name, most in clock.items()):
        raise ValueError
    if "iso_year" in parts:
        week, weekday = int(parts.get("iso_week", 1)), int(parts.get("iso_day", 1))
        day = datetime.datetime.fromisocalendar(int(parts["iso_year"]), week, weekday)
    elif "day_of_year" in parts:
        day = datetime.datetime(int(parts["year"]), 1, 1) + datetime.timedelta(days=int(parts["day_of_year"]) - 1)
    else:
        month = _MONTHS.index(parts["month_name"][:3].lower()) + 1 if "month_name" in parts else int(parts["month"])
        day = datetime.datetime(int(parts["year"]), month, int(parts["day"]))
    if "minutes" in parts:
        return day.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=int(parts["minutes"]))))
    return day.replace(tzinfo=_offset(parts["offset"])) if "offset" in parts else day


def _offset(text: str) -> datetime.tzinfo:
    return datetime.UTC if text == "Z" else zone(text)


DATE_MAKING: dict[str, Form] = {
    "$dateFromParts": _from_parts,
    "$dateToParts": named("$dateToParts", _to_parts, ("date",), ("timezone", "iso8601")),
    "$dateFromString": named(
        "$dateFromString", _from_text, ("dateString",), ("format", "timezone", "onError", "onNull")
    ),
}
