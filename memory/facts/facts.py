"""Facts with their history: nothing is overwritten, and all can be undone."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from memory import metrics
from memory.facts.chain import around, chain_of, undone
from memory.facts.forgetting import forget_conversation, forget_source, take_back
from memory.facts.rules.reconcile import Add, Decision, Delete, Keep, Update
from memory.facts.store import BY_HAND, FactStore, conversations_of, event_of, link_of, marks_of, was_done
from memory.ids import derived_id
from memory.store import Collections, NamedLeases
from utils.clock import now
from utils.errors import Conflict, NotFound
from utils.mongo import Document

IN_FORCE = 1_000  # newest facts of a user's that a new one is compared with

Event = Literal["ADD", "UPDATE", "DELETE", "NONE", "UNDO"]


@dataclass(frozen=True)
class FactEvent:
    """One thing that became of a fact. `by`: "rule_based", a model's name, "user", or "deletion" of its message.
    `source`: id of the message that it was decided from, `memory_id`: of the conversation, None for the fact's own.
    `other`: the fact that replaced it, or that it replaced, or may have."""

    event: Event
    at: datetime
    by: str
    source: str | None = None
    other: str | None = None
    memory_id: str | None = None


@dataclass(frozen=True)
class Fact:
    """A sentence that was in force from `valid_from` until `valid_to`, or still is (None). `memory_id`: the
    conversation that it comes from; `sources`: ids of the messages that say so, there or elsewhere."""

    id: str
    memory_id: str
    text: str
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: str | None
    sources: tuple[str, ...]
    decided_by: str
    updated_at: datetime
    history: tuple[FactEvent, ...] = ()

    @property
    def may_replace(self) -> str | None:
        """The fact that it stands beside though it may have replaced it, which was not decided."""
        return next((event.other for event in self.history if event.event == "ADD"), None)


@dataclass(frozen=True)
class Decided:
    """What became of one new fact. `old`: the text that it replaced."""

    event: Event
    id: str
    text: str
    old: str | None = None


@dataclass(frozen=True)
class Origin:
    """Where decisions come from. `at`: from when on they hold. `source`: id of a message, None where there is none.
    `begun`: when it was said, or asked for; what is forgotten later takes with it what comes of it. `asked`: what
    `Facts.asking` notes it under, where there is no message."""

    owner: str
    memory_id: str
    by: str
    at: datetime
    source: str | None = None
    begun: datetime = field(default_factory=now)
    asked: str | None = None


class Facts:
    """The facts of users, over all their conversations. Those in force have a gist, so that they are recalled."""

    def __init__(self, collections: Collections, store: FactStore, leases: NamedLeases) -> None:
        self._facts = collections.facts
        self._store = store
        self._leases = leases

    async def get(self, owner: str, fact_id: str) -> Fact:
        return _fact(await self._store.find(owner, fact_id))

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        memory_id: str | None = None,
        as_of: datetime | None = None,
        ended: bool = False,
        past: bool = False,
    ) -> list[tuple[Fact, str]]:
        """Facts, the last changed first, each with its `_id`. Those in force; with `as_of`, those that were in force
        then; with `past`, those that are no more; with `ended`, all. `after`: `updated_at` and `_id` of the last one
        seen."""
        filter: dict[str, Any] = {"user_id": owner}
        if memory_id is not None:
            filter["memory_id"] = memory_id
        conditions: list[dict[str, Any]] = []
        if as_of is not None:
            filter["valid_from"] = {"$lte": as_of}
            conditions.append({"$or": [{"valid_to": None}, {"valid_to": {"$gt": as_of}}]})
        elif past:
            filter["valid_to"] = {"$ne": None}
        elif not ended:
            filter["valid_to"] = None
        if after is not None:
            moment, key = after
            conditions.append({"$or": [{"updated_at": {"$lt": moment}}, {"updated_at": moment, "_id": {"$lt": key}}]})
        if conditions:
            filter["$and"] = conditions
        cursor = self._facts.find(filter).sort([("updated_at", -1), ("_id", -1)]).limit(limit)
        return [(_fact(found), found["_id"]) for found in await cursor.to_list(None)]

    async def newest(self, owner: str, most: int) -> list[Fact]:
        """The facts of the owner's that are in force, the last changed first."""
        return [fact for fact, _ in await self.page(owner, limit=most)]

    async def in_force(self, owner: str, memory_id: str | None = None) -> list[Fact]:
        """The facts that hold, those that changed last, oldest first; of all conversations or of one."""
        own = {"user_id": owner, "valid_to": None} | ({} if memory_id is None else {"memory_id": memory_id})
        found = await self._facts.find(own).sort([("updated_at", -1), ("_id", -1)]).limit(IN_FORCE).to_list(None)
        return [_fact(document) for document in reversed(found)]

    async def apply(
        self, origin: Origin, decisions: Sequence[Decision], stands: Callable[[], Awaitable[bool]] | None = None
    ) -> list[Decided]:
        """Carries decisions out, in order. The same decisions of the same message again change nothing, whatever became
        of the facts since. `stands`: whether the message is still there, to be asked when no deletion comes between;
        where it is not, nothing is decided. What was said before a fact in force of another conversation neither
        replaces nor ends it: it comes into the history before that.

        Raises `Conflict` where a fact that is to be replaced or confirmed lost its force meanwhile, or all of the
        conversation was deleted; `NotFound` where such a fact was deleted. Those before it stand.
        """
        if not decisions:
            return []
        if origin.source is None and origin.asked is None:
            async with self.asking(origin) as asked:
                return await self.apply(asked, decisions, stands)
        async with self._leases.linking(origin.owner):
            if stands is not None and not await stands():
                return []
            await self._refuse_forgotten(origin)
            decided = [await self._apply(origin, decision) for decision in decisions]
            await self._refuse_forgotten(origin)
        for fact in decided:
            metrics.FACTS.labels(fact.event).inc()
        return decided

    async def change(self, owner: str, fact_id: str, text: str) -> Fact:
        """Puts another text in the place of a fact; returns the new one. Raises `Conflict` where it is not in force."""
        old = await self.get(owner, fact_id)
        if old.valid_to is not None:
            raise Conflict("The fact is not in force any more")
        if old.text == text:
            return old
        [decided] = await self.apply(Origin(owner, old.memory_id, BY_HAND, now()), [Update(fact_id, text)])
        return await self.get(owner, decided.id)

    async def end(self, owner: str, fact_id: str) -> Fact:
        """Takes a fact out of force; it stays in the history, and `undo` restores it."""
        old = await self.get(owner, fact_id)
        if old.valid_to is None:
            await self.apply(Origin(owner, old.memory_id, BY_HAND, now()), [Delete(fact_id)])
        else:
            await self._store.stop_recalling(owner, fact_id)  # a crash may have kept the one who ended it from that
        return await self.get(owner, fact_id)

    async def undo(self, owner: str, fact_id: str) -> Fact:
        """Takes back what was decided last of a fact, also where it was undone before. One that was ended, replaced or
        withdrawn is in force again from its beginning on, and whichever of its chain was in force is not; one that is
        in force is withdrawn, and what lost its force for it is in force again. What is withdrawn never was in force:
        its end is its beginning.

        Raises `Conflict` where others change the chain meanwhile.
        """
        async with self._leases.linking(owner):
            links = await self._store.links(owner)
            if fact_id not in links:
                raise NotFound("No such fact")
            await take_back(
                self._store, links, undone(chain_of(map(link_of, links.values()), fact_id), fact_id), BY_HAND
            )
        return await self.get(owner, fact_id)

    async def forget_source(self, owner: str, memory_id: str, source: str) -> int:
        """After a message of a conversation is deleted: deletes the facts that it alone supported, as if they had never
        been, so that what they had replaced holds until something else replaced it, or again; restores what was ended
        for the message. Returns how many it deleted.

        Waits for whoever is making facts, though none are there yet: what it writes next would stay if it died.
        Goes on where it does not let go: it lives, then, and asks once more whether its message is there.
        """
        async with self._leases.held("linking", owner):
            made = [
                fact for fact in await self._store.made_of(owner, source) if memory_id in conversations_of(fact, source)
            ]
            return sum([await forget_source(self._store, fact, source) for fact in made])

    async def forget_unsourced(self, owner: str, fact_id: str) -> int:
        """Deletes a fact that no message states, with those of its chain that none states; returns how many."""
        async with self._leases.held("linking", owner):
            links = await self._store.links(owner)
            if fact_id not in links:
                raise NotFound("No such fact")
            chain = chain_of(map(link_of, links.values()), fact_id)
            unsourced = {"_id": {"$in": list(chain)}, "user_id": owner, "sources": []}
            going = [fact["_id"] for fact in await self._facts.find(unsourced, {"_id": 1}).to_list(None)]
            for identifier in going:
                await self._store.relink(owner, chain, identifier, None)
            return await self._store.delete(owner, {"_id": {"$in": going}})

    async def forget(self, owner: str, moment: datetime, memory_id: str | None = None) -> int:
        """Deletes the facts of the owner, or those of a conversation that no other supports, that were said until a
        moment, and has those refused that are still to come of what was; returns how many."""
        await self._store.forget_asked(owner, memory_id, moment)
        if memory_id is None:
            return await self._store.delete(owner, {"created_at": {"$lte": moment}})
        async with self._leases.held("linking", owner):
            return await forget_conversation(self._store, owner, memory_id, moment, decided_until=moment)

    @asynccontextmanager
    async def asking(self, origin: Origin) -> AsyncIterator[Origin]:
        """Around what is said without a message, from the beginning on, so that a deletion in between forgets it."""
        asked = await self._store.note_asked(origin.owner, origin.memory_id, origin.begun)
        try:
            yield replace(origin, asked=asked)
        finally:
            await self._store.drop_asked(asked)

    async def _refuse_forgotten(self, origin: Origin) -> None:
        """Lets nothing come of what was asked for before the conversation was deleted."""
        if origin.asked is not None and not await self._store.is_asked(origin.asked):
            owner, memory_id, begun = origin.owner, origin.memory_id, origin.begun
            if await forget_conversation(self._store, owner, memory_id, begun, decided_until=now()):
                await self._store.drop_unused(origin.owner)
            raise Conflict("The conversation was deleted meanwhile")

    async def _apply(self, origin: Origin, decision: Decision) -> Decided:
        match decision:
            case Add(text, beside):
                return Decided("ADD", await self._add(origin, text, beside), text)
            case Keep(fact_id):
                return await self._confirm(origin, fact_id)
            case Delete(fact_id):
                old = await self._store.find(origin.owner, fact_id)
                if _is_earlier(origin, old):
                    return Decided("NONE", fact_id, old["text"])
                if not was_done(old, "DELETE", source=origin.source):
                    await self._close(origin, old, "DELETE")
                return Decided("DELETE", fact_id, old["text"])
            case Update(fact_id, text):
                return await self._replace(origin, await self._store.find(origin.owner, fact_id), text)

    async def _add(self, origin: Origin, text: str, beside: str | None) -> str:
        """The id of a fact that is new, or stands already: the same message said it, or, where there is none, the same
        text is in force. Numbers tell those apart that were ended and said again."""
        if origin.source is not None:
            fact_id = derived_id(origin.owner, origin.memory_id, origin.source, text)
            await self._store.insert(_document(origin, fact_id, text, beside=beside))
            return fact_id
        number = 0
        while True:
            fact_id = derived_id(origin.owner, origin.memory_id, "said", text, str(number))
            made = await self._store.insert(_document(origin, fact_id, text, beside=beside))
            if made["valid_to"] is None:
                return fact_id
            number += 1

    async def _replace(self, origin: Origin, old: Document, text: str) -> Decided:
        if text == old["text"]:
            return await self._confirm(origin, old["_id"])
        said = (origin.source,) if origin.source is not None else (old["_id"], str(len(old["history"])))
        new_id = derived_id(origin.owner, origin.memory_id, *said, text)
        if _is_earlier(origin, old):
            return await self._put_before(origin, old, new_id, text)
        decided = Decided("UPDATE", new_id, text, old["text"])
        if was_done(old, "UPDATE", other=new_id):
            if old["valid_to"] is not None:
                await self._store.stop_recalling(origin.owner, old["_id"])
            return decided
        if old["valid_to"] is None:
            # What was said before the fact that it replaces is learnt after it: it holds from then on.
            since = replace(origin, at=max(origin.at, old["valid_from"]))
            fact = _document(since, new_id, text, supersedes=old["_id"]) | marks_of(old)
            new = await self._store.insert(fact)
            if new["valid_to"] is not None and new["supersedes"] != old["_id"]:
                return Decided("NONE", new_id, text)  # the message said so before, and it was taken back since
            try:
                if (await self._close(origin, old, "UPDATE", new_id))["superseded_by"] == new_id:
                    return decided
            except NotFound:
                await self._drop_loser(origin, new_id, old["_id"])
                raise
        await self._drop_loser(origin, new_id, old["_id"])
        raise Conflict("The fact was replaced meanwhile")

    async def _put_before(self, origin: Origin, old: Document, new_id: str, text: str) -> Decided:
        """Adds a fact that was said before one in force as what held from then until the next of its chain."""
        links = await self._store.links(origin.owner)
        chain = chain_of(map(link_of, links.values()), old["_id"])
        former, following = around({name: link for name, link in chain.items() if name != new_id}, origin.at)
        new = links.get(new_id)
        if new is None:
            if following is None or old["valid_to"] is not None:
                raise Conflict("The fact was replaced meanwhile")
            ended = {"valid_to": following.valid_from, "superseded_by": following.id}
            new = _document(origin, new_id, text, supersedes=following.supersedes) | ended
            await self._store.insert(new)
        if new["superseded_by"] is not None:
            await self._store.put_between(origin.owner, new["superseded_by"], new_id, new["supersedes"])
        if former is not None and not was_done(links[former.id], "UPDATE", other=new_id):
            await self._store.end(links[former.id], origin.at, new_id, _event("UPDATE", origin, new_id))
        return Decided("ADD", new_id, text)

    async def _drop_loser(self, origin: Origin, new_id: str, old_id: str) -> None:
        """Deletes a fact that was to replace another, where that was replaced by something else or deleted."""
        await self._store.delete(origin.owner, {"_id": new_id, "supersedes": old_id, "valid_to": None})

    async def _confirm(self, origin: Origin, fact_id: str) -> Decided:
        fact = await self._store.find(origin.owner, fact_id)
        if origin.source is not None and origin.source not in fact["sources"]:
            if await self._store.add_source(origin.owner, fact_id, origin.source, _event("NONE", origin)):
                return Decided("NONE", fact_id, fact["text"])
            fact = await self._store.find(origin.owner, fact_id)
        if fact["valid_to"] is not None and origin.source not in fact["sources"]:
            raise Conflict("The fact is not in force any more")
        return Decided("NONE", fact_id, fact["text"])

    async def _close(self, origin: Origin, old: Document, event: Event, by_fact: str | None = None) -> Document:
        """Takes a fact out of force, where it still is; returns it. It ends no sooner than it began, though what ends
        it may have been said before."""
        if old["valid_to"] is None:
            end = max(origin.at, old["valid_from"])
            closed = await self._store.end(old, end, by_fact, _event(event, origin, by_fact))
            if closed is not None:
                return closed
        return await self._store.find(origin.owner, old["_id"])


