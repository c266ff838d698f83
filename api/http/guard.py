"""The guard in front of all routes: refuses bodies that are too large and foreign hosts, and adds what every answer
carries. It knows the prefix under which others call, answers `HEAD` as `GET`, and takes the mark of byte order away.
"""

import asyncio
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.problems import path_of, response_of
from memory.ids import new_id
from utils.errors import BodyTooLarge, Forbidden, InvalidInput, LociError, ServerStopping
from utils.yielding import ANSWERING

NO_SNIFFING = (b"x-content-type-options", b"nosniff")
MAX_BODY = 16 * 1024 * 1024  # bytes; images come as data URIs, and the longest message with all escaped has 12 MB
UNBOUND = re.compile(r"/v1/users/[^/]+/import")  # paths whose bodies are bound by the line
STREAMED = re.compile(r"/mcp/?|/v1/users/[^/]+/export")  # paths that `GET` streams; of these there is no `HEAD`
PREFIX = re.compile(r"((?:/[\w.~-]+)*)/?", re.ASCII)


class Guard:
    """Gives each request an id, caps its body, and while only this machine may call, checks the Host header, so that a
    web page cannot reach the API under a name that it made to point here. `prefix`: of all paths, as those see them who
    call through a proxy; its `X-Forwarded-Prefix` says so, too. The proxy may take it off or leave it."""

    def __init__(self, app: ASGIApp, *, only_local: Callable[[], bool], prefix: str = "") -> None:
        self._app = app
        self._only_local = only_local
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = new_id()
        scope = {**scope, "request_id": request_id, **self._placed(scope, headers)}
        label = request_id.encode()
        started = False
        size = 0
        unbound = is_unbound(scope)
        answered = ANSWERING.begin()
        if unbound:
            answered()  # nobody waits for its first word, and the workers have what it brings to do meanwhile

        async def capped() -> Message:
            nonlocal size
            message = await receive()
            if not size and message.get("body", b"").startswith(BOM_UTF8):
                message["body"] = message["body"].removeprefix(BOM_UTF8)
            size += len(message.get("body", b""))
            if size > MAX_BODY and not unbound:
                raise BodyTooLarge(f"A request body may have {MAX_BODY // 1024 // 1024} MB")
            return message

        async def labelled(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                answered()
                message["headers"] = [*message["headers"], (b"x-request-id", label), NO_SNIFFING]
            await send(message)

        try:
            self._check(scope, headers)
            await self._app(scope, capped, labelled)
        except ClientDisconnect:
            return  # in the middle of its body: nobody is there to be answered
        except (LociError, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError):  # by a server that waits no longer
                if started:
                    return
                error = ServerStopping("The server is being stopped; try again")
            if started:
                raise
            response = response_of(error, path_of(scope), request_id)
            response.headers["connection"] = "close"  # the rest of the body is not read
            await response(scope, receive, labelled)
        finally:
            answered()

    def _placed(self, scope: Scope, headers: Headers) -> dict[str, str]:
        """Where and how a request is answered: its path under the prefix, and `HEAD` as `GET`."""
        forwarded = PREFIX.fullmatch(headers.get("x-forwarded-prefix", ""))
        prefix = forwarded[1] if forwarded and forwarded[1] else self._prefix
        path: str = scope["path"]
        if prefix and path != prefix and not path.startswith(f"{prefix}/"):
            path = prefix + path
        placed = {"path": path, "root_path": prefix}
        if scope["method"] == "HEAD" and not STREAMED.fullmatch(path_of(placed)):
            placed["method"] = "GET"  # the server sends no body, for it knows the request as it came
        return placed

    def _check(self, scope: Scope, headers: Headers) -> None:
        if self._only_local() and not _is_local(headers.get("host", "")):
            raise Forbidden("Without API keys only this machine may call, under its local names")
        for part in (scope.get("raw_path") or b"", scope["query_string"]):
            if b"%" in part and not _is_text(part):
                raise InvalidInput("The address is not percent-encoded UTF-8")
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > MAX_BODY and not is_unbound(scope):
            raise BodyTooLarge(f"A request body may have {MAX_BODY // 1024 // 1024} MB")


def is_unbound(scope: Scope) -> bool:
    """Whether a request may have a body of any size."""
    return UNBOUND.fullmatch(path_of(scope)) is not None and scope["method"] == "POST"


def check_origin(headers: Headers, origins: frozenset[str]) -> None:
    """Refuses a request that a page of another origin makes, but for those of `origins`. Raises `Forbidden`."""
    origin = headers.get("origin")
    if origin is None or origin in origins:
        return
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or parts.netloc.lower() != headers.get("host", "").lower():
        raise Forbidden("Pages of this origin may not call: CORS_ORIGINS names those that may")


def _is_text(encoded: bytes) -> bool:
    try:
        unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(maxsize=64)
def _is_local(header: str) -> bool:
    """Whether a Host header names this machine: `localhost`, or a loopback address."""
    name, colon, port = header.rpartition(":")
    host = (name if colon and port.isdigit() else header).lower()
    try:
        return host == "localhost" or ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False
