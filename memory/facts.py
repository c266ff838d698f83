"""What is known of a user, and what was? Facts with their history: nothing is overwritten, and all can be undone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory import metrics
from memory.changes import Changes
from memory.collections import Collections
from memory.fact_decisions import Add, Decision, Delete, Keep, Update
from memory.gist_eraser import GistEraser
from memory.ids import derived_id
from memory.just_said import JustSaid
from memory.leases import pending
from utils.clock import now
from utils.errors import Conflict, NotFound
from utils.mongo import Document, insert_new

KIND = "fact"  # of the gist, and its role
BY_HAND = "user"  # who decided what came by the API
IN_FORCE = 1_000  # newest facts of a conversation that a new one is compared with

Event = Literal["ADD", "UPDATE", "DELETE", "NONE", "UNDO"]


@dataclass(frozen=True)
class FactEvent:
    """One thing that became of a fact. `by`: "rule_based", a model's name, or "user". `source`: id of the message that
    it was decided from. `other`: the fact that replaced it, or that it replaced."""

    event: Event
    at: datetime
    by: str
    source: str | None = None
    other: str | None = None


@dataclass(frozen=True)
class Fact:
    """A sentence that was in force from `valid_from` until `valid_to`, or still is (None). `sources`: ids of the
    messages that say so."""

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


@dataclass(frozen=True)
class Decided:
    """What became of one new fact. `old`: the text that it replaced."""

    event: Event
    id: str
    text: str
    old: str | None = None


@dataclass(frozen=True)
class Origin:
    """Where decisions come from. `source`: id of a message, None where there is none."""

    owner: str
    memory_id: str
    by: str
    at: datetime
    source: str | None = None


class Facts:
    """The facts of users, by conversation. Those in force have a gist, so that they are recalled."""

    def __init__(self, collections: Collections, changes: Changes, eraser: GistEraser, just_said: JustSaid) -> None:
        self._facts = collections.facts
        self._vectors = collections.vectors
        self._changes = changes
        self._eraser = eraser
        self._just_said = just_said

    async def get(self, owner: str, fact_id: str) -> Fact:
        return _fact(await self._find(owner, fact_id))

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        memory_id: str | None = None,
        as_of: datetime | None = None,
        ended: bool = False,
    ) -> list[tuple[Fact, str]]:
        """Facts, the last changed first, each with its `_id`. Those in force; with `as_of`, those that were in force
        then; with `ended`, all. `after`: `updated_at` and `_id` of the last one seen."""
        filter: dict[str, Any] = {"user_id": owner}
        if memory_id is not None:
            filter["memory_id"] = memory_id
        conditions: list[dict[str, Any]] = []
        if as_of is not None:
            filter["valid_from"] = {"$lte": as_of}
            conditions.append({"$or": [{"valid_to": None}, {"valid_to": {"$gt": as_of}}]})
        elif not ended:
            filter["valid_to"] = None
        if after is not None:
            moment, key = after
            conditions.append({"$or": [{"updated_at": {"$lt": moment}}, {"updated_at": moment, "_id": {"$lt": key}}]})
        if conditions:
            filter["$and"] = conditions
        cursor = self._facts.find(filter).sort([("updated_at", -1), ("_id", -1)]).limit(limit)
        return [(_fact(found), found["_id"]) for found in await cursor.to_list(None)]

    async def in_force(self, owner: str, memory_id: str) -> list[Fact]:
        """The facts of a conversation that hold, oldest first."""
        own = {"user_id": owner, "memory_id": memory_id, "valid_to": None}
        found = await self._facts.find(own).sort([("updated_at", -1), ("_id", -1)]).limit(IN_FORCE).to_list(None)
        return [_fact(document) for document in reversed(found)]

    async def apply(self, origin: Origin, decisions: Sequence[Decision]) -> list[Decided]:
        """Carries decisions out, in order. The same decisions of the same message again change nothing.

        Raises `Conflict` where a fact that is to be replaced was replaced meanwhile; those before it stand.
        """
        decided = [await self._apply(origin, decision) for decision in decisions]
        for one in decided:
            metrics.FACTS.labels(one.event).inc()
        return decided

    async def change(self, owner: str, fact_id: str, text: str) -> Fact:
        """Puts another text in the place of a fact in force; returns the new one."""
        old = await self.get(owner, fact_id)
        if old.valid_to is not None:
            raise Conflict("The fact is not in force any more")
        if old.text == text:
            return old
        origin = Origin(owner, old.memory_id, BY_HAND, now())
        [decided] = await self.apply(origin, [Update(fact_id, text)])
        return await self.get(owner, decided.id)

    async def end(self, owner: str, fact_id: str) -> Fact:
        """Takes a fact out of force; it stays in the history, and `undo` restores it."""
        old = await self.get(owner, fact_id)
        if old.valid_to is None:
            await self.apply(Origin(owner, old.memory_id, BY_HAND, now()), [Delete(fact_id)])
        return await self.get(owner, fact_id)

    async def undo(self, owner: str, fact_id: str) -> Fact:
        """Takes back what was decided last of a fact: one that was ended or replaced is in force again, and what took
        its place is not; one that is in force is withdrawn, and what it replaced is in force again."""
        fact = await self._find(owner, fact_id)
        origin = Origin(owner, fact["memory_id"], BY_HAND, now())
        if fact["valid_to"] is None:
            await self._close(origin, fact_id, "UNDO")
            if fact["supersedes"] is not None:
                await self._reopen(origin, fact["supersedes"])
        else:
            if fact["superseded_by"] is not None:
                await self._close(origin, fact["superseded_by"], "UNDO")
            await self._reopen(origin, fact_id)
        return await self.get(owner, fact_id)

    async def forget_source(self, owner: str, source: str) -> int:
        """After a message is deleted: deletes the facts that it alone supported, and what these had replaced holds
        again; returns how many."""
        supported = await self._facts.find({"user_id": owner, "sources": source}).to_list(None)
        deleted = 0
        for fact in supported:
            if fact["sources"] != [source]:
                await self._facts.update_one({"_id": fact["_id"], "user_id": owner}, {"$pull": {"sources": source}})
                await self._touch(owner, fact["_id"])
                continue
            deleted += await self._delete(owner, {"_id": fact["_id"]})
            if fact["supersedes"] is not None and fact["valid_to"] is None:
                await self._reopen(Origin(owner, fact["memory_id"], BY_HAND, now()), fact["supersedes"])
        return deleted

    async def forget(self, owner: str, memory_id: str | None = None) -> int:
        """Deletes all facts of a conversation, or of the owner; returns how many."""
        return await self._delete(owner, {} if memory_id is None else {"memory_id": memory_id})

    async def _delete(self, owner: str, filter: dict[str, Any]) -> int:
        found = await self._facts.find({"user_id": owner} | filter, {"_id": 1}).to_list(None)
        ids = [document["_id"] for document in found]
        if not ids:
            return 0
        deleted = await self._facts.delete_many({"_id": {"$in": ids}, "user_id": owner})
        await self._eraser.erase(owner, {"_id": {"$in": ids}, "user_id": owner})
        return deleted.deleted_count

    async def _apply(self, origin: Origin, decision: Decision) -> Decided:
        match decision:
            case Add(text):
                fact_id = await self._insert(origin, text, supersedes=None)
                return Decided("ADD", fact_id, text)
            case Keep(fact_id):
                return await self._confirm(origin, fact_id)
            case Delete(fact_id):
                old = await self._close(origin, fact_id, "DELETE")
                return Decided("DELETE", fact_id, old["text"])
            case Update(fact_id, text):
                new = _id(origin, text)
                old = await self._find(origin.owner, fact_id)
                if old["valid_to"] is not None and old["superseded_by"] != new:
                    raise Conflict("The fact was replaced meanwhile")
                await self._insert(origin, text, supersedes=fact_id)
                await self._close(origin, fact_id, "UPDATE", by_fact=new)
                return Decided("UPDATE", new, text, old["text"])

    async def _insert(self, origin: Origin, text: str, supersedes: str | None) -> str:
        """The id of a fact that is new, or was inserted from the same message before."""
        fact_id = _id(origin, text)
        event = _event("ADD" if supersedes is None else "UPDATE", origin, supersedes)
        document: Document = {
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
            "created_at": now(),
            "updated_at": now(),
            "history": [event],
        }
        try:
            await self._facts.insert_one(document)
        except DuplicateKeyError:
            document = await self._find(origin.owner, fact_id)
        if document["valid_to"] is None:
            await self._make_recallable(document)
        return fact_id

    async def _confirm(self, origin: Origin, fact_id: str) -> Decided:
        fact = await self._find(origin.owner, fact_id)
        if origin.source is not None and origin.source not in fact["sources"]:
            await self._facts.update_one(
                {"_id": fact_id, "user_id": origin.owner, "sources": {"$ne": origin.source}},
                {"$addToSet": {"sources": origin.source}, "$push": {"history": _event("NONE", origin)}},
            )
            await self._touch(origin.owner, fact_id)
        return Decided("NONE", fact_id, fact["text"])

    async def _touch(self, owner: str, fact_id: str) -> None:
        """Lets those who follow changes see that a fact in force has other sources; one that is not embedded yet, they
        have still to read."""
        while True:
            number = await self._changes.take(owner)
            embedded = {"_id": fact_id, "user_id": owner, "embed.state": "done"}
            await self._vectors.update_one(embedded, {"$set": {"change": number}})
            if await self._changes.close(owner, number):
                return

    async def _close(self, origin: Origin, fact_id: str, event: Event, by_fact: str | None = None) -> Document:
        """Takes a fact out of force, where it still is; returns it."""
        changed = await self._facts.find_one_and_update(
            {"_id": fact_id, "user_id": origin.owner, "valid_to": None},
            {
                "$set": {"valid_to": origin.at, "superseded_by": by_fact, "updated_at": now()},
                "$push": {"history": _event(event, origin, by_fact)},
            },
            return_document=ReturnDocument.AFTER,
        )
        await self._eraser.erase(origin.owner, {"_id": fact_id, "user_id": origin.owner})
        return changed if changed is not None else await self._find(origin.owner, fact_id)

    async def _reopen(self, origin: Origin, fact_id: str) -> None:
        changed = await self._facts.find_one_and_update(
            {"_id": fact_id, "user_id": origin.owner, "valid_to": {"$ne": None}},
            {
                "$set": {"valid_to": None, "superseded_by": None, "updated_at": now()},
                "$push": {"history": _event("UNDO", origin)},
            },
            return_document=ReturnDocument.AFTER,
        )
        if changed is not None:
            await self._make_recallable(changed)

    async def _make_recallable(self, fact: Document) -> None:
        """Gives a fact in force its gist."""
        gist: Document = {
            "_id": fact["_id"],
            "id": fact["_id"],
            "user_id": fact["user_id"],
            "session_id": fact["memory_id"],
            "kind": KIND,
            "role": KIND,
            "content": fact["text"],
            "timestamp": fact["valid_from"],
            "created_at": now(),
            "embed": pending(),
        }
        [inserted] = await insert_new(self._vectors, [gist])
        if inserted:
            self._just_said.add(fact["user_id"], [gist])

    async def _find(self, owner: str, fact_id: str) -> Document:
        found: Document | None = await self._facts.find_one({"_id": fact_id, "user_id": owner})
        if found is None:
            raise NotFound("No such fact")
        return found


def _id(origin: Origin, text: str) -> str:
    """The same for the same text from the same message; without a message, for the same moment."""
    return derived_id(origin.owner, origin.memory_id, origin.source or origin.at.isoformat(), text)


def _event(event: Event, origin: Origin, other: str | None = None) -> Document:
    return {"event": event, "at": now(), "by": origin.by, "source": origin.source, "other": other}


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
