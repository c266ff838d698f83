"""Dotted paths: the values that each reaches in a document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bson import DBRef

from embedded.operators.comparing import MISSING, UNDEFINED


@dataclass(frozen=True, slots=True)
class IndexValues:
    """What an index holds of one document for one path.

    `values` is never empty. `absent`: no element of the document has the path, so a sparse index leaves it out.
    `multikey`: an array was passed on the way, so the order of `values` says nothing about the document.
    """

    values: list[Any]
    absent: bool
    multikey: bool


def values_at(document: Mapping[str, Any], path: str) -> list[Any]:
    """The values to index for a dotted path: None where it is missing, UNDEFINED for an empty array.

    Arrays fan out, also in the middle of the path; the elements of the last array are the values, not the array.
    Values may repeat.
    """
    if "." not in path:
        value = document.get(path)
        if type(value) is not list:
            return [value]
    return index_values(document, path).values


def index_values(document: Mapping[str, Any], path: str) -> IndexValues:
    """As `values_at`, and whether the path is absent or went through an array."""
    names = path.split(".")
    value: Any = document
    for name in names:
        if type(value) is not dict:
            break
        value = value.get(name, MISSING)
    else:
        if type(value) is not list:
            return IndexValues([None if value is MISSING else value], value is MISSING, False)
    found: list[Any] = []
    multikey = _collect(document, names, 0, found)
    present = [value for value in found if value is not MISSING]
    return IndexValues([None if value is MISSING else value for value in found], not present, multikey)


def lookup(document: Any, path: str) -> Any:
    """The value at a path through embedded documents alone, arrays not entered; MISSING if there is none."""
    value = document
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return MISSING
        value = value.get(name, MISSING)
    return value


def replaced(document: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The document with another value at a path through embedded documents, which has to be there."""
    name, _, rest = path.partition(".")
    return {**document, name: replaced(document[name], rest, value) if rest else value}


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """The value as an embedded document, or None if it is not one."""
    if isinstance(value, Mapping):
        return value
    return value.as_doc() if isinstance(value, DBRef) else None


def position(name: str) -> int | None:
    """The array position that a component of a path names, or None."""
    return int(name) if name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") else None


def walk(value: Any, names: Sequence[str], start: int = 0, *, expand: bool = True) -> Iterator[Any]:
    """Every value that a filter looks at for the path `names[start:]` below `value`, by MongoDB's rules.

    Arrays on the way fan out; a number also names a position. MISSING stands for each document that lacks the path.
    An array at the end comes after its elements, or alone unless `expand`.
    """
    last = len(names)
    while start < last and not isinstance(value, list):
        inner = as_mapping(value)
        if inner is None:
            yield MISSING
            return
        value = inner.get(names[start], MISSING)
        start += 1
    if start < last:
        yield from _walk_array(value, names, start, expand)
        return
    if expand and isinstance(value, list):
        yield from value
    yield value


def _walk_array(array: list[Any], names: Sequence[str], start: int, expand: bool) -> Iterator[Any]:
    index = position(names[start])
    for place, item in enumerate(array):
        inner = as_mapping(item)
        if inner is not None:
            yield from walk(inner, names, start, expand=expand)
        if place != index:
            continue
        if start + 1 == len(names):
            yield item  # named by its position, an array counts as a whole
        elif inner is not None or isinstance(item, list):
            yield from walk(item, names, start + 1, expand=expand)


def _collect(value: Any, names: list[str], start: int, found: list[Any]) -> bool:
    """Append what `names[start:]` reaches to `found`; True if an array was met."""
    if start == len(names):
        if isinstance(value, list):
            found.extend(value or [UNDEFINED])
            return True
        found.append(value)
        return False
    name = names[start]
    if isinstance(value, list):
        index = position(name)
        before = len(found)
        if index is not None and index < len(value):
            _collect(value[index], names, start + 1, found)
            for item in value:
                inner = as_mapping(item)
                if inner is not None and name in inner:
                    _collect(inner[name], names, start + 1, found)
            return True
        for item in value:
            inner = as_mapping(item)
            if inner is None:
                found.append(MISSING)
            else:
                _collect(inner.get(name, MISSING), names, start + 1, found)
        if len(found) == before:
            found.append(MISSING)
        return True
    inner = as_mapping(value)
    if inner is None:
        found.append(MISSING)
        return False
    return _collect(inner.get(name, MISSING), names, start + 1, found)
