"""How is a JSON body read, so that nothing slips in that the store or a model could not bear?"""

from typing import Any

import orjson
from starlette.requests import Request

from utils.errors import InvalidInput
from utils.text import CONTROL_CHARACTERS

MAX_DEPTH = 32
LONGEST_PLACE = 100  # characters of a place that are told


def read_json(raw: bytes) -> Any:
    """JSON in UTF-8 without lone surrogates, NaN, control characters, deep nesting or huge numbers.

    Raises `InvalidInput` where it is not.
    """
    try:
        parsed = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise InvalidInput("Not valid JSON in UTF-8, or with NaN or a lone surrogate in it") from None
    _check(parsed, ())
    return parsed


class StrictRequest(Request):
    """A request whose JSON is read by `read_json`, once."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = read_json(await self.body())
        return self._json


def _check(value: Any, at: tuple[str | int, ...]) -> None:
    """`at`: the keys and places that lead to a value."""
    if isinstance(value, str):
        if CONTROL_CHARACTERS.search(value):
            where = ".".join(map(str, at))[:LONGEST_PLACE] or "the body"
            raise InvalidInput(f"{where}: a string has control characters")
    elif isinstance(value, dict | list):
        if len(at) == MAX_DEPTH:
            raise InvalidInput(f"Nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            for key in value:
                _check(key, at)
        for place, item in value.items() if isinstance(value, dict) else enumerate(value):
            _check(item, (*at, place))
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInput("An integer has more than 64 bits")
