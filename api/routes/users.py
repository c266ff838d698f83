"""All of a user's data: out, in, gone."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse

from agents.memory import Memory
from api.auth import DIFFERENT_USERS, Calling, check_parameters, user_in_header
from api.http.ending import until_the_end
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.problems import problem_of
from api.http.state import TheMemory
from api.portable import LARGEST_FILE, MEDIA_TYPE, LineRefused, Report, as_file, bring_in, bring_in_file, exported
from api.wire.base import Deleted
from memory.portable import Wanted
from utils.errors import BodyTooLarge, UnsupportedMediaType
from utils.fields import Identifier, Wire

EXPORT_TYPE = re.compile(r"\s*application/(x-ndjson|ndjson|jsonl|x-jsonlines)\s*(;|$)", re.IGNORECASE)
FILE_TYPE = re.compile(r"\s*application/(octet-stream|(x-)?zip(-compressed)?|json)\s*(;|$)", re.IGNORECASE)
HEADERS = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="loci-export.jsonl"'}
FROM = "Whose file it is; `auto`: that is seen. Then the answer is lines that tell how far it is, the last one of all"
LINES = {"schema": {"type": "string", "description": "One JSON object a line; an export has a first and a last line"}}

router = APIRouter(prefix="/v1/users", route_class=LociRoute, tags=["users"])
streamed = APIRouter(prefix="/v1/users", tags=["users"])  # its bodies may be larger than memory


def check_streamed(request: Request) -> None:
    """Refuses what can be no export and no file of another product, before any of it is read, and a query that has more
    than the user of the path and whose file it is."""
    check_parameters(request, ("user_id", "from"))
    named = {*request.query_params.getlist("user_id"), user_in_header(request)} - {None}
    if named - {request.path_params["user_id"]}:
        raise RequestValidationError([{"type": "value_error", "loc": ("query", "user_id"), "msg": DIFFERENT_USERS}])
    given, length = request.headers.get("content-type", ""), request.headers.get("content-length", "")
    if "from" in request.query_params:
        if not EXPORT_TYPE.match(given) and not FILE_TYPE.match(given):
            raise UnsupportedMediaType("Send the file as Content-Type: application/octet-stream")
        if length.isdigit() and int(length) > LARGEST_FILE:
            raise BodyTooLarge(f"A file may have {LARGEST_FILE // 1024**3} GB")
    elif not EXPORT_TYPE.match(given):
        raise UnsupportedMediaType("Send the export as Content-Type: application/x-ndjson")


class ImportResult(Wire):
    """By kind: how many are new, and how many the user had already."""

    imported: dict[str, int]
    already_there: dict[str, int]


class LeftOut(Wire):
    """What a file had that was left out for one reason. `ids`: of the first of it, as the file has them."""

    reason: str
    count: int
    ids: list[str]


class ImportProgress(ImportResult):
    """How far a file is. `source`: the product that it is of. `read`, `size`: bytes, unpacked."""

    source: str | None
    read: int
    size: int | None


class ImportDone(ImportProgress):
    """The last line. `problem`: why it is not all that is in the file; null where it is."""

    left_out: list[LeftOut]
    problem: dict[str, Any] | None


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
    responses=errors(409, 507),
    response_model=ImportResult,
    openapi_extra={"requestBody": {"required": True, "content": {MEDIA_TYPE: LINES}}},
)
async def import_user(
    user_id: Annotated[Identifier, Path()],
    request: Request,
    memory: TheMemory,
    calling: Calling,
    wanted: Annotated[Wanted | None, Query(alias="from", description=FROM)] = None,
) -> ImportResult | StreamingResponse:
    """Bring in what was exported, of this user or of another, here or elsewhere. What the user has already stays as it
    is, so the same file again adds nothing, and ends what was cut short. A line that is refused is named."""
    owner = calling.owner(user_id)
    if wanted is not None:
        return await _progress(request, memory, owner, wanted)
    try:
        taken = await bring_in(memory, owner, request.stream())
    except LineRefused as refused:
        told = [{**one, "loc": ("line", refused.number, *one["loc"])} for one in refused.error.errors()]
        raise RequestValidationError(told) from None
    return ImportResult(imported=dict(taken.imported), already_there=dict(taken.there))


async def _progress(request: Request, memory: Memory, owner: str, wanted: Wanted) -> StreamingResponse:
    """What comes of a file, a line each time that there is more to tell; where nothing of it can be read, an error."""
    file = await as_file(request.stream(), request.app.state.settings.loci_home)
    reports = bring_in_file(memory, owner, file, wanted)
    first = await anext(reports)
    request_id: str = request.scope["request_id"]

    def ending(error: Exception) -> bytes:
        return _line(first, problem_of(error, request_id)[1])

    lines = until_the_end(request, _lines_of(first, reports, ending), ending)
    return StreamingResponse(lines, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})


async def _lines_of(
    first: Report, rest: AsyncGenerator[Report, None], ending: Callable[[Exception], bytes]
) -> AsyncGenerator[bytes, None]:
    """A report is one and the same, that grows."""
    async with aclosing(rest):
        try:
            yield _line(first)
            async for report in rest:
                yield _line(report)
            yield _line(first, b"null")
        except Exception as error:
            yield ending(error)


def _line(report: Report, problem: bytes | None = None) -> bytes:
    """`problem`: of the last line, as JSON."""
    taken = report.taken
    told: dict[str, Any] = {
        "imported": dict(taken.imported) if taken else {},
        "already_there": dict(taken.there) if taken else {},
        "source": report.source,
        "read": report.read,
        "size": report.size,
    }
    if problem is None:
        return ImportProgress.model_validate(told).model_dump_json().encode() + b"\n"
    left = [LeftOut(reason=reason, count=one.count, ids=one.ids) for reason, one in report.omitted.items()]
    done = ImportDone.model_validate(told | {"left_out": left, "problem": orjson.loads(problem)})
    return done.model_dump_json().encode() + b"\n"
