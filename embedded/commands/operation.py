"""What one update, one delete or one findAndModify asks for: the same whether it is run or explained."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from embedded.codec import Document
from embedded.commands.call import Call, read_hint
from embedded.commands.checks import check_collation
from embedded.errors import StoreError, not_implemented
from embedded.operators.array_filters import ArrayFilters, compile_array_filters
from embedded.operators.projecting import compile_projection
from embedded.operators.updating import is_operator_update

Filter = Mapping[str, Any]
Change = Mapping[str, Any] | list[Any]
"""Operators, a whole document, or a pipeline."""
Hint = str | Mapping[str, Any] | None

_UPDATE_FIELDS = frozenset({"q", "u", "c", "multi", "upsert", "collation", "arrayFilters", "hint", "sort"})
_DELETE_FIELDS = frozenset({"q", "limit", "collation", "hint"})


@dataclass(frozen=True, slots=True)
class Update:
    """One update of a batch."""

    filter: Filter
    change: Change
    array_filters: ArrayFilters
    multi: bool
    upsert: bool
    hint: Hint


@dataclass(frozen=True, slots=True)
class Delete:
    """One delete of a batch. `limit`: 0 for all."""

    filter: Filter
    limit: int
    hint: Hint


@dataclass(frozen=True, slots=True)
class FindAndModify:
    """A findAndModify. `change` None: the document is removed; `new`: it is handed back as it is afterwards."""

    filter: Filter
    sort: Mapping[str, Any]
    change: Change | None
    array_filters: ArrayFilters
    upsert: bool
    new: bool
    project: Callable[[Document], Document] | None
    hint: Hint


def check_updates(operations: Sequence[Document]) -> None:
    """Refuse a batch in which any update has what is unknown (40415), unsupported (238) or of a wrong type (9, 14)."""
    _check(operations, _UPDATE_FIELDS, "update.updates")


def check_deletes(operations: Sequence[Document]) -> None:
    """As `check_updates`."""
    _check(operations, _DELETE_FIELDS, "delete.deletes")


def _check(operations: Sequence[Document], fields: frozenset[str], where: str) -> None:
    for operation in operations:
        if not fields.issuperset(operation):
            unknown = min(operation.keys() - fields)
            raise StoreError(40415, f"BSON field '{where}.{unknown}' is an unknown field.")
        if operation.get("c"):
            raise not_implemented("update constants (c)")
        if operation.get("sort"):
            raise not_implemented("an update with a sort")
        check_collation(operation.get("collation"))
        read_hint(operation.get("hint"))
        for field in ("multi", "upsert"):
            if not isinstance(operation.get(field, False), (bool, int, float)):
                raise StoreError(14, f"BSON field '{where}.{field}' is the wrong type, expected type 'bool'")


def read_update(operation: Document) -> Update:
    """Raises 9 and 14 for what cannot be an update, as `compile_array_filters`."""
    filter, change = _filter(operation), operation.get("u")
    if not isinstance(change, (Mapping, list)):
        raise StoreError(9, "Update argument must be either an object or an array")
    multi = bool(operation.get("multi", False))
    if multi and isinstance(change, Mapping) and not is_operator_update(change):
        raise StoreError(9, "multi update is not supported for replacement-style update")
    array_filters = compile_array_filters(operation.get("arrayFilters"))
    upsert = bool(operation.get("upsert", False))
    return Update(filter, change, array_filters, multi, upsert, operation.get("hint") or None)


def read_delete(operation: Document) -> Delete:
    """Raises 9 and 14 for what cannot be a delete."""
    limit = operation.get("limit")
    if isinstance(limit, bool) or limit not in (0, 1):
        raise StoreError(9, f"The limit field in delete objects must be 0 or 1. Got {limit}")
    return Delete(_filter(operation), int(limit), operation.get("hint") or None)


def read_find_and_modify(call: Call) -> FindAndModify:
    """Raises 9 for what neither changes nor removes or does both, as `compile_array_filters` and
    `compile_projection`."""
    remove, upsert, new = call.boolean("remove"), call.boolean("upsert"), call.boolean("new")
    change = call.body.get("update")
    if remove and (change is not None or upsert or new):
        raise StoreError(9, "Cannot specify both an update and remove=true, nor upsert or new with remove")
    if not remove and not isinstance(change, (Mapping, list)):
        raise StoreError(9, "Either an update or remove=true must be specified")
    filter, fields = call.document("query"), call.document("fields")
    return FindAndModify(
        filter=filter,
        sort=call.document("sort"),
        change=change,
        array_filters=compile_array_filters(call.body.get("arrayFilters")),
        upsert=upsert,
        new=new,
        project=compile_projection(fields, filter) if fields else None,
        hint=call.hint(),
    )


def _filter(operation: Document) -> Filter:
    value = operation.get("q")
    if not isinstance(value, Mapping):
        raise StoreError(14, "BSON field 'q' is the wrong type, expected type 'object'")
    return value
