"""How is one document changed and handed back in one step?"""

from collections.abc import Mapping

from embedded.codec import Document, decode, encode, encode_value_document
from embedded.commands.call import Call, Command, write
from embedded.commands.changing import change_one, find_rows, upsert_one
from embedded.errors import StoreError, not_implemented
from embedded.ledger import Ledger
from embedded.operators.matching import compile_filter
from embedded.operators.projecting import compile_projection
from embedded.querying import read_sort


def find_and_modify(call: Call, ledger: Ledger) -> bytes:
    remove, upsert, new = call.boolean("remove"), call.boolean("upsert"), call.boolean("new")
    change = call.body.get("update")
    if call.body.get("arrayFilters"):
        raise not_implemented("arrayFilters")
    if remove and (change is not None or upsert or new):
        raise StoreError(9, "Cannot specify both an update and remove=true, nor upsert or new with remove")
    if not remove and not isinstance(change, (Mapping, list)):
        raise StoreError(9, "Either an update or remove=true must be specified")
    query = call.document("query")
    fields = call.document("fields")
    with ledger.attempt():
        value, last_error = _run(call, ledger, query, remove=remove, upsert=upsert, new=new)
        if value is not None and fields:
            value = encode(compile_projection(fields, query)(decode(value)))
    return encode_value_document("value", value, {"lastErrorObject": last_error})


def _run(
    call: Call, ledger: Ledger, query: Mapping[str, object], *, remove: bool, upsert: bool, new: bool
) -> tuple[bytes | None, Document]:
    """(the document's bytes before or after, `lastErrorObject`)."""
    collection = ledger.catalog.get(call.database, call.target)
    change = call.body.get("update")
    rows: list[int] = []
    if collection is None:
        compile_filter(query)
    else:
        sort = read_sort(call.document("sort"))
        rows = find_rows(call, ledger, collection, query, limit=1, sort=sort, hint=call.hint())
    if not rows or collection is None:
        if not upsert:
            return None, {"n": 0} if remove else {"n": 0, "updatedExisting": False}
        document = upsert_one(ledger, ledger.collection(call.database, call.target), query, change)
        error = {"n": 1, "updatedExisting": False, "upserted": document["_id"]}
        return (encode(document) if new else None), error
    before = ledger.fetch(rows[0])
    assert before is not None  # noqa: S101
    if remove:
        ledger.delete(collection, rows[0], decode(before))
        return before, {"n": 1}
    after = change_one(ledger, collection, rows[0], before, query, change)
    return (after if new else before), {"n": 1, "updatedExisting": True}


_FIELDS = (
    *("query", "sort", "remove", "update", "new", "fields", "upsert", "bypassDocumentValidation"),
    *("collation", "arrayFilters", "hint", "let"),
)

COMMANDS: dict[str, Command] = {
    "findAndModify": write(find_and_modify, "findAndModify", *_FIELDS),
    "findandmodify": write(find_and_modify, "findandmodify", *_FIELDS),
}
