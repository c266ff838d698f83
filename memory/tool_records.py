"""What did tools give, and what of it still holds?"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from json import dumps, loads
from math import isfinite
from typing import NoReturn

from memory.excerpt import tells_of_failure
from memory.tool_relevance import SMALL, is_name, names_id
from utils.json_values import Json, Scalar, scalars
from utils.text import repair

DEEPEST = 40  # objects and lists in each other; what is nested deeper is taken as text
RAW = "_raw"  # stands for arguments or a result that are not JSON (seed 0)

COMPARED = 8  # later answers to a call, and results on a thing, that an earlier one is compared with
NEARLY = 0.8  # share of an answer that a later one says, too, from which it stands for it
FEW_LINES = 3  # of a text from which it is compared by lines, not by words
BEGINNING = 300  # characters of a text in which it says so
STATES = ("status", "state", "result", "outcome")  # fields that say how something went
FAILED = ("error", "errors", "exception", "fault")  # fields of a result that say so

Call = tuple[str, str]  # a tool's name, and the arguments
Thing = frozenset[tuple[str, str]]
Keys = frozenset[str]

# A line of a log that tells of a failure: a time, and soon behind it how bad it is.
_LOGGED = re.compile(
    r"^\W?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S*\s(?:(?!\b(?:INFO|DEBUG|TRACE|NOTICE)\b)[^\n]){0,40}?"
    r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b",
    re.MULTILINE,
)
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True)
class Record:
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

    @cached_property
    def thing(self) -> Thing:
        """What the result shows the state of: its fields that name ids, all of them, for an order of a user is not the
        next order of that user. Empty where it shows no such thing."""
        named = ((key, value) for key, value in self.fields.items() if names_id(key))
        return frozenset((key, str(value)) for key, value in named if isinstance(value, str | int))

    @property
    def fields(self) -> Mapping[str, Json]:
        """Those of a result that is an object."""
        return self.output if isinstance(self.output, Mapping) else {}

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
        """Whether it says that something failed: the call, what it asks the state of, or what it reads a log of."""
        if isinstance(self.output, Mapping):
            states = (self.output.get(name) for name in STATES)
            return (
                (self.failed and bool(self.output))
                or any(isinstance(state, str) and tells_of_failure(state) for state in states)
                or any(isinstance(text, str) and _logs_failure(text) for text in self.output.values())
            )
        if isinstance(self.output, str) and self.output.strip():
            return self.failed or _logs_failure(self.output)
        return False

    @cached_property
    def pieces(self) -> frozenset[str]:
        """By what a result is compared with another answer to the same call: the lines of a text, or the words of a
        short one; the items of a list; of an object those of its lists, or its fields."""
        match self.output:
            case str(text):
                lines = frozenset(text.splitlines())
                return lines if len(lines) >= FEW_LINES else frozenset(text.split())
            case list(items):
                return frozenset(map(_one_way, items))
            case Mapping() as fields:
                listed = [item for value in fields.values() if isinstance(value, list) for item in value]
                return frozenset(map(_one_way, listed or fields.items()))
            case value:
                return frozenset({_one_way(value)})

    @cached_property
    def asked_beside(self) -> Mapping[str, Json]:
        """The arguments that the result does not repeat."""
        shown = Shown.of(scalars(self.output))
        return {key: value for key, value in self.arguments.items() if not shown.tells(key, value)}


@dataclass(frozen=True)
class Shown:
    """What a result tells: its values with their keys, and its text where it is one."""

    pairs: frozenset[tuple[str, str]]
    values: frozenset[str]
    text: str = ""

    @classmethod
    def of(cls, fields: Iterable[tuple[str, Scalar]]) -> "Shown":
        pairs = frozenset((key, str(value)) for key, value in fields)
        values = frozenset(value for _, value in pairs)
        return cls(pairs, values, "\n".join(value for key, value in pairs if not key))

    def tells(self, key: str, argument: Json) -> bool:
        """Whether an argument stands in it: its values under the same keys, or what can be nothing else anywhere. The
        900 of a balance is not the 900 that were sent."""
        return all(
            (name, str(value)) in self.pairs or (is_name(str(value)) and self._has(str(value)))
            for name, value in scalars(argument, key)
        )

    def _has(self, name: str) -> bool:
        return name in self.values or name in self.text


def _one_way(value: Json) -> str:
    return dumps(value, sort_keys=True)


def _logs_failure(text: str) -> bool:
    return _LOGGED.search(text) is not None


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
    """The records that no later one repeats or replaces, be it one that is `shown` whole. What a call gave more than
    once, to the letter, such as the receipt of a payment, counts how often; one that is shown, too, stays beside it if
    it is as short as a receipt."""
    states = _States()
    left: list[Record] = []
    times: list[int] = []
    answers: defaultdict[Call, list[Record]] = defaultdict(list)
    same: dict[tuple[Call, str], int] = {}
    whole = {(one.call, one.raw_output) for one in shown}
    for one in shown:
        states.add(one)
        answers[one.call].append(one)
    for one in reversed(records):
        known = answers[one.call]
        said = one.call, one.raw_output
        if (at := same.get(said)) is not None:
            times[at] += 1
            continue
        is_receipt = said in whole and len(one.raw_output) <= SMALL
        if not is_receipt and (any(_stands_for(later, one) for later in known[-COMPARED:]) or states.replace(one)):
            continue
        states.add(one)
        same[said] = len(left)
        known.append(one)
        left.append(one)
        times.append(1)
    return [replace(one, times=count) for one, count in zip(left[::-1], times[::-1], strict=True)]


def _stands_for(later: Record, record: Record) -> bool:
    """Whether the later answer to a call stands for one before. What failed stands for no answer, and a next page not
    for the page before it; the same thing in another state does, and what says nearly the same."""
    if later.failed or record.failed:
        return record.failed
    if later.thing or record.thing:
        return later.thing == record.thing and record.fields.keys() <= later.fields.keys()
    return len(record.pieces & later.pieces) >= NEARLY * len(record.pieces)


class _States:
    """What tools have told of each thing so far."""

    def __init__(self) -> None:
        self._asked: defaultdict[tuple[Thing, str, str], list[Record]] = defaultdict(list)
        self._told: defaultdict[Thing, list[Record]] = defaultdict(list)

    def add(self, record: Record) -> None:
        if record.thing and not record.failed:  # a failure tells nothing of the thing
            self._asked[_question(record)].append(record)
            self._told[record.thing].append(record)

    def replace(self, record: Record) -> bool:
        """Whether one that was added says all that a record does: of the same tool, asked the same, for the weather of
        a place is not the same on each day; or of another tool that tells of the same thing, as most of it shows."""
        if not record.thing:
            return False
        keys = record.fields.keys()
        if any(
            keys <= one.fields.keys() and _is_anew(record, one) for one in self._asked[_question(record)][-COMPARED:]
        ):
            return True
        others = self._told[record.thing][-COMPARED:]
        return any(keys <= other.fields.keys() and _is_the_same(record, other) for other in others)


def _is_anew(record: Record, later: Record) -> bool:
    """Whether a later answer of the same tool about the same thing says how it is now. Where it was asked with other
    arguments, which both answers repeat, that is so if little else differs: an address that was changed, and not the
    next page of a list."""
    if record.call == later.call:
        return True
    asked = {key for key in record.arguments.keys() | later.arguments.keys()
             if record.arguments.get(key) != later.arguments.get(key)}  # fmt: skip
    return _is_mostly_equal(record, later, besides=asked)


def _question(record: Record) -> tuple[Thing, str, str]:
    return record.thing, record.tool_name, dumps(record.asked_beside, sort_keys=True)


def _is_the_same(record: Record, other: Record) -> bool:
    """Whether two tools tell of one thing, of which some fields may have changed: a user and a project may both have
    the id 1."""
    return other.tool_name != record.tool_name and _is_mostly_equal(record, other)


def _is_mostly_equal(record: Record, other: Record, besides: Collection[str] = ()) -> bool:
    """Whether of the fields of a result, but for its ids, half are the same in another one."""
    named = {key for key, _ in record.thing}.union(besides)
    compared = [key for key in record.fields if key not in named]
    equal = sum(record.fields[key] == other.fields[key] for key in compared)
    return 2 * equal >= len(compared) > 0


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
