"""Bounds: what a filter says about single fields that an index can answer.

Comparisons stay inside a type, as MongoDB's do: `{$gt: 5}` selects numbers only, so its upper edge is the end of the
numbers' bracket.
"""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bson import Binary, DatetimeMS, Decimal128, Int64, ObjectId, Regex

from embedded.operators.values import encode_key, invert_key

MAX_POINTS = 2000

Edge = tuple[bytes, bool]
"""A place between keys: before (False) or after (True) every key that begins with the bytes."""

_EXACT = (str, int, Int64, float, bool, ObjectId, datetime.datetime, DatetimeMS, bytes, Binary)
_RANGED = (str, int, Int64, float, ObjectId, datetime.datetime, DatetimeMS, Decimal128)
_EXACT_TYPES = frozenset(_EXACT)
_LITERAL_PREFIX = re.compile(r"\^([\w\-/:, ]+)")
_NAN = encode_key(float("nan"))
_FIRST: Edge = (b"", False)
_LAST: Edge = (b"\xff", False)


@dataclass(slots=True)
class Bound:
    """What one condition says: the keys of `points`, or those from `low` to `high` and the one `besides`.

    `exact`: a document with such a key is selected for sure. `present`: the field is surely there.
    """

    points: Sequence[bytes] | None = None
    low: Edge = _FIRST
    high: Edge = _LAST
    besides: bytes | None = None
    exact: bool = True
    present: bool = True


@dataclass(slots=True)
class Bounds:
    """What a filter says: `complete` if that is all that it says. `equalities` are the values of a field that are
    possible, `existing` the paths under `$exists: true`."""

    fields: dict[str, list[Bound]] = field(default_factory=dict)
    complete: bool = True
    equalities: dict[str, list[Any]] = field(default_factory=dict)
    existing: set[str] = field(default_factory=set)


def successor(prefix: bytes) -> bytes:
    """The lowest bytes above everything that begins with `prefix`."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes((stripped[-1] + 1,)) if stripped else b"\xff" * (len(prefix) + 1)


def ascending(edge: Edge) -> bytes:
    """The edge as the lowest key after it, in an ascending component."""
    return successor(edge[0]) if edge[1] else edge[0]


def descending(edge: Edge) -> bytes:
    """The edge as the lowest key after it, in a descending component."""
    inverted = invert_key(edge[0])
    return inverted if edge[1] else successor(inverted)


def is_inside(bound: Bound, other: Bound) -> bool:
    """Whether a range of keys lies in another."""
    if any(one.points is not None or one.besides is not None for one in (bound, other)):
        return False
    return ascending(other.low) <= ascending(bound.low) and ascending(bound.high) <= ascending(other.high)


def is_point(condition: object) -> bool:
    """Whether a field's condition is a value that one key stands for."""
    return type(condition) in _EXACT_TYPES


def read_bounds(filter: Mapping[str, Any]) -> Bounds:
    """Everything in a filter that index entries can tell, `$and` included."""
    bounds = Bounds()
    _read(filter, bounds)
    return bounds


def merge_bounds(found: Sequence[Bound], *, multikey: bool) -> tuple[Bound, bool]:
    """One bound for all conditions on a field, and whether it says all that they say.

    The conditions on an array may each be met by another element, so under `multikey` only one of them counts.
    """
    if len(found) == 1:
        return found[0], True
    if multikey or any(bound.besides is not None for bound in found):
        best = min(found, key=lambda bound: MAX_POINTS + 1 if bound.points is None else len(bound.points))
        return best, False
    low = max((bound.low for bound in found), key=ascending)
    high = min((bound.high for bound in found), key=ascending)
    exact = all(bound.exact for bound in found)
    listed = [bound.points for bound in found if bound.points is not None]
    if not listed:
        if ascending(low) >= ascending(high):
            return Bound(points=[], exact=exact), True
        return Bound(None, low, high, exact=exact), True
    first, last = ascending(low), ascending(high)
    common = set(listed[0]).intersection(*listed[1:])
    return Bound(sorted(point for point in common if first <= point < last), exact=exact), True


