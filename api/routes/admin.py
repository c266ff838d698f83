"""What whoever runs Loci may see of all users, and have done again. Nothing here deletes."""

import asyncio
from time import monotonic
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.exceptions import RequestValidationError

from agents.memory import Memory
from api.http.acting import AdminRoute, NamedUser, acting
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage, TheSettings
from api.routes import facts, memories, messages, operations, query, sessions
from api.routes.sessions import SessionId
from api.wire import admin as wire
from api.wire.base import Page
from api.wire.paging import cursor_of, cursor_of_key, key_of, page_of
from api.wire.receipts import ReceiptOut
from api.wire.sessions import SummaryOut
from memory import metrics
from memory.domain import TURN
from memory.oversight import Progress
from utils.errors import InvalidInput, NotFound
from utils.fields import PRINTABLE, Identifier
from utils.text import cut_at_word

router = APIRouter(prefix="/v1/admin", route_class=AdminRoute, tags=["admin"])

MEGABYTE = 1 << 20
PART_OF_ID = "A part of the id, in any case"

EXCERPT = 2_000  # characters of each text of a receipt
TurnId = Annotated[Identifier, Path()]


OneKind = Annotated[str | None, Query(description="Of it alone")]


def _kinds(memory: Memory, kind: str | None, where: str) -> tuple[str, ...]:
    """The kinds of jobs, or the one that a request names. Raises `RequestValidationError` where there is none such."""
    kinds = memory.engine.oversight.jobs.kinds
    if kind is not None and kind not in kinds:
        wrong = {"type": "enum", "loc": (where, "kind"), "msg": f"Input should be one of {', '.join(kinds)}"}
        raise RequestValidationError([wrong | {"input": kind}])
    return kinds if kind is None else (kind,)


@router.get("/overview")
async def overview(request: Request, memory: TheMemory, settings: TheSettings) -> wire.Overview:
    """What runs, on what, how much there is, and how much is to be done."""
    health, totals, waiting = await asyncio.gather(
        operations.health(memory, settings),
        memory.engine.oversight.owners.totals(),
        memory.engine.oversight.jobs.waiting(),
    )
    observer = settings.observer_model or settings.summary_model
    return wire.Overview(
        **vars(health),
        guarded=request.app.state.keys.has_admin,
        uptime_seconds=round(monotonic() - request.app.state.started, 1),
        driver=settings.mongodb_driver,
        vector_search=settings.vector_search,
        observer_model=observer if settings.has_model else health.summary_model,
        rerank_model=settings.rerank_model.name if settings.rerank_model is not None else None,
        counts={"users": totals.users, "messages": totals.gists[TURN], **totals.documents},
        gists=dict(totals.gists),
        jobs=[wire.JobsOut.of(one, **one.counts) for one in waiting],
        recall=wire.RecallOut(
            indexes=metrics.figure("loci_index_users"),
            bytes=metrics.figure("loci_index_bytes"),
            bytes_at_most=settings.recall_memory_mb * MEGABYTE,
        ),
    )


@router.get("/users")
async def list_users(
    memory: TheMemory,
    page: ThePage,
    q: Annotated[str, Query(max_length=200, pattern=PRINTABLE, description=PART_OF_ID)] = "",
) -> Page[wire.UserOut]:
    """Everybody who has anything here, be it an API key alone, in the order of their ids."""
    owners = await memory.engine.oversight.owners.page(limit=page.sought, after=page.key, part=q)
    return Page[wire.UserOut].of(owners, page.limit, lambda seen: cursor_of_key(seen.id))


@router.get("/users/{user_id}", responses=errors(404))
async def get_user(memory: TheMemory, owner: NamedUser) -> wire.UserDetail:
    """One user, with how much each collection has of theirs."""
    owners = memory.engine.oversight.owners
    seen, counts = await asyncio.gather(owners.seen(owner), owners.counts(owner))
    return wire.UserDetail.of(seen, counts=counts)


