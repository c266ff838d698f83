"""Records: one call of a tool and what came back, read as JSON or text, and whether it tells of a failure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from json import dumps, loads
from math import isfinite
from typing import NoReturn

from memory.views.excerpts import tells_of_failure
from memory.views.identifiers import names_id
from memory.views.json_values import Json
from utils.text import repair

DEEPEST = 40  # objects and lists in each other; what is nested deeper is taken as text
RAW = "_raw"  # stands for arguments or a result that are not JSON (the tool memory's document)

BEGINNING = 300  # characters of a text in which it says so
STATES = ("status", "state", "result", "outcome")  # fields that say how something went
FAILED = ("error", "errors", "exception", "fault")  # fields of a result that say so

Call = tuple[str, str]  # a tool's name, and the arguments

_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True)
class ToolRecord:
    """One call of a tool and what came back, as texts of JSON or not. `summary`: the observer's, where a model wrote
    it; else empty. `times`: how often the call gave just this."""

    trace_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    summary: str = ""
    times: int = 1

    @cached_property
    def arguments(self) -> Mapping[str, Json]:
        value = read_json(self.raw_input or "{}")
        return value if isinstance(value, Mapping) else {RAW: self.raw_input}

    @cached_property
    def output(self) -> Json:
        """What came back; a text where it is not JSON."""
        return read_json(self.raw_output)

    @cached_property
    def call(self) -> Call:
        """What was asked for, in one way of writing it."""
        return self.tool_name, dumps(self.arguments, sort_keys=True)

    @property
    def fields(self) -> Mapping[str, Json]:
        """Those of a result that is an object."""
        return self.output if isinstance(self.output, Mapping) else {}

    @cached_property
    def thing(self) -> frozenset[tuple[str, str]]:
        """What the result shows the state of: its fields that name ids, all of them, for an order of a user is not the
        next order of that user. Empty where it shows no such thing."""
        named = ((key, value) for key, value in self.fields.items() if names_id(key))
        return frozenset((key, str(value)) for key, value in named if isinstance(value, str | int))

    @cached_property
    def failed(self) -> bool:
        """Whether the result says that the call failed, or says nothing."""
        if isinstance(self.output, Mapping):
            refused = self.output.get("success") is False or self.output.get("ok") is False
            return not self.output or refused or any(self.output.get(name) for name in FAILED)
        if isinstance(self.output, str):
            first = self.output.lstrip()[:BEGINNING].partition("\n")[0]
            return not first or tells_of_failure(first)
        return self.output in (None, [])

    @cached_property
    def reports_failure(self) -> bool:
        """Whether it says that something failed: the call, or what it asks the state of."""
        states = (self.fields.get(name) for name in STATES)
        says = self.output.strip() if isinstance(self.output, str) else self.fields
        return (self.failed and bool(says)) or any(isinstance(one, str) and tells_of_failure(one) for one in states)


def read_json(text: str) -> Json:
    """The value that a text of JSON has; the text itself where it is none, is nested too deeply, or has in it what no
    JSON can carry on: NaN, or half a character."""
    try:
        value: Json = loads(text, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        return text
    if _depth(value) > DEEPEST or (_HALF.search(text) and _has_halves(value)):
        return text
    return value


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def _has_halves(value: Json) -> bool:
    whole = dumps(value, ensure_ascii=False)
    return repair(whole) != whole


def _depth(value: Json) -> int:
    """How deeply objects and lists are nested, up to a little more than `DEEPEST`."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            item
            for one in level
            if isinstance(one, Mapping | list)
            for item in (one.values() if isinstance(one, Mapping) else one)
        ]
    return depth
