"""Facts in the store, and beside each the gist by which it is recalled."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.domain import FACT, UNRANKED
from memory.facts.chain import Link
from memory.gists import GistEraser, JustSaid, new_gist
from memory.ids import keys_of, new_id
from memory.store import Changes, Collections
from memory.turns import TOLD
from utils.clock import now
from utils.errors import Conflict, NotFound
from utils.mongo import Document, insert_new

BY_HAND = "user"  # who decided what came by the API
BY_DELETION = "deletion"  # of the message that a decision was made from
MARKS = ("pinned", "hidden")  # how a fact stands in the profile; one that is not there is not set
LINKS = {"memory_id": 0, "text": 0, "sources": 0}  # a projection: what a link is read from


class FactStore:
    """Facts as documents. A fact has a gist, of the same `_id`, as long as it is in force."""

    def __init__(self, collections: Collections, changes: Changes, eraser: GistEraser, just_said: JustSaid) -> None:
        self._facts = collections.facts
        self._vectors = collections.vectors
        self._requests = collections.idempotency
        self._changes = changes
        self._eraser = eraser
        self._just_said = just_said

    async def find(self, owner: str, fact_id: str) -> Document:
        found: Document | None = await self._facts.find_one({"_id": fact_id, "user_id": owner})
        if found is None:
            raise NotFound("No such fact")
        return found

    async def mark(self, owner: str, fact_id: str, marks: Mapping[str, bool]) -> None:
        """Sets marks of a fact, or takes them away. Raises `Conflict` where it is not in force."""
        in_force = {"_id": fact_id, "user_id": owner, "valid_to": None}
        async with self._changes.noted(owner, "facts"):
            marked = await self._facts.update_one(in_force, marking(marks))
        if not marked.matched_count:
            raise Conflict("The fact is not in force any more")

    async def links(self, owner: str, among: Collection[str] | None = None) -> dict[str, Document]:
        """The owner's facts, all or those of some `_id`s, as far as their chains go by them, by `_id`."""
        filter = {"user_id": owner} | ({} if among is None else {"_id": {"$in": list(among)}})
        return {document["_id"]: document for document in await self._facts.find(filter, LINKS).to_list(None)}

    async def put_between(self, owner: str, fact_id: str, former: str, before: str | None) -> None:
        """Lets a fact that was made to replace what was before another have been made to replace that other."""
        same = {"_id": fact_id, "user_id": owner, "supersedes": before}
        await self._facts.update_one(same, {"$set": {"supersedes": former}})

    async def decided_in(self, owner: str, memory_id: str) -> list[Document]:
        """The facts of a conversation, and those of which it decided something."""
        either = [{"memory_id": memory_id}, {"history.memory_id": memory_id}]
        found: list[Document] = await self._facts.find({"user_id": owner, "$or": either}).to_list(None)
        return found

    async def told(self, owner: str, sources: Iterable[str]) -> dict[str, str]:
        """By their ids, the conversations of those messages that are still there."""
        keys = [key for source in sources for key in keys_of(source, owner)]
        there = {"_id": {"$in": keys}, "user_id": owner, **TOLD}
        found = await self._vectors.find(there, {"id": 1, "session_id": 1}).to_list(None) if keys else []
        return {message["id"]: message["session_id"] for message in found}

    async def insert(self, fact: Document) -> Document:
        """Adds a fact in force; returns what stands under its `_id`, which may be there already."""
        try:
            async with self._changes.noted(fact["user_id"], "facts"):
                await self._facts.insert_one(fact | {"rank": UNRANKED})
        except DuplicateKeyError:
            fact = await self.find(fact["user_id"], fact["_id"])
        if fact["valid_to"] is None:
            await self.make_recallable(fact)
        return fact

    async def end(
        self, seen: Document, valid_to: datetime | None, superseded_by: str | None, event: Document
    ) -> Document | None:
        """Says until when a fact holds, None for without end, and what replaced it; its gist goes or comes with that.
        None where the fact is not any more as it was seen."""
        same = {name: seen[name] for name in ("_id", "user_id", "valid_to", "superseded_by")}
        ended = {"valid_to": valid_to, "superseded_by": superseded_by, "updated_at": now()}
        async with self._changes.noted(seen["user_id"], "facts"):
            changed: Document | None = await self._facts.find_one_and_update(
                same, {"$set": ended, "$push": {"history": event}}, return_document=ReturnDocument.AFTER
            )
        if changed is not None and valid_to is None:
            await self.make_recallable(changed)
        elif changed is not None:
            await self.stop_recalling(changed["user_id"], changed["_id"])
        return changed

    async def add_source(self, owner: str, fact_id: str, source: str, event: Document) -> bool:
        """Says that a message, too, says a fact in force; False where it is in force no more, or the message was known
        to."""
        async with self._changes.noted(owner, "facts"):
            said = await self._facts.update_one(
                {"_id": fact_id, "user_id": owner, "valid_to": None, "sources": {"$ne": source}},
                {"$addToSet": {"sources": source}, "$push": {"history": event}, "$unset": {"rank": ""}},
            )
        if said.matched_count:
            await self._touch(owner, fact_id)
        return bool(said.matched_count)

    async def drop_sources(self, owner: str, fact_id: str, sources: Sequence[str], memory_id: str) -> None:
        """Says that messages say a fact no longer, which is of this conversation then."""
        left = {"$pull": {"sources": {"$in": list(sources)}}, "$set": {"memory_id": memory_id}, "$unset": {"rank": ""}}
        async with self._changes.noted(owner, "facts"):
            await self._facts.update_one({"_id": fact_id, "user_id": owner}, left)
        elsewhere = {"_id": fact_id, "user_id": owner, "session_id": {"$ne": memory_id}}
        await self._vectors.update_one(elsewhere, {"$set": {"session_id": memory_id}})
        await self._touch(owner, fact_id)

    async def relink(self, owner: str, chain: Collection[str], gone: str, heir: str | None) -> None:
        """Lets what was made to replace one fact of a chain have been made to replace another."""
        await self._facts.update_one(
            {"_id": heir, "user_id": owner, "supersedes": gone}, {"$set": {"supersedes": None}}
        )
        mine = {"_id": {"$in": list(chain)}, "user_id": owner, "supersedes": gone}
        await self._facts.update_many(mine, {"$set": {"supersedes": heir}})

    async def made_of(self, owner: str, source: str) -> list[Document]:
        """The facts that a message says, and those that were ended for it without another in their place."""
        said = await self._facts.find({"user_id": owner, "sources": source}).to_list(None)
        event = {"$elemMatch": {"event": "DELETE", "source": source}}
        ended = {"user_id": owner, "history.source": source, "history": event}  # the former as the index has it
        known = {fact["_id"] for fact in said}
        return said + [fact for fact in await self._facts.find(ended).to_list(None) if fact["_id"] not in known]

    async def delete(self, owner: str, filter: dict[str, Any]) -> int:
        """Deletes facts with their gists; returns how many."""
        found = await self._facts.find({"user_id": owner} | filter, {"_id": 1}).to_list(None)
        if not found:
            return 0
        going = {"_id": {"$in": [document["_id"] for document in found]}, "user_id": owner}
        await self._eraser.erase(owner, going)  # first, so that whoever tries again after a crash finds the facts
        async with self._changes.noted(owner, "facts"):
            deleted = await self._facts.delete_many(going)
        await self._eraser.erase(owner, going)  # what landed in between
        return deleted.deleted_count

    async def note_asked(self, owner: str, memory_id: str, moment: datetime) -> str:
        """Notes that somebody has begun to ask for facts of a conversation; returns what it is noted under."""
        asked = new_id()
        await self._requests.insert_one({"_id": asked, "user_id": owner, "facts_of": memory_id, "at": moment})
        return asked

    async def is_asked(self, asked: str) -> bool:
        """Whether what was asked for was not forgotten since."""
        return await self._requests.find_one({"_id": asked}, {"_id": 1}) is not None

    async def drop_asked(self, asked: str) -> None:
        await self._requests.delete_one({"_id": asked})

    async def forget_asked(self, owner: str, memory_id: str | None, moment: datetime) -> None:
        """Lets nothing come of what was asked for until a moment, in a conversation or all of the owner's."""
        of = {"$exists": True} if memory_id is None else memory_id
        await self._requests.delete_many({"user_id": owner, "facts_of": of, "at": {"$lte": moment}})

    async def make_recallable(self, *facts: Document) -> None:
        """Gives facts in force, all of one owner's, their gists."""
        owner = facts[0]["user_id"]
        gists = [_gist(fact) for fact in facts]
        inserted = await insert_new(self._vectors, gists)
        self._just_said.add(owner, [gist for gist, is_new in zip(gists, inserted, strict=True) if is_new])
        # Whoever ended or deleted a fact just before found no gist to delete.
        ids = [fact["_id"] for fact in facts]
        in_force = {"_id": {"$in": ids}, "user_id": owner, "valid_to": None}
        left = {fact["_id"] for fact in await self._facts.find(in_force, {"_id": 1}).to_list(None)}
        for fact_id in ids:
            if fact_id not in left:
                await self.stop_recalling(owner, fact_id)
                await self.drop_unused(owner)

    async def take_in(self, owner: str, facts: Sequence[Document]) -> list[str]:
        """Adds facts that are imported, and sees to it that those in force are recalled, also of those that are there
        already; returns the `_id`s that are new."""
        async with self._changes.noted(owner, "facts"):
            inserted = await insert_new(self._facts, [fact | {"rank": UNRANKED} for fact in facts])
        in_force = {"_id": {"$in": [fact["_id"] for fact in facts]}, "user_id": owner, "valid_to": None}
        if recalled := await self._facts.find(in_force).to_list(None):
            await self.make_recallable(*recalled)
        return [fact["_id"] for fact, is_new in zip(facts, inserted, strict=True) if is_new]

    async def known(self, owner: str, keys: Sequence[str]) -> set[str]:
        """Those of these `_id`s that a fact of the owner's has."""
        there = {"_id": {"$in": list(keys)}, "user_id": owner}
        return {fact["_id"] for fact in await self._facts.find(there, {"_id": 1}).to_list(None)}

    async def stop_recalling(self, owner: str, fact_id: str) -> None:
        """Takes a fact's gist away, if it has one."""
        await self._eraser.erase(owner, {"_id": fact_id, "user_id": owner})
        self._just_said.drop(owner, {fact_id: now()})

    async def drop_unused(self, owner: str) -> None:
        """Lets go of the counters that were begun for what came too late, where all of the user is deleted."""
        if await self._vectors.find_one({"user_id": owner}, {"_id": 1}) is None:
            await self._changes.forget(owner)

    async def _touch(self, owner: str, fact_id: str) -> None:
        """Lets those who follow changes see that a fact in force has other sources; one that is not embedded yet, they
        have still to read."""
        while True:
            number = await self._changes.take(owner)
            embedded = {"_id": fact_id, "user_id": owner, "embed.state": "done"}
            touched = await self._vectors.update_one(embedded, {"$set": {"change": number}})
            closed = await self._changes.close(owner, number)
            if not touched.matched_count:
                await self.drop_unused(owner)  # the number may have been the first after all of the user was deleted
                return
            if closed:
                return


