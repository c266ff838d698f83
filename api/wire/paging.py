"""Pages of long lists, by an opaque cursor that names the last item seen."""

import base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Protocol, TypeVar

import orjson

from utils.errors import InvalidInput

UNKNOWN = "The cursor is not one that a page gave"


class Updated(Protocol):
    @property
    def updated_at(self) -> datetime: ...


T = TypeVar("T")


def page_of(found: Sequence[T], limit: int, cursor: Callable[[T], str]) -> tuple[Sequence[T], str | None]:
    """The page, where one item more than `limit` was looked for, and the cursor after it; None after the last."""
    page = found[:limit]
    return page, cursor(page[-1]) if len(found) > limit else None


def cursor_of(item: tuple[Updated, str]) -> str:
    """The cursor after an item that lists by time, then key."""
    return cursor_at(item[0].updated_at, item[1])


def cursor_at(moment: datetime, key: str) -> str:
    """The cursor after an item of a time and a key."""
    return cursor_of_key(orjson.dumps([moment.timestamp(), key]).decode())


def position_of(cursor: str | None) -> tuple[datetime, str] | None:
    """The time and key that a cursor names. Raises `InvalidInput` for what is no cursor of ours."""
    if cursor is None:
        return None
    try:
        seconds, key = orjson.loads(key_of(cursor))
        if not isinstance(key, str):
            raise ValueError
        return datetime.fromtimestamp(round(seconds * 1000) / 1000, UTC), key
    except (ValueError, TypeError, OverflowError, OSError):
        raise InvalidInput(UNKNOWN) from None


def index_of(cursor: str | None) -> int:
    """The place in a session that a cursor names; -1 for the beginning."""
    if cursor is None:
        return -1
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 12:
        raise InvalidInput(UNKNOWN)
    return int(cursor)


def cursor_of_key(key: str) -> str:
    """The cursor after an item that lists by its key."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def key_of(cursor: str | None) -> str:
    """The key that a cursor names; empty for the beginning. Raises `InvalidInput` for what is no cursor of ours."""
    if cursor is None:
        return ""
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except ValueError:  # `binascii.Error` is one
        raise InvalidInput(UNKNOWN) from None
