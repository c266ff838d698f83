"""Writes that happen once however often their request is sent: the route class of every JSON route."""

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, cast

from fastapi import Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.responses import StreamingResponse

from api.auth import check_names, check_parameters, user
from api.headers import IDENTITY, KEPT
from api.wire.base import OwnedRequest
from api.wire.strict import ImportRequest, StrictRequest, ToolRequest
from memory.ids import derived_id, new_id
from memory.store import IdempotencyKeys, StoredAnswer
from utils import mongo
from utils.errors import InvalidInput, UnsupportedMediaType
from utils.fields import Wire
from utils.text import CONTROL_CHARACTERS

KEY_CHARACTERS = 255
JSON_TYPE = re.compile(r"\s*application/([\w.-]+\+)?json\s*(;|$)", re.IGNORECASE)
# How the last event of a whole stream begins.
ENDS = (
    b"event: done",
    b"data: [DONE]",
    b"event: response.completed",
    b"event: response.incomplete",
    b"event: message_stop",
)
READING = frozenset({"GET", "HEAD", "OPTIONS"})

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Whose = Callable[[Request], Awaitable[str]]

_settling: set[asyncio.Task[None]] = set()


class LociRoute(APIRoute):
    """Reads JSON strictly, and honours `Idempotency-Key` on every write. A route that takes no body takes one that
    names the user."""

    request_class: type[StrictRequest] = StrictRequest
    extra: frozenset[str] = frozenset({"user_id"})  # parameters that any route of the class takes
    bodiless: type[Wire] = OwnedRequest  # what may come where a route takes no body

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        fields = get_flat_params(self.dependant)
        known = {field.alias for field in fields if isinstance(field.field_info, Query)} | self.extra

        async def strict(request: Request) -> Response:
            request = self.request_class(request.scope, request.receive)
            check_parameters(request, known)
            if await request.body():
                if not JSON_TYPE.match(request.headers.get("content-type", "")):
                    raise UnsupportedMediaType("Send the body as Content-Type: application/json")
                body = await request.json()  # here rather than in FastAPI, which would tell less
                if self.body_field is None and body is not None:
                    _check_bodiless(body, self.bodiless)
            await check_names(request)
            return await self.answer(request, handle)

        return strict

    async def answer(self, request: Request, handle: Handler) -> Response:
        """Answers a request that was read."""
        return await once(request, handle, _user)


def _check_bodiless(body: object, wire: type[Wire]) -> None:
    """Refuses a body that has more than a route without one takes. Raises `RequestValidationError`."""
    try:
        wire.model_validate(body)
    except ValidationError as error:
        errors = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(errors) from None


class ToolRoute(LociRoute):
    """The same for what tools gave."""

    request_class = ToolRequest


class ImportRoute(LociRoute):
    """The same for messages, of which each is taken or refused by itself."""

    request_class = ImportRequest


async def persistently(request: Request, handle: Handler) -> Response:
    """Handles a request `mongo.persistently`; what it had made by then is known by `once_id`."""

    async def handled(again: bool) -> Response:
        if again:
            request.state.may_be_done = True
        return await handle(request)

    return await mongo.persistently(handled)


async def once(request: Request, handle: Handler, whose: Whose) -> Response:
    """Handles a request `persistently`, or gives the answer that it had under its `Idempotency-Key` before. `whose`:
    tells the user that the request is about, as its route does.

    Raises `InvalidInput` where the key cannot be one, `IdempotencyMismatch` where it was another request's, and
    `Conflict` while that is being answered.
    """
    return await persistently(request, lambda again: _once(again, handle, whose))


async def _once(request: Request, handle: Handler, whose: Whose) -> Response:
    key = request.headers.get("idempotency-key")
    if key is None or request.method in READING:
        return await handle(request)
    if not 0 < len(key) <= KEY_CHARACTERS or CONTROL_CHARACTERS.search(key):
        raise InvalidInput(f"An Idempotency-Key has 1 to {KEY_CHARACTERS} characters")
    requests: IdempotencyKeys = request.app.state.memory.engine.store.idempotency
    body = await request.body()
    parsed = await request.json() if body else None
    if isinstance(parsed, dict) and parsed.get("temporary") is True:
        return await handle(request)  # it writes nothing, and nothing of it may be kept
    owner = await whose(request)
    if (await request.app.state.memory.preferences(owner)).paused:
        return await handle(request)  # nothing of what is said is kept
    route = f"{request.method} {request.url.path}?{request.url.query}\n"
    identity = "".join(f"{name}: {value}\n" for name in IDENTITY for value in request.headers.getlist(name))
    fingerprint = hashlib.sha256(f"{route}{identity}".encode() + body).hexdigest()
    stored = await requests.begin(owner, key, fingerprint)
    if stored is not None:
        headers = {"Idempotency-Replayed": "true", **stored.headers}
        return Response(stored.body, stored.status, headers, stored.media_type)
    _hold(requests, owner, key)
    request.state.once, request.state.may_be_done = derived_id(owner, key), True
    try:
        response = await handle(request)
    except BaseException:
        await requests.release(owner, key)
        raise

    async def settle(answer: bytes | None) -> None:
        if answer is None:
            await requests.release(owner, key)
        else:  # a deletion may have deleted this record too, and answers nothing that was said
            deletion = request.method == "DELETE"
            await requests.finish(owner, key, fingerprint, _stored(response, answer), anew=deletion)

    if isinstance(response, StreamingResponse):
        body_iterator = cast(AsyncGenerator[bytes, None], response.body_iterator)
        response.body_iterator = _recorded(body_iterator, settle)
    else:
        await settle(bytes(response.body) if response.status_code < 300 else None)
    return response


def _hold(requests: IdempotencyKeys, owner: str, key: str) -> None:
    """Holds the key for as long as the task runs that serves this request, its stream included."""
    holding = asyncio.create_task(requests.hold(owner, key))
    serving = asyncio.current_task()
    assert serving is not None  # noqa: S101
    serving.add_done_callback(lambda _: holding.cancel())


async def _user(request: Request) -> str:
    """The user whom the path names, or else the query, the body or the header."""
    return await user(request, request.path_params.get("user_id") or request.query_params.get("user_id"))


async def _recorded(
    body: AsyncGenerator[bytes, None], settle: Callable[[bytes | None], Coroutine[Any, Any, None]]
) -> AsyncIterator[bytes]:
    """Passes a stream on; keeps it as the answer once it has come to its end, and lets the request go else."""
    chunks: list[bytes] = []
    whole = False
    try:
        async with aclosing(body) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                yield chunk
        whole = chunks[-1].startswith(ENDS) if chunks else False
    finally:
        # A task of its own: a client that has left cancels what is awaited here.
        settling = asyncio.create_task(settle(b"".join(chunks) if whole else None))
        _settling.add(settling)
        settling.add_done_callback(_settling.discard)
        await asyncio.shield(settling)


def _stored(response: Response, body: bytes) -> StoredAnswer:
    media_type = response.headers.get("content-type", "application/json")
    kept = {name: value for name, value in response.headers.items() if name in KEPT}
    return StoredAnswer(response.status_code, media_type, body, kept)


def once_id(request: Request) -> str:
    """The id that a request gives to what it makes: the same however often it is handled and, under an idempotency key,
    sent."""
    if not hasattr(request.state, "once"):
        request.state.once = new_id()
    return cast(str, request.state.once)


def may_be_done(request: Request) -> bool:
    """Whether what a request makes may be there already."""
    return getattr(request.state, "may_be_done", False)
