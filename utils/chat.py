"""What a chat model is to those who ask it, whoever serves it.

Nothing here needs the SDK: `utils.llm` does, where a provider is set.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, Unpack

from prometheus_client import Counter

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

    Message: TypeAlias = ChatCompletionMessageParam  # `content` is a string, or a list of text and image parts
    Tool: TypeAlias = ChatCompletionToolUnionParam
else:
    Message = Tool = dict[str, Any]

# What a model is asked for, by which its tokens are counted.
Purpose: TypeAlias = Literal["answer", "image", "facts", "summary", "observation", "bank", "title", "other"]
ReasoningEffort: TypeAlias = Literal["none", "minimal", "low", "medium", "high"]
TOKENS = Counter(
    "loci_model_tokens_total", "Tokens of chat models, as their provider counts them", ["purpose", "direction"]
)
STREAM_DEADLINES = 5  # a stream may take this many deadlines in all


@dataclass(frozen=True)
class Usage:
    """Tokens that the provider counted."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class ToolCall:
    """A call of a function that a model asks for. `arguments`: as it wrote them."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Completion:
    """One whole answer: its text, the model that gave it, and why it ended (`stop`, `length`, ...). `calls`: what it
    asks for before it says more; the text may be empty then."""

    text: str
    model: str
    usage: Usage | None
    finish_reason: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class Shape:
    """JSON that an answer is to be. `schema`: as providers take it strictly; None for any object."""

    name: str
    schema: dict[str, object] | None = None


def count_usage(purpose: Purpose, usage: Usage) -> None:
    """Counts the tokens of a call, or a part of them, for `/metrics`."""
    TOKENS.labels(purpose, "in").inc(usage.prompt_tokens)
    TOKENS.labels(purpose, "out").inc(usage.completion_tokens)


class ChatOptions(TypedDict, total=False):
    """How a model is asked. `purpose`: what for; None where the caller counts the tokens. `model`: another than its
    own. `as_asked`: a temperature that the provider refuses is no reason to ask without. `shape`: what the provider
    holds the answer to, as far as it can; the prompt says it, too. `tools`: functions that it may ask for, which a
    provider that takes none is not told of; `may_call`: it may in this answer, as it does where that is not said."""

    purpose: Purpose | None
    model: str | None
    temperature: float | None
    max_tokens: int | None
    reasoning_effort: ReasoningEffort | None
    as_asked: bool
    shape: Shape | None
    tools: Sequence[Tool]
    may_call: bool


class ChatModel(Protocol):
    """What answers messages; every call ends within its deadline, in an answer or a `ModelError`."""

    @property
    def model(self) -> str:
        """The name of the model that is asked where a call names none."""

    async def complete(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Completion:
        """One whole answer, within the deadline, retries included.

        Raises:
            ModelUnavailable, CircuitOpen: the model did not answer, or is not asked for a while after it did not.
            ModelRefused: it will not answer this.
            ModelGarbage: its answer cannot be read.
        """

    def stream(
        self, messages: Sequence[Message], **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[str | Completion, None]:
        """The answer's text as it comes, then one `Completion` that holds all of it.

        Leaving early closes the connection; wrap the stream in `contextlib.aclosing` where the loop over it may be
        left. Raises as `complete`; after the first text, a stream that is cut, stalls, or ends without a finish reason
        raises too, and what was yielded stands.
        """
