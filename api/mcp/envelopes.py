"""Messages of JSON-RPC, checked before the SDK sees them, whose errors would repeat the body."""

from dataclasses import dataclass
from typing import Any

import orjson
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.responses import Response


@dataclass(frozen=True)
class Message:
    """`method`: of a request or a notification; `params`: as they came."""

    method: str | None
    params: dict[str, Any]


class NoMessage(Exception):
    """`code`: JSON-RPC's; `request_id`: None where it cannot be told."""

    def __init__(self, code: int, told: str, request_id: str | int | None = None) -> None:
        super().__init__(told)
        self.code = code
        self.told = told
        self.request_id = request_id

    @property
    def response(self) -> Response:
        error = {"code": self.code, "message": self.told}
        body = {"jsonrpc": "2.0", "id": self.request_id, "error": error}
        return Response(orjson.dumps(body), status_code=400, media_type="application/json")


def read_message(body: bytes) -> Message:
    """Raises `NoMessage`."""
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise NoMessage(PARSE_ERROR, "The body is not valid JSON in UTF-8") from None
    if not isinstance(parsed, dict):
        raise NoMessage(INVALID_REQUEST, "The body is not one message of JSON-RPC")
    given = parsed.get("id")
    request_id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
    if not isinstance(parsed.get("params", {}), dict | None):
        raise NoMessage(INVALID_PARAMS, "params: must be an object", request_id)
    if "id" in parsed and "method" in parsed and request_id is None:
        raise NoMessage(INVALID_REQUEST, "id: must be a string or an integer")
    try:
        jsonrpc_message_adapter.validate_python(parsed, by_name=False)
    except (ValidationError, RecursionError):
        told = "The body is no request, notification or response of JSON-RPC"
        raise NoMessage(INVALID_REQUEST, told, request_id) from None
    method = parsed.get("method")
    return Message(method if isinstance(method, str) else None, parsed.get("params") or {})
