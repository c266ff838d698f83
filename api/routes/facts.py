"""What is known of a user, and what was."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from api.auth import Owner
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import facts as wire
from api.wire.base import Page
from utils.fields import Identifier, Moment

router = APIRouter(prefix="/v1/facts", route_class=LociRoute, tags=["facts"])

FactId = Annotated[Identifier, Path()]


@router.get("")
async def list_facts(
    memory: TheMemory,
    owner: Owner,
    page: ThePage,
    memory_id: Annotated[Identifier | None, Query(description="Of this conversation alone")] = None,
    as_of: Annotated[Moment | None, Query(description="What was in force then; else what is now")] = None,
    ended: Annotated[bool, Query(strict=False, description="Those that hold no longer, too")] = False,
    past: Annotated[bool, Query(strict=False, description="Those that hold no longer, alone")] = False,
) -> Page[wire.FactOut]:
    """Facts in force, the last changed first."""
    facts = await memory.engine.knowledge.facts.page(
        owner, limit=page.sought, after=page.position, memory_id=memory_id, as_of=as_of, ended=ended, past=past
    )
    return Page[wire.FactOut].by_time(facts, page.limit)


@router.post("", responses=errors(409))
async def add_facts(body: wire.FactsRequest, memory: TheMemory, owner: Owner) -> wire.FactsResponse:
    """Extract the facts that a text of the user's states, and reconcile them with those in force."""
    decided = await memory.learn(owner, body.text, body.memory_id, timezone=body.timezone)
    return wire.FactsResponse(decisions=[wire.DecisionOut.of(one) for one in decided])


@router.get("/{fact_id}", responses=errors(404))
async def get_fact(fact_id: FactId, memory: TheMemory, owner: Owner) -> wire.FactOut:
    """One fact, in force or not."""
    return wire.FactOut.of(await memory.engine.knowledge.facts.get(owner, fact_id))


@router.get("/{fact_id}/history", responses=errors(404))
async def fact_history(fact_id: FactId, memory: TheMemory, owner: Owner) -> wire.FactHistory:
    """All that became of a fact, oldest first."""
    fact = await memory.engine.knowledge.facts.get(owner, fact_id)
    return wire.FactHistory(items=[wire.FactEventOut.of(event) for event in fact.history])


@router.patch("/{fact_id}", responses=errors(404, 409))
async def change_fact(fact_id: FactId, body: wire.FactPatch, memory: TheMemory, owner: Owner) -> wire.FactOut:
    """Put another text in the place of a fact; returns the new one, the old one stays in the history."""
    changed = await memory.engine.knowledge.facts.change(owner, fact_id, " ".join(body.text.split()))
    memory.nudge_embedding()
    return wire.FactOut.of(changed)


@router.delete("/{fact_id}", responses=errors(404, 409))
async def end_fact(fact_id: FactId, memory: TheMemory, owner: Owner) -> wire.FactOut:
    """Take a fact out of force. Undo restores it; deleting its conversation or its message deletes it for good."""
    return wire.FactOut.of(await memory.engine.knowledge.facts.end(owner, fact_id))


@router.post("/{fact_id}/undo", responses=errors(404, 409))
async def undo_fact(fact_id: FactId, memory: TheMemory, owner: Owner) -> wire.FactOut:
    """Take back what was decided last of a fact, be it an undo. Of those that replaced each other, one is in force."""
    undone = await memory.engine.knowledge.facts.undo(owner, fact_id)
    memory.nudge_embedding()
    return wire.FactOut.of(undone)