def _gist(fact: Document) -> Document:
    owner, memory_id = fact["user_id"], fact["memory_id"]
    return new_gist(fact["_id"], owner, memory_id, FACT, fact["text"], fact["valid_from"])


def marks_of(fact: Document) -> Document:
    """The marks that are set of a fact."""
    return {name: True for name in MARKS if fact.get(name)}


def marking(marks: Mapping[str, bool]) -> Document:
    """The update that sets marks of a document, or takes them away, as if it never had any; its rank is made anew."""
    given = {name: True for name, is_set in marks.items() if is_set}
    taken = {name: "" for name, is_set in marks.items() if not is_set}
    return ({"$set": given} if given else {}) | {"$unset": {"rank": "", **taken}}


def event_of(
    event: str, by: str, source: str | None = None, other: str | None = None, memory_id: str | None = None
) -> Document:
    """What a fact's history tells of now. `memory_id`: the conversation that it was decided in."""
    told = {"event": event, "at": now(), "by": by, "source": source, "other": other}
    return told if memory_id is None else told | {"memory_id": memory_id}


def conversation_of(fact: Document, event: Document) -> str:
    """The conversation in which something was decided of a fact: its own, where the history names none."""
    return str(event.get("memory_id") or fact["memory_id"])


def conversations_of(fact: Document, source: str) -> set[str]:
    """Those in which something was decided of a fact for a message of this id."""
    return {conversation_of(fact, event) for event in fact["history"] if event["source"] == source} or {
        fact["memory_id"]
    }


def last_decision(fact: Document) -> Document | None:
    """What was decided last of a fact, but for what only says it again."""
    return next((event for event in reversed(fact["history"]) if event["event"] != "NONE"), None)


def was_done(fact: Document, event: str, *, other: str | None = None, source: str | None = None) -> bool:
    """Whether it was decided of a fact before that another takes its place, or that a message ends it."""
    return (other is not None or source is not None) and any(
        past["event"] == event and other in (None, past["other"]) and source in (None, past["source"])
        for past in fact["history"]
    )


def link_of(fact: Document) -> Link:
    last = last_decision(fact)
    return Link(
        fact["_id"],
        fact["valid_from"],
        fact["valid_to"],
        fact["supersedes"],
        fact["superseded_by"],
        last["other"] if last is not None and last["event"] == "UNDO" else None,
    )
