"""How is a JSON body read, so that nothing slips in that the store or a model could not bear?"""

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request

from utils.text import CONTROL_CHARACTERS

MAX_DEPTH = 32


class StrictRequest(Request):
    """A request whose JSON is UTF-8 without lone surrogates, NaN, control characters, deep nesting or huge numbers."""

    async def json(self) -> Any:
        try:
            parsed = orjson.loads(await self.body())
        except orjson.JSONDecodeError:
            raise HTTPException(400, "The body is not valid JSON in UTF-8 (NaN and lone surrogates are not)") from None
        _check(parsed, MAX_DEPTH)
        return parsed


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        if CONTROL_CHARACTERS.search(value):
            raise HTTPException(400, "The body has a string with control characters")
    elif isinstance(value, dict | list):
        if not depth:
            raise HTTPException(400, f"The body is nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            for key in value:
                _check(key, depth - 1)
        for item in value.values() if isinstance(value, dict) else value:
            _check(item, depth - 1)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise HTTPException(400, "The body has an integer of more than 64 bits")
