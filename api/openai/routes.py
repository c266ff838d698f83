"""OpenAI's API: chat completions with memory, models and embeddings. With a provider they go through to it, without
one rules answer and the local encoder embeds."""

import asyncio
import json
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from time import time
from typing import Annotated, Any
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.datastructures import URL

from agents.chat import ChatRequest, HistoryItem
from agents.memory import Delta, Event, Finished, Memory
from agents.openai_chat import DONE, event_of, instructed, kept_text, memory_hits, newest_user
from agents.proxy import Proxied, Proxy, ProxyOptions, ProxyRequest, keep_earlier, news_of
from api.auth import Passing, PassingOn, project_in_header
from api.http import sse
from api.http.ending import until_the_end
from api.http.once import JSON_TYPE, Handler, may_be_done, once, once_id
from api.http.problems import error_of
from api.http.state import TheMemory
from api.openai import wire
from api.openai.wire import EmbeddingsRequest, Json, ProxyFields, RulesFields
from api.wire.reasons import message_of
from memory.ids import user_of
from utils.encoder import DIMENSIONS
from utils.errors import InvalidInput, NotFound, ProviderError, UnsupportedMediaType
from utils.text import count_tokens
from utils.upstream import Passed

TURN_ID = "X-Loci-Turn-ID"
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
LEFT = 499  # a status that nobody sees
RETRIES = "x-stainless-retry-count"  # OpenAI's clients count theirs


class OpenAIRoute(APIRoute):
    """Takes bodies as they come, and honours `Idempotency-Key`."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def lenient(request: Request) -> Response:
            # Other pages may post plain text without asking first; this type they may not.
            if request.method == "POST" and not JSON_TYPE.match(request.headers.get("content-type", "")):
                raise UnsupportedMediaType("Send the body as Content-Type: application/json")
            return await once(LenientRequest(request.scope, request.receive), handle)

        return lenient


class InvalidField(InvalidInput):
    """A field of a request to OpenAI's API is not what it must be."""

    def __init__(self, detail: str, param: str | None) -> None:
        super().__init__(detail)
        self.param = param


class LenientRequest(Request):
    """A request whose JSON may hold whatever a provider takes; read as `agents.openai_chat` reads it."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = _read(await self.body())
        return self._json


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except RecursionError:
        raise InvalidField("The body is nested too deeply", None) from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise InvalidField("The body is not valid JSON in UTF-8", None) from None
    except ValueError:  # of `int`
        raise InvalidField("The body has an integer of too many digits", None) from None


async def read_object(request: Request) -> dict[str, Any]:
    """The body's JSON object. Raises `InvalidField` where it is none."""
    found = await request.json()
    if not isinstance(found, dict):
        raise InvalidField("The body is not a JSON object", None)
    return found


def invalid(error: ValidationError) -> InvalidField:
    """The first thing that is wrong with a model's fields."""
    first: Mapping[str, Any] = error.errors()[0]
    param = str(first["loc"][0])  # behind it stand the names of types
    return InvalidField(f"{param}: {message_of(first)}", param)


router = APIRouter(route_class=OpenAIRoute, tags=["openai"])


