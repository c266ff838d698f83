"""What is kept under a key: its address, and the ETags by which a request says which version it means (RFC 9110, 8.8.3
and 13.1)."""

import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol

from fastapi import Header, Response
from starlette.convertors import PathConvertor, register_url_convertor

from memory.turns import NONE
from utils.errors import InvalidInput, NotFound, PreconditionFailed


class KeyConvertor(PathConvertor):
    """Starlette's own path ends before a line break, so that a key with one would be another key, or none."""

    regex = "(?s:.*)"


register_url_convertor("key", KeyConvertor())
UNDER_KEY = "/{key:key}"  # a key may hold slashes, as they are or percent-encoded

IfMatch = Annotated[str | None, Header(description="The ETag that must be in force, or one of several; `*` for any")]
IfNoneMatch = Annotated[str | None, Header(description="`*`: there must be none yet")]

_OURS = re.compile(r'"(\d{1,12}-[0-9a-f]{1,16})"')  # a weak one is never in force
_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


class Tagged(Protocol):
    @property
    def tag(self) -> str: ...


def tag(response: Response, thing: Tagged, *, new: bool = False) -> None:
    """Has a response say which version it gives, and whether that is the first."""
    response.headers["ETag"] = f'"{thing.tag}"'
    response.status_code = 201 if new else 200


async def condition(
    there: Callable[[], Awaitable[Tagged]],
    if_match: str | None,
    if_none_match: str | None = None,
    *,
    deleting: bool = False,
) -> str | None:
    """The tag of what must be in force for a write: `NONE` for nothing, None where a request says none; one that is
    never in force where no tag of the request can be. Where it depends on what is there, asks `there`, whose `NotFound`
    fails the condition, but for who is `deleting`. Raises `InvalidInput` and `PreconditionFailed` (RFC 9110, 13.1.1).
    """
    if if_none_match is not None:
        if if_none_match.strip() != "*" or if_match is not None:
            raise InvalidInput("If-None-Match takes `*`, and goes without If-Match")
        return NONE
    if if_match is None:
        return None
    tags = [] if if_match.strip() == "*" else _tags(if_match)
    known = [found[1] for one in tags if (found := _OURS.fullmatch(one))]
    if tags and len(known) < 2:
        return known[0] if known else tags[0]
    try:
        current = (await there()).tag
    except NotFound as error:
        if deleting:
            raise
        raise PreconditionFailed(error.detail) from None
    return current if current in known else known[0] if known else None


def _tags(if_match: str) -> list[str]:
    """The entity tags of a list, with their quotation marks. Raises `InvalidInput`."""
    elements = {element.strip(" \t") for element in _TAG.sub("\0", if_match).split(",")}
    tags = _TAG.findall(if_match)
    if not tags or not elements <= {"", "\0"}:
        raise InvalidInput("If-Match takes ETags as responses gave them, or `*`")
    return tags
