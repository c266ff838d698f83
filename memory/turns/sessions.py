"""Sessions of a user."""

import asyncio
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument

from memory.domain import RULE_BASED
from memory.ids import new_id
from memory.language import is_courtesy
from memory.store import Changes, Collections
from memory.turns.summaries import TOLD
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document
from utils.sentences import split_sentences
from utils.text import cut_at_word

TITLE_CHARACTERS = 60
TITLED_BY = 2_000  # characters of a text that its title is made of
UNTITLED = "Conversation"
UNCOUNTED = 200  # newest deletions that a session remembers, so that none is counted twice
COUNTERS = {"events": 0, "uncounted": 0}
NOTHING_SAID: Document = {"message_count": 0, "pair_count": 0, "events": []}
SHOWN = ("title", "created_at", "updated_at", "message_count", "pair_count")


@dataclass(frozen=True)
class Session:
    """A session as its owner sees it. `instructions`: those that hold in it, beside others."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    pair_count: int
    project: str | None = None
    instructions: str | None = None


@dataclass(frozen=True)
class Ended:
    """A session that was ended. `key`: its `_id`; `successor`: epoch of the one that took its place; `places`: how many
    its messages had."""

    key: str
    successor: str
    places: int


class Sessions:
    def __init__(self, collections: Collections, changes: Changes) -> None:
        self._changes = changes
        self._sessions = collections.sessions
        self._vectors = collections.vectors

    async def get(self, owner: str, session_id: str) -> Session:
        session = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, COUNTERS)
        if session is None:
            raise NotFound("No such session")
        return _session(session)

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: tuple[datetime, str] | None,
        title: str | None,
        project: str | None = None,
    ) -> list[tuple[Session, str]]:
        """Sessions, newest first, each with its `_id`. `after`: `updated_at` and `_id` of the last one seen.
        `title`: a part of the title, in any case. `project`: of this one alone."""
        filter: dict[str, Any] = {"user_id": owner} | ({} if project is None else {"project": project})
        if title is not None:
            filter["title"] = {"$regex": re.escape(title), "$options": "i"}
        if after is not None:
            moment, key = after
            filter["$or"] = [{"updated_at": {"$lt": moment}}, {"updated_at": moment, "_id": {"$lt": key}}]
        cursor = self._sessions.find(filter, COUNTERS).sort([("updated_at", -1), ("_id", -1)]).limit(limit)
        return [(_session(session), session["_id"]) for session in await cursor.to_list(None)]

    async def end(self, owner: str, session_id: str) -> Ended | None:
        """Ends a session without deleting anything of it: what is said under its id from now on belongs to another one,
        which goes on behind its places. None where there is no such session."""
        while True:
            session = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, COUNTERS)
            if session is None:
                return None
            moment, places = now(), session["next_index"]
            ended = Ended(session["_id"], new_id(), places)
            begun = new_session(UNTITLED, ended.successor, places - 1) | NOTHING_SAID
            begun |= {"created_at": moment, "updated_at": moment, "titled_by": RULE_BASED}
            same = {"_id": session["_id"], "epoch": session["epoch"], "next_index": places}
            anew = {"$set": begun, "$unset": {"naming": "", "titled_from": "", "instructions": ""}}
            async with self._changes.noted(owner, "places"):
                if (await self._sessions.update_one(same, anew)).matched_count:
                    return ended

    async def drop_unused(self, owner: str, ended: Ended) -> None:
        """Deletes the session that took the place of an ended one, where nothing was said in it."""
        async with self._changes.noted(owner, "places"):
            await self._sessions.delete_one({"_id": ended.key, "epoch": ended.successor, "next_index": ended.places})

    async def uncount(self, owner: str, session_id: str, mark: str, *, is_answer: bool) -> None:
        """Takes a message that is deleted out of the session's counts; its place stays empty. `mark`: of this deletion
        of this message, under which it counts once however often it is begun."""
        own = {"user_id": owner, "session_id": session_id, "uncounted": {"$ne": mark}}
        gone = {"message_count": -1, "pair_count": -int(is_answer)}
        noted = {"uncounted": {"$each": [mark], "$slice": -UNCOUNTED}}
        await self._sessions.update_one(own, {"$inc": gone, "$push": noted})

    async def user_name(self, owner: str, session_id: str) -> str | None:
        """The name that clients give to the user in a session, empty for none; None where nobody noted one."""
        session = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, {"user_name": 1})
        name: str | None = session.get("user_name") if session is not None else None
        return name

    async def note_user_name(self, owner: str, session_id: str, name: str) -> None:
        own = {"user_id": owner, "session_id": session_id, "user_name": {"$exists": False}}
        await self._sessions.update_one(own, {"$set": {"user_name": name}})

    async def has_deletions(self, owner: str, session_id: str) -> bool:
        """Whether messages of a session were deleted."""
        deleted = {"user_id": owner, "session_id": session_id, "uncounted.0": {"$exists": True}}
        return await self._sessions.find_one(deleted, {"_id": 1}) is not None

    async def recount(self, owner: str, session_id: str) -> None:
        """Sets the counts to what is there. Where something is said or deleted meanwhile, it is counted again."""
        own = {"user_id": owner, "session_id": session_id}
        there: dict[str, Any] = own | {"message_index": {"$gte": 0}} | TOLD
        counters = {"epoch": 1, "next_index": 1, "message_count": 1, "pair_count": 1}
        while (same := await self._sessions.find_one(own, counters)) is not None:
            messages, answers = await asyncio.gather(
                self._vectors.count_documents(there), self._vectors.count_documents(there | {"role": "assistant"})
            )
            counted = {"message_count": messages, "pair_count": answers}
            if (await self._sessions.update_one(same, {"$set": counted})).matched_count:
                return

    async def retitle(self, owner: str, message: Document, title: str = UNTITLED) -> None:
        """Takes a message that was deleted, or has another text by now, out of the title that was made of it."""
        made = [{"title": {"$in": titles_of(message["content"])}}, {"titled_from": message["id"]}]
        own = {"user_id": owner, "session_id": message["session_id"], "$or": made}
        await self._sessions.update_one(own, {"$set": {"title": title}, "$unset": {"titled_from": ""}})

    async def change(self, owner: str, session_id: str, fields: Document) -> Session:
        """Sets fields of a session, and takes away those that are None. A `title` given here is never overwritten."""
        gone = [name for name, value in fields.items() if value is None]
        named = {"titled_by": "user"} if "title" in fields else {}
        update: Document = {"$set": {name: fields[name] for name in fields if name not in gone} | named}
        update["$unset"] = dict.fromkeys([*gone, *(["titled_from"] if named else [])], "")
        async with self._changes.noted(owner, "places"):
            session = await self._sessions.find_one_and_update(
                {"user_id": owner, "session_id": session_id},
                {name: change for name, change in update.items() if change},
                projection=COUNTERS,
                return_document=ReturnDocument.AFTER,
            )
            if session is None:
                raise NotFound("No such session")
        return _session(session)


def new_session(title: str, epoch: str, summarised_to: int = -1) -> Document:
    """What a session has from its beginning, beside its times and counts. `summarised_to`: the place up to which no
    summary is to come."""
    summary = {"state": "done", "attempts": 0, "lease_until": now(), "to": summarised_to}
    return {"title": title, "epoch": epoch, "summary": summary}


def title_of(text: str) -> str:
    """The title of a session that begins with this text, by rules: its first sentence that is more than a courtesy."""
    sentences = split_sentences(text[:TITLED_BY])
    return cut_at_word(next((said for said in sentences if not is_courtesy(said)), text), TITLE_CHARACTERS)


def titles_of(text: str) -> list[str]:
    """All titles that rules may have made of a text, those of earlier versions too."""
    return [title_of(text), cut_at_word(text, TITLE_CHARACTERS)]


def _session(session: Document) -> Session:
    shown = {name: session[name] for name in SHOWN}
    return Session(
        session["session_id"], **shown, project=session.get("project"), instructions=session.get("instructions")
    )
