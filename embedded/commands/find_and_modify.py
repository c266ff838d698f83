"""The command `findAndModify`: one document changed and handed back in one step."""

from embedded.codec import Document, decode, encode, encode_value_document
from embedded.commands.call import Call, Command, write
from embedded.commands.changing import change_one, find_one, upsert_one
from embedded.commands.operation import FindAndModify, read_find_and_modify
from embedded.ledger import Ledger
from embedded.operators.matching import compile_filter
from embedded.operators.updating import check_update
from embedded.querying import Query, sorted_query
from embedded.scanning import Match

Value = tuple[bytes, Document | None]
"""A document's bytes, and the document itself where it is at hand."""


def find_and_modify(call: Call, ledger: Ledger) -> bytes:
    asked = read_find_and_modify(call)
    if asked.project is None:
        value, last_error = _run(call, ledger, asked)
        raw = None if value is None else value[0]
    else:
        with ledger.attempt():  # what a projection cannot show is not to be changed
            value, last_error = _run(call, ledger, asked)
            raw = None if value is None else encode(asked.project(value[1] or decode(value[0])))
    return encode_value_document("value", raw, {"lastErrorObject": last_error})


def _run(call: Call, ledger: Ledger, asked: FindAndModify) -> tuple[Value | None, Document]:
    """(the document before or after, `lastErrorObject`)."""
    collection = ledger.catalog.get(call.database, call.target)
    found: Match | None = None
    if collection is None:
        compile_filter(asked.filter)
    else:
        wanted = sorted_query(Query(asked.filter, hint=asked.hint), asked.sort)
        found = find_one(call, ledger, collection, wanted)
    if found is None or collection is None:
        return _nothing_found(call, ledger, asked)
    row, raw, before = found
    if asked.change is None:
        before = before or decode(raw)
        ledger.delete(collection, row, before)
        return (raw, before), {"n": 1}
    after = change_one(ledger, collection, found, asked.filter, asked.change, asked.array_filters)
    return (after if asked.new else (raw, before)), {"n": 1, "updatedExisting": True}


def _nothing_found(call: Call, ledger: Ledger, asked: FindAndModify) -> tuple[Value | None, Document]:
    if asked.change is None:
        return None, {"n": 0}
    if not asked.upsert:
        check_update(asked.change, asked.array_filters)
        return None, {"n": 0, "updatedExisting": False}
    document = upsert_one(ledger, call.database, call.target, asked.filter, asked.change, asked.array_filters)
    error = {"n": 1, "updatedExisting": False, "upserted": document["_id"]}
    return ((encode(document), document) if asked.new else None), error


_FIELDS = (
    *("query", "sort", "remove", "update", "new", "fields", "upsert", "bypassDocumentValidation"),
    *("collation", "arrayFilters", "hint", "let"),
)

COMMANDS: dict[str, Command] = {
    "findAndModify": write(find_and_modify, "findAndModify", *_FIELDS),
    "findandmodify": write(find_and_modify, "findandmodify", *_FIELDS),
}
