"""OpenAI's API: chat completions with memory, models and embeddings. With a provider they go through to it, without
one rules answer and the local encoder embeds."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Request, Response
from pydantic import ValidationError

from agents.memory import Memory
from agents.openai_chat import event_of
from agents.proxy import Proxy
from api.auth import Passing, PassingOn
from api.http.problems import error_of
from api.http.state import TheMemory
from api.openai import wire
from api.openai.route import (
    LEFT,
    OpenAIRoute,
    answered,
    json_response,
    options_of,
    passed_on,
    read_object,
    returned,
    without_user,
)
from api.openai.wire import EmbeddingsRequest, InvalidField, Json, invalid
from utils.encoder import DIMENSIONS
from utils.errors import NotFound, ProviderError
from utils.text import count_tokens
from utils.upstream import Passed

router = APIRouter(route_class=OpenAIRoute, tags=["openai"])


@router.post("/v1/chat/completions", response_model=None)
async def chat_completions(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """Answer as OpenAI's API does, with what was said before."""
    body = await read_object(request)
    options, owner, own = options_of(request, body, passing)
    _check_messages(body)
    raw = await request.body() if len(own) == len(body) else None
    proxied = await answered(request, memory, passed_on(request, passing, owner, options, own, raw=raw))
    if proxied is None:
        return Response(status_code=LEFT)
    return returned(proxied, request, lambda error: event_of(error_of(error, request.scope["request_id"])[1]))


@router.get("/v1/models", response_model=None)
async def models(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """The provider's models; without one, what answers and what embeds."""
    if memory.proxy is not None:
        return await _passed(memory.proxy, request, passing, "/models")
    known = [wire.model_object(name) for name in _own_models(memory)]
    return json_response({"object": "list", "data": known})


@router.get("/v1/models/{model:path}", response_model=None)
async def model(model: Annotated[str, Path()], request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """One model."""
    if memory.proxy is not None:
        return await _passed(memory.proxy, request, passing, f"/models/{quote(model, safe='')}")
    if model not in _own_models(memory):
        raise NotFound("No such model")
    return json_response(wire.model_object(model))


@router.post("/v1/embeddings", response_model=None)
async def embeddings(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """Embed texts at the provider; without one, by the local encoder."""
    if memory.proxy is not None:
        return await _passed(memory.proxy, request, passing, "/embeddings", await request.body())
    try:
        asked = EmbeddingsRequest.model_validate(await read_object(request))
    except ValidationError as error:
        raise invalid(error) from None
    if asked.dimensions not in (None, DIMENSIONS):
        raise InvalidField(f"dimensions: the local encoder has {DIMENSIONS}", "dimensions")
    embedder = memory.engine.gists.embedder
    vectors = await embedder.embed(asked.texts)
    tokens = sum(map(count_tokens, asked.texts))
    return json_response(wire.embeddings(vectors, embedder.model, asked.encoding_format or "float", tokens))


def _own_models(memory: Memory) -> tuple[str, str]:
    return wire.RULES, memory.engine.gists.embedder.model


def _check_messages(body: Json) -> None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InvalidField("messages: must be a list of at least one message", "messages")
    wrong = next((place for place, one in enumerate(messages) if not isinstance(one, dict)), None)
    if wrong is not None:
        raise InvalidField(f"messages[{wrong}]: must be an object", "messages")


async def _passed(proxy: Proxy, request: Request, passing: Passing, path: str, body: bytes | None = None) -> Response:
    """A call that goes through as it is."""
    passed: Passed = await proxy.upstream.send(
        request.method,
        path,
        body=body,
        headers=request.headers,
        query=without_user(request.url),
        bearer=passing.bearer,
    )
    content = await passed.read()
    if passed.status >= 300 and not passed.is_json:
        raise ProviderError(passed.status)
    return Response(content, passed.status, passed.headers, passed.media_type)
