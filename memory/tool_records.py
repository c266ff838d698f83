"""What did tools give, and what of it still holds?"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from json import dumps, loads
from math import isfinite
from typing import NoReturn

from memory.tool_relevance import names_id
from utils.answers import repair
from utils.json_table import Json, scalars

DEEPEST = 40  # objects and lists in each other; what is nested deeper is taken as text
RAW = "_raw"  # stands for arguments or a result that are not JSON (seed 0)

Call = tuple[str, str]  # a tool's name, and the arguments

_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True)
class Record:
    """One call of a tool and what came back, as texts of JSON or not. `summary`: the observer's, where a model wrote
    it; else empty. `times`: how often the call was made, this one being the last."""

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

    @cached_property
    def thing(self) -> frozenset[tuple[str, str]]:
        """What the result shows the state of: its fields that name ids, all of them, for an order of a user is not the
        next order of that user. Empty where it shows no such thing."""
        if not isinstance(self.output, Mapping):
            return frozenset()
        named = ((key, value) for key, value in self.output.items() if names_id(key))
        return frozenset((key, str(value)) for key, value in named if isinstance(value, str | int))

    @cached_property
    def asked_beside(self) -> Mapping[str, Json]:
        """The arguments that the result does not repeat."""
        if not self.arguments:
            return {}
        said = self.output if isinstance(self.output, str) else ""
        known = {str(value) for _, value in scalars(self.output)}
        return {
            key: value
            for key, value in self.arguments.items()
            if not all(str(one) in known or str(one) in said for _, one in scalars(value))
        }


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


def in_force(records: Sequence[Record], shown: Sequence[Record] = ()) -> list[Record]:
    """The records that no later one repeats or replaces, be it one that is `shown` whole. What was done more than once,
    such as a payment, counts how often."""
    times: Counter[Call] = Counter()
    last: dict[Call, Record] = {}
    states: dict[frozenset[tuple[str, str]], list[Record]] = {}
    for one in shown:
        states.setdefault(one.thing, []).append(one)
    left: list[Record] = []
    for one in reversed(records):
        times[one.call] += 1
        if one.call in last and one.thing == last[one.call].thing:
            continue
        last[one.call] = one
        if one.thing:
            later = states.setdefault(one.thing, [])
            if any(_replaces(other, one) for other in later):
                continue
            later.append(one)
        left.append(one)
    return [replace(one, times=times[one.call]) if last[one.call] is one else one for one in left[::-1]]


def _replaces(later: Record, record: Record) -> bool:
    """Whether a later state of the same thing says all that a record does; of one tool, only where it was asked the
    same: the weather of a place is not the same on each day."""
    if not isinstance(record.output, Mapping) or not isinstance(later.output, Mapping):
        return False
    if later.tool_name == record.tool_name and later.asked_beside != record.asked_beside:
        return False
    return record.output.keys() <= later.output.keys()


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
