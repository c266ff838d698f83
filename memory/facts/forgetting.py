"""What becomes of facts when what says them is deleted: as if it had never been said."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from memory.facts.chain import Ending, chain_of, chains_of, heir_of, without
from memory.facts.store import BY_DELETION, BY_HAND, FactStore, conversation_of, event_of, last_decision, link_of
from utils.errors import Conflict
from utils.mongo import Document


async def take_back(store: FactStore, links: Mapping[str, Document], endings: Sequence[Ending], by: str) -> None:
    """Carries out what takes decisions back, which stands in the history as `UNDO`. `by`: whoever does. Raises
    `Conflict` where a fact is not any more as it was seen."""
    for ending in endings:
        event = event_of("UNDO", by, other=ending.other)
        if await store.end(links[ending.id], ending.valid_to, ending.superseded_by, event) is None:
            raise Conflict("The fact was changed meanwhile")


async def forget_source(store: FactStore, fact: Document, source: str) -> int:
    """After a message is deleted: deletes a fact that it alone supported, or restores one that was ended for it.
    Returns how many it deleted."""
    owner, fact_id = fact["user_id"], fact["_id"]
    if fact["sources"] != [source] and source in fact["sources"]:
        await store.drop_sources(owner, fact_id, [source], fact["memory_id"])
        return 0
    links = await store.links(owner)
    if source in fact["sources"]:
        return await _forget(store, owner, links, fact_id)
    last = last_decision(fact)
    if last is not None and last["source"] == source:
        await _restore(store, links, fact_id)
    return 0


async def forget_conversation(
    store: FactStore, owner: str, memory_id: str, moment: datetime, *, decided_until: datetime
) -> int:
    """After the messages of a conversation are deleted: deletes its facts of until a moment that nothing else supports,
    and takes back what it decided of others; returns how many it deleted. What messages of other conversations say,
    too, or such as are there again, stays, as theirs.

    `decided_until`: what was decided later without a message is of its next life.
    """
    facts = await store.decided_in(owner, memory_id)
    named = {event["source"] for fact in facts for event in fact["history"]}.union(*(fact["sources"] for fact in facts))
    there = await store.told(owner, named - {None})
    going, ended = set[str](), list[str]()
    for fact in facts:
        own, homes = fact["memory_id"] == memory_id, _homes(fact) | there
        gone = [source for source in fact["sources"] if source not in there and homes[source] == memory_id]
        left = [source for source in fact["sources"] if source not in gone]
        if own and fact["created_at"] > moment:
            continue
        if not left and (own or (gone and fact["history"][0]["source"] is not None)):
            going.add(fact["_id"])
            continue
        home = homes[left[0]] if own else fact["memory_id"]
        if gone or home != fact["memory_id"]:
            await store.drop_sources(owner, fact["_id"], gone, home)
        last = last_decision(fact)
        if last is not None and conversation_of(fact, last) == memory_id:
            by_message = last["source"] is not None and last["source"] not in there
            if by_message or (last["source"] is None and last["by"] != BY_HAND and last["at"] <= decided_until):
                ended.append(fact["_id"])
    deleted = await _forget_all(store, owner, going) if going else 0
    links = await store.links(owner) if ended else {}
    for fact_id in ended:
        await _restore(store, links, fact_id)
    return deleted


def _homes(fact: Document) -> dict[str, str]:
    """By the ids of the messages that say a fact, the conversations that they are of."""
    homes = dict.fromkeys(fact["sources"], str(fact["memory_id"]))
    for event in reversed(fact["history"]):
        homes[event["source"]] = conversation_of(fact, event)
    return homes


async def _forget_all(store: FactStore, owner: str, going: set[str]) -> int:
    """Deletes facts; those at once of whose chains nothing is left."""
    chains = [chain for chain in chains_of(map(link_of, (await store.links(owner)).values())) if going & chain.keys()]
    whole = [fact_id for chain in chains if chain.keys() <= going for fact_id in chain]
    deleted = await store.delete(owner, {"_id": {"$in": whole}}) if whole else 0
    for chain in chains:
        if not chain.keys() <= going:
            for fact_id in going & chain.keys():
                deleted += await _forget(store, owner, await store.links(owner, chain), fact_id)
    return deleted


async def _forget(store: FactStore, owner: str, links: Mapping[str, Document], fact_id: str) -> int:
    """Deletes one fact, so that what it had replaced holds until something else replaced it, or again."""
    chain = chain_of(map(link_of, links.values()), fact_id)
    if not chain:
        return 0
    endings = without(chain, fact_id)
    await take_back(store, links, [ending for ending in endings if ending.valid_to is not None], BY_DELETION)
    await store.relink(owner, chain, fact_id, heir_of(chain, fact_id))
    deleted = await store.delete(owner, {"_id": fact_id})
    await take_back(store, links, [ending for ending in endings if ending.valid_to is None], BY_DELETION)
    return deleted


async def _restore(store: FactStore, links: Mapping[str, Document], fact_id: str) -> None:
    """Puts a fact in force again that was ended without another in its place, where none of its chain is."""
    chain = chain_of(map(link_of, links.values()), fact_id)
    last = last_decision(links[fact_id]) if chain else None
    if last is not None and last["event"] == "DELETE" and all(link.valid_to is not None for link in chain.values()):
        await take_back(store, links, [Ending(fact_id, None)], BY_DELETION)