@router.post("/v1/chat/completions", response_model=None)
async def chat_completions(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """Answer as OpenAI's API does, with what was said before."""
    body = await read_object(request)
    named = request.query_params.getlist("user_id")
    given = {} if (project := project_in_header(request)) is None else {"project": project}
    given |= {"user_id": named[0]} if named and body.get("user_id") is None else {}
    options, user = _options({**given, **{name: value for name, value in body.items() if value is not None}})
    if any(name != user for name in named):
        raise InvalidField("user_id: the address and the body name different users", "user_id")
    _check_messages(body)
    owner = passing.caller.owner(user)
    at = await memory.within(owner, options.project, options.memory_id, making=not options.temporary)
    zone = options.timezone or at.timezone or memory.timezone
    options = replace(options, timezone=zone, project=at.project)
    own = {name: value for name, value in body.items() if name not in ProxyFields.model_fields}
    standing = (*at.instructions, *options.instructions) if memory.proxy is not None else ()
    if standing and (options.temporary or options.strategy != "none"):
        own["messages"] = instructed(body["messages"], standing)
    passed_on = ProxyRequest(
        owner=at.owner,
        body=own,
        options=options,
        raw=await request.body() if own == body else None,
        headers=request.headers,
        query=_without_user(request.url),
        bearer=passing.bearer,
        turn_id=once_id(request),
        once=once_id(request) if may_be_done(request) else None,
        retried=request.headers.get(RETRIES, "0") != "0",
    )
    if memory.proxy is None:
        return await _by_rules(memory, passed_on, request)
    answering = memory.proxy.complete(passed_on)
    proxied = await _while_there(request, answering) if passed_on.streamed else await answering
    return Response(status_code=LEFT) if proxied is None else _returned(proxied, request)


@router.get("/v1/models", response_model=None)
async def models(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """The provider's models; without one, what answers and what embeds."""
    if memory.proxy is not None:
        return await _passed(memory.proxy, request, passing, "/models")
    known = [wire.model_object(name) for name in _own_models(memory)]
    return _json({"object": "list", "data": known})


@router.get("/v1/models/{model:path}", response_model=None)
async def model(model: Annotated[str, Path()], request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """One model."""
    if memory.proxy is not None:
        return await _passed(memory.proxy, request, passing, f"/models/{quote(model, safe='')}")
    if model not in _own_models(memory):
        raise NotFound("No such model")
    return _json(wire.model_object(model))


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
    return _json(wire.embeddings(vectors, embedder.model, asked.encoding_format or "float", tokens))


def _own_models(memory: Memory) -> tuple[str, str]:
    return wire.RULES, memory.engine.gists.embedder.model


def _options(given: Json) -> tuple[ProxyOptions, str | None]:
    """What a request asks of the proxy, and the user that it names."""
    try:
        fields = ProxyFields.model_validate({k: v for k, v in given.items() if k in ProxyFields.model_fields})
        return fields.options, fields.user_id
    except ValidationError as error:
        raise invalid(error) from None


def _without_user(url: URL) -> str:
    """The query of an address for the provider, which is not told whose memory it is."""
    return url.remove_query_params("user_id").query


def _check_messages(body: Json) -> None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InvalidField("messages: must be a list of at least one message", "messages")
    wrong = next((place for place, one in enumerate(messages) if not isinstance(one, dict)), None)
    if wrong is not None:
        raise InvalidField(f"messages[{wrong}]: must be an object", "messages")


def _check_roles(messages: Sequence[Json]) -> None:
    """Where no provider checks them."""
    wrong = next((place for place, one in enumerate(messages) if one.get("role") not in ROLES), None)
    if wrong is not None:
        raise InvalidField(f"messages[{wrong}].role: must be one of {', '.join(ROLES)}", "messages")


async def _while_there(request: Request, answering: Coroutine[Any, Any, Proxied]) -> Proxied | None:
    """A stream that has begun; None, and the model is not asked on, where its client left before."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    beginning, leaving = asyncio.create_task(answering), asyncio.create_task(left())
    try:
        await asyncio.wait([beginning, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        if not beginning.done():
            beginning.cancel()
            await asyncio.wait([beginning])
    return None if beginning.cancelled() else beginning.result()


def _returned(proxied: Proxied, request: Request) -> Response:
    headers = dict(proxied.headers) | {TURN_ID: proxied.turn_id}
    if isinstance(proxied.body, bytes):
        return Response(proxied.body, proxied.status, headers, proxied.media_type)
    events = until_the_end(request, proxied.body, lambda error: _error_event(error, request))
    return StreamingResponse(events, proxied.status, headers | sse.HEADERS, proxied.media_type)


def _error_event(error: Exception, request: Request) -> bytes:
    return event_of(error_of(error, request.scope["request_id"])[1])


async def _passed(proxy: Proxy, request: Request, passing: Passing, path: str, body: bytes | None = None) -> Response:
    """A call that goes through as it is."""
    passed: Passed = await proxy.upstream.send(
        request.method,
        path,
        body=body,
        headers=request.headers,
        query=_without_user(request.url),
        bearer=passing.bearer,
    )
    content = await passed.read()
    if passed.status >= 300 and not passed.is_json:
        raise ProviderError(passed.status)
    return Response(content, passed.status, passed.headers, passed.media_type)


def _json(body: Mapping[str, object]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


def _history(messages: Sequence[Mapping[str, Any]]) -> tuple[HistoryItem, ...]:
    """What was said before, as the request brings it."""
    said = ((message.get("role", ""), kept_text(message.get("content"))) for message in messages)
    return tuple(HistoryItem(role, text) for role, text in said if text and role in ("user", "assistant"))


async def _by_rules(memory: Memory, asked: ProxyRequest, request: Request) -> Response:
    """The rules' answer to the user's last message, in OpenAI's shapes."""
    messages = asked.body["messages"]
    at = newest_user(messages)
    _check_rules_can(asked.body)
    _check_roles(messages)
    query = kept_text(messages[at].get("content")) if at is not None else ""
    if not query:
        raise InvalidField("messages: without a language model, one message must be the user's text", "messages")
    turn_id = once_id(request)
    options = asked.options
    chat = ChatRequest(
        query=query,
        owner=user_of(asked.owner),
        project=options.project,
        session_id=options.memory_id,
        turn_id=turn_id,
        use_memory=options.reads,
        top_k=max(1, options.recipe.top_k),
        history=_history(messages[:at]),
        proxied=True,
        recipe=options.recipe,
        timezone=options.timezone,
        temporary=options.temporary,
        retried=may_be_done(request),
    )
    news = await news_of(memory.engine, asked.owner, options.memory_id, messages)
    if not options.temporary:
        await keep_earlier(memory.engine, asked.owner, options, turn_id, news)
    identifier, created = f"chatcmpl-{turn_id}", int(time())
    headers = {TURN_ID: turn_id}
    if not asked.streamed:
        finished = await memory.chat(chat)
        body = wire.completion(identifier, created, finished.answer, _hits(finished))
        return Response(orjson.dumps(body), headers=headers, media_type="application/json")
    stream = memory.stream(chat)
    await anext(stream)  # an error before the first event still has its own status
    wanted = asked.body.get("stream_options")
    with_usage = isinstance(wanted, dict) and wanted.get("include_usage") is True
    chunks = _chunks(stream, identifier, created, with_usage=with_usage)
    events = until_the_end(request, chunks, lambda error: _error_event(error, request))
    return StreamingResponse(events, headers=headers | sse.HEADERS, media_type=sse.MEDIA_TYPE)


def _check_rules_can(body: Json) -> None:
    """Rules say so where they cannot do what is asked, rather than do something else."""
    try:
        RulesFields.model_validate({k: v for k, v in body.items() if k in RulesFields.model_fields})
    except ValidationError as error:
        raise invalid(error) from None
    shape = body.get("response_format")
    if isinstance(shape, dict) and shape.get("type") not in (None, "text"):
        raise InvalidField("response_format: without a language model, answers are plain text", "response_format")
    if body.get("tool_choice") not in (None, "none", "auto"):
        raise InvalidField("tool_choice: without a language model, no tool is called", "tool_choice")
    if body.get("n") not in (None, 1):
        raise InvalidField("n: without a language model, there is one answer", "n")


async def _chunks(
    stream: AsyncGenerator[Event, None], identifier: str, created: int, *, with_usage: bool
) -> AsyncGenerator[bytes, None]:
    """The rules' answer in chunks: the role first, then text, why it ended, the tokens where they were asked for."""
    async with aclosing(stream):
        yield event_of(wire.chunk(identifier, created, {"role": "assistant", "content": ""}))
        try:
            async for event in stream:
                match event:
                    case Delta():
                        yield event_of(wire.chunk(identifier, created, {"content": event.text}))
                    case Finished():
                        last = wire.chunk(identifier, created, {}, "stop")
                        if with_usage:
                            yield event_of(last)
                            last = wire.chunk(identifier, created, None) | {"usage": wire.usage(event.answer)}
                        yield event_of(last | {"memory_hits": _hits(event)})
        except Exception as error:
            yield event_of(error_of(error, identifier)[1])
            return
    yield b"data: " + DONE + b"\n\n"


def _hits(finished: Finished) -> list[Json]:
    bundle = finished.context.bundle
    return memory_hits(bundle.recall.hits) if bundle is not None else []
