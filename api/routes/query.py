"""Chat: `/query`, whole or streamed, and the receipt of each answer."""

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from agents.chat import ChatRequest, HistoryItem
from agents.events import Event
from api.auth import Owner, User, project_named
from api.http import sse
from api.http.ending import until_the_end
from api.http.once import LociRoute, may_be_done, once_id
from api.http.openapi import errors
from api.http.state import TheMemory
from api.wire.chat import QueryRequest, QueryResponse, Stopping
from api.wire.receipts import ReceiptOut, WhyNotOut
from memory.ids import derived_id
from utils.fields import Identifier

router = APIRouter(route_class=LociRoute, tags=["chat"])


@router.post(
    "/query",
    response_model=None,
    responses=errors(502)
    | {
        200: {
            "model": QueryResponse,
            "content": {sse.MEDIA_TYPE: {}},
            "description": "The answer; events with `stream`",
        }
    },
)
async def query(body: QueryRequest, request: Request, memory: TheMemory, user: User) -> Response:
    """Answer a question with what the user said before."""
    once = once_id(request)
    chat = ChatRequest(
        query=body.query,
        owner=user,
        session_id=body.session_id or derived_id(once, "session"),
        turn_id=once,
        use_memory=body.use_memory if "use_memory" in body.model_fields_set else None,
        top_k=body.top_k if "top_k" in body.model_fields_set else None,
        history=tuple(HistoryItem(item.role, item.content, tuple(item.images or ())) for item in body.history or ()),
        images=tuple(body.images or ()),
        same_images=body.images is None,
        location=body.location,
        timezone=body.timezone,
        locale=body.locale,
        project=project_named(request, body.project),
        model=body.model,
        temperature=body.temperature,
        max_tokens=body.max_tokens,
        reasoning_effort=body.reasoning_effort,
        temporary=body.temporary,
        retried=may_be_done(request),
        detached=body.detached,
        instructions=body.instructions,
        prompt=body.prompt,
        goes_on=body.follows,
        instead_of=body.instead_of,
    )
    if not body.stream:
        finished = await memory.chat(chat)
        return Response(QueryResponse.of(finished).model_dump_json(), media_type="application/json")
    return await _streamed(request, await memory.detached.begin(chat) if body.detached else memory.stream(chat))


@router.get(
    "/v1/answers/{turn_id}",
    response_model=None,
    responses=errors(404) | {200: {"content": {sse.MEDIA_TYPE: {}}, "description": "The events of the answer"}},
)
async def follow(turn_id: Annotated[Identifier, Path()], request: Request, memory: TheMemory, owner: Owner) -> Response:
    """Follow an answer that is under way, from its beginning. One that another process gives comes as `delta` events
    alone; it is kept once they end."""
    return await _streamed(request, await memory.detached.follow(owner, turn_id))


@router.post("/v1/answers/{turn_id}/stop", responses=errors(404))
async def stop(turn_id: Annotated[Identifier, Path()], memory: TheMemory, owner: Owner) -> Stopping:
    """Stop an answer that is under way. What came so far is kept, marked as interrupted."""
    await memory.detached.stop(owner, turn_id)
    return Stopping(turn_id=turn_id)


@router.get("/v1/receipts/{turn_id}", responses=errors(404))
async def receipt(turn_id: Annotated[Identifier, Path()], memory: TheMemory, owner: Owner) -> ReceiptOut:
    """What an answer considered, used and dropped, and what each section of its prompt cost."""
    receipt = await memory.engine.chats.receipts.get(owner, turn_id)
    return ReceiptOut.of_receipt(receipt, owner, await memory.engine.oversight.sources.of(owner, receipt.used))


@router.get("/v1/receipts/{turn_id}/why-not", responses=errors(404, 502))
async def why_not(
    turn_id: Annotated[Identifier, Path()], id: Annotated[Identifier, Query()], memory: TheMemory, owner: Owner
) -> WhyNotOut:
    """Why an answer did not use one of the user's messages or observations."""
    return WhyNotOut.of_answer(await memory.engine.oversight.explainer.why_not(owner, turn_id, id))


async def _streamed(request: Request, stream: AsyncGenerator[Event, None]) -> StreamingResponse:
    first = await anext(stream)  # an error before the first event still has its own status
    request_id = request.scope["request_id"]
    events = sse.events(first, stream, request_id)
    whole = until_the_end(request, events, lambda error: sse.error_event(error, request_id))
    return StreamingResponse(whole, media_type=sse.MEDIA_TYPE, headers=sse.HEADERS)
