"""How is a JSON body read, so that nothing slips in that the store or a model could not bear?"""

from typing import Any

import orjson
from starlette.requests import Request

from utils.errors import InvalidInput
from utils.text import CONTROL_CHARACTERS

MAX_DEPTH = 32
LONGEST_PLACE = 100  # characters of a place that are told


def read_json(raw: bytes, *, control_characters: bool = False) -> Any:
    """JSON in UTF-8 without lone surrogates, NaN, deep nesting or huge numbers, nor control characters unless they are
    allowed.

    Raises `InvalidInput` where it is not.
    """
    try:
        parsed = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise InvalidInput("Not valid JSON in UTF-8, or with NaN or a lone surrogate in it") from None
    check(parsed, control_characters=control_characters)
    return parsed


def check(parsed: object, *, control_characters: bool = False) -> None:
    """Refuses the same of JSON that somebody else read. Raises `InvalidInput`."""
    _check(parsed, (), control_characters)


class StrictRequest(Request):
    """A request whose JSON is read by `read_json`, once."""

    control_characters = False

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = read_json(await self.body(), control_characters=self.control_characters)
        return self._json


class ToolRequest(StrictRequest):
    """One that brings what tools gave, which a terminal may have coloured."""

    control_characters = True


def _check(value: Any, at: tuple[str | int, ...], control_characters: bool) -> None:
    """`at`: the keys and places that lead to a value."""
    if isinstance(value, str):
        if not control_characters and CONTROL_CHARACTERS.search(value):
            where = ".".join(map(str, at))[:LONGEST_PLACE] or "the body"
            raise InvalidInput(f"{where}: a string has control characters")
    elif isinstance(value, dict | list):
        if len(at) == MAX_DEPTH:
            raise InvalidInput(f"Nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            for key in value:
                _check(key, at, control_characters)
        for place, item in value.items() if isinstance(value, dict) else enumerate(value):
            _check(item, (*at, place), control_characters)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInput("An integer has more than 64 bits")
