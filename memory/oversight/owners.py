"""Owners: who has anything here, and how much of it."""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.domain import TURN
from memory.ids import APART, user_of
from memory.product import Product
from memory.store import Collections
from utils.errors import NotFound
from utils.mongo import Document


@dataclass(frozen=True)
class OwnerSeen:
    """A user. `last_activity`: when something was said to, kept of or changed for them last; None where they have
    nothing but values of agents, or a key."""

    id: str
    sessions: int
    messages: int
    last_activity: datetime | None


@dataclass(frozen=True)
class Totals:
    """What there is of all users. `users`: who have any counters, which all have but those who have nothing but values
    of agents, or a key. `documents`: by collection; `gists`: by kind."""

    users: int
    documents: Mapping[str, int]
    gists: Mapping[str, int]


class Owners:
    """The users of a store, for whoever runs it. `other_kinds`: of gists, beside messages; an insight may be of a
    tool's result, too."""

    def __init__(self, collections: Collections, products: Sequence[Product]) -> None:
        self._collections = collections
        activity = {name: field for product in products for name, field in product.activity.items()}
        # Whoever has anything has it in one of these: what is of no activity belongs to what is.
        self._holding = ("owners", *activity, "api_keys")
        self._moments = {name: field for name, field in activity.items() if field is not None}
        self._counted = tuple(dict.fromkeys(name for product in products for name in product.indexes))
        self.other_kinds = [kind for product in products for kind in product.gists]

    async def page(self, *, limit: int, after: str = "", part: str = "") -> list[OwnerSeen]:
        """Users in the order of their ids, behind the last one seen. `part`: of the id, in any case."""
        owners = await self._met(limit, after, part)
        return list(await asyncio.gather(*(self._seen(owner, names) for owner, names in owners)))

    async def require(self, owner: str) -> None:
        """Raises `NotFound` where a user has nothing here."""
        looked = (self._collections[name].find_one({_key_of(name): _of(owner)}, {"_id": 1}) for name in self._holding)
        if not any(await asyncio.gather(*looked)):
            raise NotFound("No such user")

    async def seen(self, owner: str) -> OwnerSeen:
        """A user, who may have nothing."""
        return await self._seen(owner, tuple(self._moments))

    async def counts(self, owner: str) -> dict[str, int]:
        """How many documents of a user's each collection has."""
        counted = (self._collections[name].count_documents({"user_id": _of(owner)}) for name in self._counted)
        return dict(zip(self._counted, await asyncio.gather(*counted), strict=True))

    async def totals(self) -> Totals:
        """How much there is, as the store keeps count of it; no document is read."""
        vectors = self._collections.vectors
        users, *found = await asyncio.gather(
            self._collections.owners.estimated_document_count(),
            *(self._collections[name].estimated_document_count() for name in self._counted),
            *(vectors.count_documents({"kind": kind}) for kind in self.other_kinds),
        )
        documents = dict(zip(self._counted, found[: len(self._counted)], strict=True))
        others = dict(zip(self.other_kinds, found[len(self._counted) :], strict=True))
        messages = max(0, documents.pop("vectors") - sum(others.values()))
        return Totals(users, documents, {TURN: messages, **others})

    async def _met(self, limit: int, after: str, part: str) -> list[tuple[str, Collection[str]]]:
        """The next users of all collections together, each with the collections that have something of theirs. These
        are asked for their next user alone, for one may have any number of documents there; with a `part` to be found,
        the entries of an index are looked through, 20,000 in some 50 ms."""
        found: list[tuple[str, Collection[str]]] = []
        heads = await self._heads(self._holding, after, part)
        while heads and len(found) < limit:
            first = min(heads.values())
            met = [name for name, head in heads.items() if head == first]
            found.append((first, met))
            others = {name: head for name, head in heads.items() if name not in met}
            heads = others | await self._heads(met, first, part)
        return found

    async def _heads(self, names: Sequence[str], after: str, part: str) -> dict[str, str]:
        """The first user of each collection behind an id; nothing of one that has none."""
        heads = await asyncio.gather(*(self._next(name, after, part) for name in names))
        return {name: head for name, head in zip(names, heads, strict=True) if head is not None}

    async def _next(self, name: str, after: str, part: str) -> str | None:
        key = _key_of(name)
        # Behind those of the user's isolated projects, which are the user's.
        wanted: Document = {"$gt": f"{after}{APART}\uffff" if after else ""}
        wanted |= {"$regex": re.escape(part), "$options": "i"} if part else {}
        documents = await self._collections[name].find({key: wanted}, {key: 1}).sort(key, 1).limit(1).to_list(None)
        return user_of(documents[0][key]) if documents else None

    async def _seen(self, owner: str, names: Collection[str]) -> OwnerSeen:
        """A user. `names`: of the collections in which something of theirs may be."""
        sessions, messages, moments = await asyncio.gather(
            self._collections.sessions.count_documents({"user_id": _of(owner)}),
            self._messages(owner),
            asyncio.gather(*(self._latest(name, owner) for name in self._moments if name in names)),
        )
        return OwnerSeen(owner, sessions, messages, max(filter(None, moments), default=None))

    async def _messages(self, owner: str) -> int:
        """How many messages a user has: of the gists, those of no other kind."""
        vectors, others = self._collections.vectors, {"kind": {"$in": self.other_kinds}, "user_id": _of(owner)}
        every, other = await asyncio.gather(
            vectors.count_documents({"user_id": _of(owner)}), vectors.count_documents(others)
        )
        return max(0, every - other)

    async def _latest(self, name: str, owner: str) -> datetime | None:
        field = self._moments[name]
        newest = self._collections[name].find({"user_id": owner}, {field: 1}).sort([(field, -1), ("_id", -1)])
        documents = await newest.limit(1).to_list(None)
        return documents[0][field] if documents else None


def _of(owner: str) -> Document:
    """What is a user's, in isolated projects, too."""
    return {"$gte": owner, "$lt": f"{owner} "}  # a space comes next to `APART`


def _key_of(name: str) -> str:
    """The field of a collection that names the user."""
    return "_id" if name == "owners" else "user_id"
