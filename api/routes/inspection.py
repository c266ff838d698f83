"""What is stored, for whoever runs Loci: every collection document by document, and what admins did."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse

from api.http.acting import AdminRoute, NamedUser
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.portable import MEDIA_TYPE
from api.routes import users
from api.wire import documents as wire
from api.wire.base import Deleted, Page
from api.wire.paging import cursor_at, cursor_of, cursor_of_key, key_of
from api.wire.probe import DayOut, GrowthOut
from memory.oversight import Found, Wanted
from utils.errors import InvalidInput, NotFound
from utils.fields import PRINTABLE, Identifier, LastMoment, Moment, ProjectName

router = APIRouter(prefix="/v1/admin", route_class=AdminRoute, tags=["admin"])

Name = Annotated[str, Path(max_length=200)]
Filter = Query(max_length=200, pattern=PRINTABLE)


@router.get("/collections")
async def list_collections(memory: TheMemory) -> wire.CollectionsOut:
    """The collections of memory, with their sizes and indexes."""
    stored = await memory.engine.oversight.browser.stored()
    return wire.CollectionsOut(items=[wire.CollectionOut.of(one) for one in stored])


@router.get("/growth")
async def get_growth(memory: TheMemory) -> GrowthOut:
    """How many documents each collection had, day by day, up to 366 of them, since they are counted."""
    days = await memory.engine.oversight.growth.days()
    return GrowthOut(days=[DayOut.of(day) for day in days])


@router.delete("/users/{user_id}", responses=errors(404))
async def delete_user(
    memory: TheMemory,
    owner: NamedUser,
    dry_run: Annotated[bool, Query(description="Count what would go, and delete nothing")] = True,
) -> Deleted:
    """Count what the deletion of a user would take; with `dry_run=false`, delete everything of theirs. API keys
    stay."""
    oversight = memory.engine.oversight
    if dry_run:
        return Deleted(deleted={name: count for name, count in (await oversight.owners.counts(owner)).items() if count})
    return Deleted(deleted=await oversight.forgetter.user(owner))


@router.get(
    "/users/{user_id}/export",
    response_class=StreamingResponse,
    responses=errors(404) | {200: {"content": {MEDIA_TYPE: users.LINES}, "description": "Everything of the user"}},
)
async def export_user(memory: TheMemory, owner: NamedUser) -> StreamingResponse:
    """Everything of a user, as the user's own export has it."""
    return await users.streamed_export(memory, owner)


@router.get("/collections/{collection}", responses=errors(404))
async def list_documents(
    collection: Name,
    memory: TheMemory,
    page: ThePage,
    user_id: Annotated[Identifier | None, Query(description="Of this user alone, newest first")] = None,
    project: Annotated[ProjectName | None, Query(description="The user's isolated project")] = None,
    session_id: Annotated[str | None, Filter] = None,
    kind: Annotated[str | None, Filter] = None,
    since: Annotated[Moment | None, Query()] = None,
    until: Annotated[LastMoment | None, Query()] = None,
    q: Annotated[str | None, Query(max_length=200, pattern=PRINTABLE, description="A part of the text")] = None,
) -> wire.FoundPage:
    """Documents of a collection. At most 5,000 are looked through for a page, so it may be short, or empty, with a
    `next_cursor` all the same. API keys are never shown."""
    by_time = user_id is not None and memory.engine.oversight.browser.listing(collection).moment is not None
    after = page.position if by_time else (None, page.key) if page.cursor is not None else None
    wanted = Wanted(user_id, project, session_id, kind, since, until, q)
    found = await memory.engine.oversight.browser.page(collection, wanted, limit=page.limit, after=after)

    def cursor(last: Found) -> str:
        return cursor_at(last.updated_at, last.key) if by_time and last.updated_at else cursor_of_key(last.key)

    more = cursor(found.after) if found.after is not None else None
    return wire.FoundPage(
        items=[wire.FoundOut.of(one, id=cursor_of_key(one.key)) for one in found.items], next_cursor=more
    )


@router.get("/collections/{collection}/{document_id}", responses=errors(404))
async def get_document(
    collection: Name, document_id: Annotated[str, Path(max_length=2_000)], memory: TheMemory
) -> wire.DocumentOut:
    """A document with the BSON types of its fields; a vector with its dimensions and length."""
    try:
        key = key_of(document_id)
    except InvalidInput:
        raise NotFound("No such document") from None
    return wire.DocumentOut.of(collection, await memory.engine.oversight.browser.document(collection, key))


@router.get("/audit")
async def list_audit(memory: TheMemory, page: ThePage) -> Page[wire.AuditOut]:
    """What admins did, and of whom they looked at something, newest first."""
    entries = await memory.engine.store.audit.page(limit=page.sought, after=page.position)
    return Page[wire.AuditOut].of(entries, page.limit, lambda entry: cursor_of((entry, entry.key)))
