"""What the routes of Anthropic's API share: whose keys a request has, and how an answer is given back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
from fastapi import Request, Response

from agents.openai_chat import parsed
from agents.proxy import Proxied, ProxyRequest, message_event
from api.auth import NOT_KNOWN, OWN_BEARER, ApiKeys, bearer_in
from api.http.problems import anthropic_error, anthropic_error_of
from api.openai.route import OpenAIRoute, returned
from utils.errors import Unauthorized

CREDENTIALS = ("x-api-key", "authorization")
REQUEST_ID = "request-id"  # by which Anthropic's clients know an answer


class AnthropicRoute(OpenAIRoute):
    """Tells Loci's keys from the provider's: both come as `x-api-key` or as a bearer token."""

    def get_route_handler(self) -> Any:
        handle = super().get_route_handler()

        async def apart(request: Request) -> Response:
            response: Response = await handle(await _apart(request))
            response.headers.setdefault(REQUEST_ID, request.scope["request_id"])
            return response

        return apart


async def _apart(request: Request) -> Request:
    """A request with a key of Loci's as its only one. Raises `Unauthorized` where keys are on and none is ours, and for
    the admin's, which no provider gets."""
    keys: ApiKeys = request.app.state.keys
    on = await keys.are_on()
    given = {"x-api-key": request.headers.get("x-api-key"), "authorization": bearer_in(request)}
    looked = on or keys.has_admin
    own: str | None = None
    others: dict[str, str] = {}
    present = {name: key for name, key in given.items() if key and key != OWN_BEARER}
    for name, key in present.items():
        alone = on and own is None and name == list(present)[-1]
        calling = await keys.known(request, key, alone=alone) if looked else None
        if calling is not None and calling.admin:
            raise Unauthorized("The admin key is no user's key")
        if calling is not None:
            own = own or key
        else:
            others[name] = request.headers[name]
    if on and own is None and others:
        raise Unauthorized(NOT_KNOWN)
    headers = [header for header in request.scope["headers"] if header[0].decode("latin-1") not in CREDENTIALS]
    if own is not None:
        headers.append((b"x-api-key", own.encode("latin-1")))
    request.state.providers_keys = others
    return Request({**request.scope, "headers": headers}, request.receive)


def headers_for_provider(request: Request) -> Mapping[str, str]:
    """Those of a request, with the keys that are not Loci's."""
    keys: dict[str, str] = request.state.providers_keys
    return {name: value for name, value in request.headers.items() if name not in CREDENTIALS} | keys


def for_provider(request: Request, asked: ProxyRequest) -> ProxyRequest:
    return replace(asked, headers=headers_for_provider(request), bearer=None)


def returned_message(proxied: Proxied, request: Request) -> Response:
    """An answer as the client gets it."""
    return returned(proxied, request, lambda error: message_event(error_in(error, request)))


def error_in(error: Exception, request: Request) -> dict[str, Any]:
    """An error in Anthropic's shape."""
    return anthropic_error_of(error, request.scope["request_id"])[1]


def translated_error(proxied: Proxied, request: Request) -> Proxied:
    """An error of a provider of chat completions in Anthropic's shape."""
    told = parsed(proxied.body) if isinstance(proxied.body, bytes) else None
    error = told.get("error") if isinstance(told, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    detail = message if isinstance(message, str) else f"The model provider answered with status {proxied.status}"
    return replace(proxied, body=orjson.dumps(anthropic_error(proxied.status, detail, request.scope["request_id"])))
