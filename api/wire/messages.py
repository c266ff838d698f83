"""Wire shapes of messages that are handed in without asking for an answer."""

from typing import Annotated, Literal

from pydantic import Field

from api.wire.base import OwnedRequest
from api.wire.fields import Content, Identifier, MessageId, Moment, Name, Wire


class MessageIn(Wire):
    id: MessageId | None = None
    role: Literal["system", "user", "assistant", "tool"]
    content: Content
    name: Name | None = None
    timestamp: Moment | None = None


class MessagesRequest(OwnedRequest):
    session_id: Identifier
    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=1_000)]
    wait: bool = False


class MessagesResponse(Wire):
    accepted: int
    duplicates: int
    ids: list[str]
