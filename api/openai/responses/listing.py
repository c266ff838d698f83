"""Lists of items, as OpenAI's API pages them: by the id of the last one seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Query

from api.openai.wire import Json
from memory.responses import Items, ResponseItem, StoredItem
from utils.mongo import Document

MOST = 100


@dataclass(frozen=True)
class Part:
    """Which part of a list is asked for."""

    after: Annotated[str | None, Query(max_length=500, description="The id of the last item seen")] = None
    limit: Annotated[int, Query(ge=1, le=MOST)] = 20
    order: Annotated[Literal["asc", "desc"], Query()] = "desc"


ThePart = Annotated[Part, Depends()]


async def listed(items: Items, owner: str, which: Document, part: Part) -> Json:
    """The part of a list that is asked for. `which`: the filter of its items."""
    found = await items.page(owner, which, after=part.after, limit=part.limit + 1, descending=part.order == "desc")
    return list_of(found[: part.limit], more=len(found) > part.limit)


def list_of(items: Sequence[StoredItem | ResponseItem], *, more: bool = False) -> Json:
    """Items as a list."""
    return {
        "object": "list",
        "data": [item.body for item in items],
        "first_id": items[0].id if items else None,
        "last_id": items[-1].id if items else None,
        "has_more": more,
    }
