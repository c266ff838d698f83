"""A user's key/value facts. A key may hold slashes, as they are or percent-encoded."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import AfterValidator

from api.auth import Owner
from api.http.etags import UNDER_KEY, IfMatch, IfNoneMatch, condition, tag
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import facts as wire
from api.wire.base import Deleted, Page
from utils.fields import MessageId, not_a_dot_segment

router = APIRouter(prefix="/v1/memories", route_class=LociRoute, tags=["memories"])

HISTORY = "/history"


def _arrives(key: str) -> str:
    """What stands in an address must arrive there as it was sent."""
    for part in key.split("/"):
        not_a_dot_segment(part)
    return key


def _not_a_history(key: str) -> str:
    if key.endswith(HISTORY):
        raise ValueError("must not end in /history, where a key's former values are")
    return key


Key = Annotated[MessageId, AfterValidator(_arrives), Path()]
KeyToPut = Annotated[Key, AfterValidator(_not_a_history)]


@router.get("")
async def list_memories(memory: TheMemory, owner: Owner, page: ThePage) -> Page[wire.MemoryOut]:
    """All facts, the newest first."""
    keyvalues = await memory.engine.chats.keyvalues.page(owner, limit=page.sought, after=page.position)
    return Page[wire.MemoryOut].by_time(keyvalues, page.limit)


@router.get(UNDER_KEY + HISTORY, responses=errors(404))
async def memory_history(key: Key, memory: TheMemory, owner: Owner) -> wire.MemoryHistory:
    """Every value that the fact had, the present one first."""
    values = await memory.engine.chats.keyvalues.history(owner, key)
    return wire.MemoryHistory(items=[wire.MemoryOut.of(fact) for fact in values])


@router.get(UNDER_KEY, responses=errors(404))
async def get_memory(key: Key, response: Response, memory: TheMemory, owner: Owner) -> wire.MemoryOut:
    """One fact; its ETag is another after every change."""
    fact = await memory.engine.chats.keyvalues.get(owner, key)
    tag(response, fact)
    return wire.MemoryOut.of(fact)


@router.put(UNDER_KEY, responses={201: {"model": wire.MemoryOut, "description": "The key is new"}, **errors(412)})
async def put_memory(
    key: KeyToPut,
    body: wire.MemoryPut,
    response: Response,
    memory: TheMemory,
    owner: Owner,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> wire.MemoryOut:
    """Keep a value under a key. With `If-Match`, only in place of that value; with `If-None-Match: *`, only
    where there is none."""
    keyvalues = memory.engine.chats.keyvalues
    expected = await condition(lambda: keyvalues.get(owner, key), if_match, if_none_match)
    fact, new = await keyvalues.put(owner, key, body.value, expected=expected)
    tag(response, fact, new=new)
    return wire.MemoryOut.of(fact)


@router.delete(UNDER_KEY, responses=errors(404, 412))
async def delete_memory(key: Key, memory: TheMemory, owner: Owner, if_match: IfMatch = None) -> Deleted:
    """Delete a fact with its history. What was said in messages stays."""
    keyvalues = memory.engine.chats.keyvalues
    expected = await condition(lambda: keyvalues.get(owner, key), if_match, deleting=True)
    await keyvalues.delete(owner, key, expected=expected)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted={"memories": 1})
