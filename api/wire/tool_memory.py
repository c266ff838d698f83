"""How do agents hand in what their tools gave, and what do they get?"""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from api.fields import Identifier, Query, TopK, Wire
from api.wire.base import OwnedRequest
from memory.domain import Hit
from memory.tool_records import RAW, read_json
from memory.traces import Trace

MOST_MESSAGES = 10_000
LONGEST_NAME = 200
LONGEST_CHARS = 1_000_000


def _has_a_role(message: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(message.get("role"), str):
        raise ValueError("a message has a role")
    return message


AgentMessage = Annotated[dict[str, Any], AfterValidator(_has_a_role)]  # as OpenAI's chat API has it, and passed on so
Json = dict[str, Any] | list[Any] | str | int | float | bool | None


class CompressRequest(OwnedRequest):
    task_id: Identifier
    messages: Annotated[list[AgentMessage], Field(min_length=1, max_length=MOST_MESSAGES)]
    top_k: TopK | None = None
    max_chars_per_record: Annotated[int, Field(ge=100, le=LONGEST_CHARS)] | None = None
    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    query: Query | None = None


class CompressStats(Wire):
    tokens_before: int
    tokens_after: int


class CompressResponse(Wire):
    messages: list[dict[str, Any]]
    trace_ids: list[str]
    stats: CompressStats


class RecordRequest(OwnedRequest):
    task_id: Identifier
    tool_name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    raw_input: Json = None
    raw_output: Json
    tool_call_id: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
    user_query: Query | None = None


class RecordOut(Wire):
    """What is JSON is given as such, what is not under `_raw`."""

    trace_id: str
    task_id: str
    step_id: int
    tool_call_id: str
    tool_name: str
    raw_input: Any
    raw_output: Any
    summary: str
    model: str
    timestamp: datetime

    @classmethod
    def of(cls, trace: Trace) -> "RecordOut":
        return cls(
            trace_id=trace.id,
            task_id=trace.task_id,
            step_id=trace.step,
            tool_call_id=trace.call_id,
            tool_name=trace.tool_name,
            raw_input=dict(trace.record.arguments),
            raw_output=_as_json(trace.raw_output),
            summary=trace.summary,
            model=trace.model,
            timestamp=trace.timestamp,
        )


class RecordPage(Wire):
    items: list[RecordOut]
    next_cursor: str | None


class InsightSearch(OwnedRequest):
    task_id: Identifier
    query: Query
    top_k: TopK = 3


class InsightOut(Wire):
    trace_id: str
    summary: str
    score: float
    timestamp: datetime

    @classmethod
    def of(cls, hit: Hit) -> "InsightOut":
        gist = hit.gist
        return cls(trace_id=gist.id, summary=gist.content, score=hit.score, timestamp=gist.timestamp)


class InsightsFound(Wire):
    items: list[InsightOut]


def _as_json(text: str) -> object:
    value = read_json(text)
    return {RAW: text} if value is text else value
