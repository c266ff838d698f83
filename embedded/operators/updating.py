"""What does a document look like after an update?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bson import Timestamp

from embedded.errors import StoreError
from embedded.operators.array_filters import NO_FILTERS, ArrayFilters, check_identifiers, identifier_of
from embedded.operators.array_updates import ARRAY_UPDATES
from embedded.operators.comparing import MISSING, equal
from embedded.operators.dates import timestamp_now
from embedded.operators.editing import Draft
from embedded.operators.field_updates import FIELD_UPDATES, Change, Place
from embedded.operators.paths import position
from embedded.operators.pipeline_updates import update_by_pipeline
from embedded.operators.positions import matched_position
from embedded.operators.typenames import is_string, type_name
from embedded.operators.upserting import seed

_CHANGES: dict[str, Change] = FIELD_UPDATES | ARRAY_UPDATES
_OPERATORS = _CHANGES.keys() | {"$unset", "$rename"}


_EMPTY = Timestamp(0, 0)
KEPT_EDITS = 16  # of an update whose layout is kept


@dataclass(frozen=True, slots=True)
class _Edit:
    """One operator on one path."""

    operator: str
    names: tuple[str, ...]
    operand: Any


def apply_update(
    document: Mapping[str, Any],
    update: Mapping[str, Any] | list[Any],
    *,
    filter: Mapping[str, Any],
    inserting: bool = False,
    array_filters: ArrayFilters = NO_FILTERS,
) -> dict[str, Any]:
    """A new document; the given one is left as it is, but unchanged values are shared with it.

    `filter` is the query's, for the positional `$`. `inserting` applies `$setOnInsert` too.
    Raises StoreError as MongoDB does: 2, 9, 14, 28, 40, 52, 56, 66; 72 and as `run_pipeline` for a pipeline.
    """
    if array_filters and (isinstance(update, list) or not is_operator_update(update)):
        raise StoreError(9, "arrayFilters may only be specified for an update by operators")
    if isinstance(update, list):
        updated = update_by_pipeline(document, update)
    elif not is_operator_update(update):
        return _replace(document, update)
    else:
        updated = _edited(document, _parse(update), filter, array_filters, inserting=inserting)
    if "_id" in document and not equal(updated.get("_id", MISSING), document["_id"]):
        raise StoreError(66, "Performing an update on the path '_id' would modify the immutable field '_id'")
    return updated


def _edited(
    document: Mapping[str, Any],
    edits: list[_Edit],
    filter: Mapping[str, Any],
    array_filters: ArrayFilters,
    *,
    inserting: bool,
) -> dict[str, Any]:
    dynamic = array_filters or any(identifier_of(name) is not None for edit in edits for name in edit.names)
    if dynamic:
        check_identifiers([edit.names for edit in edits], array_filters)
    draft = Draft(document)
    changed: list[tuple[str, ...]] = []
    for edit in edits:
        if edit.operator != "$setOnInsert" or inserting:
            for names in _places(draft, edit, filter, document, array_filters):
                _apply(draft, edit, names, document)
                changed.append(names)
    if dynamic:
        _refuse_conflicts(changed)
    return draft.root


def upsert_document(
    filter: Mapping[str, Any], update: Mapping[str, Any] | list[Any], *, array_filters: ArrayFilters = NO_FILTERS
) -> dict[str, Any]:
    """The document that an upsert inserts when nothing matched: the filter's equalities, then the update.

    `_id` comes first if either gives one; the caller generates it otherwise. Raises StoreError 54 if the filter wants
    two values of one field, else as `apply_update`.
    """
    draft = Draft({})
    for path, value in seed(filter, only_id=not isinstance(update, list) and not is_operator_update(update)):
        draft.set(path.split("."), value)
    inserted = apply_update(draft.root, update, filter=filter, inserting=True, array_filters=array_filters)
    return {"_id": inserted["_id"], **inserted} if "_id" in inserted else inserted


def is_operator_update(update: Mapping[str, Any]) -> bool:
    """Whether an update consists of operators; otherwise it is the new document itself."""
    return next(iter(update), "").startswith("$")


def stamped(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with the present for every empty timestamp among its own fields: servers put it there."""
    empty = [name for name, value in document.items() if type(value) is Timestamp and value == _EMPTY and name != "_id"]
    return {**document, **{name: timestamp_now() for name in empty}} if empty else document


