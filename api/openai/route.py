"""What the routes of OpenAI's API share: how bodies are read, whose a request is, and how an answer is given back."""

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Annotated, Any
from urllib.parse import quote

import orjson
from fastapi import Depends, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.datastructures import URL

from agents.memory import Memory
from agents.proxy import Proxied, Proxy, ProxyOptions, ProxyRequest, identity_of, placed
from api.auth import Passing, PassingOn, memory_of, passing, project_in_header, user_in_header
from api.headers import MEMORIES, PAUSED, RETRIES, SESSION, TURN, TURN_ID
from api.http import sse
from api.http.ending import until_the_end
from api.http.once import JSON_TYPE, Handler, may_be_done, once, once_id
from api.openai.rules import complete_by_rules
from api.openai.wire import InvalidField, Json, ProxyFields, invalid
from config.settings import Settings
from memory.engine import Engine
from utils.errors import UnsupportedMediaType
from utils.upstream import Upstream

LONGEST = 4_000  # characters of the header: servers and clients take 8,000 of all of them
LEFT = 499  # a status that nobody sees


class OpenAIRoute(APIRoute):
    """Takes bodies as they come, and honours `Idempotency-Key`."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def looking(request: Request) -> Response:
            with request.app.state.memory.engine.store.changes.looked_at_once():
                return await handle(request)

        async def lenient(request: Request) -> Response:
            # Other pages may post plain text without asking first; this type they may not.
            if request.method == "POST" and not JSON_TYPE.match(request.headers.get("content-type", "")):
                raise UnsupportedMediaType("Send the body as Content-Type: application/json")
            return await once(LenientRequest(request.scope, request.receive), looking, user_of)

        return lenient


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


def options_of(
    request: Request, body: Json, passing: Passing, *, theirs: Collection[str] = ()
) -> tuple[ProxyOptions, str, Json]:
    """What a request asks of memory, the user whom it is about, and its body without the fields that are Loci's.
    `theirs`: fields that the protocol has itself.

    The user and the conversation stand in the body, the address or our headers, which must agree; else, where no key
    says whose memory it is, in what other clients send. Raises `InvalidField`, and `Forbidden` where the key is
    another user's.
    """
    ours = ProxyFields.model_fields.keys() - set(theirs)
    named: Mapping[str, Sequence[str | None]] = {
        "user_id": [*request.query_params.getlist("user_id"), user_in_header(request)],
        "memory_id": [session or None for session in request.headers.getlist(SESSION)],  # a template without a value
        "project": [project_in_header(request)],
    }
    given = {name: value for name, value in body.items() if name in ours}
    own = {name: value for name, value in body.items() if name not in ours}
    for name, values in named.items():
        said = [value for value in (given.get(name), *values) if value is not None]
        if any(value != said[0] for value in said):
            raise InvalidField(f"{name}: the request names different ones in its body, address or headers", name)
        given[name] = said[0] if said else None
    told = identity_of(request.headers, own)
    if told.temporary and given.get("temporary") is None:
        given["temporary"] = True
    try:
        fields = ProxyFields.model_validate(given)
    except ValidationError as error:
        raise invalid(error) from None
    user = fields.user_id or (told.user if passing.caller.user is None else None)
    options = replace(fields.options, memory_id=fields.memory_id or told.session or "")
    return options, passing.caller.owner(user), own


async def user_of(request: Request) -> str:
    """The user whom a request is about. Raises as `options_of`."""
    return (await _named(request, await passing(request)))[0]


async def owner_of(request: Request, passing: PassingOn) -> str:
    """Whose memory a request is about: of the user whom its address, body or headers name, or of the project. Where it
    names none, the response or conversation that it is about may be an isolated one's. Raises `Forbidden` where the key
    is another user's."""
    user, project = await _named(request, passing)
    ours = request.path_params.get("response_id") or request.path_params.get("conversation_id")
    if project is None and ours is not None:
        return await owner_of_stored(request.app.state.memory.engine, user, ours)
    return await memory_of(request, user, project)


async def owner_of_stored(engine: Engine, user: str, identifier: str) -> str:
    """Whose memory, of all that a user has, has a response or conversation; the user's own where none has."""
    isolated = await engine.chats.projects.isolated(user)
    return await engine.responses.responses.owner_of(isolated, identifier) or user


async def _named(request: Request, passing: Passing) -> tuple[str, str | None]:
    """The user and the project that a request names; other fields of Loci's are left to those who read them."""
    body = await read_object(request) if await request.body() else {}
    others = ProxyFields.model_fields.keys() - {"user_id", "project"}
    options, user, _ = options_of(request, body, passing, theirs=others)
    return user, options.project


