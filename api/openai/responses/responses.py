"""Responses with memory: made by the provider or by rules, stored, listed and deleted."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from agents.memory import PAUSED, Memory
from agents.openai_chat import data_of, parsed, written
from agents.openai_responses import WHOLE
from agents.proxy import CHAT, RESPONSES, Proxied, event_of, failure
from api.auth import PassingOn
from api.http.once import may_be_done, once_id
from api.http.problems import error_of
from api.http.state import TheMemory, TheSettings
from api.openai.responses.listing import ThePart, listed
from api.openai.responses.passing import passed_body, returned_response
from api.openai.responses.placing import Placed, goes_on, place
from api.openai.responses.request import ResponseRequest, newest_said, response_request, said_in, whole_item
from api.openai.responses.translation import chat_body
from api.openai.responses.writing import ResponseWriter
from api.openai.route import (
    LEFT,
    OpenAIRoute,
    OwnerOf,
    answered,
    is_foreign,
    json_response,
    options_of,
    owner_of_stored,
    passed_on,
    read_ahead,
    read_object,
    returned,
)
from api.openai.wire import RULES, InvalidField, Json
from memory.ids import project_of
from memory.responses import Answered, ResponseItem, StoredResponse
from utils.errors import Conflict, LociError, NotFound
from utils.mongo import StoreError, foreseen

NOT_STREAMED = "stream: a response that is stored comes whole here, not in events"
NOT_CANCELLED = "Cannot cancel a synchronous response: only those in the background can be, and there are none here"
# What is called otherwise in a chat completion.
CALLED_HERE = {"messages": "input", "response_format": "text.format", "max_tokens": "max_output_tokens"}

router = APIRouter(route_class=OpenAIRoute, tags=["openai"])

ResponseId = Annotated[str, Path(description="As it was given, resp_…")]


@dataclass(frozen=True)
class _Asked:
    """A response that is under way. `identifier`: its id, without `resp_`; `passes`: the provider has this API."""

    memory: Memory
    owner: str
    request: ResponseRequest
    placed: Placed
    identifier: str
    passes: bool

    async def keep(self, response: Mapping[str, Any], proxied: Proxied) -> None:
        """Stores the response as its client gets it."""
        request, placed = self.request, self.placed
        failed = response.get("status") == "failed"
        output = [] if failed else [item for item in response.get("output") or () if isinstance(item, dict)]
        items = [whole_item(item, f"item_{self.identifier}o{at}") for at, item in enumerate(output)]
        answered = Answered(
            proxied.turn_id,
            {name: value for name, value in response.items() if name not in ("output", "memory_hits")},
            [] if failed else placed.kept,
            [ResponseItem(item["id"], item, said_in(item)) for item in items],
            newest_said(placed.items),
            proxied.kept,
        )
        await self.memory.engine.responses.responses.keep(
            self.owner,
            placed.begun,
            answered,
            previous=request.fields.previous_response_id,
            conversation=request.conversation,
            stored=request.stored,
        )


@router.post("/v1/responses", response_model=None)
async def create(request: Request, memory: TheMemory, settings: TheSettings, passing: PassingOn) -> Response:
    """Answer as OpenAI's API does, with what was said before."""
    body = await read_object(request)
    options, user, own = options_of(request, body, passing, theirs=("instructions",))
    if options.temporary:
        raise InvalidField("temporary: a response belongs to a conversation; ask for a chat completion", "temporary")
    if (await memory.preferences(user)).paused:
        if own.get("conversation"):
            raise Conflict(PAUSED)  # its items would be kept
        own = {**own, "store": False}
    asked = response_request(own)
    proxy = memory.proxy
    passes = proxy is not None and settings.has_responses and not options.compresses
    model = asked.fields.model
    if proxy is not None and (model is None or await is_foreign(proxy.upstream, settings, model, passing.bearer)):
        model = settings.chat_model
    calls = proxy is not None  # rules call no tools
    if not passes:
        chat_body(asked, asked.given, model, calls=calls)  # refuses before anything is kept
    identifier, again = once_id(request), may_be_done(request)
    asking = passed_on(request, passing, user, options, {"input": asked.fields.input}, dialect=RESPONSES)
    read_ahead(memory, asking)
    asking = await goes_on(memory.engine, asked, asking, f"resp_{identifier}")
    session = asking.options.memory_id or None
    owner = (await memory.within(user, options.project, session)).owner
    try:
        placed = await place(memory.engine.responses, owner, asked, identifier, session, again=again)
    except (InvalidField, NotFound):
        goes_on_from = asked.fields.previous_response_id or asked.conversation
        if options.project is not None or goes_on_from is None:
            raise
        owner = await owner_of_stored(memory.engine, user, goes_on_from)
        if owner == user:
            raise
        options = replace(options, project=project_of(owner))
        placed = await place(memory.engine.responses, owner, asked, identifier, session, again=again)
    options = replace(options, memory_id=placed.begun.session_id)
    try:
        try:
            if passes:
                going = passed_body(asked, placed.earlier, placed.given, model)
            else:
                going = chat_body(asked, placed.items, model, calls=calls)
            sent = replace(asking, options=options, body=going, dialect=RESPONSES if passes else CHAT)
            proxied = await answered(request, memory, sent)
        finally:
            await placed.noting
    except InvalidField as error:
        await memory.engine.responses.responses.take_back(owner, placed.begun)
        raise _called_here(error) from None
    if proxied is None:
        return Response(status_code=LEFT)
    if proxied.status >= 300:
        return returned(proxied, request, _error_event)
    under_way = _Asked(memory, owner, asked, placed, identifier, passes)
    if isinstance(proxied.body, bytes):
        whole = await _whole(under_way, proxied, parsed(proxied.body))
        return returned(replace(proxied, body=written(whole)), request, _error_event)
    events = _passed(under_way, proxied, proxied.body) if passes else _written(under_way, proxied, proxied.body)
    return returned(replace(proxied, body=events), request, _error_event)


