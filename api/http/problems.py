"""Errors as clients get them: application/problem+json (RFC 9457), or on all paths of OpenAI's and Anthropic's API in
their shapes; without the input that caused them.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from api.wire.reasons import printable, reason_of
from utils.clock import Seldom
from utils.errors import DiskFull, LociError, Unauthorized
from utils.mongo import STORE_ERRORS, as_loci_error

MEDIA_TYPE = "application/problem+json"
# What under /v1 is Loci's own; all else there is, or would be, OpenAI's.
OWN = frozenset(
    {
        "admin",
        "answers",
        "banks",
        "facts",
        "memories",
        "messages",
        "observations",
        "profile",
        "projects",
        "receipts",
        "scratchpad",
        "search",
        "sessions",
        "tool-memory",
        "users",
    }
)
ANTHROPIC = "/anthropic"  # the prefix of its API
ANTHROPIC_TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 409: "conflict_error"}

log = logging.getLogger(__name__)
_full = Seldom()


def problem_of(error: Exception, request_id: str) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers for any error; one that nobody foresaw is logged and told as 500."""
    headers: dict[str, str] = {}
    more: dict[str, Any] = {}
    match known := as_loci_error(error) or error:
        case LociError():
            status, title, detail = known.status, known.title, known.detail
            if known.retry_after is not None:
                headers["Retry-After"] = str(max(1, round(known.retry_after)))
            if isinstance(known, DiskFull) and _full.due():
                log.error("%s; requests are refused meanwhile", known.detail)
            if isinstance(known, Unauthorized):
                headers["WWW-Authenticate"] = "Bearer"
        case RequestValidationError():
            errors = [{"loc": [*map(printable, one["loc"])], "msg": reason_of(one)} for one in known.errors()]
            status, title, more = 422, "Validation error", {"errors": errors}
            detail = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors[:3])
        case HTTPException():
            status, title, detail = known.status_code, HTTPStatus(known.status_code).phrase, str(known.detail)
            headers.update(known.headers or {})
        case _:
            log.exception("request %s failed", request_id, exc_info=error)
            status, title, detail = 500, "Internal error", "An error that was not foreseen; the log has more"
    told = {"type": "about:blank", "title": title, "status": status, "detail": detail, "request_id": request_id, **more}
    return status, orjson.dumps(told), headers


def error_of(error: Exception, request_id: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """The same with OpenAI's body. There, a request that is not valid is 400."""
    status, body, headers = problem_of(error, request_id)
    status = 400 if isinstance(error, RequestValidationError) else status
    kind = OPENAI_TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    told = {"message": orjson.loads(body)["detail"], "type": kind, "param": getattr(error, "param", None)}
    told["code"] = getattr(error, "code", None) if isinstance(error, LociError) else None
    return status, {"error": told}, headers


def anthropic_error_of(error: Exception, request_id: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """The same with Anthropic's body."""
    status, told, headers = error_of(error, request_id)
    return status, anthropic_error(status, told["error"]["message"], request_id, told["error"]["code"]), headers


def anthropic_error(status: int, message: str, request_id: str, code: str | None = None) -> dict[str, Any]:
    kind = ANTHROPIC_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
    told: dict[str, Any] = {"type": kind, "message": message} | ({"details": {"error_code": code}} if code else {})
    return {"type": "error", "error": told, "request_id": request_id}


def path_of(scope: Mapping[str, Any]) -> str:
    """The path of a request, without the prefix under which it came."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def is_openais(path: str) -> bool:
    """Whether who calls a path expects OpenAI's API there, be it served or not."""
    _, version, *rest = [*path.split("/"), ""]
    return version == "v1" and rest[0] not in OWN


def response_of(error: Exception, path: str, request_id: str) -> Response:
    """The answer to a request of this path that failed so."""
    if path == ANTHROPIC or path.startswith(f"{ANTHROPIC}/"):
        status, told, headers = anthropic_error_of(error, request_id)
        return Response(orjson.dumps(told), status, {**headers, "request-id": request_id}, "application/json")
    if is_openais(path):
        if isinstance(error, HTTPException) and error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            error = HTTPException(HTTPStatus.NOT_FOUND, "Loci does not serve this method of OpenAI's API here")
        status, told, headers = error_of(error, request_id)
        return Response(orjson.dumps(told), status, headers, "application/json")
    status, body, headers = problem_of(error, request_id)
    return Response(body, status, headers, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """The one handler for every error."""

    async def handle(request: Request, error: Exception) -> Response:
        return response_of(error, path_of(request.scope), request.scope.get("request_id", ""))

    for kind in (LociError, RequestValidationError, HTTPException, *STORE_ERRORS, Exception):
        app.add_exception_handler(kind, handle)