OwnerOf = Annotated[str, Depends(owner_of)]


def without_user(url: URL) -> str:
    """The query of an address for the provider, which is not told whose memory it is."""
    return url.remove_query_params("user_id").query


def passed_on(
    request: Request, passing: Passing, owner: str, options: ProxyOptions, body: Json, **more: Any
) -> ProxyRequest:
    """A body, as it goes on to whoever answers. `more`: other fields of a `ProxyRequest`."""
    return ProxyRequest(
        owner=owner,
        body=body,
        options=options,
        headers=request.headers,
        query=without_user(request.url),
        bearer=passing.bearer,
        turn_id=once_id(request),
        once=once_id(request) if may_be_done(request) else None,
        retried=request.headers.get(RETRIES, "0") != "0",
        **more,
    )


async def answered(request: Request, memory: Memory, asked: ProxyRequest, proxy: Proxy | None = None) -> Proxied | None:
    """What the provider answers, or rules where there is none; None where the client of a stream left before it
    began. `proxy`: to another provider than the one of chat completions."""
    proxy = proxy or memory.proxy
    read_ahead(memory, asked)
    asked = await _at(memory, asked, by_rules=proxy is None)
    if proxy is None:
        answer: Proxied | None = await complete_by_rules(memory, asked)
    elif asked.streamed:
        answer = await _while_there(request, proxy.complete(asked))
    else:
        answer = await proxy.complete(asked)
    return replace(answer, headers={**answer.headers, PAUSED: "true"}) if answer and asked.options.paused else answer


def read_ahead(memory: Memory, asked: ProxyRequest) -> None:
    """Has the encoder, which takes longest, begin while it is looked up where a request belongs."""
    if asked.options.reads and (said := asked.searched_by):
        memory.engine.search.recaller.read_ahead(asked.owner, said)


async def _at(memory: Memory, asked: ProxyRequest, *, by_rules: bool) -> ProxyRequest:
    """A request where it belongs: in its conversation, with whose memory that is and the instructions that hold there.
    `asked`: in the name of its user."""
    user, options = asked.owner, asked.options
    asked = await placed(memory.engine, asked)
    making = not options.temporary and not asked.is_chore
    at = await memory.within(user, options.project, asked.options.memory_id, making=making)
    zone = options.timezone or at.timezone or memory.timezone
    options = replace(asked.options, timezone=zone, project=at.project)
    if at.paused:
        options = replace(options, temporary=True, paused=True)
    asked = replace(asked, owner=at.owner, options=options)
    standing = () if by_rules else (*at.instructions, *options.instructions)
    if not standing or not (options.temporary or options.strategy != "none"):
        return asked
    return replace(asked, body=asked.dialect.instructed(asked.body, standing), raw=None)


async def is_foreign(upstream: Upstream, settings: Settings, model: str, bearer: str | None) -> bool:
    """Whether a model is another provider's, and CHAT_MODEL this one's."""
    if settings.unknown_models == "as_sent" or model == settings.chat_model or await upstream.knows(model, bearer):
        return False
    return "chat_model" in settings.model_fields_set or await upstream.knows(settings.chat_model, bearer)


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


def headers_of(proxied: Proxied) -> dict[str, str]:
    """Those of an answer, with what memory has to say of it: the ids of the memories that it gave, percent-encoded, as
    far as they fit in."""
    ids = [quote(identifier, safe="") for identifier in proxied.memories]
    lengths = accumulate(len(identifier) + 1 for identifier in ids)
    memories = ",".join(identifier for identifier, length in zip(ids, lengths, strict=True) if length <= LONGEST)
    own = {TURN_ID: proxied.turn_id, TURN: proxied.turn_id, SESSION: quote(proxied.session), MEMORIES: memories}
    return {**proxied.headers, **own}


def returned(proxied: Proxied, request: Request, error_event: Callable[[Exception], bytes]) -> Response:
    """An answer as the client gets it. `error_event`: how its stream ends where the server stops meanwhile."""
    headers = headers_of(proxied)
    if isinstance(proxied.body, bytes):
        return Response(proxied.body, proxied.status, headers, proxied.media_type)
    events = until_the_end(request, proxied.body, error_event)
    return StreamingResponse(events, proxied.status, headers | sse.HEADERS, proxied.media_type)


def json_response(body: Mapping[str, object]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")
