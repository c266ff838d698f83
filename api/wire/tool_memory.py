"""How do agents hand in what their tools gave, and what do they get?"""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from api.fields import Identifier, Query, TopK, Wire
from api.wire.base import OwnedRequest
from memory.domain import Hit
from memory.tool_records import RAW, read_json
from memory.traced import Trace

MOST_MESSAGES = 10_000
LONGEST_NAME = 200
LONGEST_CHARS = 1_000_000


ROLES = ("system", "developer", "user", "assistant", "tool", "function")
WITHOUT_CONTENT = ("tool_calls", "function_call", "refusal", "audio")  # with which the assistant may say nothing


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    """Refuses what no provider takes; fields that are not known here pass."""
    role = message.get("role")
    if role not in ROLES:
        raise ValueError(f"role: must be one of {', '.join(ROLES)}")
    if (wrong := _wrong_content(message)) is not None:
        raise ValueError(f"content: {wrong}")
    if role == "tool" and not _is_name(message.get("tool_call_id")):
        raise ValueError("tool_call_id: must be a string that names the call")
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise ValueError("tool_calls: must be a list")
    for at, call in enumerate(calls or ()):
        if not isinstance(call, dict):
            raise ValueError(f"tool_calls.{at}: must be an object")
        function = call.get("function")
        if function is not None and not isinstance(function, dict):
            raise ValueError(f"tool_calls.{at}.function: must be an object")
        called = function or call.get("custom")
        if not isinstance(called, dict) or not _is_name(called.get("name")):
            raise ValueError(f"tool_calls.{at}: must name the function")
    return message


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _wrong_content(message: dict[str, Any]) -> str | None:
    """What is wrong with the content of a message; None where nothing is."""
    content, role = message.get("content"), message["role"]
    if content is None:
        may_be = role == "function" or (role == "assistant" and any(message.get(name) for name in WITHOUT_CONTENT))
        return None if may_be else f"must not be missing or null in a message of the role {role}"
    if isinstance(content, str):
        return None
    if not isinstance(content, list):
        return "must be a string or a list of parts"
    for at, part in enumerate(content):
        if not isinstance(part, dict):
            return f"its part {at} must be an object"
        if not isinstance(part.get("type"), str) and not isinstance(part.get("text"), str):
            return f'its part {at} must have a type, such as {{"type": "text", "text": "…"}}; JSON goes in as a string'
    return None


AgentMessage = Annotated[dict[str, Any], AfterValidator(_checked)]  # as OpenAI's chat API has it, and passed on so
Json = dict[str, Any] | list[Any] | str | int | float | bool | None


class CompressRequest(OwnedRequest):
    task_id: Identifier
    messages: Annotated[list[AgentMessage], Field(max_length=MOST_MESSAGES)]
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


class RecordListed(Wire):
    """A call of a tool without what was asked and what came back, which `GET /v1/tool-memory/records/{trace_id}` has.
    `characters`: of what came back."""

    trace_id: str
    task_id: str
    step_id: int
    tool_call_id: str
    tool_name: str
    summary: str
    model: str
    timestamp: datetime
    characters: int

    @classmethod
    def of(cls, trace: Trace) -> "RecordListed":
        return cls(**_listed(trace))


class RecordOut(RecordListed):
    """`raw_input_text` and `raw_output_text` are what was kept, to the letter. `raw_input` and `raw_output` are the
    same read as JSON, what is not JSON under `_raw`: repeated keys and digits that no float has are in the texts
    alone."""

    raw_input: Any
    raw_output: Any
    raw_input_text: str
    raw_output_text: str

    @classmethod
    def of(cls, trace: Trace) -> "RecordOut":
        return cls(
            **_listed(trace),
            raw_input=dict(trace.record.arguments),
            raw_output=_as_json(trace.raw_output),
            raw_input_text=trace.raw_input,
            raw_output_text=trace.raw_output,
        )


class RecordPage(Wire):
    items: list[RecordListed]
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


def _listed(trace: Trace) -> dict[str, Any]:
    return {
        "trace_id": trace.id,
        "task_id": trace.task_id,
        "step_id": trace.step,
        "tool_call_id": trace.call_id,
        "tool_name": trace.tool_name,
        "summary": trace.summary,
        "model": trace.model,
        "timestamp": trace.timestamp,
        "characters": trace.characters,
    }


def _as_json(text: str) -> object:
    value = read_json(text)
    return {RAW: text} if value is text else value
