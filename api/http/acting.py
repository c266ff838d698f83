"""Routes for admins: with the admin key alone, about the user whom the path names."""

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any

from fastapi import Depends, Path, Request, Response

from api.auth import NamedProject, Owner, address_of, admit, memory_of
from api.http.guard import check_origin
from api.http.once import Handler, LociRoute, persistently
from api.http.state import TheMemory
from utils import mongo
from utils.fields import Identifier, Wire

DETAIL = 400  # characters of what an entry of the audit log is about

Endpoint = Callable[..., Awaitable[Any]]


class AdminRoute(LociRoute):
    """Asks for the admin key before anything else of a request is read, and keeps in the audit log what is done, and of
    whom something is looked at, once for all pages of a list. It reads, or does what may be repeated, so it heeds no
    `Idempotency-Key`, which would keep answers about users; and it names no user in its body."""

    extra = frozenset()
    bodiless = Wire

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def admitted(request: Request) -> Response:
            check_origin(request.headers, request.app.state.origins)
            await admit(request)
            if "user_id" not in request.path_params:  # else once the user is known to be there
                await mongo.persistently(lambda again: note(request))
            return await handle(request)

        return admitted

    async def answer(self, request: Request, handle: Handler) -> Response:
        return await persistently(request, handle)


async def note(request: Request) -> None:
    """Keeps in the audit log what a request is about to do, or of whom it is about to look at something."""
    query, path = request.query_params, request.path_params
    user = path.get("user_id") or query.get("user_id") or None
    if (request.method == "GET" and user is None and "document_id" not in path) or "cursor" in query:
        return
    who = f"{'admin key' if request.app.state.keys.has_admin else 'no key'}, {address_of(request)}"
    told = {**path, **{name: query[name] for name in ("kind", "dry_run", "session_id") if name in query}}
    told.pop("user_id", None)
    detail = ", ".join(f"{name} {value}" for name, value in told.items())[:DETAIL]
    action = f"{request.method} {request.scope['route'].path}"
    await request.app.state.memory.engine.store.audit.note(who, action, user and user[:DETAIL], detail or None)


async def named_user(
    user_id: Annotated[Identifier, Path()], memory: TheMemory, request: Request, project: NamedProject = None
) -> str:
    """The user of the path, or the user's isolated project that is meant. Raises `NotFound` where nothing is known of
    one."""
    await memory.engine.oversight.owners.require(user_id)
    await note(request)
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
