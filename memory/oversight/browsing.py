"""Browsing: the documents of every collection of memory, filtered and page by page, for whoever runs a store.

What holds secrets is not there to be browsed: API keys, and what requests were answered under their keys.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bson import encode

from memory.ids import owner_apart, project_of, user_of
from memory.product import Product
from memory.store import Collections
from utils.errors import NotFound
from utils.mongo import Document, aggregate

LOOKED_THROUGH = 5_000  # documents for one page at most, in the order of an index
EXCERPT = 300  # characters of what a document says
NOTHING: Document = {"_id": {"$in": []}}


@dataclass(frozen=True)
class Listing:
    """How documents of a collection are told apart. `moment`, `session`, `kind`: the fields that they are filtered by,
    the first the one that the newest of a user's come by; None where there is none. `text`: strings that are searched;
    `says`: MongoDB's expression of what is shown."""

    moment: str | None = None
    session: str | None = None
    kind: str | None = None
    text: tuple[str, ...] = ()
    says: Any = ""


LISTINGS = {
    "sessions": Listing("updated_at", "session_id", "project", ("title",), "$title"),
    "vectors": Listing("timestamp", "session_id", "kind", ("content",), "$content"),
    "summaries": Listing(
        "updated_at", "session_id", None, ("summaries.text",), {"$arrayElemAt": ["$summaries.text", -1]}
    ),
    "memories": Listing("updated_at", text=("key", "value"), says={"$concat": ["$key", ": ", {"$toString": "$value"}]}),
    "facts": Listing("updated_at", "memory_id", None, ("text",), "$text"),
    "receipts": Listing("at", "session_id", "intent", ("query",), "$query"),
    "traces": Listing("timestamp", "task_id", "tool_name", ("summary", "raw_input", "raw_output"), "$summary"),
    "observations": Listing("created_at", None, "category", ("content",), "$content"),
    "banks": Listing("updated_at", None, "type", ("name", "files.text"), "$name"),
    "bank_versions": Listing(text=("content",), says="$bank"),
    "scratchpad": Listing(text=("key",), says="$key"),
    "projects": Listing(text=("name",), says="$name"),
    "images": Listing("created_at", "session_id", "type", ("url",), {"$ifNull": ["$url", "$type"]}),
    "drafts": Listing("at", "session_id", None, ("content",), "$content"),
    "responses": Listing("created_at", "session_id"),
    "conversations": Listing("created_at", "session_id"),
    "response_items": Listing(session="session_id"),
}


@dataclass(frozen=True)
class Wanted:
    """Filters of a collection; None of each for all. `project`: an isolated one of the user's; `text`: a part of what
    a document says, in any case."""

    user: str | None = None
    project: str | None = None
    session: str | None = None
    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str | None = None


@dataclass(frozen=True)
class Found:
    """A document as it is listed. `updated_at`: when something happened to it, as far as its collection tells."""

    key: str
    owner: str
    project: str
    session: str | None
    kind: str | None
    updated_at: datetime | None
    text: str


@dataclass(frozen=True)
class FoundPage:
    """`after`: behind which document the next page begins; None where there is no other. It may be one that no filter
    let through: then all that were looked at are behind it."""

    items: tuple[Found, ...]
    after: Found | None


@dataclass(frozen=True)
class StoredIndex:
    """`keys`: fields with their directions. `size`: bytes."""

    name: str
    keys: tuple[tuple[str, str], ...]
    size: int


@dataclass(frozen=True)
class Stored:
    """A collection. `size`: bytes of its documents; `stored`: bytes that they take on disk. `filters`: those of
    `Wanted` that it knows beside the user, `moment` for both times."""

    name: str
    documents: int
    size: int
    stored: int
    indexes: tuple[StoredIndex, ...]
    filters: tuple[str, ...]


