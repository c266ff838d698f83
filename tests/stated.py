"""What tests of facts say, and what they find stated."""

from datetime import timedelta

import pytest

from agents.memory import Memory
from config.recipes import SEARCH
from memory.domain import Turn
from memory.store import named_leases
from tests.conversations import START

HOUR = timedelta(hours=1)


async def say(memory: Memory, *contents: str, owner: str = "ann", session: str = "s") -> None:
    """A user's messages, an hour apart, of which facts are to be made."""
    there = await memory.engine.chats.turns.page(owner, session, after=-1, limit=200)
    for number, content in enumerate(contents, len(there)):
        turn = Turn(f"{session}-m{number}", "user", content, START + number * HOUR, proxied=True)
        await memory.engine.chats.turns.remember(owner, session, [turn])


async def texts(memory: Memory, owner: str = "ann", **filter: object) -> list[str]:
    page = await memory.engine.knowledge.facts.page(owner, limit=100, **filter)  # type: ignore[arg-type]
    return sorted(fact.text for fact, _ in page)


async def found(memory: Memory, query: str, owner: str = "ann") -> list[str]:
    recall = await memory.search(owner, query, SEARCH)
    return [hit.gist.content for hit in recall.hits if hit.gist.kind == "fact"]


async def come_due(memory: Memory) -> None:
    """Lets the time of every lease and every wait pass."""
    held = {"facts.state": {"$in": ["pending", "leased"]}}
    due = {"$set": {"facts.state": "pending", "facts.lease_until": START}}
    await memory.engine.store.collections.vectors.update_many(held, due)


async def gists(memory: Memory) -> list[str]:
    """What of facts could be recalled."""
    found = await memory.engine.store.collections.vectors.find({"kind": "fact"}, {"content": 1}).to_list(None)
    return sorted(gist["content"] for gist in found)


async def lose_leases(memory: Memory, patch: pytest.MonkeyPatch) -> None:
    """What a process sees that stood still for longer than its leases run."""
    patch.setattr(named_leases, "WAIT", 0.0)
    await memory.engine.store.collections.idempotency.delete_many({"lease": {"$exists": True}})
