"""JSON bodies, read so that nothing slips in that the store or a model could not bear."""

import asyncio
import json
from typing import Any

import orjson
from starlette.requests import Request

from utils.errors import HAS_CONTROL_CHARACTERS, HAS_LONE_SURROGATES, InvalidInput
from utils.text import CONTROL_CHARACTERS, is_text, with_blanks

MAX_DEPTH = 32
AT_ONCE = 100_000  # bytes that are read in a few milliseconds
LONGEST_PLACE = 100  # characters of a place that are told
SAID = ("query", "text")  # fields of what somebody says, which may come from pages


def read_json(raw: bytes, *, control_characters: bool = False, apart: str | None = None) -> Any:
    """JSON in UTF-8 without lone surrogates, NaN, deep nesting or huge numbers, nor control characters unless they are
    allowed; in what is said, those that part pages and lines are blanks. `apart`: a field whose items are read as they
    are, for each of them is checked by itself.

    Raises `InvalidInput` where it is not.
    """
    try:
        parsed = orjson.loads(raw)
    except orjson.JSONDecodeError as error:  # it says where and why, without the input
        parsed = None if apart is None else _read_leniently(raw)
        if parsed is None:
            raise InvalidInput(f"Not valid JSON in UTF-8: {error}") from None
    if isinstance(parsed, dict) and not control_characters:
        parsed |= {name: with_blanks(parsed[name]) for name in SAID if isinstance(parsed.get(name), str)}
    is_apart = apart is not None and isinstance(parsed, dict) and isinstance(parsed.get(apart), list)
    check({**parsed, apart: None} if is_apart else parsed, control_characters=control_characters)
    return parsed


def _read_leniently(raw: bytes) -> Any:
    """JSON that may hold lone surrogates and NaN; None where it is none."""
    try:
        return json.loads(raw.decode())
    except (ValueError, RecursionError):
        return None


def check(value: object, *, control_characters: bool = False, place: tuple[object, ...] = ()) -> None:
    """Refuses the same of JSON that somebody else read. `place`: the keys and numbers that lead to the value. Raises
    `InvalidInput`."""
    if isinstance(value, str):
        where = ".".join(map(str, place))[:LONGEST_PLACE] or "the body"
        if not control_characters and CONTROL_CHARACTERS.search(value):
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format(where))
        if not is_text(value):
            raise InvalidInput(HAS_LONE_SURROGATES.format(where))
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InvalidInput("An integer has more than 64 bits")
    elif isinstance(value, dict | list):
        if len(place) == MAX_DEPTH:
            raise InvalidInput(f"Nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict):
            for key in value:
                check(key, control_characters=control_characters, place=place)
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            check(item, control_characters=control_characters, place=(*place, key))


class StrictRequest(Request):
    """A request whose JSON is read by `read_json`, once."""

    control_characters = False
    apart: str | None = None  # a field whose items are checked each by itself

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            raw, allowed, apart = await self.body(), self.control_characters, self.apart
            if len(raw) < AT_ONCE:
                self._json = read_json(raw, control_characters=allowed, apart=apart)
            else:
                self._json = await asyncio.to_thread(read_json, raw, control_characters=allowed, apart=apart)
        return self._json


class ToolRequest(StrictRequest):
    """One that brings what tools gave, which a terminal may have coloured. Of outputs and updates the core refuses
    other control characters; of records it keeps each as it came."""

    control_characters = True


class ImportRequest(StrictRequest):
    """One whose messages are checked each by itself."""

    apart = "messages"
