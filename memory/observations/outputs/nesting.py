"""Within which names do values of an output stand, as in YAML: "limits.memory: 256Mi", "pods[api].restarts: 3"?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.observations.outputs.note_labels import heading_of

LONGEST_PATH = 58  # characters of names within each other, of which the outer ones go first
LONGEST_NAME = 40  # characters of what an item of a list is called
NAMES = ("name", "title", "id", "key")  # fields that say what an item is called

_KEY = r"[A-Za-z_][\w./-]{0,39}"
_OUTER = re.compile(rf"{_KEY}:")
_INNER = re.compile(rf"(?P<name>{_KEY}(?: [\w./-]{{1,39}}){{0,2}}):[ \t]+(?=\S)")
_FIELD = re.compile(rf"(?P<name>{_KEY}):(?:[ \t]+(?P<value>\S.*))?$")
_ITEM = re.compile(r"(?P<indent> *)(?P<bullet>- +)(?P<rest>\S.*)")


@dataclass(frozen=True)
class _Outer:
    """What others stand within: a name, or an item of a list with what it is called. `said_by`: the field that says
    nothing more than that."""

    column: int
    name: str
    is_item: bool = False
    said_by: str = ""


def nested(lines: Sequence[str]) -> list[str]:
    """Lines; those of a value under a name that is part of another, or of an item of a list, with what they are part
    of; nothing for one that says only what an item is called, where others tell that."""
    outer: list[_Outer] = []
    return [_named(lines, at, outer) for at in range(len(lines))]


def _named(lines: Sequence[str], at: int, outer: list[_Outer]) -> str:
    line = lines[at].rstrip()
    bare = line.lstrip(" ")
    if not bare:
        return lines[at]
    column = len(line) - len(bare)
    item = _ITEM.fullmatch(line)
    while outer and (outer[-1].column > column or (outer[-1].column == column and (item is None or outer[-1].is_item))):
        outer.pop()
    around = list(outer)
    if item is not None:
        within = column + len(item["bullet"])
        fields = _fields(lines, at, within)
        if len(fields) < 2:  # no object
            return lines[at]
        field, called = _called(fields)
        others = (value for name, value in fields.items() if name != field)
        is_told = any(not value or any(map(str.isdigit, value)) for value in others)
        outer.append(_Outer(column, called, is_item=True, said_by=field if is_told else ""))
        around = around if field == next(iter(fields)) else list(outer)  # what names the item does not stand within it
        bare, column = item["rest"], within
    if _OUTER.fullmatch(bare) and heading_of(line) is None:
        outer.append(_Outer(column, bare[:-1]))
    elif outer and (inner := _INNER.match(bare)) is not None:
        if outer[-1].is_item and inner["name"] == outer[-1].said_by:  # the others tell it
            return ""
        return f"{' ' * column}{_path(around, inner['name'])}: {bare[inner.end() :]}"
    return lines[at]


def _fields(lines: Sequence[str], at: int, column: int) -> dict[str, str]:
    """The fields of an item of a list, by its first line and where they stand."""
    fields: dict[str, str] = {}
    for line in (f"{' ' * column}{lines[at][column:]}", *lines[at + 1 :]):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and indent < column:
            break
        if indent == column:
            if (field := _FIELD.match(line, column)) is None:
                break
            fields.setdefault(field["name"], (field["value"] or "").strip("\"' "))
    return fields


def _called(fields: dict[str, str]) -> tuple[str, str]:
    """Which field says what an item is called, and what: a field for that, or the first; empty where nothing does."""
    for name in NAMES:
        if 0 < len(called := fields.get(name, "")) <= LONGEST_NAME:
            return name, f"id {called}" if name == "id" else called
    name, first = next(iter(fields.items()))
    return (name, f"{name} {first}") if first[:1].isalpha() and len(first) <= LONGEST_NAME else ("", "")


def _path(around: Sequence[_Outer], name: str) -> str:
    """The names that lead to one, the outer ones left out where these are too long; what items are called stays."""
    names: list[str] = []
    for outer in around:
        if outer.is_item and outer.name:
            names[-1:] = [f"{names[-1]}[{outer.name}]" if names else outer.name]
        elif not outer.is_item:
            names.append(outer.name)
    while len(".".join([*names, name])) > LONGEST_PATH and (
        first := next((one for one in names if not one.endswith("]")), None)
    ):
        names.remove(first)
    return ".".join([*names, name])
