"""Wire shapes of tool memory: what agents hand in and what they get."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AliasPath, BeforeValidator, Field

from agents.tools import misplaced_in, wrong_with
from api.wire.base import OwnedRequest, Page, Shown
from memory.views import RAW, read_json
from utils.fields import Identifier, Query, TopK, Wire, checked_by

MOST_MESSAGES = 10_000
LONGEST_NAME = 200
LONGEST_CHARS = 1_000_000


def _as_json(text: str) -> object:
    value = read_json(text)
    return {RAW: text} if value is text else value


JsonObject = dict[str, Any]  # as it came: of megabytes of tools' results, no more is read than is needed
AgentMessage = Annotated[JsonObject, checked_by(wrong_with)]  # as OpenAI's chat API has it, and passed on so
Json = JsonObject | list[Any] | str | int | float | bool | None


class CompressRequest(OwnedRequest):
    task_id: Identifier
    messages: Annotated[list[AgentMessage], Field(max_length=MOST_MESSAGES), checked_by(misplaced_in)]
    top_k: TopK | None = None
    max_chars_per_record: Annotated[int, Field(ge=100, le=LONGEST_CHARS)] | None = None
    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    query: Query | None = None


class CompressStats(Wire):
    tokens_before: int
    tokens_after: int


class CompressResponse(Wire):
    messages: list[JsonObject]
    trace_ids: list[str]
    stats: CompressStats


class RecordRequest(OwnedRequest):
    task_id: Identifier
    tool_name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    raw_input: Json = None
    raw_output: Json
    tool_call_id: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
    user_query: Query | None = None


class RecordListed(Shown):
    """A call of a tool without what was asked and what came back, which `GET /v1/tool-memory/records/{trace_id}` has.
    `characters`: of what came back."""

    trace_id: str = Field(validation_alias="id")
    task_id: str
    step_id: int = Field(validation_alias="step")
    tool_call_id: str = Field(validation_alias="call_id")
    tool_name: str
    summary: str
    model: str
    timestamp: datetime
    characters: int


class RecordOut(RecordListed):
    """`raw_input_text` and `raw_output_text` are what was kept, to the letter. `raw_input` and `raw_output` are the
    same read as JSON, what is not JSON under `_raw`: repeated keys and digits that no float has are in the texts
    alone."""

    raw_input: Annotated[Any, BeforeValidator(dict)] = Field(validation_alias=AliasPath("record", "arguments"))
    raw_output: Annotated[Any, BeforeValidator(_as_json)] = Field(validation_alias=AliasPath("record", "raw_output"))
    raw_input_text: str = Field(validation_alias="raw_input")
    raw_output_text: str = Field(validation_alias="raw_output")


class RecordPage(Page[RecordListed]): ...


class InsightSearch(OwnedRequest):
    task_id: Identifier
    query: Query
    top_k: TopK = 3


class InsightOut(Shown):
    trace_id: str
    summary: str
    score: float
    timestamp: datetime


class InsightsFound(Wire):
    items: list[InsightOut]
