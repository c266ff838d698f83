"""Stored documents: inserted, found, changed and deleted, whichever command asks for it."""

from collections.abc import Iterator, Mapping
from typing import Any

from bson import ObjectId, Regex

from embedded.catalog import Collection
from embedded.codec import Document, check_depth, check_size, decode, encode, with_id
from embedded.commands.call import Call
from embedded.errors import StoreError
from embedded.ledger import Ledger
from embedded.operators.array_filters import ArrayFilters
from embedded.operators.matching import compile_filter, is_operators
from embedded.operators.updating import apply_update, stamped, upsert_document
from embedded.planning import make_plan
from embedded.querying import Query, select
from embedded.scanning import Match
from embedded.splicing import encode_changed

PORTION = 500
_EMPTY_TIMESTAMP = bytes(8)


def insert_one(ledger: Ledger, collection: Collection, raw: bytes) -> Document:
    """Store one document, its `_id` generated where it has none and moved to the front; the document.

    Raises DuplicateKey (11000), BSONObjectTooLarge (10334), InvalidIdField (53), Overflow (15).
    """
    document = decode(raw)
    first = next(iter(document), None)
    if first != "_id":
        if "_id" in document:
            raw = encode_changed(raw, document, {"_id": document["_id"], **document})
        else:
            identifier = ObjectId()
            document = {"_id": identifier, **document}
            raw = with_id(identifier, raw)
    if _EMPTY_TIMESTAMP in raw and (filled := dict(stamped(document))) != document:
        document, raw = filled, encode_changed(raw, document, filled)
    check_size(raw)
    check_depth(raw, document)
    check_id(document["_id"])
    ledger.insert(collection, document, raw)
    return document


def check_id(identifier: object) -> None:
    """Raises InvalidIdField (53) for the types that MongoDB refuses as an `_id`, 52 for a document of operators."""
    if isinstance(identifier, Mapping) and is_operators(identifier):
        name = next(iter(identifier))
        raise StoreError(52, f"_id fields may not contain '$'-prefixed fields: {name} is not valid for storage.")
    if isinstance(identifier, list):
        raise StoreError(53, "The '_id' value cannot be of type array")
    if isinstance(identifier, Regex):
        raise StoreError(53, "The '_id' value cannot be of type regex")


def find_rows(
    call: Call, ledger: Ledger, collection: Collection, query: Mapping[str, Any], *, limit: int = 0, hint: Any = None
) -> list[int]:
    """The rows that a filter selects, all read before the first is changed."""
    return [match[0] for match in _found(call, ledger, collection, Query(query, limit=limit, hint=hint))]


def find_one(call: Call, ledger: Ledger, collection: Collection, query: Query) -> Match | None:
    """The first document that a query finds; None where there is none."""
    query.limit = 1
    return next(_found(call, ledger, collection, query), None)


def _found(call: Call, ledger: Ledger, collection: Collection, query: Query) -> Iterator[Match]:
    plan = make_plan(collection, query.filter, query.sort, query.hint or None)
    for match in select(plan, query, ledger.source, decoded=ledger.recent.decode):
        if match is None:
            call.breathe()
            continue
        row, raw, document = match
        if document is not None:
            ledger.recent.put(row, raw, document)
        yield match


def change_one(
    ledger: Ledger,
    collection: Collection,
    found: Match,
    query: Mapping[str, Any],
    change: Any,
    array_filters: ArrayFilters,
) -> tuple[bytes, Document]:
    """Apply an update to a stored document; its new bytes, or the old ones themselves if nothing changed, and the
    document that they say.

    Raises as `apply_update`, 10334 and 15 for a document that is too large or too deep.
    """
    row, raw, old = found
    if old is None:
        old = ledger.recent.decode(row, raw)
    new = apply_update(old, change, filter=query, array_filters=array_filters)
    changed = encode_changed(raw, old, new)
    if changed == raw:
        return raw, old
    check_depth(changed, fresh_parts(old, new))
    ledger.replace(collection, row, old, new, changed)
    return changed, new


def fresh_parts(old: Document, new: Document) -> Document:
    """The fields of a changed document that it did not have before; of arrays, the elements."""
    fresh: Document = {}
    for name, value in new.items():
        before = old.get(name)
        if before is not value:
            if isinstance(value, list) and isinstance(before, list):
                known = set(map(id, before))
                value = [one for one in value if id(one) not in known]
            fresh[name] = value
    return fresh


def upsert_one(
    ledger: Ledger, database: str, name: str, query: Mapping[str, Any], change: Any, array_filters: ArrayFilters
) -> Document:
    """Insert what an upsert makes of its filter and its update, in a collection that may be new; the document."""
    raw = encode(upsert_document(query, change, array_filters=array_filters))
    collection = ledger.catalog.get(database, name)
    if collection is not None:
        return insert_one(ledger, collection, raw)
    with ledger.attempt():
        return insert_one(ledger, ledger.collection(database, name), raw)


def delete_matching(
    call: Call, ledger: Ledger, collection: Collection, query: Mapping[str, Any], *, limit: int, hint: Any = None
) -> Iterator[int | None]:
    """Delete what a filter selects, a portion at a time with a pause (None) between; how many, as the last value.

    Raises QueryPlanKilled (175) where the collection was dropped or renamed during a pause.
    """
    rows = find_rows(call, ledger, collection, query, limit=limit, hint=hint)
    selects = compile_filter(query)
    deleted = 0
    for place in range(0, len(rows), PORTION):
        if place:
            yield None
        current = ledger.catalog.get(collection.database, collection.name)
        if current is None or current.id != collection.id:
            raise StoreError(175, "query plan killed :: collection renamed or dropped")
        with ledger.attempt():
            for row in rows[place : place + PORTION]:
                raw = ledger.fetch(row)
                document = None if raw is None else decode(raw)
                if document is not None and selects(document):  # others may have changed it meanwhile
                    ledger.delete(current, row, document)
                    deleted += 1
    yield deleted