def _read(filter: Mapping[str, Any], bounds: Bounds) -> None:
    for path, condition in filter.items():
        if path == "$and" and isinstance(condition, list) and condition:
            for part in condition:
                if isinstance(part, dict):
                    _read(part, bounds)
                else:
                    bounds.complete = False
        elif path.startswith("$"):
            bounds.complete = False
        elif isinstance(condition, dict) and next(iter(condition), "").startswith("$"):
            _read_operators(path, condition, bounds)
        else:
            _add(path, _equality(condition), bounds)
            bounds.equalities[path] = [condition]


def _read_operators(path: str, condition: Mapping[str, Any], bounds: Bounds) -> None:
    for operator, operand in condition.items():
        bound: Bound | None = None
        if operator == "$eq" and not isinstance(operand, Regex):
            bound = _equality(operand)
            bounds.equalities[path] = [operand]
        elif operator == "$in" and isinstance(operand, list):
            bound = _membership(operand)
            bounds.equalities[path] = operand
        elif operator in ("$gt", "$gte", "$lt", "$lte"):
            bound = _comparison(operator, operand)
        elif operator == "$exists" and operand is True:
            bounds.existing.add(path)
        elif operator == "$regex" and "$options" not in condition:
            bound = _beginning(operand)
        _add(path, bound, bounds)


def _add(path: str, bound: Bound | None, bounds: Bounds) -> None:
    if bound is not None and "." in path and any(map(str.isdigit, path.split(".")[1:])):
        # Where a number names an array in an array, the index has the elements, but no filter looks at them; and a
        # document in an array lacks a number that the index finds in the array.
        bound = replace(bound, exact=False) if bound.present else None
    if bound is None:
        bounds.complete = False
    else:
        bounds.fields.setdefault(path, []).append(bound)


def _equality(value: Any) -> Bound | None:
    if type(value) in _EXACT_TYPES:
        return Bound([encode_key(value)])
    if value is None:
        return Bound([encode_key(None)], exact=False, present=False)
    if isinstance(value, (list, Regex)):
        return None
    return Bound([encode_key(value)], exact=False)


def _membership(values: list[Any]) -> Bound | None:
    if len(values) > MAX_POINTS or any(isinstance(value, (list, Regex)) for value in values):
        return None
    exact = all(type(value) in _EXACT_TYPES for value in values)
    return Bound(sorted({encode_key(value) for value in values}), exact=exact, present=None not in values)


def _comparison(operator: str, value: Any) -> Bound | None:
    if not isinstance(value, _RANGED) or isinstance(value, bool):
        return None
    key = encode_key(value)
    if key == _NAN:
        return None
    bracket = key[:1]
    if operator == "$gt":
        return Bound(low=(key, True), high=(bracket, True))
    if operator == "$gte":
        return Bound(low=(key, False), high=(bracket, True))
    # NaN is the lowest number of the index, and no comparison selects it.
    exact = not isinstance(value, (int, float, Decimal128))
    return Bound(low=(bracket, False), high=(key, operator == "$lte"), exact=exact)


def _beginning(pattern: Any) -> Bound | None:
    """The strings that begin with what a pattern like `^abc` begins with, and the regular expression itself."""
    if isinstance(pattern, Regex):
        if pattern.flags:
            return None
        pattern = pattern.pattern
    literal = _LITERAL_PREFIX.match(pattern) if isinstance(pattern, str) else None
    if literal is None or "|" in pattern:
        return None
    text = literal[1]
    following = pattern[literal.end() : literal.end() + 1]
    if following in ("*", "?", "{"):
        text = text[:-1]
    if not text:
        return None
    prefix = encode_key(text)[:-1]  # without the end mark of a string
    return Bound(low=(prefix, False), high=(prefix, True), besides=encode_key(Regex(pattern)), exact=False)
