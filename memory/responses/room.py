"""Responses and conversations of OpenAI's clients, opened, and what they bring as a product."""

from dataclasses import dataclass
from datetime import datetime

from memory.product import Counts, Product, SessionEnd, index
from memory.responses.conversations import ClientConversations
from memory.responses.records import KINDS, response_records, response_takers
from memory.responses.responses import Responses
from memory.store import Store
from utils.mongo import Document

INDEXES = {
    "conversations": [
        index("owner_id", "user_id", "id", unique=True),
        index("owner_newest", "user_id", "-created_at", "-_id"),
        index("owner_session", "user_id", "session_id"),
    ],
    "responses": [
        index("owner_id", "user_id", "id", unique=True),
        index("owner_newest", "user_id", "-created_at", "-_id"),
        index("owner_session", "user_id", "session_id"),
        index("owner_conversation", "user_id", "conversation"),
    ],
    "response_items": [
        index("owner_key", "user_id", "key", unique=True),
        index("owner_response", "user_id", "response", "place", "_id"),
        index("owner_conversation", "user_id", "conversation", "place", "_id"),
        index("owner_item", "user_id", "id", "place", "_id"),
        index("owner_message", "user_id", "messages"),
        index("owner_mark", "user_id", "mark", having="mark"),
        index("owner_session", "user_id", "session_id"),
    ],
}


@dataclass(frozen=True)
class StoredResponses:
    responses: Responses
    conversations: ClientConversations
    product: Product


def open_responses(store: Store) -> StoredResponses:
    collections = store.collections
    responses = Responses(collections)

    async def forget(which: Document, until: datetime) -> Counts:
        gone = which | {"created_at": {"$lte": until}}
        return {name: (await collections[name].delete_many(gone)).deleted_count for name in INDEXES}

    async def forget_user(owner: str, moment: datetime) -> Counts:
        return await forget({"user_id": owner}, moment)

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        return await forget({"user_id": owner, "session_id": session.session_id}, session.over)

    product = Product(
        indexes=INDEXES,
        activity={"conversations": "created_at", "responses": "created_at"},
        forget_user=forget_user,
        forget_session=forget_session,
        forget_message=lambda owner, _, message_id: responses.items.forget_message(owner, message_id),
        records=lambda owner: response_records(collections, owner),
        lines=KINDS,
        takers=lambda owner: response_takers(collections, owner),
    )
    return StoredResponses(responses, ClientConversations(collections, responses), product)
