"""How are documents inserted, updated and deleted?"""

from collections.abc import Callable, Mapping
from typing import Any

from bson import ObjectId, Regex
from bson.regex import Regex as RegexValue

from embedded.catalog import Collection
from embedded.codec import Document, check_size, decode, encode, encode_reply, with_id
from embedded.commands.call import Call, Command, check_collation, write
from embedded.errors import StoreError, not_implemented
from embedded.ledger import Ledger
from embedded.operators.matching import compile_filter
from embedded.operators.updating import apply_update, upsert_document
from embedded.operators.values import encode_key
from embedded.planning import SortSpec, make_plan
from embedded.querying import Query, select

MAX_OPERATIONS = 100_000
_UPDATE_FIELDS = frozenset({"q", "u", "c", "multi", "upsert", "collation", "arrayFilters", "hint", "sort"})
_DELETE_FIELDS = frozenset({"q", "limit", "collation", "hint"})


def insert(call: Call, ledger: Ledger) -> bytes:
    documents = _operations(call, call.raw_documents("documents"), "documents")
    database, name = call.database, call.target
    inserted = 0

    def run(raw: bytes) -> None:
        nonlocal inserted
        insert_one(ledger, ledger.collection(database, name), raw)
        inserted += 1

    errors = _each(call, ledger, documents, run)
    return _reply({"n": inserted}, errors)


def insert_one(ledger: Ledger, collection: Collection, raw: bytes) -> Document:
    """Store one document, its `_id` generated where it has none and moved to the front; the document.

    Raises DuplicateKey (11000), BSONObjectTooLarge (10334), and 2 for an `_id` that cannot be one.
    """
    document = decode(raw)
    first = next(iter(document), None)
    if first != "_id":
        if "_id" in document:
            raw = encode(document)
        else:
            identifier = ObjectId()
            document = {"_id": identifier, **document}
            raw = with_id(identifier, raw)
    check_size(raw)
    check_id(document["_id"])
    ledger.insert(collection, document, raw)
    return document


def check_id(identifier: object) -> None:
    """Raises 2 for the types that MongoDB refuses as an `_id`."""
    if isinstance(identifier, list):
        raise StoreError(2, "The '_id' value cannot be of type array")
    if isinstance(identifier, (Regex, RegexValue)):
        raise StoreError(2, "The '_id' value cannot be of type regex")


def update(call: Call, ledger: Ledger) -> bytes:
    operations = _operations(call, call.documents("updates"), "updates")
    matched = modified = 0
    upserted: list[Document] = []
    position = 0

    def run(operation: Document) -> None:
        nonlocal matched, modified, position
        position = places[id(operation)]
        _check_operation(operation, _UPDATE_FIELDS, "update.updates")
        if operation.get("sort"):
            raise not_implemented("an update with a sort")
        found, changed, made = _update_one(call, ledger, operation)
        matched += found
        modified += changed
        if made is not None:
            upserted.append({"index": position, "_id": made["_id"]})

    places = {id(operation): place for place, operation in enumerate(operations)}
    errors = _each(call, ledger, operations, run)
    fields: Document = {"n": matched + len(upserted), "nModified": modified}
    if upserted:
        fields["upserted"] = upserted
    return _reply(fields, errors)


def _update_one(call: Call, ledger: Ledger, operation: Document) -> tuple[int, int, Document | None]:
    """(matched, modified, the document that was upserted)."""
    query, change = _part(operation, "q"), operation.get("u")
    if not isinstance(change, (Mapping, list)):
        raise StoreError(9, "Update argument must be either an object or an array")
    multi = bool(operation.get("multi", False))
    if multi and is_replacement(change):
        raise StoreError(9, "multi update is not supported for replacement-style update")
    collection = ledger.catalog.get(call.database, call.target)
    rows: list[int] = []
    if collection is None:
        compile_filter(query)
    else:
        rows = find_rows(call, ledger, collection, query, limit=0 if multi else 1, hint=operation.get("hint"))
    if not rows and operation.get("upsert"):
        collection = ledger.collection(call.database, call.target)
        return 0, 0, upsert_one(ledger, collection, query, change)
    modified = 0
    for row in rows:
        assert collection is not None  # noqa: S101
        raw = ledger.fetch(row)
        if raw is not None:
            modified += change_one(ledger, collection, row, raw, query, change) is not raw
    return len(rows), modified, None


def find_rows(
    call: Call,
    ledger: Ledger,
    collection: Collection,
    query: Mapping[str, Any],
    *,
    limit: int,
    sort: SortSpec = (),
    hint: Any = None,
) -> list[int]:
    """The rows that a filter selects, all read before the first is changed."""
    plan = make_plan(collection, query, sort, hint or None)
    rows = []
    for match in select(plan, Query(query, sort, limit=limit), ledger.source):
        if match is None:
            call.breathe()
        else:
            rows.append(match[0])
    return rows


