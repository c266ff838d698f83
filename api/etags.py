"""Which version of a thing does a request mean? ETags and their conditions (RFC 9110, 8.8.3 and 13.1)."""

import re
from typing import Annotated, Protocol

from fastapi import Header

from memory.keyvalues import NONE
from utils.errors import InvalidInput

IfMatch = Annotated[str | None, Header(description="The ETag that must be in force; `*` for any")]
IfNoneMatch = Annotated[str | None, Header(description="`*`: there must be none yet")]


class Tagged(Protocol):
    @property
    def tag(self) -> str: ...


def etag(thing: Tagged) -> str:
    return f'"{thing.tag}"'


def is_any(if_match: str | None) -> bool:
    """Whether it is asked for that there be something, whatever it is."""
    return if_match is not None and if_match.strip() == "*"


def expected_tag(if_match: str | None, if_none_match: str | None = None) -> str | None:
    """The tag of what must be in force: `NONE` for nothing, None where a request says none. Raises `InvalidInput`."""
    if if_none_match is not None:
        if if_none_match.strip() != "*" or if_match is not None:
            raise InvalidInput("If-None-Match takes `*`, and goes without If-Match")
        return NONE
    if if_match is None or is_any(if_match):
        return None
    found = re.fullmatch(r'\s*"(\d{1,12}-[0-9a-f]{1,16})"\s*', if_match)
    if found is None:
        raise InvalidInput("If-Match takes one ETag as a response gave it")
    return found[1]
