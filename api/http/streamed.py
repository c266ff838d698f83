"""Bodies that may be larger than memory: the route class of what is read line by line."""

import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.types import Scope

from api.auth import DIFFERENT_USERS, check_parameters
from utils.errors import UnsupportedMediaType

LINES = re.compile(r"\s*application/(x-ndjson|ndjson|jsonl|x-jsonlines)\s*(;|$)", re.IGNORECASE)
UNBOUND = re.compile(r"/v1/users/[^/]+/import")  # paths whose bodies are bound by the line

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def is_unbound(scope: Scope) -> bool:
    """Whether a request may have a body of any size."""
    return UNBOUND.fullmatch(scope["path"]) is not None and scope["method"] == "POST"


class StreamedRoute(APIRoute):
    """Leaves the body to the route, and takes no field of a query but one that names the user of the path. What such a
    route does may be repeated, so it heeds no `Idempotency-Key`."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def streamed(request: Request) -> Response:
            check_parameters(request, ("user_id",))
            named = {request.path_params["user_id"], *request.query_params.getlist("user_id")}
            if len(named) > 1:
                different = {"type": "value_error", "loc": ("query", "user_id"), "msg": DIFFERENT_USERS}
                raise RequestValidationError([different])
            if not LINES.match(request.headers.get("content-type", "")):
                raise UnsupportedMediaType("Send the export as Content-Type: application/x-ndjson")
            return await handle(request)

        return streamed
