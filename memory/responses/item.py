"""Items: what is said, called and thought, in the order of their places."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.ids import derived_id, keys_of
from memory.store import Collections
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document, insert_new

Said = tuple[str, str]  # role and text of a message, as a turn would have them
Json = Mapping[str, Any]


@dataclass(frozen=True)
class ResponseItem:
    """An item to be kept. `said`: where it is a message."""

    id: str
    body: Json
    said: Said | None = None

    @property
    def mark(self) -> str | None:
        """Of what it says: the same for the same words of the same role."""
        return None if self.said is None else derived_id(*self.said)


@dataclass(frozen=True)
class StoredItem:
    id: str
    body: dict[str, Any]
    place: str


@dataclass(frozen=True)
class Begun:
    """What items are kept of: a response, or an addition to a conversation. `place`: where it stands among the
    user's."""

    id: str
    session_id: str
    place: str

    @classmethod
    def at_end(cls, identifier: str, session_id: str) -> "Begun":
        """At the end of all that the user has."""
        return cls(identifier, session_id, place_of(now(), identifier))


def packed(body: object) -> bytes:
    """JSON as it is kept: as it came, for a document can hold neither every key nor every number."""
    try:
        return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError:  # halves of surrogate pairs
        return json.dumps(body, separators=(",", ":")).encode()


def unpacked(body: bytes) -> Any:
    return json.loads(body)


def place_of(moment: datetime, identifier: str) -> str:
    """Where something stands among all of a user's: by time, then by its id."""
    return f"{int(moment.timestamp() * 1000):013d}-{derived_id(identifier)[:8]}"


def stored_item(document: Document) -> StoredItem:
    return StoredItem(document["id"], unpacked(document["body"]), document["place"])


class Items:
    """The items of all responses and conversations. `key`: names one for its owner; `response`, `conversation`: to
    which it belongs, by their ids; `output`: whether the response gave it; `messages`: of which it was made, or where
    none is known, the `mark` of what it says."""

    def __init__(self, collections: Collections) -> None:
        self._items = collections.response_items
        self._vectors = collections.vectors

    async def add(
        self,
        owner: str,
        begun: Begun,
        items: Sequence[tuple[ResponseItem, Sequence[str]]],
        *,
        response: str | None = None,
        conversation: str | None = None,
        outputs: int = 0,
    ) -> None:
        """Keeps items of what is `begun`, once, each with the ids of the messages that it was made of; the last
        `outputs` were given by the response."""
        moment = now()
        documents: list[Document] = [
            {
                "_id": derived_id(owner, f"{begun.id}.{number}"),
                "user_id": owner,
                "key": f"{begun.id}.{number}",
                "session_id": begun.session_id,
                "id": item.id,
                "response": response,
                "conversation": conversation,
                "output": number >= len(items) - outputs,
                "place": f"{begun.place}-{number:05d}",
                "body": packed(item.body),
                "messages": list(messages),
                "created_at": moment,
            }
            | ({"mark": item.mark} if item.mark is not None and not messages else {})
            for number, (item, messages) in enumerate(items)
        ]
        if documents:
            await insert_new(self._items, documents)

    async def take_back(self, owner: str, begun: Begun) -> None:
        """Deletes the items that were kept of what is `begun`."""
        places = {"$gte": f"{begun.place}-", "$lt": f"{begun.place}."}
        await self._items.delete_many({"user_id": owner, "session_id": begun.session_id, "place": places})

    async def page(
        self,
        owner: str,
        which: Document,
        *,
        after: str | None = None,
        limit: int | None = None,
        descending: bool = False,
    ) -> list[StoredItem]:
        """Items of a filter, in the order of their places. `after`: the id of the last one seen. Raises `NotFound`
        where it is none of them."""
        own: Document = {"user_id": owner} | which
        if after is not None:
            seen = await self._items.find_one({"$and": [own, {"id": after}]}, {"place": 1})
            if seen is None:
                raise NotFound(f"Item with id '{after}' not found.")
            own = {"$and": [own, {"place": {"$lt" if descending else "$gt": seen["place"]}}]}
        found = self._items.find(own).sort([("place", -1 if descending else 1), ("_id", 1)])
        return [stored_item(document) for document in await (found.limit(limit) if limit else found).to_list(None)]

    async def named(self, owner: str, ids: Sequence[str]) -> dict[str, StoredItem]:
        """Items by their ids, of several of one id the newest."""
        found = self._items.find({"user_id": owner, "id": {"$in": list(ids)}}).sort([("place", 1), ("_id", 1)])
        return {document["id"]: stored_item(document) for document in await found.to_list(None)}

    async def session_of(self, owners: Sequence[str], ids: Sequence[str]) -> str | None:
        """The session of the response of one of these owners that gave one of these items last. What clients gave may
        have the same ids anywhere."""
        own = {"user_id": {"$in": list(owners)}, "id": {"$in": list(ids)}, "output": True, "response": {"$ne": None}}
        found = await self._items.find(own, {"session_id": 1}).sort([("place", -1), ("_id", 1)]).limit(1).to_list(None)
        return str(found[0]["session_id"]) if found else None

    async def leave(self, owner: str, side: str, identifier: str) -> None:
        """Takes a response or a conversation (`side`) away from its items; those that belong to nothing then go."""
        own = {"user_id": owner, side: identifier}
        other = "conversation" if side == "response" else "response"
        await self._items.delete_many(own | {other: None})
        await self._items.update_many(own, {"$set": {side: None}})

    async def leave_one(self, owner: str, conversation: str, identifier: str) -> bool:
        """Takes an item out of a conversation; False where it is not in it."""
        own = {"user_id": owner, "conversation": conversation, "id": identifier}
        gone = (await self._items.delete_many(own | {"response": None})).deleted_count
        return bool(gone + (await self._items.update_many(own, {"$set": {"conversation": None}})).matched_count)

    async def forget_message(self, owner: str, message_id: str) -> None:
        """Deletes what was made of a message, and what a client added that says the same."""
        await self._items.delete_many({"user_id": owner, "messages": message_id})
        own = {"_id": {"$in": keys_of(message_id, owner)}, "user_id": owner}
        message = await self._vectors.find_one(own, {"role": 1, "content": 1})
        if message is not None and "role" in message:
            await self._items.delete_many({"user_id": owner, "mark": derived_id(message["role"], message["content"])})
