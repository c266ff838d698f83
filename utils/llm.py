"""A chat model by the openai SDK, whole answers and streams."""

import asyncio
import difflib
import logging
import re
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Unpack, cast

from openai import (
    APIStatusError,
    AsyncOpenAI,
    AsyncStream,
    NotFoundError,
    Omit,
    omit,
)
from openai.types.chat import ChatCompletionChunk

from utils.answers import LONGEST_ANSWER, completed, joined_calls, read_chunk, read_completion, read_model, read_usage
from utils.chat import STREAM_DEADLINES, ChatOptions, Completion, Message, ToolCall, Usage, count_usage
from utils.circuit import CircuitBreaker
from utils.errors import ModelError, ModelGarbage, ModelUnknown
from utils.openai_client import PROVIDER_ERRORS, as_model_error, ask
from utils.shown_images import RefusedImages, with_fewer_images
from utils.text import join_surrogates, repair
from utils.thoughts import SpokenStream

STALL = 30.0  # seconds between two chunks of a stream
PIECE = 16  # characters that a piece of a call counts beside its own: many empty ones end, too
GRACE = 2.0  # seconds to wait for the token count once the answer has ended
LISTING = 3.0  # seconds to wait for the names of a provider's models
MOST_NAMED = 8  # of these that are told, the likest first

FORMATS = frozenset({"json_schema", "json_object"})

T = TypeVar("T")

# How servers that name no parameter say that they take no such format: DeepSeek, Groq, llama.cpp, others.
_NO_FORMAT = re.compile(r"response[_ ]?format|json[_ ](?:schema|object|mode)|structured output|grammar", re.IGNORECASE)
# How servers say that a model takes no tools: Ollama, vLLM, others.
_NO_TOOLS = re.compile(
    r"(?:not|n't) support (?:\w+ ){0,2}(?:tools?|functions?)\b|tool choice requires"
    r"|tool(?:s| choice| calling| use)? (?:is|are) not (?:supported|enabled)",
    re.IGNORECASE,
)

_MODEL_NAME = re.compile(r"[\w.:/@+-]{1,100}")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Request:
    model: str
    messages: list[Message]
    options: ChatOptions

    @property
    def is_with_tools(self) -> bool:
        return bool(self.options.get("tools")) and self.options.get("may_call", True)

    def format(self, refused: Collection[str]) -> Any:
        """How the provider is told of the answer's shape: the best way that it did not refuse; None for none."""
        shape = self.options.get("shape")
        if shape is not None and shape.schema is not None and "json_schema" not in refused:
            schema = {"name": shape.name, "strict": True, "schema": shape.schema}
            return {"type": "json_schema", "json_schema": schema}
        return {"type": "json_object"} if shape is not None and "json_object" not in refused else None

    def billed(self, answer: Completion) -> Completion:
        """The answer, whose tokens are counted where the provider said how many."""
        purpose = self.options.get("purpose", "other")
        if purpose is not None and answer.usage is not None:
            count_usage(purpose, answer.usage)
        return answer


