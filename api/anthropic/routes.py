"""Anthropic's API with memory: messages, the count of their tokens, and models. Who answers is a provider that has this
API, one of chat completions, or rules."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Request, Response

from agents.anthropic_messages import blocks_of
from agents.memory import Memory
from agents.openai_chat import data_of, parsed, written
from agents.proxy import FRAME, MESSAGES, Proxied, ProxyRequest, message_event, message_failure, sent_by
from api.anthropic.route import (
    AnthropicRoute,
    for_provider,
    headers_for_provider,
    returned_message,
    translated_error,
)
from api.anthropic.translation import chat_body, check_messages
from api.anthropic.writing import MessageWriter
from api.auth import PassingOn
from api.http.once import once_id
from api.http.state import TheMemory, TheSettings
from api.openai.route import (
    LEFT,
    answered,
    is_foreign,
    json_response,
    options_of,
    passed_on,
    read_object,
    without_user,
)
from api.openai.wire import RULES, InvalidField, Json
from utils.errors import NotFound, ProviderError

ROOT = "/anthropic/v1"
IMAGE_TOKENS = 1_600  # of an image as large as Anthropic takes it
NOT_COMPRESSED = "memory_strategy: tool_memory goes by chat completions, and this provider has Anthropic's API"

router = APIRouter(route_class=AnthropicRoute, tags=["anthropic"])


@router.post(f"{ROOT}/messages", response_model=None)
async def messages(request: Request, memory: TheMemory, settings: TheSettings, passing: PassingOn) -> Response:
    """Answer as Anthropic's API does, with what was said before."""
    body = await read_object(request)
    options, owner, own = options_of(request, body, passing)
    check_messages(own)
    if memory.anthropic is not None:
        if options.compresses:
            raise InvalidField(NOT_COMPRESSED, "memory_strategy")
        raw = await request.body() if len(own) == len(body) else None
        asked = for_provider(request, passed_on(request, passing, owner, options, own, raw=raw, dialect=MESSAGES))
        proxied = await answered(request, memory, asked, memory.anthropic)
        return Response(status_code=LEFT) if proxied is None else returned_message(proxied, request)
    model = own.get("model")
    if memory.proxy is not None and (
        not isinstance(model, str) or await is_foreign(memory.proxy.upstream, settings, model, None)
    ):
        model = settings.chat_model
    chat = chat_body(own, model, calls=memory.proxy is not None)
    # The key that came along is Anthropic's, if it is anybody's: the provider of chat completions does not get it.
    asked = replace(for_provider(request, passed_on(request, passing, owner, options, chat)), query="")
    proxied = await answered(request, memory, asked)
    if proxied is None:
        return Response(status_code=LEFT)
    if proxied.status >= 300:
        return returned_message(translated_error(proxied, request), request)
    writer = MessageWriter(once_id(request), _estimate(asked), model if isinstance(model, str) else RULES)
    written_body = _streamed(writer, proxied.body) if not isinstance(proxied.body, bytes) else _whole(writer, proxied)
    return returned_message(replace(proxied, body=written_body), request)


@router.post(f"{ROOT}/messages/count_tokens", response_model=None)
async def count_tokens(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """Count the tokens of a request, without memories: the provider does, or they are estimated."""
    body = await read_object(request)
    options, owner, own = options_of(request, body, passing)
    check_messages(own)
    if memory.anthropic is not None:
        return await _passed(memory, request, "/v1/messages/count_tokens", written(own))
    asked = passed_on(request, passing, owner, options, own, dialect=MESSAGES)
    return json_response({"input_tokens": _estimate(asked)})


@router.get(f"{ROOT}/models", response_model=None)
async def models(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """The provider's models; without one, what answers."""
    del passing
    if memory.anthropic is not None:
        return await _passed(memory, request, "/v1/models")
    listed = await _models(memory)
    names = [one["id"] for one in listed]
    ends = {"first_id": names[0], "last_id": names[-1]} if names else {"first_id": None, "last_id": None}
    return json_response({"data": listed, "has_more": False, **ends})


@router.get(f"{ROOT}/models/{{model:path}}", response_model=None)
async def model(model: Annotated[str, Path()], request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """One model."""
    del passing
    if memory.anthropic is not None:
        return await _passed(memory, request, f"/v1/models/{quote(model, safe='')}")
    known = next((one for one in await _models(memory) if one["id"] == model), None)
    if known is None:
        raise NotFound("No such model")
    return json_response(known)


async def _models(memory: Memory) -> list[Json]:
    """Those of a provider of chat completions, or the rules, as Anthropic has them."""
    if memory.proxy is None:
        return [_model(RULES, 0)]
    passed = await memory.proxy.upstream.send("GET", "/models", headers={})
    told = parsed(await passed.read())
    if passed.status >= 300 or not isinstance(told, dict):
        raise ProviderError(passed.status)
    listed = told.get("data") if isinstance(told.get("data"), list) else []
    known = [one for one in listed or () if isinstance(one, dict) and isinstance(one.get("id"), str)]
    return [_model(one["id"], made if isinstance(made := one.get("created"), int) else 0) for one in known]


def _model(name: str, created: int) -> Json:
    at = datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z")
    return {"type": "model", "id": name, "display_name": name, "created_at": at, "lifecycle": "active"}


def _estimate(asked: ProxyRequest) -> int:
    """How many tokens a request is thought to have."""
    images = sum(
        part.get("type") in ("image_url", "file")
        for message in asked.messages
        for part in blocks_of(message.get("content"))
    )
    texts = sum(entry.tokens for entry in sent_by(asked))
    return texts + FRAME * len(asked.messages) + IMAGE_TOKENS * images


def _whole(writer: MessageWriter, proxied: Proxied) -> bytes:
    """A chat completion that was not streamed; an error with status 200 as it came."""
    assert isinstance(proxied.body, bytes)  # noqa: S101
    told: Any = parsed(proxied.body)
    if not isinstance(told.get("choices"), list):
        return proxied.body
    _ = [*writer.read(told), *writer.end()]
    return written(writer.message())


async def _streamed(writer: MessageWriter, chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The events of a message, from the chunks of a chat completion; the last ones when the answer is kept."""
    async with aclosing(chunks):
        async for chunk in chunks:
            data = data_of(chunk)
            told = parsed(data) if data is not None else None
            if not isinstance(told, dict):
                continue
            if isinstance(error := told.get("error"), dict):
                yield message_event(message_failure(error))
                return
            for event in writer.read(told):
                yield message_event(event)
        for event in writer.end():
            yield message_event(event)


async def _passed(memory: Memory, request: Request, path: str, body: bytes | None = None) -> Response:
    """A call that goes through to the provider that has this API."""
    assert memory.anthropic is not None  # noqa: S101
    passed = await memory.anthropic.upstream.send(
        request.method, path, body=body, headers=headers_for_provider(request), query=without_user(request.url)
    )
    content = await passed.read()
    if passed.status >= 300 and not passed.is_json:
        raise ProviderError(passed.status)
    return Response(content, passed.status, passed.headers, passed.media_type)
