"""Routes for admins: with the admin key alone, about the user whom the path names."""

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any

from fastapi import Depends, Path, Request, Response

from api.auth import NamedProject, Owner, admit, memory_of
from api.http.guard import check_origin
from api.http.once import Handler, LociRoute, persistently
from api.http.state import TheMemory
from utils.fields import Identifier, Wire

Endpoint = Callable[..., Awaitable[Any]]


class AdminRoute(LociRoute):
    """Asks for the admin key before anything else of a request is read. It reads, or does what may be repeated, so it
    heeds no `Idempotency-Key`, which would keep answers about users; and it names users in its path alone."""

    extra = frozenset()
    bodiless = Wire

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def admitted(request: Request) -> Response:
            check_origin(request.headers, request.app.state.origins)
            await admit(request)
            return await handle(request)

        return admitted

    async def answer(self, request: Request, handle: Handler) -> Response:
        return await persistently(request, handle)


async def named_user(
    user_id: Annotated[Identifier, Path()], memory: TheMemory, request: Request, project: NamedProject = None
) -> str:
    """The user of the path, or the user's isolated project that is meant. Raises `NotFound` where nothing is known of
    one."""
    await memory.engine.oversight.owners.require(user_id)
    return await memory_of(request, user_id, project)


NamedUser = Annotated[str, Depends(named_user)]


def acting(endpoint: Endpoint) -> Endpoint:
    """A route of users as it stands, but that its owner is the user of the path. For an `AdminRoute` alone."""
    signature = inspect.signature(endpoint)
    parameters = [
        one.replace(annotation=NamedUser) if one.annotation == Owner else one for one in signature.parameters.values()
    ]

    @wraps(endpoint)
    async def acted(**given: Any) -> Any:
        return await endpoint(**given)

    acted.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return acted