def _replace(document: Mapping[str, Any], replacement: Mapping[str, Any]) -> dict[str, Any]:
    for name in replacement:
        if name.startswith("$"):
            raise StoreError(52, f"The dollar ($) prefixed field '{name}' in '{name}' is not valid for storage.")
    replacement = stamped(replacement)
    if "_id" not in document:
        return dict(replacement)
    if "_id" in replacement and not equal(replacement["_id"], document["_id"]):
        raise StoreError(
            66,
            "After applying the update, the (immutable) field '_id' was found to have been altered to _id: "
            f"{replacement['_id']!r}",
        )
    return {"_id": document["_id"], **{name: value for name, value in replacement.items() if name != "_id"}}


def _parse(update: Mapping[str, Any]) -> list[_Edit]:
    """The edits in the order of their paths, as MongoDB applies them. Raises StoreError."""
    given: list[tuple[str, str]] = []
    operands: list[Any] = []
    for operator, fields in update.items():
        if operator not in _OPERATORS:
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
    return [_Edit(given[at][0], names, operands[at]) for at, names in layout(tuple(given), targets)]


def _layout(
    given: tuple[tuple[str, str], ...], targets: tuple[tuple[str, ...], ...]
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The places of the edits in the order of their paths, and the paths' names. `targets`: of the `$rename`s in turn.
    An update is often one of many that differ by their operands alone.
    """
    paths = [_names(path) for _, path in given]
    if len(paths) + len(targets) > 1:
        _refuse_conflicts([*paths, *targets])
    turns = iter(targets)
    ordered_by = [
        next(turns) if operator == "$rename" else names for (operator, _), names in zip(given, paths, strict=True)
    ]
    places = sorted(range(len(paths)), key=lambda at: _order(ordered_by[at]))
    return tuple((at, paths[at]) for at in places)


_kept_layout = lru_cache(maxsize=512)(_layout)


def _names(path: str) -> tuple[str, ...]:
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
    names = _names(path) + _names(operand)
    if any(name.startswith("$") for name in names):
        raise StoreError(2, f"The source and destination of $rename may not be dynamic: {path}: {operand!r}")
    return _names(operand)


def _refuse_conflicts(paths: list[tuple[str, ...]]) -> None:
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


def _places(
    draft: Draft,
    edit: _Edit,
    filter: Mapping[str, Any],
    document: Mapping[str, Any],
    array_filters: ArrayFilters,
) -> list[tuple[str, ...]]:
    """The edit's paths with `$`, `$[]` and `$[name]` turned into positions."""
    if not any(name.startswith("$") for name in edit.names):
        return [edit.names]
    found: list[tuple[str, ...]] = [()]
    for name in edit.names:
        if name == "$":
            place = matched_position(filter, document, ".".join(found[0]))
            if place is None:
                raise StoreError(2, "The positional operator did not find the match needed from the query.")
            found = [(*names, str(place)) for names in found]
        elif (identifier := identifier_of(name)) is not None:
            holds = array_filters.get(identifier)
            found = [
                (*names, str(place))
                for names in found
                for place, element in enumerate(_elements(draft, names, edit))
                if holds is None or holds({identifier: element})
            ]
        else:
            found = [(*names, name) for names in found]
    return found


def _elements(draft: Draft, names: tuple[str, ...], edit: _Edit) -> list[Any]:
    array = draft.get(names)
    path = ".".join(names)
    if array is MISSING:
        raise StoreError(
            2, f"The path '{path}' must exist in the document in order to apply array updates: {'.'.join(edit.names)}"
        )
    if not isinstance(array, list):
        raise StoreError(2, f"Cannot apply array updates to non-array element {path}: {array!r}")
    return array


def _apply(draft: Draft, edit: _Edit, names: tuple[str, ...], document: Mapping[str, Any]) -> None:
    if edit.operator == "$unset":
        draft.unset(names)
        return
    if edit.operator == "$rename":
        _rename(draft, names, _names(edit.operand), document)
        return
    change: Callable[[Any, Any, Place], Any] = _CHANGES[edit.operator]
    value = change(draft.get(names), edit.operand, Place(".".join(names), document))
    if value is not MISSING:
        draft.set(names, value)


def _rename(draft: Draft, source: tuple[str, ...], target: tuple[str, ...], document: Mapping[str, Any]) -> None:
    value = draft.get(source)
    for role, names in (("source", source), ("destination", target)):
        for length in range(1, len(names)):
            if isinstance(draft.get(names[:length]), list) and value is not MISSING:
                path, array = ".".join(names), ".".join(names[:length])
                raise StoreError(
                    2,
                    f"The {role} field cannot be an array element, '{path}' in doc with _id: "
                    f"{document.get('_id')!r} has an array field called '{array}'",
                )
    if value is not MISSING:
        draft.unset(source)
        draft.set(target, value)
