"""How is an error told to a client? As application/problem+json (RFC 9457), without the input that caused it."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pymongo.errors import PyMongoError
from starlette.exceptions import HTTPException

from utils.errors import LociError, Unauthorized
from utils.mongo import as_loci_error

MEDIA_TYPE = "application/problem+json"

log = logging.getLogger(__name__)


def problem(status: int, title: str, detail: str, request_id: str, errors: list[dict[str, Any]] | None = None) -> bytes:
    """A problem object as JSON."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "request_id": request_id,
    }
    if errors is not None:
        body["errors"] = errors
    return orjson.dumps(body)


def problem_of(error: Exception, request_id: str) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers for any error; one that nobody foresaw is logged and told as 500."""
    known = as_loci_error(error) if isinstance(error, PyMongoError) else error
    match known:
        case LociError():
            headers = {} if known.retry_after is None else {"Retry-After": str(max(1, round(known.retry_after)))}
            if isinstance(known, Unauthorized):
                headers["WWW-Authenticate"] = "Bearer"
            return known.status, problem(known.status, known.title, known.detail, request_id), headers
        case RequestValidationError():
            errors = [
                {"loc": [_printable(part) for part in one["loc"]], "msg": message_of(one)} for one in known.errors()
            ]
            detail = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors[:3])
            return 422, problem(422, "Validation error", detail, request_id, errors), {}
        case HTTPException():
            title = HTTPStatus(known.status_code).phrase
            return (
                known.status_code,
                problem(known.status_code, title, str(known.detail), request_id),
                dict(known.headers or {}),
            )
        case _:
            log.exception("request %s failed", request_id, exc_info=error)
            return (
                500,
                problem(500, "Internal error", "An error that was not foreseen; the log has more", request_id),
                {},
            )


def _printable(part: object) -> object:
    """A part of a location; names of unknown fields come from the input, so they are cut and cleaned."""
    if isinstance(part, int):
        return part
    return "".join(c if c.isprintable() else "?" for c in str(part)[:60])


def message_of(error: Mapping[str, Any]) -> str:
    """What one of pydantic's errors says, without the input."""
    kind = error["type"]
    if kind == "extra_forbidden":
        return "unknown field"
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    return str(error["msg"])


def install(app: FastAPI) -> None:
    """The one handler for every error."""

    async def handle(request: Request, error: Exception) -> Response:
        status, body, headers = problem_of(error, request.scope.get("request_id", ""))
        return Response(body, status, headers, MEDIA_TYPE)

    for kind in (LociError, RequestValidationError, HTTPException, PyMongoError, Exception):
        app.add_exception_handler(kind, handle)
