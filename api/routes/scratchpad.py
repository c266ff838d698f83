"""The working memory of a user's agents: values under keys. A key may hold slashes, as they are or percent-encoded."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import StringConstraints

from api.auth import Owner
from api.http.etags import UNDER_KEY, IfMatch, IfNoneMatch, condition, tag
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import observations as wire
from api.wire.base import Deleted, Page
from api.wire.paging import cursor_of_key
from memory.observations import LONGEST_KEY, wrong_with
from utils.fields import PRINTABLE, checked_by

router = APIRouter(prefix="/v1/scratchpad", route_class=LociRoute, tags=["scratchpad"])

Key = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_KEY), checked_by(wrong_with), Path()]
Prefix = Annotated[str, Query(max_length=LONGEST_KEY, pattern=PRINTABLE, description="How keys begin")]
Text = Annotated[str, Query(max_length=200, pattern=PRINTABLE, description="What keys or values have in them")]


@router.get("")
async def list_entries(
    memory: TheMemory, owner: Owner, page: ThePage, prefix: Prefix = "", q: Text = ""
) -> Page[wire.EntryOut]:
    """Entries in the order of their keys."""
    entries = await memory.scratchpad.page(owner, limit=page.sought, after=page.key, prefix=prefix, text=q)
    return Page[wire.EntryOut].of(entries, page.limit, lambda entry: cursor_of_key(entry.key))


@router.get(UNDER_KEY, responses=errors(404))
async def get_entry(key: Key, response: Response, memory: TheMemory, owner: Owner) -> wire.EntryOut:
    """The value under a key; its ETag is another after every change."""
    entry = await memory.scratchpad.get(owner, key)
    tag(response, entry)
    return wire.EntryOut.of(entry)


@router.put(UNDER_KEY, responses={201: {"model": wire.EntryOut, "description": "The key is new"}, **errors(412)})
async def put_entry(
    key: Key,
    body: wire.EntryPut,
    response: Response,
    memory: TheMemory,
    owner: Owner,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> wire.EntryOut:
    """Keep a value under a key, for a time or until it is replaced. With `If-Match`, only in place of that value; with
    `If-None-Match: *`, only where there is none."""
    expected = await condition(lambda: memory.scratchpad.get(owner, key), if_match, if_none_match)
    ttl = timedelta(seconds=body.ttl_seconds) if body.ttl_seconds is not None else None
    entry, new = await memory.scratchpad.put(owner, key, body.value, ttl=ttl, expected=expected)
    tag(response, entry, new=new)
    return wire.EntryOut.of(entry)


@router.delete(UNDER_KEY, responses=errors(404, 412))
async def delete_entry(key: Key, memory: TheMemory, owner: Owner, if_match: IfMatch = None) -> Deleted:
    """Delete what is kept under a key."""
    expected = await condition(lambda: memory.scratchpad.get(owner, key), if_match, deleting=True)
    await memory.scratchpad.delete(owner, key, expected=expected)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted={"scratchpad": 1})
