"""Pydantic's errors in words, without the input that caused them."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from api.wire.fields import ONE_SEGMENT, PRINTABLE

OF_PATTERNS = {
    ONE_SEGMENT: "must be of one line, without slashes, tabs and control characters",
    PRINTABLE: "must be of one line, without tabs and control characters",
}


def printable(part: object) -> object:
    """A part of a location; names of unknown fields come from the input, so they are cut and cleaned."""
    if isinstance(part, int):
        return part
    return "".join(c if c.isprintable() else "?" for c in str(part)[:60])


def message_of(error: Mapping[str, Any]) -> str:
    """What one of pydantic's errors says, without the input."""
    kind = error["type"]
    if kind == "extra_forbidden":
        return "unknown field"
    if kind == "string_pattern_mismatch" and (told := OF_PATTERNS.get(error["ctx"]["pattern"])):
        return told
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    return str(error["msg"])


def wrong(error: ValidationError) -> str:
    """What is wrong with arguments, in one line, without their values."""
    return "; ".join(
        f"{'.'.join(str(printable(part)) for part in one['loc']) or 'arguments'}: {message_of(one)}"
        for one in error.errors()
    )


def reason_of(error: ErrorDetails, model: str) -> str:
    """What is wrong with a setting or a field of a message, without its value."""
    name = ".".join(map(str, error["loc"]))
    message = message_of(error)
    return f"{name.upper() if model == 'Settings' else name}: {message}" if name else message
