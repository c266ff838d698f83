"""Updates: what a document becomes, by operators, by replacement or by a pipeline."""

from collections.abc import Callable, Mapping
from typing import Any

from bson import Timestamp

from embedded.errors import StoreError
from embedded.operators.array_filters import NO_FILTERS, ArrayFilters, check_identifiers
from embedded.operators.comparing import MISSING, equal
from embedded.operators.dates import timestamp_now
from embedded.operators.editing import Draft
from embedded.operators.edits import CHANGES, Edit, parse_edits, path_names, refuse_conflicts
from embedded.operators.element_paths import element_paths
from embedded.operators.field_updates import Place
from embedded.operators.pipeline_updates import check_stages, update_by_pipeline
from embedded.operators.upserting import seed

_EMPTY = Timestamp(0, 0)


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
        updated = _edited(document, parse_edits(update), filter, array_filters, inserting=inserting)
    if "_id" in document and not equal(updated.get("_id", MISSING), document["_id"]):
        raise StoreError(66, "Performing an update on the path '_id' would modify the immutable field '_id'")
    return updated


def _edited(
    document: Mapping[str, Any],
    edits: list[Edit],
    filter: Mapping[str, Any],
    array_filters: ArrayFilters,
    *,
    inserting: bool,
) -> dict[str, Any]:
    dynamic = bool(array_filters) or any(edit.dynamic for edit in edits)
    if dynamic:
        check_identifiers([edit.names for edit in edits], array_filters)
    draft = Draft(document)
    changed: list[tuple[str, ...]] = []
    for edit in edits:
        if edit.operator != "$setOnInsert" or inserting:
            for names in element_paths(draft, edit, filter, document, array_filters):
                _apply(draft, edit, names, document)
                changed.append(names)
    if dynamic:
        refuse_conflicts(changed)
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


def check_update(update: Mapping[str, Any] | list[Any], array_filters: ArrayFilters = NO_FILTERS) -> None:
    """Refuse what no document could take: MongoDB does so even where there is none to update.

    Raises as `apply_update`, but for what only a document brings about.
    """
    if isinstance(update, list):
        check_stages(update)
    elif not is_operator_update(update):
        _replace({}, update)
    else:
        edits = parse_edits(update)
        check_identifiers([edit.names for edit in edits], array_filters)
        for edit in edits:
            if edit.operator in CHANGES:
                CHANGES[edit.operator](MISSING, edit.operand, Place(".".join(edit.names), {}))


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


def _apply(draft: Draft, edit: Edit, names: tuple[str, ...], document: Mapping[str, Any]) -> None:
    if edit.operator == "$unset":
        draft.unset(names)
        return
    if edit.operator == "$rename":
        _rename(draft, names, path_names(edit.operand), document)
        return
    change: Callable[[Any, Any, Place], Any] = CHANGES[edit.operator]
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
