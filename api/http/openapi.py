"""The description of the API: FastAPI's, with what all routes share: errors, keys, headers."""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api.http.problems import MEDIA_TYPE
from api.wire.base import OwnedRequest
from utils.fields import Wire

ANY = (400, 401, 403, 413, 415, 422, 503)  # what any call may be answered
WRITES = (409,)  # and any write, under an Idempotency-Key
UNGUARDED = frozenset({"/livez", "/readyz", "/health"})  # they take no key and no input
PAGE_OF = re.compile(rb'Page_(\w+?)(?:Out)?_"')  # what pydantic makes of the name of `Page[FactOut]`
# The same request again adds nothing, and takes no key.
REPEATABLE = re.compile(r"/v1/users/\{user_id\}/import|/v1/admin/.*")

IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key and request again give the first answer; another request is 422, one in progress 409",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
NAMES_A_USER = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/OwnedRequest"}}}}
EXAMPLES: dict[str, Any] = orjson.loads(
    (Path(__file__).parent / "examples.json").read_bytes()
)  # bodies by method and path, parameters by name
AS_IT_COMES = {"schema": {"type": "object"}}  # what a provider takes
KEYS = {
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "Bearer": {"type": "http", "scheme": "bearer"},
}


class FieldError(Wire):
    """`loc`: where in the request; `msg`: what is wrong there, without the input."""

    loc: list[str | int]
    msg: str


class Problem(Wire):
    """An error as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    errors: list[FieldError] | None = None


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that may answer with these errors."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


def install(app: FastAPI) -> None:
    """Makes `/openapi.json` say all of it."""
    made: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not made:
            made.update(_describe(app))
        return made

    app.openapi = openapi  # type: ignore[method-assign]


def _describe(app: FastAPI) -> dict[str, Any]:
    raw = orjson.dumps(get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes))
    described: dict[str, Any] = orjson.loads(PAGE_OF.sub(rb'\1Page"', raw))
    components = described["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    components["schemas"] |= {**problem.pop("$defs"), "Problem": problem}
    components["schemas"]["OwnedRequest"] = OwnedRequest.model_json_schema()
    components["securitySchemes"] = KEYS
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            _complete(path, method, operation)
    return described


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    if path in UNGUARDED:
        common: tuple[int, ...] = (403, 413)
    else:
        operation["security"] = [{}, *({name: []} for name in KEYS)]
        common = ANY if method == "get" else ANY + WRITES
    if method != "get" and not REPEATABLE.fullmatch(path):
        operation.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
    if method == "post" and any(one["name"] == "user_id" for one in operation.get("parameters", ())):
        operation.setdefault("requestBody", NAMES_A_USER)
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path" and parameter["name"] in EXAMPLES["parameters"]:
            parameter["example"] = EXAMPLES["parameters"][parameter["name"]]
    if (example := EXAMPLES.get(f"{method.upper()} {path}")) is not None:
        body = operation.setdefault("requestBody", {"required": True, "content": {"application/json": {**AS_IT_COMES}}})
        for content in body["content"].values():
            content["example"] = example
    responses = operation["responses"]
    responses.pop("422", None)  # FastAPI's own
    for status, response in errors(*common).items():
        responses.setdefault(str(status), response)