@router.get("/v1/responses/{response_id}", response_model=None)
async def retrieve(
    response_id: ResponseId, memory: TheMemory, owner: OwnerOf, stream: Annotated[str | None, Query()] = None
) -> Response:
    """A response that was stored. What was forgotten since is missing from it."""
    responses = memory.engine.responses.responses
    response = await responses.get(owner, response_id)
    if stream not in (None, "false"):
        raise InvalidField(NOT_STREAMED, "stream", "unsupported_parameter")
    return _json({**response.body, "output": [item.body for item in await responses.output(owner, response)]})


@router.delete("/v1/responses/{response_id}", response_model=None)
async def delete(response_id: ResponseId, memory: TheMemory, owner: OwnerOf) -> Response:
    """Delete what is stored of a response. What was said stays remembered, until it is forgotten."""
    await memory.engine.responses.responses.delete(owner, response_id)
    return json_response({"id": response_id, "object": "response.deleted", "deleted": True})


@router.post("/v1/responses/{response_id}/cancel", response_model=None)
async def cancel(response_id: ResponseId, memory: TheMemory, owner: OwnerOf) -> Response:
    """Refused: no response goes on in the background."""
    await memory.engine.responses.responses.get(owner, response_id)
    raise InvalidField(NOT_CANCELLED, None)


@router.get("/v1/responses/{response_id}/input_items", response_model=None)
async def input_items(response_id: ResponseId, memory: TheMemory, owner: OwnerOf, part: ThePart) -> Response:
    """What a response was made of: the items before it, then its own."""
    responses = memory.engine.responses.responses
    response: StoredResponse = await responses.get(owner, response_id)
    before = await responses.before(owner, response, itself=False)
    return _json(await listed(responses.items, owner, before, part))


def _called_here(error: InvalidField) -> InvalidField:
    """A refusal by the names of this API."""
    for name, own in CALLED_HERE.items():
        if (error.param or "").startswith(name):
            param = own if error.param == name else "input"
            return InvalidField(error.detail.replace(name, own, 1), param, error.code)
    return error


async def _whole(asked: _Asked, proxied: Proxied, answer: Json) -> Json:
    """An answer that was not streamed, as a response that is stored by now; an error with status 200 as it came."""
    if not isinstance(answer.get("output" if asked.passes else "choices"), list):
        return answer
    if asked.passes:
        response = returned_response(answer, asked.identifier, asked.request)
    else:
        writer = ResponseWriter(asked.identifier, asked.request, asked.request.fields.model or RULES)
        _ = [*writer.read(answer), *writer.end()]
        response = writer.response(writer.status)
    await asked.keep(response, proxied)
    return response


async def _written(asked: _Asked, proxied: Proxied, chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The events of a response, from the chunks of a chat completion; the last one when all is stored."""
    writer = ResponseWriter(asked.identifier, asked.request, asked.request.fields.model or RULES)
    async with aclosing(chunks):
        for event in writer.begin():
            yield event_of(event)
        async for chunk in chunks:
            data = data_of(chunk)
            told = parsed(data) if data is not None else None
            if not isinstance(told, dict):
                continue
            if isinstance(error := told.get("error"), dict):
                yield event_of(writer.failed(error))
                return
            for event in writer.read(told):
                yield event_of(event)
        for event in writer.end():
            yield event_of(event)
        if (error := await _kept(asked, writer.response(writer.status), proxied)) is not None:
            yield event_of(writer.failed(error))
            return
        yield event_of(writer.last())


async def _passed(asked: _Asked, proxied: Proxied, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The events of a provider's response; the last one when all is stored."""
    async with aclosing(events):
        async for event in events:
            data = data_of(event)
            told = parsed(data) if data is not None else None
            if not isinstance(told, dict) or not isinstance(told.get("response"), dict):
                yield event
                continue
            response = returned_response(told["response"], asked.identifier, asked.request)
            ends = told.get("type") in WHOLE
            error = await _kept(asked, response, proxied) if ends else None
            yield event_of(
                told | {"response": response} if error is None else failure(error, told.get("sequence_number", 0))
            )


async def _kept(asked: _Asked, response: Json, proxied: Proxied) -> Json | None:
    """Stores a response; the error where that fails."""
    try:
        await asked.keep(response, proxied)
    except (LociError, StoreError) as error:
        return {"message": foreseen(error).detail, "code": "server_error", "param": None}
    return None


def _error_event(error: Exception) -> bytes:
    """How a stream ends that the server cuts off."""
    told: Json = error_of(error, "")[1]["error"]
    return event_of(failure(told, 0))


def _json(body: Mapping[str, object]) -> Response:
    """JSON that may hold anything."""
    return Response(written(body), media_type="application/json")
