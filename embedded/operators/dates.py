"""BSON dates, their time zones and their parts."""

import datetime
import itertools
import math
import re
import time
import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from bson import DatetimeMS, ObjectId, Timestamp

from embedded.errors import StoreError
from embedded.operators.comparing import milliseconds, number
from embedded.operators.operands import is_nothing
from embedded.operators.typenames import INT64, is_string, type_name

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
REFERENCE = datetime.datetime(2000, 1, 1)
"""Where bins of dates are counted from; weeks, from the first start of one after it."""
_OFFSET = re.compile(r"([+-])(\d{2})(?::?(\d{2}))?")


def from_milliseconds(value: int) -> datetime.datetime | DatetimeMS:
    """The date so many milliseconds after 1970, with the UTC zone, which stored dates lack; `milliseconds` makes both
    the same. One that Python cannot hold comes as DatetimeMS.

    Raises StoreError 15 if it leaves 64 bits.
    """
    if value not in INT64:
        raise StoreError(15, "date overflow")
    try:
        return _EPOCH + datetime.timedelta(milliseconds=value)
    except OverflowError:
        return DatetimeMS(value)


def after(start: int, more: Any) -> datetime.datetime | DatetimeMS:
    """The date so many milliseconds, a BSON number, after another in milliseconds. Raises StoreError 15."""
    exact = number(more)
    if not math.isfinite(exact):
        raise StoreError(15, "date overflow")
    return from_milliseconds(start + round(exact))


def now() -> datetime.datetime:
    """The current time in UTC, cut to milliseconds and without a zone, as a stored one is read."""
    time = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


_ticks = itertools.count(1)
_moment: ContextVar[datetime.datetime | None] = ContextVar("_moment", default=None)


@contextmanager
def one_moment() -> Iterator[None]:
    """Inside, the present stands still: what is compiled together has one `$$NOW`."""
    before = _moment.set(now())
    try:
        yield
    finally:
        _moment.reset(before)


def this_moment() -> datetime.datetime:
    """The present, or the moment that `one_moment` holds."""
    return _moment.get() or now()


def timestamp_now() -> Timestamp:
    """The current second as a BSON timestamp, each another one."""
    return Timestamp(int(time.time()), next(_ticks) % 2**32)


def as_utc(value: Any) -> datetime.datetime:
    """The time of a date, timestamp or ObjectId. Raises StoreError 16006 for other types."""
    if isinstance(value, ObjectId):
        return value.generation_time
    if isinstance(value, Timestamp):
        return value.as_datetime()
    if isinstance(value, datetime.datetime | DatetimeMS):
        found = from_milliseconds(milliseconds(value))
        if isinstance(found, datetime.datetime):
            return found
        raise StoreError(31, "the date lies outside the years 1 to 9999")
    raise StoreError(16006, f"can't convert from BSON type {type_name(value)} to Date")


def local_time(value: Any, where: datetime.tzinfo) -> datetime.datetime:
    """The time of a date, timestamp or ObjectId on the clock of a zone. Raises as `as_utc`, 31 beyond the calendar."""
    try:
        return as_utc(value).astimezone(where)
    except OverflowError:
        raise StoreError(31, "the date lies outside the years 1 to 9999") from None


def zone(value: Any) -> datetime.tzinfo:
    """The zone that a name such as "Europe/Paris" or an offset such as "+02:00" means; UTC if there is none.

    Raises StoreError 40517 for another type, 40485 for an unknown zone.
    """
    if is_nothing(value):
        return datetime.UTC
    if not is_string(value):
        raise StoreError(40517, f"timezone must evaluate to a string, found {type_name(value)}")
    if offset := _OFFSET.fullmatch(value):
        delta = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return datetime.timezone(delta if offset[1] == "+" else -delta)
    try:
        return zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise StoreError(40485, f'unrecognized time zone identifier: "{value}"') from None


def parse(text: str) -> datetime.datetime:
    """The date that an ISO 8601 text names, UTC unless it says otherwise. Raises StoreError 241."""
    found = parse_local(text)
    return found.replace(tzinfo=datetime.UTC) if found.tzinfo is None else found.astimezone(datetime.UTC)


def parse_local(text: str) -> datetime.datetime:
    """The date that an ISO 8601 text names, with a zone only where it names one. Raises StoreError 241."""
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise StoreError(241, f"Error parsing date string '{text}'") from None


def iso_text(value: Any) -> str:
    """The date as `2026-11-05T09:30:00.000Z`."""
    time = as_utc(value)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z".rjust(24, "0")


def first_week(start_of_week: Any) -> datetime.datetime:
    """The first start of a week, by default a Sunday, from the reference on. Raises StoreError 9 for no day's name."""
    name = "sunday" if is_nothing(start_of_week) else str(start_of_week).lower()
    weekday = next((place for place, full in enumerate(_WEEKDAYS) if name in (full, full[:3])), None)
    if weekday is None:
        raise StoreError(9, f"unknown day of week value: {start_of_week}")
    return REFERENCE + datetime.timedelta(days=(weekday - REFERENCE.weekday()) % 7)
