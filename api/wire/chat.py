"""Wire shapes of a question and its answer."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AliasPath, Field, model_validator

from api.wire.base import OwnedRequest, Shown
from api.wire.facts import MemoryOut
from api.wire.sessions import SummaryOut
from config.recipes import PromptRecipe
from utils.chat import ReasoningEffort
from utils.fields import (
    CONTENT_CHARACTERS,
    IMAGES,
    Identifier,
    ImageAddress,
    Locale,
    MessageId,
    Name,
    Query,
    Timezone,
    TopK,
    Wire,
)


class HistoryMessage(Wire):
    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, Field(max_length=CONTENT_CHARACTERS)]
    images: Annotated[list[ImageAddress], Field(max_length=IMAGES)] | None = None


class QueryRequest(OwnedRequest):
    """`follows`: the id of a message of the session, from which the conversation goes on. `instead_of`: that of a
    message of the user's, whose place the query takes; where it says the same, that is asked again, with the images
    that it came with: other `images`, or none by an empty list, make it another message."""

    query: Query
    session_id: Identifier | None = None
    use_memory: bool = True
    top_k: TopK = 8
    history: Annotated[list[HistoryMessage], Field(max_length=1_000)] | None = None
    images: Annotated[list[ImageAddress], Field(max_length=IMAGES)] | None = None
    timezone: Timezone | None = None
    locale: Locale | None = None
    location: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    model: Name | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning_effort: ReasoningEffort | None = None
    stream: bool = False
    detached: bool = False
    temporary: bool = False
    instructions: Annotated[str, Field(min_length=1, max_length=32_000)] | None = None
    prompt: PromptRecipe | None = None
    follows: MessageId | None = None
    instead_of: MessageId | None = None

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        if self.follows is None and self.instead_of is None:
            return self
        if self.follows is not None and self.instead_of is not None:
            raise ValueError("follows and instead_of: give one of them")
        if self.session_id is None or self.temporary:
            raise ValueError("follows and instead_of name a message of a session: give its session_id")
        return self

    @model_validator(mode="after")
    def _check_detached(self) -> Self:
        if self.detached and not self.stream:
            raise ValueError("detached answers are streamed: send stream, too")
        return self


class Stopping(Wire):
    """The answer that comes to its end."""

    turn_id: str


class CitationOut(Shown):
    n: int
    id: str
    kind: str
    session_id: str | None
    role: str | None
    content: str
    timestamp: datetime
    score: float | None


class SimilarMessage(Shown):
    id: str = Field(validation_alias=AliasPath("gist", "id"))
    role: str = Field(validation_alias=AliasPath("gist", "role"))
    content: str = Field(validation_alias=AliasPath("gist", "content"))
    similarity: float = Field(validation_alias="score")
    timestamp: datetime = Field(validation_alias=AliasPath("gist", "timestamp"))
    session_id: str = Field(validation_alias=AliasPath("gist", "session_id"))


class RecentMessage(Shown):
    role: str
    content: str
    timestamp: datetime


class MemoryContext(Shown):
    context: list[SimilarMessage]
    recent_messages: list[RecentMessage] = Field(validation_alias="recent")
    summaries: list[SummaryOut]
    memories: list[MemoryOut]
    query_embedding_dim: int = Field(validation_alias=AliasPath("recall", "dimensions"))


class UsageOut(Shown):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int = Field(validation_alias="total")


class QueryStarted(Shown):
    """Data of the event `meta`."""

    session_id: str = Field(validation_alias=AliasPath("request", "session_id"))
    turn_id: str = Field(validation_alias=AliasPath("request", "turn_id"))
    intent: str = Field(validation_alias=AliasPath("intent", "name"))
    memory_context: MemoryContext | None = Field(validation_alias="bundle")
    paused: bool = Field(validation_alias=AliasPath("request", "paused"), exclude_if=lambda value: not value)


class QueryResponse(Shown):
    response: str = Field(validation_alias=AliasPath("answer", "text"))
    citations: list[CitationOut] = Field(validation_alias=AliasPath("answer", "citations"))
    memory_context: MemoryContext | None = Field(validation_alias=AliasPath("context", "bundle"))
    intent: str = Field(validation_alias=AliasPath("context", "intent", "name"))
    agents_used: list[str] = Field(validation_alias=AliasPath("context", "ran"))
    need_memory: bool = Field(validation_alias=AliasPath("context", "intent", "need_memory"))
    memory_reason: str = Field(validation_alias=AliasPath("context", "intent", "memory_reason"))
    session_id: str = Field(validation_alias=AliasPath("context", "request", "session_id"))
    turn_id: str = Field(validation_alias=AliasPath("context", "request", "turn_id"))
    model: str = Field(validation_alias=AliasPath("answer", "model"))
    fallback: str | None = Field(
        validation_alias=AliasPath("answer", "fallback"), description="Why rules answered in the model's place"
    )
    usage: UsageOut = Field(validation_alias=AliasPath("answer", "usage"))
    paused: bool = Field(
        validation_alias=AliasPath("context", "request", "paused"),
        exclude_if=lambda value: not value,
        description="Nothing of it is kept, for its user has paused remembering",
    )
