"""Taking back what was decided of facts: by an undo, or because the message that it came from is deleted."""

from collections.abc import Mapping, Sequence

from memory.facts.chain import Step, chain_of, heir_of, undone, without
from memory.facts.store import FactStore, event_of, link_of
from memory.store import NamedLeases
from utils.errors import Conflict, NotFound
from utils.mongo import Document


class FactHistory:
    """Goes back in the history of facts; what it does stands there as `UNDO`."""

    def __init__(self, store: FactStore, leases: NamedLeases) -> None:
        self._store = store
        self._leases = leases

    async def undo(self, owner: str, fact_id: str, by: str) -> None:
        """Takes back the last decision on a fact. Raises `NotFound`; `Conflict` where others change its chain."""
        memory_id = (await self._store.find(owner, fact_id))["memory_id"]
        async with self._leases.linking(owner, memory_id):
            links = await self._store.links(owner, memory_id)
            if fact_id not in links:
                raise NotFound("No such fact")
            await self._carry_out(links, undone(chain_of(map(link_of, links.values()), fact_id), fact_id), by)

    async def forget_source(self, owner: str, memory_id: str, source: str, by: str) -> int:
        """Takes back what was decided for a message of a conversation that is deleted; returns how many facts are
        deleted with it.

        Waits for whoever is making facts there, though none are there yet: what it writes next would stay if it died.
        Goes on where it does not let go: it lives, then, and asks once more whether its message is there.
        """
        async with self._leases.held("linking", owner, memory_id):
            made = [fact for fact in await self._store.made_of(owner, source) if fact["memory_id"] == memory_id]
            return sum([await self._forget_source_of(fact, source, by) for fact in made])

    async def _forget_source_of(self, fact: Document, source: str, by: str) -> int:
        owner, memory_id, fact_id = fact["user_id"], fact["memory_id"], fact["_id"]
        if fact["sources"] != [source] and source in fact["sources"]:
            await self._store.drop_source(owner, fact_id, source)
            return 0
        links = await self._store.links(owner, memory_id)
        chain = chain_of(map(link_of, links.values()), fact_id)
        if fact_id not in chain:
            return 0
        if source not in fact["sources"]:
            if _ended_for(links[fact_id], source) and all(link.valid_to is not None for link in chain.values()):
                await self._carry_out(links, [Step(fact_id, None)], by)
            return 0
        steps = without(chain, fact_id)
        await self._carry_out(links, [step for step in steps if step.valid_to is not None], by)
        await self._store.relink(owner, memory_id, fact_id, heir_of(chain, fact_id))
        deleted = await self._store.delete(owner, {"_id": fact_id})
        await self._carry_out(links, [step for step in steps if step.valid_to is None], by)
        return deleted

    async def _carry_out(self, links: Mapping[str, Document], steps: Sequence[Step], by: str) -> None:
        for step in steps:
            event = event_of("UNDO", by, other=step.other)
            if await self._store.end(links[step.id], step.valid_to, step.superseded_by, event) is None:
                raise Conflict("The fact was changed meanwhile")


def _ended_for(fact: Document, source: str) -> bool:
    """Whether the last that was decided of a fact is that it holds no longer, because of a message."""
    last = next(event for event in reversed(fact["history"]) if event["event"] != "NONE")
    return fact["valid_to"] is not None and last["event"] == "DELETE" and last["source"] == source
