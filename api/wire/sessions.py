"""Wire shapes of sessions, their summaries and their messages."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from api.wire.base import OwnedRequest, Shown
from utils.fields import Content, Identifier, MessageId, Moment, Name, Wire


class SummaryOut(Shown):
    session_id: str
    summary: str = Field(validation_alias="text")
    message_count: int
    model: str
    timestamp: datetime


class SessionOut(Shown):
    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    pair_count: int


class SessionDetail(SessionOut):
    summaries: list[SummaryOut]


class SessionPatch(OwnedRequest):
    title: Annotated[Name, Field(max_length=200)]


class MessageOut(Shown):
    """`message_index`: -1 of one that has no place in its session yet."""

    id: str
    role: str
    content: str
    name: str | None
    timestamp: datetime
    message_index: Annotated[int, BeforeValidator(lambda index: -1 if index is None else index)] = Field(
        validation_alias="index"
    )
    turn_id: str | None
    model: str | None
    interrupted: bool


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
