"""Conversations that clients begin by themselves, and their items."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import ValidationError

from agents.openai_chat import written
from api.http.once import once_id
from api.http.state import TheMemory
from api.openai.responses.listing import ThePart, list_of, listed
from api.openai.responses.request import (
    MOST_ITEMS,
    ConversationFields,
    ItemsFields,
    Metadata,
    check_items,
    items_to_keep,
)
from api.openai.route import OpenAIRoute, OwnerOf, json_response, read_object
from api.openai.wire import InvalidField, Json, invalid
from memory.responses import ResponseItem, StoredConversation
from utils.fields import Wire

router = APIRouter(route_class=OpenAIRoute, tags=["openai"])

ConversationId = Annotated[str, Path(description="As it was given, conv_…")]
ItemId = Annotated[str, Path()]


class MetadataFields(Wire):
    metadata: Metadata | None


@router.post("/v1/conversations", response_model=None)
async def create(request: Request, memory: TheMemory, owner: OwnerOf) -> Response:
    """Begin a conversation. What is said in it is the session of its id."""
    try:
        asked = ConversationFields.model_validate(await _body(request))
    except ValidationError as error:
        raise invalid(error) from None
    items = _items(asked.items or [], once_id(request))
    name = f"conv_{once_id(request)}"
    return _json(await memory.engine.responses.conversations.create(owner, name, asked.metadata or {}, items))


@router.get("/v1/conversations/{conversation_id}", response_model=None)
async def retrieve(conversation_id: ConversationId, memory: TheMemory, owner: OwnerOf) -> Response:
    """A conversation."""
    return _json(await memory.engine.responses.conversations.get(owner, conversation_id))


@router.post("/v1/conversations/{conversation_id}", response_model=None)
async def update(conversation_id: ConversationId, request: Request, memory: TheMemory, owner: OwnerOf) -> Response:
    """Put other metadata in the place of the former."""
    try:
        asked = MetadataFields.model_validate(await _body(request))
    except ValidationError as error:
        raise invalid(error) from None
    described = memory.engine.responses.conversations.describe(owner, conversation_id, asked.metadata or {})
    return _json(await described)


@router.delete("/v1/conversations/{conversation_id}", response_model=None)
async def delete(conversation_id: ConversationId, memory: TheMemory, owner: OwnerOf) -> Response:
    """Delete a conversation. What was said in it stays remembered, until its session is deleted."""
    await memory.engine.responses.conversations.delete(owner, conversation_id)
    return json_response({"id": conversation_id, "object": "conversation.deleted", "deleted": True})


@router.post("/v1/conversations/{conversation_id}/items", response_model=None)
async def add_items(conversation_id: ConversationId, request: Request, memory: TheMemory, owner: OwnerOf) -> Response:
    """Add items at the end."""
    try:
        asked = ItemsFields.model_validate(await _body(request))
    except ValidationError as error:
        raise invalid(error) from None
    if not asked.items:
        raise InvalidField("items: must be a list of at least one item", "items")
    items = _items(asked.items, once_id(request))
    await memory.engine.responses.conversations.add(owner, conversation_id, once_id(request), items)
    return Response(written(list_of(items)), media_type="application/json")


@router.get("/v1/conversations/{conversation_id}/items", response_model=None)
async def list_items(conversation_id: ConversationId, memory: TheMemory, owner: OwnerOf, part: ThePart) -> Response:
    """The items of a conversation, newest first unless `order` says otherwise."""
    stored = memory.engine.responses
    which = await stored.conversations.items(owner, conversation_id)
    return Response(written(await listed(stored.responses.items, owner, which, part)), media_type="application/json")


@router.get("/v1/conversations/{conversation_id}/items/{item_id}", response_model=None)
async def retrieve_item(
    conversation_id: ConversationId, item_id: ItemId, memory: TheMemory, owner: OwnerOf
) -> Response:
    """One item."""
    item = await memory.engine.responses.conversations.item(owner, conversation_id, item_id)
    return Response(written(item.body), media_type="application/json")


@router.delete("/v1/conversations/{conversation_id}/items/{item_id}", response_model=None)
async def delete_item(conversation_id: ConversationId, item_id: ItemId, memory: TheMemory, owner: OwnerOf) -> Response:
    """Take an item out of a conversation."""
    return _json(await memory.engine.responses.conversations.drop(owner, conversation_id, item_id))


async def _body(request: Request) -> Json:
    """The fields of a body, which may be left out, but for the names of the user and the project."""
    body = await read_object(request) if await request.body() else {}
    return {name: value for name, value in body.items() if name not in ("user_id", "project")}


def _items(items: list[Json], request: str) -> list[ResponseItem]:
    if len(items) > MOST_ITEMS:
        raise InvalidField(f"items: at most {MOST_ITEMS} at once", "items")
    check_items(items, "items")
    return items_to_keep(items, request)


def _json(conversation: StoredConversation) -> Response:
    created = int(conversation.created_at.timestamp())
    told = {"id": conversation.id, "object": "conversation", "created_at": created, "metadata": conversation.metadata}
    return json_response(told)
