"""Memory banks, as MCP has them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from api.auth import Owner
from api.http.once import LociRoute, ToolRoute, once_id
from api.http.openapi import errors
from api.http.state import PageCursor, PageLimit, TheMemory
from api.wire.banks import (
    ActivationRequest,
    ActivationResult,
    BankAt,
    BankOut,
    BankPage,
    BankVersionPage,
    UpdateRequest,
    UpdateResult,
)
from api.wire.base import Deleted
from api.wire.paging import index_of, position_of
from memory.banks import BankId, BankType

router = APIRouter(prefix="/v1/banks", route_class=LociRoute, tags=["memory banks"])

Type = Annotated[BankType, Path(alias="type")]
Id = Annotated[BankId, Path(alias="id")]
Version = Annotated[int | None, Query(ge=1, lt=2**31, strict=False, description="As it was in this version")]


@router.get("")
async def list_banks(memory: TheMemory, owner: Owner, limit: PageLimit = 50, cursor: PageCursor = None) -> BankPage:
    """Memory banks, the last changed first."""
    found = await memory.engine.library.banks.page(owner, limit=limit + 1, after=position_of(cursor))
    return BankPage.by_time(found, limit)


@router.post("", responses=errors(409))
async def activate_bank(body: ActivationRequest, memory: TheMemory, owner: Owner) -> ActivationResult:
    """The bank of a project or a code base, by its name, its path, or both, or the global one; made where there is
    none."""
    bank = await memory.activate(
        owner,
        body.conversation_type,
        body.project_name,
        body.current_path,
        body.project_description,
    )
    return ActivationResult.of(bank)


@router.get("/{type}/{id}", responses=errors(404))
async def get_bank(kind: Type, identifier: Id, memory: TheMemory, owner: Owner, version: Version = None) -> BankAt:
    """One bank with all that its files say, now or in a former version."""
    banks = memory.engine.library.banks
    bank = await banks.get(owner, kind, identifier)
    made, content = await banks.at(owner, kind, identifier, version or bank.info.version)
    return BankAt.at(bank, made, content)


@router.get("/{type}/{id}/versions", responses=errors(404))
async def bank_versions(
    kind: Type,
    identifier: Id,
    memory: TheMemory,
    owner: Owner,
    limit: PageLimit = 50,
    cursor: PageCursor = None,
) -> BankVersionPage:
    """Every version of a bank, the newest first: what made it, and what was said."""
    before = index_of(cursor) if cursor is not None else None
    found = await memory.engine.library.banks.versions(owner, kind, identifier, limit=limit + 1, before=before)
    return BankVersionPage.of(found, limit, lambda one: str(one.version))


async def update_bank(
    kind: Type, identifier: Id, body: UpdateRequest, request: Request, memory: TheMemory, owner: Owner
) -> UpdateResult:
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
    return UpdateResult.of(done)


router.add_api_route(
    "/{type}/{id}/update", update_bank, methods=["POST"], responses=errors(404, 409), route_class_override=ToolRoute
)


@router.post("/{type}/{id}/optimise", responses=errors(404, 409))
async def optimise_bank(kind: Type, identifier: Id, memory: TheMemory, owner: Owner) -> BankOut:
    """Condense a bank that is larger than it is to be, now instead of soon; what goes stays in its versions."""
    return BankOut.of(await memory.engine.library.tidying.optimise(owner, kind, identifier))


@router.delete("/{type}/{id}", responses=errors(404))
async def delete_bank(kind: Type, identifier: Id, memory: TheMemory, owner: Owner) -> Deleted:
    """Delete a bank with all its versions and files."""
    counts = await memory.engine.library.banks.delete(owner, kind, identifier)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted=counts)
