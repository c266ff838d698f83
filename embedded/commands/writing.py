"""Writing: documents inserted, updated and deleted."""

import time
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

from embedded.catalog import Collection
from embedded.codec import Document, encode_reply
from embedded.commands.call import Call, Command, Portions, write
from embedded.commands.changing import change_one, delete_matching, find_one, find_rows, insert_one, upsert_one
from embedded.commands.operation import Update, check_deletes, check_updates, read_delete, read_update
from embedded.errors import Ended, StoreError
from embedded.ledger import Ledger
from embedded.operators.matching import compile_filter
from embedded.operators.updating import check_update
from embedded.querying import Query

MAX_OPERATIONS = 100_000
PORTION_SECONDS = 0.005
T = TypeVar("T")


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
    check_updates(operations)
    matched = modified = 0
    upserted: list[Document] = []

    def run(place: int, operation: Document) -> None:
        nonlocal matched, modified
        found, changed, made = _update_one(call, ledger, read_update(operation))
        matched += found
        modified += changed
        if made is not None:
            upserted.append({"index": place, "_id": made["_id"]})

    errors = yield from _each(call, operations, run)
    fields: Document = {"n": matched + len(upserted), "nModified": modified}
    if upserted:
        fields["upserted"] = upserted
    yield _reply(fields, errors)


def _update_one(call: Call, ledger: Ledger, asked: Update) -> tuple[int, int, Document | None]:
    """(matched, modified, the document that was upserted)."""
    collection = ledger.catalog.get(call.database, call.target)
    matched = modified = 0
    if collection is None:
        compile_filter(asked.filter)
    elif asked.multi:
        with ledger.attempt():
            matched, modified = _update_many(call, ledger, collection, asked)
    else:
        found = find_one(call, ledger, collection, Query(asked.filter, hint=asked.hint))
        if found is not None:
            matched = 1
            changed = change_one(ledger, collection, found, asked.filter, asked.change, asked.array_filters)
            modified = changed[0] is not found[1]
    if matched:
        return matched, int(modified), None
    if asked.upsert:
        made = upsert_one(ledger, call.database, call.target, asked.filter, asked.change, asked.array_filters)
        return 0, 0, made
    check_update(asked.change, asked.array_filters)
    return 0, 0, None


def _update_many(call: Call, ledger: Ledger, collection: Collection, asked: Update) -> tuple[int, int]:
    """(matched, modified)."""
    rows = find_rows(call, ledger, collection, asked.filter, hint=asked.hint)
    modified = 0
    for row in rows:
        call.breathe()
        raw = ledger.fetch(row)
        if raw is not None:
            found = (row, raw, None)
            changed = change_one(ledger, collection, found, asked.filter, asked.change, asked.array_filters)
            modified += changed[0] is not raw
    return len(rows), modified


def delete(call: Call, ledger: Ledger) -> Portions:
    operations = _sized(call.documents("deletes"))
    check_deletes(operations)
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
    asked = read_delete(operation)
    collection = ledger.catalog.get(call.database, call.target)
    if collection is None:
        compile_filter(asked.filter)
        return iter((0,))
    return delete_matching(call, ledger, collection, asked.filter, limit=asked.limit, hint=asked.hint)


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


COMMANDS: dict[str, Command] = {
    "insert": write(insert, "insert", "documents", "ordered", "bypassDocumentValidation"),
    "update": write(update, "update", "updates", "ordered", "bypassDocumentValidation", "let"),
    "delete": write(delete, "delete", "deletes", "ordered", "let"),
}