class RemoteChatModel:
    """A chat model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        client: AsyncOpenAI,
        model: str,
        *,
        deadline: float,
        breaker: CircuitBreaker,
        stall: float = STALL,
        setting: str = "CHAT_MODEL",
    ) -> None:
        """`setting`: names the model, for who is told that the provider does not know it."""
        self.model = model
        self._setting = setting
        self._client = client
        self._deadline = deadline  # seconds
        self._breaker = breaker
        self._stall = stall  # seconds
        self._refused: dict[str, frozenset[str]] = {}  # model → optional parameters that it does not take
        self._images = RefusedImages()

    async def complete(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Completion:
        """As `ChatModel`; the errors are those of `ask`, `CircuitBreaker` and `read_completion`."""
        request = self._request(messages, options)

        async def attempt() -> Completion:
            answer = await self._send(request, streamed=False)
            return request.billed(read_completion(answer, asked=request.model, may_call=request.is_with_tools))

        with self._breaker.watch():
            return await ask(attempt, deadline=self._deadline)

    async def stream(
        self, messages: Sequence[Message], **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[str | Completion, None]:
        """As `ChatModel`. The deadline, retries and circuit breaker cover the time to the first text. From then on a
        gap of `stall` seconds, or five deadlines in all, end the stream."""
        request = self._request(messages, options)
        now = asyncio.get_running_loop().time
        ends = now() + STREAM_DEADLINES * self._deadline
        with self._breaker.watch():
            answer, text = await ask(lambda: self._begin(request), deadline=self._deadline)
        try:
            while text is not None:
                if text:
                    yield text
                try:
                    gap = min(GRACE, self._stall) if answer.finish_reason else self._stall
                    async with asyncio.timeout_at(min(now() + gap, ends)):
                        text = await answer.read_on()
                except (TimeoutError, *PROVIDER_ERRORS) as error:
                    if answer.finish_reason:
                        break  # the answer is whole; only its token count is missing
                    raise as_model_error(error) from None
            yield request.billed(answer.completion())
        finally:
            await answer.close()

    def _request(self, messages: Sequence[Message], options: ChatOptions) -> _Request:
        encodable = cast(list[Message], [_repaired(message) for message in messages])
        return _Request(options.get("model") or self.model, encodable, options)

    async def _begin(self, request: _Request) -> tuple["_StreamedAnswer", str | None]:
        """Open a stream and read it up to its first text."""
        chunks = await self._send(request, streamed=True)
        if not isinstance(chunks, AsyncStream):
            raise ModelGarbage("The model's answer is not a stream")
        answer = _StreamedAnswer(chunks, request.model, may_call=request.is_with_tools)
        try:
            text = await answer.read_on()
            if not text and not answer.is_thinking:
                answer.completion()  # it ended without any text: raises
        except BaseException:
            await answer.close()
            raise
        return answer, text

    async def _send(self, request: _Request, *, streamed: bool) -> object:
        """The SDK's answer; optional parameters that the provider turns out not to take are left out from then on, as
        are images with which it refuses an answer."""
        refused, options = self._refused.get(request.model, frozenset()), request.options
        max_tokens, tools, messages = options.get("max_tokens"), list(options.get("tools", ())), request.messages
        is_answer, too_large = options.get("purpose") == "answer", False
        asked = messages = self._images.left_out(request.model, messages) if is_answer else messages
        fewer = with_fewer_images(asked) if is_answer else iter(())
        if options.get("as_asked"):
            refused -= {"temperature"}
        while True:
            try:
                answer = await self._client.chat.completions.create(
                    model=request.model,
                    messages=[],
                    extra_body={"messages": messages},  # as they are: the SDK would look at each of their fields
                    temperature=omit if "temperature" in refused else _given(options.get("temperature")),
                    reasoning_effort=_given(options.get("reasoning_effort")),
                    max_tokens=omit if "max_tokens" in refused else _given(max_tokens),
                    max_completion_tokens=_given(max_tokens) if "max_tokens" in refused else omit,
                    response_format=_given(request.format(refused)),
                    tools=omit if "tools" in refused else _given(tools or None),
                    tool_choice="none" if not options.get("may_call", True) and "tools" not in refused else omit,
                    stream=streamed,
                    stream_options={"include_usage": True} if streamed and "stream_options" not in refused else omit,
                )
            except NotFoundError as error:
                raise await self._refusal(error, request) from None
            except APIStatusError as error:
                if error.status_code not in (400, 413, 422):
                    raise
                too_large = error.status_code == 413
                option = None if too_large else _dispensable(error, request, refused, streamed=streamed)
                if option in (None, "stream_options") and (less := next(fewer, None)) is not None:
                    log.warning("the model %s is asked with fewer images: %d", request.model, error.status_code)
                    messages = less
                    continue
                if too_large:
                    raise
                if option is None or option in refused:
                    raise await self._refusal(error, request) from None
                refused |= {option}
                if option in FORMATS:
                    self._remember(request.model, refused)
                log.warning("the model %s takes no %s: it is asked without from now on", request.model, option)
            else:
                self._remember(request.model, refused)
                if messages is not asked and not too_large:
                    self._images.note(request.model, asked, messages)
                return answer

    def _remember(self, model: str, refused: frozenset[str]) -> None:
        self._refused[model] = self._refused.get(model, frozenset()) | refused

    async def _refusal(self, error: APIStatusError, request: _Request) -> ModelError:
        """What a refusal amounts to: where the provider may not know the model, with the names of those it knows."""
        refusal, code, name = as_model_error(error), error.status_code, request.model
        is_unknown = code == 404 or error.code == "model_not_found" or error.param == "model"
        is_named = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", error.message) is not None
        if not is_unknown and (error.param or not is_named):
            return refusal
        try:
            listed = (await self._client.with_options(timeout=LISTING).models.list()).data
            names = [model.id for model in listed if _MODEL_NAME.fullmatch(model.id)]
        except NotFoundError:
            return ModelUnknown(f"No model provider answers at OPENAI_BASE_URL ({code}): check it; most end in /v1")
        except (*PROVIDER_ERRORS, AttributeError, TypeError):  # the SDK lets any JSON through
            names = []
        if name in names or not (names or is_unknown):
            return refusal
        names.sort(key=lambda known: difflib.SequenceMatcher(None, name, known).ratio(), reverse=True)
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        has = f"; it has: {', '.join(names[:MOST_NAMED])}{more}" if names else ""
        what = "ask for another" if request.options.get("model") else f"set {self._setting} to another"
        return ModelUnknown(f"The provider knows no model '{name}' ({code}): {what}{has}")


class _StreamedAnswer:
    """A stream that is being read, and what it has said so far."""

    def __init__(self, chunks: AsyncStream[ChatCompletionChunk], asked: str, *, may_call: bool) -> None:
        self.finish_reason: str | None = None
        self._chunks = chunks
        self._model = asked
        self._usage: Usage | None = None
        self._texts: list[str] = []
        self._may_call = may_call
        self._calls: list[tuple[int, ToolCall]] = []
        self._length = 0
        self._held = ""  # half of a surrogate pair
        self._spoken = SpokenStream()

    @property
    def is_thinking(self) -> bool:
        """Whether it has said something by now, and has not ended."""
        return bool(self._texts) and self.finish_reason is None

    async def read_on(self) -> str | None:
        """The next text without thoughts; an empty one while it thinks, and when the answer has just ended; None when
        the stream has."""
        while (chunk := await anext(self._chunks, None)) is not None:
            piece = read_chunk(chunk)
            self._model = read_model(chunk, asked=self._model)
            self._usage = read_usage(chunk) or self._usage
            self.finish_reason = piece.finish_reason or self.finish_reason
            text, self._held = join_surrogates(self._held, piece.text)
            self._calls += piece.calls if self._may_call else ()
            self._length += len(text) + sum(PIECE + len(call.name) + len(call.arguments) for _, call in piece.calls)
            if self._length > LONGEST_ANSWER:
                raise ModelGarbage("The model's answer does not end")
            if text:
                self._texts.append(text)
            spoken = self._spoken.read(text)
            if piece.finish_reason:
                return spoken + self._spoken.rest()
            if text:
                return spoken
        return None

    def completion(self) -> Completion:
        """The whole answer, checked; raises as `read_completion`."""
        return completed(
            "".join(self._texts),
            model=self._model,
            usage=self._usage,
            finish_reason=self.finish_reason,
            calls=joined_calls(self._calls),
        )

    async def close(self) -> None:
        await self._chunks.close()


def _given(value: T | None) -> T | Omit:
    return omit if value is None else value


def _dispensable(error: APIStatusError, request: _Request, refused: Collection[str], *, streamed: bool) -> str | None:
    """The optional parameter to try without, after a 400 or 422.

    Reasoning models refuse `temperature`, and `max_tokens` in favour of `max_completion_tokens`, and name what they
    refuse; small models' servers refuse `tools` and formats, and say so in words; older ones refuse `stream_options`,
    and seldom name it.
    """
    if (format := request.format(refused)) is not None and _NO_FORMAT.search(f"{error.param} {error.message}"):
        return str(format["type"])
    sent = {
        "temperature": request.options.get("temperature") is not None and not request.options.get("as_asked"),
        "max_tokens": request.options.get("max_tokens") is not None,
        "tools": bool(request.options.get("tools")),
    }
    param = "tools" if error.param == "tool_choice" else error.param
    if param in sent:
        return param if sent[param] else None
    if sent["tools"] and _NO_TOOLS.search(error.message):
        return "tools"
    return "stream_options" if streamed and (error.param or "stream_options").startswith("stream_options") else None


def _repaired(value: object) -> object:
    """A message with every string in it such that JSON and UTF-8 can carry it."""
    match value:
        case str():
            return repair(value)
        case Mapping():
            return {key: _repaired(item) for key, item in value.items()}
        case list() | tuple():
            return [_repaired(item) for item in value]
        case _:
            return value
