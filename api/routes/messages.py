"""Messages in, search out."""

from time import perf_counter

from fastapi import APIRouter, Request

from api.auth import Owner, User, project_named
from api.http.once import ImportRoute, may_be_done, once_id
from api.http.openapi import errors
from api.http.state import TheMemory
from api.wire.search import MOST_WAITING, SearchRequest, SearchResponse
from api.wire.sessions import MessageIn, MessageRefused, MessagesRequest, MessagesResponse, RefusedOut
from config.recipes import SEARCH
from memory.domain import SAID, Turn
from memory.ids import derived_id
from memory.recall import Scope, with_overrides
from utils.clock import now

router = APIRouter(route_class=ImportRoute, tags=["messages"])


@router.post("/v1/messages")
async def add_messages(body: MessagesRequest, request: Request, memory: TheMemory, user: User) -> MessagesResponse:
    """Import turns without answering. Messages with ids that the user has already are no-ops, and one that is refused
    refuses no other."""
    once, moment = once_id(request), now()
    messages = [(at, message) for at, message in enumerate(body.messages) if isinstance(message, MessageIn)]
    rejected = [
        RefusedOut(index=at, id=message.id, reason=message.reason)
        for at, message in enumerate(body.messages)
        if isinstance(message, MessageRefused)
    ]
    if not messages:
        return MessagesResponse(accepted=0, duplicates=0, rejected=rejected, ids=[])
    turns = [
        Turn(
            id=message.id or derived_id(once, str(place)),
            role=message.role,
            content=message.content,
            timestamp=message.timestamp or moment,
            name=message.name,
            timezone=body.timezone,
        )
        for place, message in messages
    ]
    ids_are_new = not may_be_done(request) and all(message.id is None for _, message in messages)
    project = project_named(request, body.project)
    done = await memory.add(user, body.session_id, turns, project=project, ids_are_new=ids_are_new, wait=body.wait)
    return MessagesResponse(accepted=done.accepted, duplicates=done.duplicates, rejected=rejected, ids=list(done.ids))


@router.post("/v1/search", responses=errors(502))
async def search(body: SearchRequest, memory: TheMemory, owner: Owner) -> SearchResponse:
    """Recall without answering."""
    began = perf_counter()
    recipe = with_overrides(
        SEARCH, top_k=body.top_k, floor=body.min_score, recency_weight=body.recency_weight, mmr_lambda=body.mmr_lambda
    )
    scope = Scope(
        session_id=body.session_id,
        only_session=body.session_id is not None,
        kinds=tuple(body.kinds) if body.kinds is not None else SAID,
        since=body.since.timestamp() if body.since else None,
        until=body.until.timestamp() if body.until else None,
        timezone=body.timezone,
    )
    recall = await memory.search(owner, body.query, recipe, scope)
    waiting = None
    if not recall.hits:
        waiting = await memory.engine.gists.queue.count_of(owner, scope.kinds or SAID, MOST_WAITING)
    took = 1_000 * (perf_counter() - began)
    return SearchResponse.of(recall, body.query, took, waiting)
