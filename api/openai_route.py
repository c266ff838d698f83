"""How do the routes of OpenAI's API read requests, and tell errors? As OpenAI's clients expect."""

from collections.abc import Mapping
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError

from api.once import Handler, once
from api.problems import message_of, problem_of
from utils.errors import InvalidInput

TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 409: "conflict_error"}


class OpenAIRoute(APIRoute):
    """Takes bodies as they come and honours `Idempotency-Key`; errors are `{"error": {message, type, param, code}}`."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            request = LenientRequest(request.scope, request.receive)
            try:
                return await once(request, handle)
            except Exception as error:
                return error_response(error, request.scope.get("request_id", ""))

        return told


class InvalidField(InvalidInput):
    """A field of a request to OpenAI's API is not what it must be."""

    def __init__(self, detail: str, param: str | None) -> None:
        super().__init__(detail)
        self.param = param


def error_body(error: Exception, request_id: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, body and headers for any error."""
    status, problem, headers = problem_of(error, request_id)
    detail, param = orjson.loads(problem)["detail"], getattr(error, "param", None)
    if isinstance(error, RequestValidationError):
        status = 400
    kind = TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    return status, {"error": {"message": detail, "type": kind, "param": param, "code": None}}, headers


def error_response(error: Exception, request_id: str) -> Response:
    """Any error in OpenAI's shape."""
    status, body, headers = error_body(error, request_id)
    return Response(orjson.dumps(body), status, headers, "application/json")


class LenientRequest(Request):
    """A request whose JSON may hold whatever a provider takes."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            try:
                self._json = orjson.loads(await self.body())
            except orjson.JSONDecodeError:
                raise InvalidField("The body is not valid JSON in UTF-8", None) from None
        return self._json


async def read_object(request: Request) -> dict[str, Any]:
    """The body's JSON object. Raises `InvalidField` where it is none."""
    found = await request.json()
    if not isinstance(found, dict):
        raise InvalidField("The body is not a JSON object", None)
    return found


def invalid(error: ValidationError) -> InvalidField:
    """The first thing that is wrong with a model's fields."""
    first: Mapping[str, Any] = error.errors()[0]
    param = ".".join(map(str, first["loc"]))
    return InvalidField(f"{param}: {message_of(first)}", param)