def _document(
    origin: Origin, fact_id: str, text: str, *, supersedes: str | None = None, beside: str | None = None
) -> Document:
    """A new fact."""
    return {
        "_id": fact_id,
        "user_id": origin.owner,
        "memory_id": origin.memory_id,
        "text": text,
        "valid_from": origin.at,
        "valid_to": None,
        "supersedes": supersedes,
        "superseded_by": None,
        "sources": [origin.source] if origin.source is not None else [],
        "decided_by": origin.by,
        "created_at": origin.begun,
        "updated_at": now(),
        "history": [_event("ADD" if supersedes is None else "UPDATE", origin, supersedes or beside)],
    }


def _event(event: Event, origin: Origin, other: str | None = None) -> Document:
    return event_of(event, origin.by, origin.source, other, origin.memory_id)


def _is_earlier(origin: Origin, fact: Document) -> bool:
    """Whether something was said before a fact that comes from another conversation: what is told first may be settled
    last. Within one conversation the order is that of its messages."""
    return bool(fact["memory_id"] != origin.memory_id and origin.at < fact["valid_from"])


def _fact(found: Document) -> Fact:
    return Fact(
        id=found["_id"],
        memory_id=found["memory_id"],
        text=found["text"],
        valid_from=found["valid_from"],
        valid_to=found["valid_to"],
        superseded_by=found["superseded_by"],
        sources=tuple(found["sources"]),
        decided_by=found["decided_by"],
        updated_at=found["updated_at"],
        history=tuple(FactEvent(**event) for event in found["history"]),
    )
