"""All of a user's data."""

from typing import Annotated

from fastapi import APIRouter, Path

from api.auth import Calling
from api.fields import Identifier
from api.once import LociRoute
from api.state import TheMemory
from api.wire.base import Deleted

router = APIRouter(prefix="/v1/users", route_class=LociRoute, tags=["users"])


@router.delete("/{user_id}")
async def delete_user(user_id: Annotated[Identifier, Path()], memory: TheMemory, calling: Calling) -> Deleted:
    """Delete everything of a user."""
    return Deleted(deleted=await memory.engine.forgetter.user(calling.owner(user_id)))
