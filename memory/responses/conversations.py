"""Conversations that clients begin by themselves, with what they want to keep beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument

from memory.ids import derived_id
from memory.responses.item import Begun, ResponseItem, StoredItem, stored_item
from memory.responses.responses import Responses
from memory.store import Collections
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document


@dataclass(frozen=True)
class StoredConversation:
    """`metadata`: of whoever began it."""

    id: str
    session_id: str
    created_at: datetime
    metadata: dict[str, Any]


class ClientConversations:
    """A user's conversations. What is said in one is the session of its id."""

    def __init__(self, collections: Collections, responses: Responses) -> None:
        self._conversations = collections.conversations
        self._collection = collections.response_items
        self._responses = responses
        self._items = responses.items

    async def create(
        self, owner: str, identifier: str, metadata: Mapping[str, str], items: Sequence[ResponseItem]
    ) -> StoredConversation:
        """Begins a conversation with some items; again, it changes nothing."""
        key = derived_id(owner, identifier)
        document = {
            "user_id": owner,
            "id": identifier,
            "session_id": identifier,
            "created_at": now(),
            "metadata": [{"key": name, "value": value} for name, value in metadata.items()],
        }
        await self._conversations.update_one({"_id": key}, {"$setOnInsert": document}, upsert=True)
        await self._add(owner, await self.get(owner, identifier), identifier, items)
        return await self.get(owner, identifier)

    async def get(self, owner: str, identifier: str) -> StoredConversation:
        """Raises `NotFound`."""
        found = await self._conversations.find_one(_own(owner, identifier))
        return _stored(found, identifier)

    async def describe(self, owner: str, identifier: str, metadata: Mapping[str, str]) -> StoredConversation:
        """Puts other metadata in the place of the former. Raises `NotFound`."""
        pairs = [{"key": name, "value": value} for name, value in metadata.items()]
        found = await self._conversations.find_one_and_update(
            _own(owner, identifier), {"$set": {"metadata": pairs}}, return_document=ReturnDocument.AFTER
        )
        return _stored(found, identifier)

    async def delete(self, owner: str, identifier: str) -> None:
        """Deletes a conversation; responses stay, and what was said in it stays remembered. Raises `NotFound`."""
        if not (await self._conversations.delete_one(_own(owner, identifier))).deleted_count:
            raise NotFound(f"Conversation with id '{identifier}' not found.")
        await self._items.leave(owner, "conversation", identifier)
        await self._responses.leave(owner, identifier)

    async def add(self, owner: str, identifier: str, request: str, items: Sequence[ResponseItem]) -> None:
        """Adds items at the end. `request`: names the request, so that it adds them once. Raises `NotFound`."""
        await self._add(owner, await self.get(owner, identifier), request, items)

    async def _add(
        self, owner: str, conversation: StoredConversation, request: str, items: Sequence[ResponseItem]
    ) -> None:
        untold: list[tuple[ResponseItem, Sequence[str]]] = [(item, ()) for item in items]
        begun = Begun.at_end(request, conversation.session_id)
        await self._items.add(owner, begun, untold, conversation=conversation.id)

    async def items(self, owner: str, identifier: str) -> Document:
        """A filter of its items. Raises `NotFound`."""
        await self.get(owner, identifier)
        return {"conversation": identifier}

    async def item(self, owner: str, identifier: str, item_id: str) -> StoredItem:
        """Raises `NotFound`."""
        found = await self._collection.find_one({"user_id": owner, "conversation": identifier, "id": item_id})
        if found is None:
            raise NotFound(f"Item with id '{item_id}' not found in conversation '{identifier}'.")
        return stored_item(found)

    async def drop(self, owner: str, identifier: str, item_id: str) -> StoredConversation:
        """Takes an item out. Raises `NotFound`."""
        conversation = await self.get(owner, identifier)
        if not await self._items.leave_one(owner, identifier, item_id):
            raise NotFound(f"Item with id '{item_id}' not found in conversation '{identifier}'.")
        return conversation


def _own(owner: str, identifier: str) -> Document:
    return {"_id": derived_id(owner, identifier), "user_id": owner}


def _stored(found: Document | None, identifier: str) -> StoredConversation:
    if found is None:
        raise NotFound(f"Conversation with id '{identifier}' not found.")
    metadata = {pair["key"]: pair["value"] for pair in found["metadata"]}
    return StoredConversation(found["id"], found["session_id"], found["created_at"], metadata)
