"""What goes over the wire? Requests and responses, by the names that clients rely on."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from agents.context import Answer, Bundle, Citation, Context
from api.fields import (
    Content,
    Identifier,
    ImageAddress,
    MessageId,
    Moment,
    Name,
    Query,
    Share,
    TopK,
    Wire,
)
from memory.domain import Candidate, Hit, KeyValue, Parts, Summary
from memory.ids import unscoped
from memory.receipts import Receipt
from memory.sessions import Session
from utils.llm import Usage
from utils.mongo import Document

Kind = Literal["turn", "fact", "finding", "insight", "lesson", "section"]


class HistoryMessage(Wire):
    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, Field(max_length=200_000)]


class OwnedRequest(Wire):
    """A request that may name the user whom it is about."""

    user_id: Identifier = "default"

    @property
    def named_user(self) -> str | None:
        """The user that it names; None where it names none."""
        return self.user_id if "user_id" in self.model_fields_set else None


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
        return cls(
            n=citation.n,
            id=citation.id,
            kind=citation.kind,
            session_id=citation.session_id,
            role=citation.role,
            content=citation.content,
            timestamp=citation.timestamp,
            score=citation.score,
        )


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


class SummaryOut(Wire):
    session_id: str
    summary: str
    message_count: int
    model: str
    timestamp: datetime

    @classmethod
    def of(cls, summary: Summary) -> "SummaryOut":
        return cls(
            session_id=summary.session_id,
            summary=summary.text,
            message_count=summary.message_count,
            model=summary.model,
            timestamp=summary.timestamp,
        )


class MemoryOut(Wire):
    key: str
    value: str
    updated_at: datetime
    tokenCount: int

    @classmethod
    def of(cls, fact: KeyValue) -> "MemoryOut":
        return cls(key=fact.key, value=fact.value, updated_at=fact.updated_at, tokenCount=fact.token_count)


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
            recent_messages=[
                RecentMessage(role=gist.role, content=gist.content, timestamp=gist.timestamp) for gist in bundle.recent
            ],
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


class SearchRequest(OwnedRequest):
    query: Query
    top_k: TopK = 8
    session_id: Identifier | None = None
    kinds: Annotated[list[Kind], Field(min_length=1, max_length=10)] | None = None
    min_score: Share | None = None
    recency_weight: Share | None = None
    mmr_lambda: Share | None = None
    since: Moment | None = None
    until: Moment | None = None


class Explanation(Wire):
    """Every part of a score; null where the recipe does not use it."""

    dense: float | None = None
    bm25: float | None = None
    fused: float | None = None
    rerank: float | None = None
    recency: float | None = None
    mmr: float | None = None

    @classmethod
    def of(cls, parts: Parts) -> "Explanation":
        return cls(dense=parts.dense, recency=parts.recency, mmr=parts.mmr)


class SearchItem(Wire):
    id: str
    kind: str
    role: str
    content: str
    score: float
    session_id: str
    timestamp: datetime
    explain: Explanation

    @classmethod
    def of(cls, hit: Hit) -> "SearchItem":
        gist, parts = hit.gist, hit.parts
        return cls(
            id=gist.id,
            kind=gist.kind,
            role=gist.role,
            content=gist.content,
            score=parts.score,
            session_id=gist.session_id,
            timestamp=gist.timestamp,
            explain=Explanation.of(parts),
        )


class SearchResponse(Wire):
    items: list[SearchItem]
    took_ms: float


class SessionOut(Wire):
    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    pair_count: int

    @classmethod
    def of(cls, session: Session) -> "SessionOut":
        return cls(**vars(session))


class SessionDetail(SessionOut):
    summaries: list[SummaryOut]


class SessionPage(Wire):
    items: list[SessionOut]
    next_cursor: str | None


class SessionPatch(Wire):
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
    def of(cls, document: Document) -> "MessageOut":
        return cls(
            id=document["id"],
            role=document["role"],
            content=document["content"],
            name=document.get("name"),
            timestamp=document["timestamp"],
            message_index=document["message_index"],
            turn_id=document.get("turn_id"),
            model=document.get("model"),
            interrupted=document.get("interrupted", False),
        )


class MessagePage(Wire):
    items: list[MessageOut]
    next_cursor: str | None


class MemoryPut(Wire):
    value: Annotated[Content, Field(max_length=20_000)]


class MemoryPage(Wire):
    items: list[MemoryOut]
    next_cursor: str | None


class MemoryHistory(Wire):
    items: list[MemoryOut]


class Deleted(Wire):
    deleted: dict[str, int]


class CandidateOut(Wire):
    id: str
    score: float
    explain: Explanation
    used: bool
    dropped: str | None

    @classmethod
    def of(cls, candidate: Candidate, identifier: str, prompt: Collection[str]) -> "CandidateOut":
        """`prompt`: ids of what stood in the prompt."""
        parts = candidate.parts
        dropped = candidate.dropped or (None if identifier in prompt else "not_in_prompt")
        return cls(
            id=identifier,
            score=parts.score,
            explain=Explanation.of(parts),
            used=dropped is None,
            dropped=dropped,
        )


class UsedOut(Wire):
    n: int
    id: str
    kind: str
    section: str


class LedgerOut(Wire):
    section: str
    characters: int
    tokens: int


class ReceiptOut(Wire):
    turn_id: str
    session_id: str
    at: datetime
    query: str
    intent: str
    need_memory: bool
    memory_reason: str
    agents_used: list[str]
    model: str
    recipe: str
    messages: list[str]
    considered: list[CandidateOut]
    used: list[UsedOut]
    ledger: list[LedgerOut]
    usage: UsageOut
    interrupted: bool

    @classmethod
    def of(cls, receipt: Receipt, owner: str) -> "ReceiptOut":
        prompt = {used.id for used in receipt.used}
        return cls(
            turn_id=receipt.turn_id,
            session_id=receipt.session_id,
            at=receipt.at,
            query=receipt.query,
            intent=receipt.intent,
            need_memory=receipt.need_memory,
            memory_reason=receipt.memory_reason,
            agents_used=list(receipt.agents_used),
            model=receipt.model,
            recipe=receipt.recipe,
            messages=list(receipt.messages),
            considered=[
                CandidateOut.of(candidate, unscoped(candidate.key, owner), prompt) for candidate in receipt.considered
            ],
            used=[UsedOut(**vars(used)) for used in receipt.used],
            ledger=[LedgerOut(**vars(entry)) for entry in receipt.ledger],
            usage=UsageOut.of(Usage(receipt.prompt_tokens, receipt.completion_tokens)),
            interrupted=receipt.interrupted,
        )