def change_one(
    ledger: Ledger, collection: Collection, row: int, raw: bytes, query: Mapping[str, Any], change: Any
) -> bytes:
    """Apply an update to a stored document; its new bytes, or `raw` itself if nothing changed.

    Raises ImmutableField (66) where the `_id` would change.
    """
    old = decode(raw)
    new = apply_update(old, change, filter=query, inserting=False)
    if "_id" not in new:
        new = {"_id": old["_id"], **new}
    elif encode_key(new["_id"]) != encode_key(old["_id"]):
        raise StoreError(66, "Performing an update on the path '_id' would modify the immutable field '_id'")
    changed = encode(new)
    if changed == raw:
        return raw
    ledger.replace(collection, row, old, new, changed)
    return changed


def upsert_one(ledger: Ledger, collection: Collection, query: Mapping[str, Any], change: Any) -> Document:
    """Insert what an upsert makes of its filter and its update; the document."""
    return insert_one(ledger, collection, encode(upsert_document(query, change)))


def is_replacement(change: object) -> bool:
    """Whether an update is a whole document rather than operators or a pipeline."""
    return isinstance(change, Mapping) and not next(iter(change), "").startswith("$")


def delete(call: Call, ledger: Ledger) -> bytes:
    operations = _operations(call, call.documents("deletes"), "deletes")
    deleted = 0

    def run(operation: Document) -> None:
        nonlocal deleted
        _check_operation(operation, _DELETE_FIELDS, "delete.deletes")
        limit = operation.get("limit")
        if limit not in (0, 1):
            raise StoreError(9, f"The limit field in delete objects must be 0 or 1. Got {limit}")
        query = _part(operation, "q")
        collection = ledger.catalog.get(call.database, call.target)
        if collection is None:
            compile_filter(query)
            return
        removed = delete_matching(call, ledger, collection, query, limit=int(limit), hint=operation.get("hint"))
        deleted += removed

    errors = _each(call, ledger, operations, run)
    return _reply({"n": deleted}, errors)


def delete_matching(
    call: Call, ledger: Ledger, collection: Collection, query: Mapping[str, Any], *, limit: int, hint: Any = None
) -> int:
    """Delete what a filter selects; how many."""
    rows = find_rows(call, ledger, collection, query, limit=limit, hint=hint)
    for row in rows:
        raw = ledger.fetch(row)
        if raw is not None:
            ledger.delete(collection, row, decode(raw))
    return len(rows)


def _operations(call: Call, operations: list[Any], field: str) -> list[Any]:
    if not 1 <= len(operations) <= MAX_OPERATIONS:
        raise StoreError(
            16, f"Write batch sizes must be between 1 and {MAX_OPERATIONS}. Got {len(operations)} operations."
        )
    if call.boolean("bypassDocumentValidation"):
        pass  # there are no validators to bypass
    return operations


def _each(call: Call, ledger: Ledger, operations: list[Any], run: Callable[[Any], None]) -> list[Document]:
    """Run the operations, each whole or not at all; the `writeErrors`. An ordered batch ends at the first."""
    ordered = call.boolean("ordered", True)
    errors: list[Document] = []
    for place, operation in enumerate(operations):
        try:
            with ledger.attempt():
                run(operation)
        except StoreError as error:
            errors.append({"index": place, "code": error.code, "errmsg": error.message, **error.extra})
            if ordered:
                break
    return errors


def _reply(fields: Document, errors: list[Document]) -> bytes:
    return encode_reply({**fields, "writeErrors": errors} if errors else fields)


def _part(operation: Document, field: str) -> Mapping[str, Any]:
    value = operation.get(field)
    if not isinstance(value, Mapping):
        raise StoreError(14, f"BSON field '{field}' is the wrong type, expected type 'object'")
    return value


def _check_operation(operation: Document, fields: frozenset[str], where: str) -> None:
    if not fields.issuperset(operation):
        unknown = min(operation.keys() - fields)
        raise StoreError(40415, f"BSON field '{where}.{unknown}' is an unknown field.")
    if operation.get("arrayFilters"):
        raise not_implemented("arrayFilters")
    if operation.get("c"):
        raise not_implemented("update constants (c)")
    check_collation(operation.get("collation"))


COMMANDS: dict[str, Command] = {
    "insert": write(insert, "insert", "documents", "ordered", "bypassDocumentValidation"),
    "update": write(update, "update", "updates", "ordered", "bypassDocumentValidation", "let"),
    "delete": write(delete, "delete", "deletes", "ordered", "let"),
}
