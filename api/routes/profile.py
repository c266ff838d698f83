"""What matters of a user whatever a conversation is about."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.auth import Owner
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import profile as wire
from api.wire.paging import page_of
from memory.ids import user_of

router = APIRouter(prefix="/v1/profile", route_class=LociRoute, tags=["profile"])


@router.get("")
async def get_profile(
    memory: TheMemory,
    owner: Owner,
    page: ThePage,
    hidden: Annotated[bool, Query(strict=False, description="Those that are hidden, too")] = False,
) -> wire.ProfileOut:
    """Facts in force and key-values: what is pinned, then what is needed most; with what else holds for the user."""
    items = await memory.engine.knowledge.profile.page(
        owner, limit=page.sought, after=wire.rank_of(page.cursor), hidden=hidden
    )
    shown, more = page_of(items, page.limit, wire.cursor_of_item)
    return wire.ProfileOut.of(await memory.preferences(owner), items=shown, next_cursor=more, user_id=user_of(owner))


@router.patch("", responses=errors(404, 409))
async def change_profile(body: wire.ProfilePatch, memory: TheMemory, owner: Owner) -> wire.ProfileItems:
    """Pin, hide or reword items; returns them as they are then. A fact with another text is another fact, which
    `POST /v1/facts/{id}/undo` takes back. Or set instructions, time zone and locale, which hold in all projects."""
    changed = await memory.engine.knowledge.profile.change(owner, [item.change for item in body.items or ()])
    memory.nudge_embedding()
    own = await memory.preferences(owner, body.preferences)
    return wire.ProfileItems.of(own, items=changed)
