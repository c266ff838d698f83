"""Validation of a model's answers.

The SDK builds its objects without validation, so whatever the provider sent is in them: nothing here trusts a type.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from openai.types import CreateEmbeddingResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from utils.chat import Completion, ToolCall, Usage
from utils.errors import ModelGarbage, ModelRefused
from utils.text import repair
from utils.thoughts import without_thoughts
from utils.vectors import Floats, is_usable

LONGEST_ANSWER = 1_000_000  # characters; some four times the longest output of any model, so a runaway stream ends


def read_completion(answer: object, *, asked: str, may_call: bool = False) -> Completion:
    """The answer of a call that was not streamed; `asked` is the model's name where the answer carries none.
    `may_call`: it was asked with tools; else calls of any are not read.

    A model's own refusal (`message.refusal`) is its answer.

    Raises:
        ModelGarbage: HTML, no choices, neither text nor calls, no finish reason, or wrong types.
        ModelRefused: the provider's content filter withheld the text.
    """
    if not isinstance(answer, ChatCompletion):
        raise ModelGarbage("The model's answer is not a chat completion")
    choices: object = answer.choices
    if not isinstance(choices, list) or not choices:
        raise ModelGarbage("The model's answer has no choices")
    message = getattr(choices[0], "message", None)
    content = getattr(message, "content", None)
    refusal = getattr(message, "refusal", None)
    reason = getattr(choices[0], "finish_reason", None)
    return completed(
        content or refusal or content,
        model=read_model(answer, asked=asked),
        usage=read_usage(answer),
        finish_reason=reason,
        calls=joined_calls(_read_calls(getattr(message, "tool_calls", None))) if may_call else (),
    )


def completed(
    text: object, *, model: str, usage: Usage | None, finish_reason: object, calls: tuple[ToolCall, ...] = ()
) -> Completion:
    """A whole answer from its checked parts, without its thoughts; raises as `read_completion`."""
    text = without_thoughts(text) if isinstance(text, str) else text
    if finish_reason == "content_filter" and not text:
        raise ModelRefused("The model's content filter withheld the answer")
    if not isinstance(finish_reason, str) or not finish_reason:
        raise ModelGarbage("The model's answer has no finish_reason, so it may be incomplete")
    if calls and (text is None or isinstance(text, str)):
        return Completion(repair(text or ""), model, usage, finish_reason, calls)
    if not isinstance(text, str) or not text.strip():
        raise ModelGarbage("The model's answer has no text")
    return Completion(repair(text), model, usage, finish_reason)


def _read_calls(calls: object, *, streamed: bool = False) -> tuple[tuple[int, ToolCall], ...]:
    """Calls, or where they are `streamed`, pieces of some, each with its place in the answer. Raises `ModelGarbage`."""
    pieces: list[tuple[int, ToolCall]] = []
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        place = getattr(call, "index", None) if streamed else at
        function = getattr(call, "function", None)
        texts = [getattr(call, "id", None), getattr(function, "name", None), getattr(function, "arguments", None)]
        if type(place) is not int or not all(isinstance(text, str | None) for text in texts):
            raise ModelGarbage("The model's answer holds a call that is none")
        pieces.append((place, ToolCall(*(text or "" for text in texts))))
    return tuple(pieces)


def joined_calls(pieces: Sequence[tuple[int, ToolCall]]) -> tuple[ToolCall, ...]:
    """The calls that pieces are of, each with its place, in their order; id and name of a call stand whole in one of
    its pieces. Raises `ModelGarbage`."""
    by_place: dict[int, list[ToolCall]] = {}
    for place, piece in pieces:
        by_place.setdefault(place, []).append(piece)
    calls: list[ToolCall] = []
    for at, place in enumerate(sorted(by_place)):
        parts = by_place[place]
        name = next((part.name for part in parts if part.name), "")
        if not name:
            raise ModelGarbage("The model's answer holds a call without a name")
        identifier = repair(next((part.id for part in parts if part.id), "")) or f"call_{at}"
        calls.append(ToolCall(identifier, repair(name), repair("".join(part.arguments for part in parts))))
    return tuple(calls)


@dataclass(frozen=True)
class Piece:
    """What one chunk of a stream adds. `calls`: pieces of calls of functions, by their places in the answer."""

    text: str
    finish_reason: str | None
    calls: tuple[tuple[int, ToolCall], ...] = ()


def read_chunk(chunk: object) -> Piece:
    """The first choice's text and finish reason; chunks without choices (usage, keep-alive) add nothing. Raises
    `ModelGarbage` for what is no chunk, or text that is not text."""
    if not isinstance(chunk, ChatCompletionChunk):
        raise ModelGarbage("The model's stream holds something that is not a chunk")
    choices: object = chunk.choices
    if not isinstance(choices, list) or not choices:
        return Piece("", None)
    delta = getattr(choices[0], "delta", None)
    text = getattr(delta, "content", None)
    if text is None:
        text = getattr(delta, "refusal", None) or ""
    reason = getattr(choices[0], "finish_reason", None)
    if not isinstance(text, str) or not isinstance(reason, str | None):
        raise ModelGarbage("The model's stream holds text that is not text")
    return Piece(text, reason or None, _read_calls(getattr(delta, "tool_calls", None), streamed=True))


def read_embeddings(answer: object, *, count: int) -> Floats:
    """The vectors of an embedding call, in the order of its texts, shape (count, d), not yet of length 1. Raises
    `ModelGarbage` for what is no embeddings, too few or many, doubtful order, unequal dimensions, or numbers that are
    not finite or all zero."""
    if not isinstance(answer, CreateEmbeddingResponse):
        raise ModelGarbage("The embedding model's answer is not embeddings")
    items: object = answer.data
    if not isinstance(items, list) or len(items) != count:
        raise ModelGarbage("The embedding model sent another number of vectors than texts")
    by_index = {index: item for item in items if type(index := getattr(item, "index", None)) is int}
    if by_index.keys() != set(range(count)):
        raise ModelGarbage("The embedding model's vectors are not numbered like the texts")
    rows = [_read_vector(getattr(by_index[index], "embedding", None)) for index in range(count)]
    if len({row.shape for row in rows}) != 1:
        raise ModelGarbage("The embedding model's vectors differ in dimension")
    vectors = np.stack(rows)
    if not is_usable(vectors):
        raise ModelGarbage("The embedding model sent vectors that are not finite, or zero")
    return vectors


def _read_vector(value: object) -> Floats:
    """A vector of shape (d,), d > 0, from base64 of little-endian float32 or from a list of numbers."""
    try:
        if isinstance(value, str):
            vector = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        elif isinstance(value, list) and all(type(number) in (float, int) for number in value):
            with np.errstate(over="ignore"):  # to infinity, which the caller refuses
                vector = np.array(value, dtype=np.float32)
        else:
            raise TypeError
    except (binascii.Error, ValueError, TypeError, OverflowError):
        raise ModelGarbage("The embedding model sent something that is not a vector") from None
    if not vector.size:
        raise ModelGarbage("The embedding model sent an empty vector")
    return vector.astype(np.float32, copy=False)


def read_usage(answer: ChatCompletion | ChatCompletionChunk) -> Usage | None:
    """The token counts, or None where the provider sent none that make sense: an answer is not lost over its bill."""
    prompt = getattr(answer.usage, "prompt_tokens", None)
    completion = getattr(answer.usage, "completion_tokens", None)
    if type(prompt) is not int or type(completion) is not int or prompt < 0 or completion < 0:
        return None
    return Usage(prompt, completion)


def read_model(answer: ChatCompletion | ChatCompletionChunk, *, asked: str) -> str:
    """The name of the model that answered, as the provider gives it."""
    name: object = answer.model
    return repair(name) if isinstance(name, str) and name else asked
