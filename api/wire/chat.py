"""Wire shapes of a question and its answer."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from agents.chat import Answer, Bundle, Citation, Context
from api.wire.base import OwnedRequest
from api.wire.fields import Identifier, ImageAddress, Name, Query, TopK, Wire
from api.wire.memories import MemoryOut
from api.wire.sessions import SummaryOut
from memory.domain import Gist
from utils.chat import Usage


class HistoryMessage(Wire):
    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, Field(max_length=200_000)]


class QueryRequest(OwnedRequest):
    query: Query
    session_id: Identifier | None = None
    use_memory: bool = True
    top_k: TopK = 8
    history: Annotated[list[HistoryMessage], Field(max_length=1_000)] | None = None
    images: Annotated[list[ImageAddress], Field(max_length=16)] | None = None
    location: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    model: Name | None = None
    stream: bool = False
    temporary: bool = False


class CitationOut(Wire):
    n: int
    id: str
    kind: str
    session_id: str | None
    role: str | None
    content: str
    timestamp: datetime
    score: float | None

    @classmethod
    def of(cls, citation: Citation) -> "CitationOut":
        return cls.model_validate(citation, from_attributes=True)


class SimilarMessage(Wire):
    id: str
    role: str
    content: str
    similarity: float
    timestamp: datetime
    session_id: str


class RecentMessage(Wire):
    role: str
    content: str
    timestamp: datetime

    @classmethod
    def of(cls, gist: Gist) -> "RecentMessage":
        return cls.model_validate(gist, from_attributes=True)


class MemoryContext(Wire):
    context: list[SimilarMessage]
    recent_messages: list[RecentMessage]
    summaries: list[SummaryOut]
    memories: list[MemoryOut]
    query_embedding_dim: int

    @classmethod
    def of(cls, bundle: Bundle) -> "MemoryContext":
        return cls(
            context=[
                SimilarMessage(
                    id=hit.gist.id,
                    role=hit.gist.role,
                    content=hit.gist.content,
                    similarity=hit.score,
                    timestamp=hit.gist.timestamp,
                    session_id=hit.gist.session_id,
                )
                for hit in bundle.context
            ],
            recent_messages=[RecentMessage.of(gist) for gist in bundle.recent],
            summaries=[SummaryOut.of(summary) for summary in bundle.summaries],
            memories=[MemoryOut.of(fact) for fact in bundle.memories],
            query_embedding_dim=bundle.recall.dimensions,
        )


class UsageOut(Wire):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, usage: Usage) -> "UsageOut":
        return cls(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.total,
        )


class QueryStarted(Wire):
    """Data of the event `meta`."""

    session_id: str
    turn_id: str
    intent: str
    memory_context: MemoryContext | None

    @classmethod
    def of(cls, context: Context) -> "QueryStarted":
        return cls(
            session_id=context.request.session_id,
            turn_id=context.request.turn_id,
            intent=context.intent.name,
            memory_context=MemoryContext.of(context.bundle) if context.bundle else None,
        )


class QueryResponse(Wire):
    response: str
    citations: list[CitationOut]
    memory_context: MemoryContext | None
    intent: str
    agents_used: list[str]
    need_memory: bool
    memory_reason: str
    session_id: str
    turn_id: str
    model: str
    usage: UsageOut

    @classmethod
    def of(cls, context: Context, answer: Answer) -> "QueryResponse":
        return cls(
            response=answer.text,
            citations=[CitationOut.of(citation) for citation in answer.citations],
            memory_context=MemoryContext.of(context.bundle) if context.bundle else None,
            intent=context.intent.name,
            agents_used=list(context.ran),
            need_memory=context.intent.need_memory,
            memory_reason=context.intent.memory_reason,
            session_id=context.request.session_id,
            turn_id=context.request.turn_id,
            model=answer.model,
            usage=UsageOut.of(answer.usage),
        )
