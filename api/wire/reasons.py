"""Pydantic's errors in words, without the input that caused them."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from utils.fields import ONE_SEGMENT, PRINTABLE

OF_PATTERNS = {
    ONE_SEGMENT: "must be of one line, without slashes, tabs and control characters",
    PRINTABLE: "must be of one line, without tabs and control characters",
}


def printable(part: object) -> object:
    """A part of a location; names of unknown fields come from the input, so they are cut and cleaned."""
    if isinstance(part, int):
        return part
    return "".join(c if c.isprintable() else "?" for c in str(part)[:60])


def reason_of(error: Mapping[str, Any]) -> str:
    """What one of pydantic's errors says, without the input."""
    kind = error["type"]
    if kind == "extra_forbidden":
        return "unknown field"
    if kind == "string_pattern_mismatch" and (told := OF_PATTERNS.get(error["ctx"]["pattern"])):
        return told
    if kind == "string_too_short" and error["ctx"]["min_length"] == 1:
        return "must not be empty"
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    return str(error["msg"])


def wrong(error: ValidationError, whole: str = "arguments") -> str:
    """What is wrong with arguments, settings or a message, in one line, without their values. `whole`: what is named
    where that is no field."""
    return "; ".join(_reason(one, whole, error.title == "Settings") for one in error.errors())


def _reason(error: ErrorDetails, whole: str, settings: bool) -> str:
    place = ".".join(str(printable(part)) for part in error["loc"]) or whole
    return f"{place.upper() if settings else place}: {reason_of(error)}" if place else reason_of(error)