for path, endpoint in (
    ("/sessions", sessions.list_sessions),
    ("/sessions/{session_id}", sessions.get_session),
    ("/memories", memories.list_memories),
    ("/facts", facts.list_facts),
    ("/receipts/{turn_id}/why-not", query.why_not),
):
    router.add_api_route(f"/users/{{user_id}}{path}", acting(endpoint), methods=["GET"], responses=errors(404, 502))
router.add_api_route("/users/{user_id}/search", acting(messages.search), methods=["POST"], responses=errors(404, 502))


@router.get("/users/{user_id}/sessions/{session_id}/messages", responses=errors(404))
async def watch_messages(session_id: SessionId, memory: TheMemory, owner: NamedUser, page: ThePage) -> wire.WatchedPage:
    """The messages of a session, in order, each with how far its embedding is."""
    engine = memory.engine
    await engine.chats.sessions.get(owner, session_id)
    watched = await engine.chats.turns.page(owner, session_id, after=page.index, limit=page.sought)
    turns, more = page_of(watched, page.limit, lambda turn: str(turn.index))
    places = [turn.index for turn in turns if turn.index is not None]
    states = await engine.oversight.jobs.embeddings(owner, session_id, places[0], places[-1]) if places else {}
    items = [wire.WatchedMessage.of(turn, embedding=states.get(turn.index or 0)) for turn in turns]
    return wire.WatchedPage(items=items, next_cursor=more)


@router.get("/users/{user_id}/sessions/{session_id}/summaries", responses=errors(404))
async def list_summaries(session_id: SessionId, memory: TheMemory, owner: NamedUser, page: ThePage) -> Page[SummaryOut]:
    """The summaries of a session, oldest first."""
    engine, after = memory.engine, page.index
    await engine.chats.sessions.get(owner, session_id)
    summaries = [one for one in await engine.chats.summaries.of_session(owner, session_id) if one.from_index > after]
    return Page[SummaryOut].of(summaries, page.limit, lambda summary: str(summary.from_index))


@router.get("/users/{user_id}/receipts/{turn_id}", responses=errors(404))
async def get_receipt(turn_id: TurnId, memory: TheMemory, owner: NamedUser) -> wire.ReceiptRead:
    """Why an answer remembered what it did, with the texts that it considered, as far as they are there."""
    kept = await memory.engine.chats.receipts.get(owner, turn_id)
    receipt = ReceiptOut.of_receipt(kept, owner, await memory.engine.oversight.sources.of(owner, kept.used))
    ids = [*receipt.messages, *(one.id for one in receipt.considered)]
    gists = await memory.engine.gists.reader.by_ids(owner, ids)
    texts = {gist.id: cut_at_word(gist.content, EXCERPT) for gist in gists}
    return wire.ReceiptRead(**vars(receipt), texts=texts)


@router.get("/jobs")
async def list_jobs(
    memory: TheMemory,
    page: ThePage,
    state: Annotated[Progress, Query(description="In it alone")] = "dead",
    kind: OneKind = None,
) -> Page[wire.JobOut]:
    """Jobs of all users, kind by kind, those due longest first."""
    kinds = _kinds(memory, kind, "query")
    jobs = await memory.engine.oversight.jobs.page(state, kinds, limit=page.sought, after=page.position)
    return Page[wire.JobOut].of(jobs, page.limit, lambda job: cursor_of((job, job.place)))


@router.post("/jobs/retry")
async def retry_jobs(memory: TheMemory, kind: OneKind = None) -> wire.Retried:
    """Put all dead jobs back, or those of a kind, with all their attempts before them, and tell the workers."""
    return wire.Retried(retried={each: await memory.retry(each) for each in _kinds(memory, kind, "query")})


@router.post("/jobs/{kind}/{job_id}/retry", responses=errors(404, 409))
async def retry_job(
    kind: Annotated[str, Path()], job_id: Annotated[str, Path(max_length=2_000)], memory: TheMemory
) -> wire.Retried:
    """Put a dead job back. One that is not dead is left as it is, and the answer is 409."""
    _kinds(memory, kind, "path")
    try:
        key = key_of(job_id)
    except InvalidInput:
        raise NotFound("No such job") from None
    return wire.Retried(retried={kind: await memory.retry(kind, key)})
