"""Records of responses, conversations and their items, out and in."""

from collections.abc import AsyncIterator, Mapping
from collections.abc import Collection as Ids
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from memory.ids import derived_id
from memory.lines import Line, LinePart, Passed
from memory.product import Inserting, Record, Taker
from memory.responses.item import unpacked
from memory.store import Collections, by_ids, by_key
from utils.fields import Identifier, MessageId
from utils.mongo import Collection, Document


def _object(text: str) -> str:
    try:
        if isinstance(unpacked(text.encode()), dict):
            return text
    except (ValueError, RecursionError):
        pass
    raise ValueError("must be a JSON object, as text")


ObjectText = Annotated[str, AfterValidator(_object)]  # numbers and keys of any kind stay as they were
Place = Annotated[str, StringConstraints(pattern=r"^[0-9a-f-]{1,40}$")]


class MetadataPair(LinePart):
    key: str
    value: str


class ConversationLine(Line):
    id: Identifier
    session_id: Identifier
    created_at: Passed
    metadata: Annotated[list[MetadataPair], Field(max_length=16)]


class ResponseLine(Line):
    id: Identifier
    session_id: Identifier
    created_at: Passed
    place: Place
    previous: Identifier | None = None
    conversation: Identifier | None = None
    turn_id: Identifier | None = None
    response: ObjectText


class ItemLine(Line):
    key: Identifier
    id: MessageId
    session_id: Identifier
    created_at: Passed
    place: Place
    of_response: Identifier | None = None
    of_conversation: Identifier | None = None
    output: bool
    messages: list[MessageId]
    mark: Identifier | None = None
    item: ObjectText


KINDS: Mapping[str, type[Line]] = {
    "conversation": ConversationLine,
    "response": ResponseLine,
    "response_item": ItemLine,
}


async def response_records(collections: Collections, owner: str, only: Ids[str] | None = None) -> AsyncIterator[Record]:
    """Conversations, then the responses that are stored, then the items of both. `only`: ids of the sessions whose are
    wanted."""

    def documents(collection: Collection, key: str) -> AsyncIterator[Document]:
        if only is None:
            return by_key(collection, owner, key)
        return by_ids(collection, {"user_id": owner, "session_id": {"$in": sorted(only)}}, [(key, 1)])

    async for conversation in documents(collections.conversations, "id"):
        yield Record("conversation", ConversationLine.picked(conversation))
    async for response in documents(collections.responses, "id"):
        if response["stored"]:
            yield Record("response", ResponseLine.picked(response) | {"response": response["body"].decode()})
    async for item in documents(collections.response_items, "key"):
        of = {f"of_{side}": item[side] for side in ("response", "conversation") if item[side] is not None}
        yield Record("response_item", ItemLine.picked(item) | of | {"item": item["body"].decode()})


def response_takers(collections: Collections, owner: str) -> dict[str, Taker]:
    """Who takes them in: what the user has already stays as it is."""

    def conversation(fields: Document) -> Document:
        return fields | {"_id": derived_id(owner, fields["id"])}

    def response(fields: Document) -> Document:
        empty = {"previous": None, "conversation": None}
        made = {name: value for name, value in fields.items() if name != "response"}
        own = {"_id": derived_id(owner, fields["id"]), "stored": True, "body": fields["response"].encode()}
        return empty | made | own

    def item(fields: Document) -> Document:
        made = {name: value for name, value in fields.items() if name not in ("item", "of_response", "of_conversation")}
        sides = {side: fields.get(f"of_{side}") for side in ("response", "conversation")}
        return made | sides | {"_id": derived_id(owner, fields["key"]), "body": fields["item"].encode()}

    return {
        "conversation": Inserting(collections.conversations, owner, conversation),
        "response": Inserting(collections.responses, owner, response),
        "response_item": Inserting(collections.response_items, owner, item),
    }
