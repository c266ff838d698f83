"""How is one document changed and handed back in one step?"""

from collections.abc import Mapping

from embedded.codec import Document, decode, encode, encode_value_document
from embedded.commands.call import Call, Command, write
from embedded.commands.changing import change_one, find_one, upsert_one
from embedded.errors import StoreError
from embedded.ledger import Ledger
from embedded.operators.array_filters import compile_array_filters
from embedded.operators.matching import compile_filter
from embedded.operators.projecting import compile_projection
from embedded.operators.updating import check_update
from embedded.querying import Query, sorted_query
from embedded.scanning import Match

Value = tuple[bytes, Document | None]
"""A document's bytes, and the document itself where it is at hand."""


def find_and_modify(call: Call, ledger: Ledger) -> bytes:
    remove, upsert, new = call.boolean("remove"), call.boolean("upsert"), call.boolean("new")
    change = call.body.get("update")
    if remove and (change is not None or upsert or new):
        raise StoreError(9, "Cannot specify both an update and remove=true, nor upsert or new with remove")
    if not remove and not isinstance(change, (Mapping, list)):
        raise StoreError(9, "Either an update or remove=true must be specified")
    query = call.document("query")
    fields = call.document("fields")
    project = compile_projection(fields, query) if fields else None
    if project is None:
        value, last_error = _run(call, ledger, query, remove=remove, upsert=upsert, new=new)
        raw = None if value is None else value[0]
    else:
        with ledger.attempt():  # what a projection cannot show is not to be changed
            value, last_error = _run(call, ledger, query, remove=remove, upsert=upsert, new=new)
            raw = None if value is None else encode(project(value[1] or decode(value[0])))
    return encode_value_document("value", raw, {"lastErrorObject": last_error})


def _run(
    call: Call, ledger: Ledger, query: Mapping[str, object], *, remove: bool, upsert: bool, new: bool
) -> tuple[Value | None, Document]:
    """(the document before or after, `lastErrorObject`)."""
    collection = ledger.catalog.get(call.database, call.target)
    change, array_filters = call.body.get("update"), compile_array_filters(call.body.get("arrayFilters"))
    found: Match | None = None
    if collection is None:
        compile_filter(query)
    else:
        wanted = sorted_query(Query(query, hint=call.hint()), call.document("sort"))
        found = find_one(call, ledger, collection, wanted)
    if found is None or collection is None:
        if not upsert:
            if isinstance(change, (Mapping, list)):
                check_update(change, array_filters)
            return None, {"n": 0} if remove else {"n": 0, "updatedExisting": False}
        document = upsert_one(ledger, call.database, call.target, query, change, array_filters)
        error = {"n": 1, "updatedExisting": False, "upserted": document["_id"]}
        return ((encode(document), document) if new else None), error
    row, raw, before = found
    if remove:
        before = before or decode(raw)
        ledger.delete(collection, row, before)
        return (raw, before), {"n": 1}
    after = change_one(ledger, collection, found, query, change, array_filters)
    return (after if new else (raw, before)), {"n": 1, "updatedExisting": True}


_FIELDS = (
    *("query", "sort", "remove", "update", "new", "fields", "upsert", "bypassDocumentValidation"),
    *("collation", "arrayFilters", "hint", "let"),
)

COMMANDS: dict[str, Command] = {
    "findAndModify": write(find_and_modify, "findAndModify", *_FIELDS),
    "findandmodify": write(find_and_modify, "findandmodify", *_FIELDS),
}
