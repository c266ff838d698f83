"""Memory banks, as MCP has them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from api.auth import Owner
from api.http.once import LociRoute, ToolRoute, once_id
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import banks as wire
from api.wire.base import Deleted, Page
from memory.banks import BankId, BankType

router = APIRouter(prefix="/v1/banks", route_class=LociRoute, tags=["memory banks"])

Type = Annotated[BankType, Path(alias="type")]
Id = Annotated[BankId, Path(alias="id")]
Version = Annotated[int | None, Query(ge=1, lt=2**31, strict=False, description="As it was in this version")]


@router.get("")
async def list_banks(memory: TheMemory, owner: Owner, page: ThePage) -> Page[wire.BankOut]:
    """Memory banks, the last changed first."""
    banks = await memory.engine.library.banks.page(owner, limit=page.sought, after=page.position)
    return Page[wire.BankOut].by_time(banks, page.limit)


@router.post("", responses=errors(409))
async def activate_bank(body: wire.ActivationRequest, memory: TheMemory, owner: Owner) -> wire.ActivationResult:
    """The bank of a project or a code base, by its name, its path, or both, or the global one; made where there is
    none."""
    bank = await memory.activate(
        owner, body.conversation_type, body.project_name, body.current_path, body.project_description
    )
    return wire.ActivationResult.of(bank)


@router.get("/{type}/{id}", responses=errors(404))
async def get_bank(kind: Type, identifier: Id, memory: TheMemory, owner: Owner, version: Version = None) -> wire.BankAt:
    """One bank with all that its files say, now or in a former version."""
    banks = memory.engine.library.banks
    bank = await banks.get(owner, kind, identifier)
    made, content = await banks.at(owner, kind, identifier, version or bank.info.version)
    return wire.BankAt.at(bank, made, content)


@router.get("/{type}/{id}/versions", responses=errors(404))
async def bank_versions(
    kind: Type, identifier: Id, memory: TheMemory, owner: Owner, page: ThePage
) -> Page[wire.BankVersionOut]:
    """Every version of a bank, the newest first: what made it, and what was said."""
    before = page.index if page.cursor is not None else None
    versions = await memory.engine.library.banks.versions(owner, kind, identifier, limit=page.sought, before=before)
    return Page[wire.BankVersionOut].of(versions, page.limit, lambda one: str(one.version))


async def update_bank(
    kind: Type, identifier: Id, body: wire.UpdateRequest, request: Request, memory: TheMemory, owner: Owner
) -> wire.UpdateResult:
    """Put new content into a bank, each part of it where a model or rules say. A bank that is not there is made, and
    the answer says so."""
    done = await memory.update(
        owner,
        kind,
        identifier,
        body.content,
        conversation_id=body.conversation_id,
        update_count=body.update_count,
        request=once_id(request),
    )
    return wire.UpdateResult.of(done)


router.add_api_route(
    "/{type}/{id}/update", update_bank, methods=["POST"], responses=errors(404, 409), route_class_override=ToolRoute
)


@router.post("/{type}/{id}/optimise", responses=errors(404, 409))
async def optimise_bank(kind: Type, identifier: Id, memory: TheMemory, owner: Owner) -> wire.BankOut:
    """Condense a bank that is larger than it is to be, now instead of soon; what goes stays in its versions."""
    return wire.BankOut.of(await memory.engine.library.tidying.optimise(owner, kind, identifier))


@router.delete("/{type}/{id}", responses=errors(404))
async def delete_bank(kind: Type, identifier: Id, memory: TheMemory, owner: Owner) -> Deleted:
    """Delete a bank with all its versions and files."""
    counts = await memory.engine.library.banks.delete(owner, kind, identifier)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted=counts)
