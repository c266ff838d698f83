"""Wire shapes of sessions, their summaries and their messages."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.wire.base import OwnedRequest, Page, Shown
from api.wire.fields import Name, Wire
from memory.domain import Turn


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


class SessionPage(Page[SessionOut]): ...


class SessionPatch(OwnedRequest):
    title: Annotated[Name, Field(max_length=200)]


class MessageOut(Wire):
    id: str
    role: str
    content: str
    name: str | None
    timestamp: datetime
    message_index: int
    turn_id: str | None
    model: str | None
    interrupted: bool

    @classmethod
    def of(cls, turn: Turn) -> "MessageOut":
        return cls(
            id=turn.id,
            role=turn.role,
            content=turn.content,
            name=turn.name,
            timestamp=turn.timestamp,
            message_index=-1 if turn.index is None else turn.index,
            turn_id=turn.turn_id,
            model=turn.model,
            interrupted=turn.interrupted,
        )


class MessagePage(Page[MessageOut]): ...
