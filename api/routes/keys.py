"""API keys, for whoever runs Loci: made, listed, rotated, revoked."""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from api.auth import ApiKeys
from api.http.acting import AdminRoute
from api.http.openapi import errors
from api.http.state import TheMemory
from api.wire import keys as wire
from api.wire.base import Deleted
from utils.errors import Conflict
from utils.fields import Identifier

router = APIRouter(prefix="/v1/admin/keys", route_class=AdminRoute, tags=["admin"])

KeyId = Annotated[Identifier, Path(description="How the key begins, as the list shows it")]
CLOSES = "With the first key these routes close, as no ADMIN_KEY is set: set one, or use `loci keys create`"


@router.get("")
async def list_keys(memory: TheMemory) -> wire.KeysOut:
    """All API keys, the oldest first: whose each is, what for, and when it was used last."""
    return wire.KeysOut(items=[wire.KeyOut.of(key) for key in await memory.engine.store.api_keys.listed()])


@router.post("", status_code=201, responses=errors(409))
async def create_key(body: wire.NewKey, request: Request) -> wire.MadeKey:
    """Make a key. From the first one on, every request needs one."""
    keys: ApiKeys = request.app.state.keys
    if not keys.has_admin:
        raise Conflict(CLOSES)
    return wire.MadeKey(key=await keys.create(body.user_id, body.name))


@router.post("/{key_id}/rotate", responses=errors(404))
async def rotate_key(key_id: KeyId, memory: TheMemory) -> wire.MadeKey:
    """Make a key in the place of another, which opens nothing from now on."""
    return wire.MadeKey(key=await memory.engine.store.api_keys.rotate(key_id))


@router.delete("/{key_id}", responses=errors(404))
async def revoke_key(key_id: KeyId, memory: TheMemory) -> Deleted:
    """Take a key away; it opens nothing from now on."""
    await memory.engine.store.api_keys.revoke(key_id)
    return Deleted(deleted={"api_keys": 1})
