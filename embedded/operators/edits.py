"""The edits that an update by operators asks for, in the order in which MongoDB makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from embedded.errors import StoreError
from embedded.operators.array_filters import identifier_of
from embedded.operators.array_updates import ARRAY_UPDATES
from embedded.operators.field_updates import FIELD_UPDATES, Change
from embedded.operators.paths import position
from embedded.operators.typenames import is_string, type_name

CHANGES: dict[str, Change] = FIELD_UPDATES | ARRAY_UPDATES
OPERATORS = CHANGES.keys() | {"$unset", "$rename"}
KEPT_EDITS = 16  # of an update whose layout is kept


@dataclass(frozen=True, slots=True)
class Edit:
    """One operator on one path. `dynamic`: the path names elements by `$`, `$[]` or `$[name]`."""

    operator: str
    names: tuple[str, ...]
    dynamic: bool
    operand: Any


def parse_edits(update: Mapping[str, Any]) -> list[Edit]:
    """The edits in the order of their paths. Raises StoreError 2, 9, 40, 52, 56."""
    given: list[tuple[str, str]] = []
    operands: list[Any] = []
    for operator, fields in update.items():
        if operator not in OPERATORS:
            raise StoreError(
                9,
                f"Unknown modifier: {operator}. Expected a valid update modifier or pipeline-style update specified "
                "as an array",
            )
        if not isinstance(fields, Mapping):
            raise StoreError(
                9,
                f"Modifiers operate on fields but we found type {type_name(fields)} instead. For example: "
                f"{{$mod: {{<field>: ...}}}} not {{{operator}: {fields!r}}}",
            )
        for path, operand in fields.items():
            given.append((operator, path))
            operands.append(operand)
    renamed = [
        (path, operand) for (operator, path), operand in zip(given, operands, strict=True) if operator == "$rename"
    ]
    targets = tuple(_rename_target(path, operand) for path, operand in renamed)
    layout = _kept_layout if len(given) <= KEPT_EDITS else _layout
    return [Edit(given[at][0], names, dynamic, operands[at]) for at, names, dynamic in layout(tuple(given), targets)]


def _layout(
    given: tuple[tuple[str, str], ...], targets: tuple[tuple[str, ...], ...]
) -> tuple[tuple[int, tuple[str, ...], bool], ...]:
    """(an edit's place, its path's names, whether they are dynamic) in the order of the paths. `targets`: of the
    `$rename`s in turn. An update is often one of many that differ by their operands alone.
    """
    paths = [path_names(path) for _, path in given]
    if len(paths) + len(targets) > 1:
        refuse_conflicts([*paths, *targets])
    turns = iter(targets)
    ordered_by = [
        next(turns) if operator == "$rename" else names for (operator, _), names in zip(given, paths, strict=True)
    ]
    places = sorted(range(len(paths)), key=lambda at: _order(ordered_by[at]))
    return tuple((at, paths[at], any(name.startswith("$") for name in paths[at])) for at in places)


_kept_layout = lru_cache(maxsize=512)(_layout)


def path_names(path: str) -> tuple[str, ...]:
    """The names on an update's path. Raises StoreError 56 for an empty one, 52 for a dollar out of place."""
    names = tuple(path.split("."))
    for place, name in enumerate(names):
        if not name:
            raise StoreError(56, f"The update path '{path}' contains an empty field name, which is not allowed.")
        if identifier_of(name) is None and name.startswith("$") and (name != "$" or place == 0):
            raise StoreError(52, f"The dollar ($) prefixed field '{name}' in '{path}' is not valid for storage.")
    return names


def _rename_target(path: str, operand: Any) -> tuple[str, ...]:
    if not is_string(operand):
        raise StoreError(2, f"The 'to' field for $rename must be a string: {path}: {operand!r}")
    if operand == path:
        raise StoreError(2, f"The source and target field for $rename must differ: {path}: {operand!r}")
    names = path_names(path) + path_names(operand)
    if any(name.startswith("$") for name in names):
        raise StoreError(2, f"The source and destination of $rename may not be dynamic: {path}: {operand!r}")
    return path_names(operand)


def refuse_conflicts(paths: list[tuple[str, ...]]) -> None:
    """Raises StoreError 40 where a path is there twice, or below another."""
    seen: set[tuple[str, ...]] = set()
    for names in sorted(paths, key=len):
        for length in range(1, len(names) + 1):
            if names[:length] in seen:
                path, at = ".".join(names), ".".join(names[:length])
                raise StoreError(40, f"Updating the path '{path}' would create a conflict at '{at}'")
        seen.add(names)


def _order(names: Sequence[str]) -> list[tuple[int, int, str]]:
    """Numbers by their value, everything else by its letters."""
    return [(1, 0, name) if (index := position(name)) is None else (0, index, name) for name in names]
