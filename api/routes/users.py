"""All of a user's data: out, in, gone."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse

from agents.memory import Memory
from api.auth import DIFFERENT_USERS, Calling, check_parameters, user_in_header
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory
from api.portable import MEDIA_TYPE, LineRefused, bring_in, exported
from api.wire.base import Deleted
from utils.errors import UnsupportedMediaType
from utils.fields import Identifier, Wire

EXPORT_TYPE = re.compile(r"\s*application/(x-ndjson|ndjson|jsonl|x-jsonlines)\s*(;|$)", re.IGNORECASE)
HEADERS = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="loci-export.jsonl"'}
LINES = {"schema": {"type": "string", "description": "One JSON object a line; an export has a first and a last line"}}

router = APIRouter(prefix="/v1/users", route_class=LociRoute, tags=["users"])
streamed = APIRouter(prefix="/v1/users", tags=["users"])  # its bodies may be larger than memory


def check_streamed(request: Request) -> None:
    """Refuses what is no export, before any of it is read, and a query that has more than the user of the path."""
    check_parameters(request, ("user_id",))
    named = {*request.query_params.getlist("user_id"), user_in_header(request)} - {None}
    if named - {request.path_params["user_id"]}:
        raise RequestValidationError([{"type": "value_error", "loc": ("query", "user_id"), "msg": DIFFERENT_USERS}])
    if not EXPORT_TYPE.match(request.headers.get("content-type", "")):
        raise UnsupportedMediaType("Send the export as Content-Type: application/x-ndjson")


class ImportResult(Wire):
    """By kind: how many are new, and how many the user had already."""

    imported: dict[str, int]
    already_there: dict[str, int]


@router.delete("/{user_id}")
async def delete_user(user_id: Annotated[Identifier, Path()], memory: TheMemory, calling: Calling) -> Deleted:
    """Delete everything of a user."""
    return Deleted(deleted=await memory.engine.oversight.forgetter.user(calling.owner(user_id)))


@router.get(
    "/{user_id}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {MEDIA_TYPE: LINES}, "description": "Everything of the user, one thing a line"}},
)
async def export_user(user_id: Annotated[Identifier, Path()], memory: TheMemory, calling: Calling) -> StreamingResponse:
    """Everything of a user, to be kept or imported. The last line counts the others: a file without it is cut."""
    return await streamed_export(memory, calling.owner(user_id))


async def streamed_export(memory: Memory, owner: str) -> StreamingResponse:
    """The lines of an export, as they are read."""
    lines = exported(memory, owner)
    first = await anext(lines)  # an error before it still has its own status
    return StreamingResponse(_chained(first, lines), media_type=MEDIA_TYPE, headers=HEADERS)


async def _chained(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    async with aclosing(rest):
        yield first
        async for chunk in rest:
            yield chunk


@streamed.post(
    "/{user_id}/import",
    dependencies=[Depends(check_streamed)],
    responses=errors(507),
    openapi_extra={"requestBody": {"required": True, "content": {MEDIA_TYPE: LINES}}},
)
async def import_user(
    user_id: Annotated[Identifier, Path()], request: Request, memory: TheMemory, calling: Calling
) -> ImportResult:
    """Bring in what was exported, of this user or of another, here or elsewhere. What the user has already stays as it
    is, so the same file again adds nothing, and ends what was cut short. A line that is refused is named."""
    try:
        taken = await bring_in(memory, calling.owner(user_id), request.stream())
    except LineRefused as refused:
        told = [{**one, "loc": ("line", refused.number, *one["loc"])} for one in refused.error.errors()]
        raise RequestValidationError(told) from None
    return ImportResult(imported=dict(taken.imported), already_there=dict(taken.there))
