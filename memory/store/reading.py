"""Reading many documents of an owner without holding more than a page of them."""

from collections.abc import AsyncIterator, Sequence
from collections.abc import Collection as Ids
from typing import Any

from utils.mongo import Collection, Document

PAGE = 200
AT_ONCE = 25  # documents that are read by their ids


async def by_key(
    collection: Collection, owner: str, name: str, fields: Document | None = None, only: Ids[str] | None = None
) -> AsyncIterator[Document]:
    """Documents in the order of a key that no two of the owner's share. `only`: those of these keys."""
    after = ""
    while True:
        read = 0
        page: dict[str, Any] = {"user_id": owner, name: {"$gt": after}}
        if only is not None:
            page[name]["$in"] = sorted(only)
        async for document in collection.find(page, fields).sort(name, 1).limit(PAGE):
            read, after = read + 1, document[name]
            yield document
        if read < PAGE:
            return


async def by_ids(collection: Collection, filter: Document, order: Sequence[tuple[str, int]]) -> AsyncIterator[Document]:
    """The documents of a filter that are there now, in an order; each once, whatever becomes of them meanwhile."""
    listed = await collection.find(filter, {"_id": 1}).sort(order).to_list(None)
    for start in range(0, len(listed), AT_ONCE):
        ids = [document["_id"] for document in listed[start : start + AT_ONCE]]
        for document in await in_order(collection, filter["user_id"], ids):
            yield document


async def in_order(collection: Collection, owner: str, ids: Sequence[str]) -> list[Document]:
    """Documents in the order of their ids; those that are gone are left out."""
    if not ids:
        return []
    read = await collection.find({"_id": {"$in": list(ids)}, "user_id": owner}).to_list(None)
    by_id = {document["_id"]: document for document in read}
    return [by_id[identifier] for identifier in ids if identifier in by_id]
