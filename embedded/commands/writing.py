"""How are documents inserted, updated and deleted?"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, TypeVar

from embedded.catalog import Collection
from embedded.codec import Document, encode_reply
from embedded.commands.call import Call, Command, Portions, read_hint, write
from embedded.commands.changing import (
    change_one,
    delete_matching,
    find_one,
    find_rows,
    insert_one,
    is_replacement,
    upsert_one,
)
from embedded.commands.checks import check_collation
from embedded.errors import Ended, StoreError, not_implemented
from embedded.ledger import Ledger
from embedded.operators.array_filters import ArrayFilters, compile_array_filters
from embedded.operators.matching import compile_filter
from embedded.operators.updating import check_update
from embedded.querying import Query

MAX_OPERATIONS = 100_000
PORTION_SECONDS = 0.005
T = TypeVar("T")
_UPDATE_FIELDS = frozenset({"q", "u", "c", "multi", "upsert", "collation", "arrayFilters", "hint", "sort"})
_DELETE_FIELDS = frozenset({"q", "limit", "collation", "hint"})


def insert(call: Call, ledger: Ledger) -> Portions:
    documents = _sized(call.raw_documents("documents"))
    database, name = call.database, call.target
    inserted = 0

    def run(place: int, raw: bytes) -> None:
        nonlocal inserted
        collection = ledger.catalog.get(database, name)
        if collection is not None:
            insert_one(ledger, collection, raw)
        else:
            with ledger.attempt():
                insert_one(ledger, ledger.collection(database, name), raw)
        inserted += 1

    errors = yield from _each(call, documents, run)
    yield _reply({"n": inserted}, errors)


def update(call: Call, ledger: Ledger) -> Portions:
    operations = _sized(call.documents("updates"))
    _check_operations(operations, _UPDATE_FIELDS, "update.updates")
    matched = modified = 0
    upserted: list[Document] = []

    def run(place: int, operation: Document) -> None:
        nonlocal matched, modified
        found, changed, made = _update_one(call, ledger, operation)
        matched += found
        modified += changed
        if made is not None:
            upserted.append({"index": place, "_id": made["_id"]})

    errors = yield from _each(call, operations, run)
    fields: Document = {"n": matched + len(upserted), "nModified": modified}
    if upserted:
        fields["upserted"] = upserted
    yield _reply(fields, errors)


def _update_one(call: Call, ledger: Ledger, operation: Document) -> tuple[int, int, Document | None]:
    """(matched, modified, the document that was upserted)."""
    query, change = _part(operation, "q"), operation.get("u")
    if not isinstance(change, (Mapping, list)):
        raise StoreError(9, "Update argument must be either an object or an array")
    multi = bool(operation.get("multi", False))
    if multi and is_replacement(change):
        raise StoreError(9, "multi update is not supported for replacement-style update")
    array_filters = compile_array_filters(operation.get("arrayFilters"))
    collection = ledger.catalog.get(call.database, call.target)
    matched = modified = 0
    if collection is None:
        compile_filter(query)
    elif multi:
        with ledger.attempt():
            matched, modified = _update_many(call, ledger, collection, query, operation, array_filters)
    else:
        found = find_one(call, ledger, collection, Query(query, hint=operation.get("hint")))
        if found is not None:
            matched = 1
            modified = change_one(ledger, collection, found, query, change, array_filters)[0] is not found[1]
    if matched:
        return matched, int(modified), None
    if operation.get("upsert"):
        return 0, 0, upsert_one(ledger, call.database, call.target, query, change, array_filters)
    check_update(change, array_filters)
    return 0, 0, None


def _update_many(
    call: Call,
    ledger: Ledger,
    collection: Collection,
    query: Mapping[str, Any],
    operation: Document,
    array_filters: ArrayFilters,
) -> tuple[int, int]:
    """(matched, modified)."""
    rows = find_rows(call, ledger, collection, query, hint=operation.get("hint"))
    modified = 0
    for row in rows:
        call.breathe()
        raw = ledger.fetch(row)
        if raw is not None:
            changed = change_one(ledger, collection, (row, raw, None), query, operation["u"], array_filters)
            modified += changed[0] is not raw
    return len(rows), modified


def delete(call: Call, ledger: Ledger) -> Portions:
    operations = _sized(call.documents("deletes"))
    _check_operations(operations, _DELETE_FIELDS, "delete.deletes")
    ordered = call.boolean("ordered", True)
    deleted = 0
    errors: list[Document] = []
    for place, operation in enumerate(operations):
        try:
            for found in _delete(call, ledger, operation):
                if found is None:
                    yield None
                else:
                    deleted += found
        except Ended:
            raise
        except StoreError as error:
            errors.append(_told(place, error))
            if ordered:
                break
    yield _reply({"n": deleted}, errors)


def _delete(call: Call, ledger: Ledger, operation: Document) -> Iterator[int | None]:
    limit = operation.get("limit")
    if limit not in (0, 1):
        raise StoreError(9, f"The limit field in delete objects must be 0 or 1. Got {limit}")
    query = _part(operation, "q")
    collection = ledger.catalog.get(call.database, call.target)
    if collection is None:
        compile_filter(query)
        return iter((0,))
    return delete_matching(call, ledger, collection, query, limit=int(limit), hint=operation.get("hint"))


def _sized(operations: list[T]) -> list[T]:
    """The operations, if a batch may have so many. Raises InvalidLength (16)."""
    if not 1 <= len(operations) <= MAX_OPERATIONS:
        raise StoreError(
            16, f"Write batch sizes must be between 1 and {MAX_OPERATIONS}. Got {len(operations)} operations."
        )
    return operations


def _each(call: Call, operations: list[T], run: Callable[[int, T], None]) -> Generator[None, None, list[Document]]:
    """Run the operations, each of which does all or nothing, with a pause now and then in which others are written;
    the `writeErrors`. An ordered batch ends at the first."""
    ordered = call.boolean("ordered", True)
    errors: list[Document] = []
    until = time.monotonic() + PORTION_SECONDS
    for place, operation in enumerate(operations):
        try:
            run(place, operation)
        except Ended:
            raise
        except StoreError as error:
            errors.append(_told(place, error))
            if ordered:
                break
        if time.monotonic() > until and place + 1 < len(operations):
            yield None
            until = time.monotonic() + PORTION_SECONDS
    return errors


def _told(place: int, error: StoreError) -> Document:
    return {"index": place, "code": error.code, "errmsg": error.message, **error.extra}


def _reply(fields: Document, errors: list[Document]) -> bytes:
    return encode_reply({**fields, "writeErrors": errors} if errors else fields)


def _part(operation: Document, field: str) -> Mapping[str, Any]:
    value = operation.get(field)
    if not isinstance(value, Mapping):
        raise StoreError(14, f"BSON field '{field}' is the wrong type, expected type 'object'")
    return value


def _check_operations(operations: list[Document], fields: frozenset[str], where: str) -> None:
    """Refuse the whole batch, before anything is written, where an operation has what is unknown or unsupported."""
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


COMMANDS: dict[str, Command] = {
    "insert": write(insert, "insert", "documents", "ordered", "bypassDocumentValidation"),
    "update": write(update, "update", "updates", "ordered", "bypassDocumentValidation", "let"),
    "delete": write(delete, "delete", "deletes", "ordered", "let"),
}
