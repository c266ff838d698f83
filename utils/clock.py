"""The time, and what is due by it."""

from datetime import UTC, datetime
from time import monotonic

SELDOM = 60.0  # seconds


def now() -> datetime:
    """The current time in UTC, cut to the milliseconds that BSON keeps."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


class Seldom:
    """Says yes the first time it is asked, and then once a minute at most: for a log of what keeps happening."""

    def __init__(self) -> None:
        self._next = 0.0

    def due(self) -> bool:
        if monotonic() < self._next:
            return False
        self._next = monotonic() + SELDOM
        return True
