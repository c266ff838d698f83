"""Which version of a thing does a request mean? ETags and their conditions (RFC 9110, 8.8.3 and 13.1)."""

import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol

from fastapi import Header, Response

from memory.keyvalues import NONE
from utils.errors import InvalidInput, NotFound, PreconditionFailed

IfMatch = Annotated[str | None, Header(description="The ETag that must be in force; `*` for any")]
IfNoneMatch = Annotated[str | None, Header(description="`*`: there must be none yet")]


class Tagged(Protocol):
    @property
    def tag(self) -> str: ...


def tag(response: Response, thing: Tagged, *, new: bool = False) -> None:
    """Has a response say which version it gives, and whether that is the first."""
    response.headers["ETag"] = f'"{thing.tag}"'
    response.status_code = 201 if new else 200


async def condition(
    there: Callable[[], Awaitable[object]], if_match: str | None, if_none_match: str | None
) -> str | None:
    """`expected_tag` of a write; where `If-Match: *` asks that there be something, whatever it is, looks whether
    `there` raises `NotFound`. Raises `InvalidInput` and `PreconditionFailed` (RFC 9110, 13.1.1)."""
    expected = expected_tag(if_match, if_none_match)
    if _is_any(if_match):
        try:
            await there()
        except NotFound as error:
            raise PreconditionFailed(error.detail) from None
    return expected


def _is_any(if_match: str | None) -> bool:
    return if_match is not None and if_match.strip() == "*"


def expected_tag(if_match: str | None, if_none_match: str | None = None) -> str | None:
    """The tag of what must be in force: `NONE` for nothing, None where a request says none. Raises `InvalidInput`."""
    if if_none_match is not None:
        if if_none_match.strip() != "*" or if_match is not None:
            raise InvalidInput("If-None-Match takes `*`, and goes without If-Match")
        return NONE
    if if_match is None or _is_any(if_match):
        return None
    found = re.fullmatch(r'\s*"(\d{1,12}-[0-9a-f]{1,16})"\s*', if_match)
    if found is None:
        raise InvalidInput("If-Match takes one ETag as a response gave it")
    return found[1]
