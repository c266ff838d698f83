"""The time."""

from datetime import UTC, datetime


def now() -> datetime:
    """The current time in UTC, cut to the milliseconds that BSON keeps."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
