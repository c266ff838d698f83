"""The time, whose day it is, and what is due by it."""

from datetime import UTC, datetime, tzinfo
from time import monotonic
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

SELDOM = 60.0  # seconds


def now() -> datetime:
    """The current time in UTC, cut to the milliseconds that BSON keeps."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def zone_of(name: str | None) -> tzinfo:
    """The time zone of an IANA name; UTC for none. Raises `ValueError`."""
    if name in (None, "UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be the IANA name of a time zone, such as Europe/Berlin") from None


def at_home(moment: datetime, timezone: str | None) -> datetime:
    """A moment as the clocks of a time zone have it."""
    return moment.astimezone(zone_of(timezone))


class Seldom:
    """Says yes the first time it is asked, and then once a minute at most: for a log of what keeps happening."""

    def __init__(self) -> None:
        self._next = 0.0

    def due(self) -> bool:
        if monotonic() < self._next:
            return False
        self._next = monotonic() + SELDOM
        return True