class Browser:
    def __init__(self, collections: Collections, products: Sequence[Product]) -> None:
        self._collections = collections
        self.names = tuple(dict.fromkeys(name for product in products for name in product.indexes))

    def listing(self, name: str) -> Listing:
        """How a collection is listed. Raises `NotFound` where there is none such."""
        if name not in self.names:
            raise NotFound("No such collection")
        return LISTINGS.get(name, Listing())

    async def page(
        self, name: str, wanted: Wanted, *, limit: int, after: tuple[datetime | None, str] | None = None
    ) -> FoundPage:
        """Documents that filters let through: a user's, newest first, or in the order of their `_id`s. At most
        `LOOKED_THROUGH` are read for a page, so it may be short, or empty, and another follow. `after`: moment and
        `_id` of the last one seen. Raises `NotFound`."""
        listing, collection = self.listing(name), self._collections[name]
        by_time = wanted.user is not None and listing.moment is not None
        first = _first(listing, wanted, by_time, after)
        order = {str(listing.moment): -1, "_id": -1} if by_time else {"_id": 1}
        shown = {
            "user_id": 1,
            "session": f"${listing.session}" if listing.session else None,
            "kind": f"${listing.kind}" if listing.kind else None,
            "moment": f"${listing.moment}" if listing.moment else None,
            "says": {"$substrCP": [{"$ifNull": [listing.says, ""]}, 0, EXCERPT]},
        }
        shown = {field: value for field, value in shown.items() if value is not None}
        head: list[Document] = [{"$match": first}, {"$sort": order}]
        through: list[Document] = [*head, {"$limit": LOOKED_THROUGH}, {"$match": _others(listing, wanted)}]
        documents = await aggregate(collection, [*through, {"$limit": limit + 1}, {"$project": shown}])
        found = tuple(_found(document) for document in documents)
        if len(found) > limit:
            return FoundPage(found[:limit], found[limit - 1])
        last = await aggregate(collection, [*head, {"$skip": LOOKED_THROUGH - 1}, {"$limit": 1}, {"$project": shown}])
        return FoundPage(found, _found(last[0]) if last else None)

    async def stored(self) -> list[Stored]:
        """What the store says of each collection."""
        return list(await asyncio.gather(*(self._stored(name) for name in self.names)))

    async def _stored(self, name: str) -> Stored:
        said, indexes = await asyncio.gather(
            self._collections.database.command("collStats", name), self._collections[name].index_information()
        )
        sizes = said.get("indexSizes", {})
        told = tuple(
            StoredIndex(each, tuple((field, str(way)) for field, way in index["key"]), sizes.get(each, 0))
            for each, index in indexes.items()
        )
        listing = self.listing(name)
        filters = [field for field in ("session", "kind", "moment", "text") if getattr(listing, field)]
        return Stored(name, said["count"], said["size"], said["storageSize"], told, tuple(filters))

    async def document(self, name: str, key: str) -> Document:
        """A document whole, by its `_id`. Raises `NotFound`."""
        self.listing(name)
        document: Document | None = await self._collections[name].find_one({"_id": key})
        if document is None:
            raise NotFound("No such document")
        return document


def size_of(document: Document) -> int:
    """Bytes of a document as BSON."""
    return len(encode(document))


def _first(listing: Listing, wanted: Wanted, by_time: bool, after: tuple[datetime | None, str] | None) -> Document:
    """What an index serves: whose documents, of which session, behind which one."""
    first: Document = {}
    if wanted.user is not None:
        first["user_id"] = owner_apart(wanted.user, wanted.project) if wanted.project else wanted.user
        if wanted.session is not None and listing.session is not None:
            first[listing.session] = wanted.session
    if after is None:
        return first
    moment, key = after
    if not by_time:
        return first | {"_id": {"$gt": key}}
    field = str(listing.moment)
    return first | {field: {"$lte": moment}, "$or": [{field: {"$lt": moment}}, {"_id": {"$lt": key}}]}


def _others(listing: Listing, wanted: Wanted) -> Document:
    """The other filters. One of a field that the collection does not have lets nothing through."""
    every: list[Document] = []
    for field, value in ((listing.session, wanted.session), (listing.kind, wanted.kind)):
        if value is not None:
            every.append({field: {"$eq": value}} if field else NOTHING)
    times = {sign: moment for sign, moment in (("$gte", wanted.since), ("$lte", wanted.until)) if moment is not None}
    if times:
        every.append({listing.moment: times} if listing.moment else NOTHING)
    if wanted.text:
        part = {"$regex": re.escape(wanted.text), "$options": "i"}
        every.append({"$or": [{field: part} for field in (*listing.text, "_id")]})
    return {"$and": every} if every else {}


def _found(document: Document) -> Found:
    owner = document.get("user_id", "")
    return Found(
        key=document["_id"],
        owner=user_of(owner),
        project=project_of(owner),
        session=document.get("session"),
        kind=document.get("kind"),
        updated_at=document.get("moment"),
        text=document.get("says") or "",
    )
