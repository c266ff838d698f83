"""What the calls of OpenAI's API carry that Loci reads or makes itself. All else goes through unread."""

import base64
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator

from agents.chat import Answer
from agents.proxy import ProxyOptions
from api.wire.chat import UsageOut
from api.wire.reasons import reason_of
from utils.errors import InvalidInput
from utils.fields import Identifier, Instructions, ProjectName, Share, Timezone, Wire
from utils.vectors import Floats

MOST = 50  # memories
MOST_TEXTS = 2_048  # of one request, as at OpenAI
RULES = "rule_based"  # the model that answers where there is none

Json = dict[str, Any]
Penalty = Annotated[float, Field(ge=-2, le=2)]


class InvalidField(InvalidInput):
    """A field of a request to OpenAI's API is not what it must be. `code`: OpenAI's word for it, where it has one."""

    def __init__(self, detail: str, param: str | None, code: str | None = None) -> None:
        super().__init__(detail)
        self.param = param
        self.code = code


def invalid(error: ValidationError) -> InvalidField:
    """The first thing that is wrong with a model's fields."""
    first: Mapping[str, Any] = error.errors()[0]
    param = str(first["loc"][0])  # behind it stand the names of types
    return InvalidField(f"{param}: {reason_of(first)}", param)


class ProxyFields(Wire):
    """The fields of a chat completion that are Loci's own."""

    user_id: Identifier | None = None
    memory_id: Identifier | None = None
    memory_top_k: Annotated[int, Field(le=MOST)] | None = None
    memory_recency_weight: Share | None = None
    memory_score_threshold: Share | None = None
    memory_strategy: Literal["recall", "tool_memory", "none"] | None = None
    timezone: Timezone | None = None
    project: ProjectName | None = None
    instructions: Instructions | None = None
    temporary: bool | None = None

    @field_validator("temporary")
    @classmethod
    def _leaves_nothing(cls, value: bool | None, info: ValidationInfo) -> bool | None:
        if value and info.data.get("memory_strategy") == "tool_memory":
            raise ValueError("with memory_strategy tool_memory, what tools gave is kept")
        return value

    @field_validator("memory_recency_weight", "memory_score_threshold", mode="before")
    @classmethod
    def _number(cls, value: object) -> object:
        return float(value) if type(value) is int else value

    @property
    def options(self) -> ProxyOptions:
        return ProxyOptions(
            self.memory_id or "",
            self.memory_top_k,
            self.memory_recency_weight,
            self.memory_score_threshold,
            self.memory_strategy or ("none" if self.temporary else "recall"),
            self.timezone,
            self.project,
            temporary=bool(self.temporary),
            instructions=(self.instructions,) if self.instructions else (),
        )


class RulesFields(Wire):
    """The fields of a chat completion that are read where there is no provider."""

    model: str | None = None
    stream: bool | None = None
    n: int | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Share | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None


class EmbeddingsRequest(Wire):
    """What the local encoder takes of OpenAI's request. `user_id`: as all routes take it; nothing is kept."""

    input: str | list[str]
    model: str | None = None
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = None
    user: str | None = None
    user_id: str | None = None

    @field_validator("input", mode="before")
    @classmethod
    def _texts(cls, value: object) -> object:
        given = value if isinstance(value, list) else [value]
        if not given:
            raise ValueError("must be a text, or a list of at least one")
        if len(given) > MOST_TEXTS:
            raise ValueError(f"at most {MOST_TEXTS:,} texts at once")
        for one in given:
            if isinstance(value, list) and type(one) in (int, list):
                raise ValueError("the local encoder reads texts, not tokens")
            if not isinstance(one, str):
                raise ValueError("must be a text, or a list of texts")
            if not one:
                raise ValueError("a text must not be empty")
        return value

    @property
    def texts(self) -> list[str]:
        return [self.input] if isinstance(self.input, str) else self.input


def completion(identifier: str, created: int, answer: Answer, hits: Sequence[Json]) -> Json:
    """A whole answer of the rules."""
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    return {
        "id": identifier,
        "object": "chat.completion",
        "created": created,
        "model": RULES,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(answer),
        "memory_hits": list(hits),
    }


def chunk(identifier: str, created: int, delta: Json | None, reason: str | None = None) -> Json:
    """One chunk of a streamed answer of the rules; without a delta, one that has no choices."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {
        "id": identifier,
        "object": "chat.completion.chunk",
        "created": created,
        "model": RULES,
        "choices": [] if delta is None else [choice],
    }


def usage(answer: Answer) -> Json:
    return UsageOut.of(answer.usage).model_dump()


def embeddings(vectors: Floats, model: str, encoding: Literal["float", "base64"], tokens: int) -> Json:
    """Vectors, (n, d), as OpenAI's answer has them."""

    def written(vector: Floats) -> str | list[float]:
        numbers: list[float] = vector.tolist()
        return base64.b64encode(vector.astype("<f4").tobytes()).decode() if encoding == "base64" else numbers

    data = [{"object": "embedding", "index": n, "embedding": written(vector)} for n, vector in enumerate(vectors)]
    count = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": model, "usage": count}


def model_object(identifier: str) -> Json:
    return {"id": identifier, "object": "model", "created": 0, "owned_by": "loci"}
