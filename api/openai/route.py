"""The route class of OpenAI's API: requests are read as they come; what Loci does not know is for the provider."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError

from api.http.once import JSON_TYPE, Handler, once
from api.wire.reasons import message_of
from utils.errors import InvalidInput, UnsupportedMediaType


class OpenAIRoute(APIRoute):
    """Takes bodies as they come, and honours `Idempotency-Key`."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def lenient(request: Request) -> Response:
            # Other pages may post plain text without asking first; this type they may not.
            if request.method == "POST" and not JSON_TYPE.match(request.headers.get("content-type", "")):
                raise UnsupportedMediaType("Send the body as Content-Type: application/json")
            return await once(LenientRequest(request.scope, request.receive), handle)

        return lenient


class InvalidField(InvalidInput):
    """A field of a request to OpenAI's API is not what it must be."""

    def __init__(self, detail: str, param: str | None) -> None:
        super().__init__(detail)
        self.param = param


class LenientRequest(Request):
    """A request whose JSON may hold whatever a provider takes; read as `agents.openai_chat` reads it."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = _read(await self.body())
        return self._json


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except RecursionError:
        raise InvalidField("The body is nested too deeply", None) from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise InvalidField("The body is not valid JSON in UTF-8", None) from None
    except ValueError:  # of `int`
        raise InvalidField("The body has an integer of too many digits", None) from None


async def read_object(request: Request) -> dict[str, Any]:
    """The body's JSON object. Raises `InvalidField` where it is none."""
    found = await request.json()
    if not isinstance(found, dict):
        raise InvalidField("The body is not a JSON object", None)
    return found


def invalid(error: ValidationError) -> InvalidField:
    """The first thing that is wrong with a model's fields."""
    first: Mapping[str, Any] = error.errors()[0]
    param = str(first["loc"][0])  # behind it stand the names of types
    return InvalidField(f"{param}: {message_of(first)}", param)
