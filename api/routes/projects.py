"""A user's projects."""

from typing import Annotated

from fastapi import APIRouter, Path

from api.auth import User
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire.base import Deleted, Page
from api.wire.paging import cursor_of_key
from api.wire.projects import ProjectOut, ProjectRequest
from utils.fields import ProjectName

router = APIRouter(prefix="/v1/projects", route_class=LociRoute, tags=["projects"])

Named = Annotated[ProjectName, Path()]


@router.get("")
async def list_projects(memory: TheMemory, user: User, page: ThePage) -> Page[ProjectOut]:
    """Projects, in the order of their names."""
    found = await memory.engine.chats.projects.page(user, limit=page.sought, after=page.key)
    return Page[ProjectOut].of(found, page.limit, lambda project: cursor_of_key(project.name))


@router.get("/{project}", responses=errors(404))
async def get_project(project: Named, memory: TheMemory, user: User) -> ProjectOut:
    """One project."""
    return ProjectOut.of(await memory.engine.chats.projects.get(user, project))


@router.put("/{project}", responses=errors(409))
async def put_project(project: Named, body: ProjectRequest, memory: TheMemory, user: User) -> ProjectOut:
    """Make a project, or change what is given of it. Where it is isolated, or is not any more, all that was said in it
    has moved when this returns."""
    return ProjectOut.of(await memory.put_project(user, project, _given(body)))


@router.patch("/{project}", responses=errors(404, 409))
async def change_project(project: Named, body: ProjectRequest, memory: TheMemory, user: User) -> ProjectOut:
    """The same of a project that is there."""
    await memory.engine.chats.projects.get(user, project)
    return ProjectOut.of(await memory.put_project(user, project, _given(body)))


@router.delete("/{project}", responses=errors(404))
async def delete_project(project: Named, memory: TheMemory, user: User) -> Deleted:
    """Delete a project with its sessions and everything derived from them."""
    counts = await memory.engine.moving.delete(user, project)
    await memory.engine.store.idempotency.forget(user)
    return Deleted(deleted=counts)


def _given(body: ProjectRequest) -> dict[str, object]:
    return body.model_dump(include=body.model_fields_set & {"isolated", "instructions"})
