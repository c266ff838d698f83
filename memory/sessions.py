"""Which sessions does a user have, and where in its session does a message stand?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument, UpdateOne
from pymongo.errors import BulkWriteError, DuplicateKeyError

from memory.collections import Collections
from memory.domain import Turn
from memory.ids import prompt_id, response_id, scoped
from utils.clock import now
from utils.coalesce import Coalescer
from utils.errors import NotFound
from utils.mongo import Document, duplicates
from utils.text import cut_at_word

NEWEST = 16  # events that a reservation tells: the twelve messages that a bundle shows, and some to spare
EVENTS = 200  # newest events that a session keeps
TITLE_CHARACTERS = 60
UNTITLED = "Conversation"
COUNTERS = {"events": 0}
DUE = {"summary.state": "pending", "summary.attempts": 0}  # new messages are a reason to try a dead job again


@dataclass(frozen=True)
class Session:
    """A session as its owner sees it."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    pair_count: int


@dataclass(frozen=True)
class Place:
    """Where new messages of a session go. `key`: the session's `_id`. `index`: place of the first of them.
    `summarised_to`: place of the last message that a summary covers, -1 for none. `newest`: ids of the messages logged
    last, oldest first."""

    key: str
    index: int
    summarised_to: int
    next_index: int
    newest: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Wanted:
    """Places that are asked for, and the update that hands them out."""

    owner: str
    session_id: str
    turns: tuple[Turn, ...]
    answers: int
    update: dict[str, Any]

    @property
    def places(self) -> int:
        return len(self.turns) + self.answers

    def write(self) -> UpdateOne:
        made = self.update["$setOnInsert"] | {"_id": self.session_id}
        own = {"user_id": self.owner, "session_id": self.session_id}
        return UpdateOne(own, self.update | {"$setOnInsert": made}, upsert=True)


class Sessions:
    """A user's sessions. `window`: messages that one summary covers."""

    def __init__(self, collections: Collections, window: int) -> None:
        self._sessions = collections.sessions
        self._window = window
        self._places: Coalescer[_Wanted, Place] = Coalescer(self._reserve_all)
        self._answers: Coalescer[tuple[str, UpdateOne], bool] = Coalescer(self._count)

    async def reserve(
        self, owner: str, session_id: str, turns: Sequence[Turn], *, answers: int = 0, counted: bool = False
    ) -> Place:
        """Places for new turns, and after them for answers that are still to come; makes the session where it is new.

        One atomic update hands out the places and logs the turns as events. `counted`: they were counted before, by a
        request that came no further.
        """
        moment = now()
        update: dict[str, Any] = {
            "$inc": {
                "next_index": len(turns) + answers,
                "message_count": 0 if counted else len(turns),
                "pair_count": 0 if counted else sum(turn.role == "assistant" for turn in turns),
            },
            "$push": {"events": {"$each": [_event(turn) for turn in turns[-EVENTS:]], "$slice": -EVENTS}},
            "$set": {"updated_at": moment},
            "$setOnInsert": {
                "title": _title(next((turn for turn in turns if turn.role == "user"), turns[0]).content),
                "created_at": moment,
                "summary": {"state": "done", "attempts": 0, "lease_until": moment, "to": -1},
            },
        }
        wanted = _Wanted(owner, session_id, tuple(turns), answers, update)
        return await (self._places.get(wanted) if answers else self._reserve(wanted))

    async def _reserve(self, wanted: "_Wanted") -> Place:
        found = await self._upsert(wanted.owner, wanted.session_id, wanted.update)
        return _place(found, found["next_index"] - wanted.places, wanted)

    async def _reserve_all(self, wanted: Sequence["_Wanted"]) -> list[Place]:
        """Places for several exchanges in two calls, each told from the others by its event."""
        if len(wanted) == 1:
            return [await self._reserve(wanted[0])]
        try:
            await self._sessions.bulk_write([one.write() for one in wanted], ordered=False)
            refused = set[int]()
        except BulkWriteError as error:
            refused = duplicates(error)
        sessions = [{"user_id": one.owner, "session_id": one.session_id} for one in wanted]
        cursor = self._sessions.find({"$or": sessions}, {"events": {"$slice": -len(wanted) - NEWEST}})
        found = {(session["user_id"], session["session_id"]): session for session in await cursor.to_list(None)}
        places = []
        for at, one in enumerate(wanted):
            session = found.get((one.owner, one.session_id))
            index = _index_of(session, one) if session is not None and at not in refused else None
            places.append(await self._reserve(one) if session is None or index is None else _place(session, index, one))
        return places

    async def has_logged(self, owner: str, session_id: str, turns: Sequence[Turn]) -> bool:
        """Whether the session counted one of these turns already."""
        events = [{"turn_id": turn.turn_id or turn.id, "type": _event(turn)["type"]} for turn in turns]
        if not events:
            return False
        own = {"user_id": owner, "session_id": session_id, "events": {"$elemMatch": {"$or": events}}}
        return await self._sessions.find_one(own, {"_id": 1}) is not None

    async def _upsert(self, owner: str, session_id: str, update: dict[str, Any]) -> Document:
        # A duplicate key is another request that makes the same session just now, or another user's session of that id.
        for key in (session_id, session_id, scoped(session_id, owner)):
            try:
                found: Document | None = await self._sessions.find_one_and_update(
                    {"user_id": owner, "session_id": session_id},
                    update | {"$setOnInsert": update["$setOnInsert"] | {"_id": key}},
                    projection={"events": {"$slice": -NEWEST}},
                    upsert=True,
                    return_document=ReturnDocument.AFTER,
                )
            except DuplicateKeyError:
                continue
            if found is not None:
                return found
        raise AssertionError("a scoped session id is taken")

    async def answered(self, place: Place, turn: Turn, *, once: bool) -> bool:
        """Counts an answer that has landed. `once`: it may have been counted before. False: the session is gone."""
        filter: dict[str, Any] = {"_id": place.key}
        if once:
            filter["events"] = {"$not": {"$elemMatch": {"turn_id": turn.turn_id, "type": "response"}}}
        update: dict[str, Any] = {
            "$inc": {"message_count": 1, "pair_count": 1},
            "$push": {"events": {"$each": [_event(turn)], "$slice": -EVENTS}},
            "$set": {"updated_at": now()},
        }
        if self.is_due(place):
            update["$set"] |= DUE
        if not once:
            return await self._answers.get((place.key, UpdateOne(filter, update)))
        if (await self._sessions.update_one(filter, update)).matched_count:
            return True
        return await self._sessions.find_one({"_id": place.key}, {"_id": 1}) is not None

    async def _count(self, updates: Sequence[tuple[str, UpdateOne]]) -> list[bool]:
        """Counts answers of several requests in one call; for each whether its session is still there."""
        done = await self._sessions.bulk_write([update for _, update in updates], ordered=False)
        if done.matched_count == len(updates):
            return [True] * len(updates)
        keys = [key for key, _ in updates]
        found = await self._sessions.find({"_id": {"$in": keys}}, {"_id": 1}).to_list(None)
        there = {document["_id"] for document in found}
        return [key in there for key in keys]

    def is_due(self, place: Place) -> bool:
        """Whether a whole window of messages after the last summary has its places."""
        return place.next_index > place.summarised_to + self._window

    async def mark_due(self, place: Place) -> None:
        """Asks for a summary. A lease that runs keeps running: its holder looks again before it ends."""
        await self._sessions.update_one({"_id": place.key}, {"$set": DUE})

    async def place(self, owner: str, session_id: str) -> Place | None:
        """Where the session stands; None where there is none."""
        found = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, COUNTERS)
        if found is None:
            return None
        return Place(found["_id"], found["next_index"], found["summary"]["to"], found["next_index"])

    async def get(self, owner: str, session_id: str) -> Session:
        found = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, COUNTERS)
        if found is None:
            raise NotFound("No such session")
        return _session(found)

    async def page(
        self, owner: str, *, limit: int, after: tuple[datetime, str] | None, title: Mapping[str, Any] | None
    ) -> list[tuple[Session, str]]:
        """Sessions, newest first, each with its `_id`. `after`: `updated_at` and `_id` of the last one seen.
        `title`: a condition on the title."""
        filter: dict[str, Any] = {"user_id": owner}
        if title is not None:
            filter["title"] = title
        if after is not None:
            moment, key = after
            filter["$or"] = [{"updated_at": {"$lt": moment}}, {"updated_at": moment, "_id": {"$lt": key}}]
        cursor = self._sessions.find(filter, COUNTERS).sort([("updated_at", -1), ("_id", -1)]).limit(limit)
        return [(_session(found), found["_id"]) for found in await cursor.to_list(None)]

    async def retitle(self, owner: str, session_id: str, content: str) -> None:
        """Takes a deleted message out of the title that was made of it."""
        own = {"user_id": owner, "session_id": session_id, "title": _title(content)}
        await self._sessions.update_one(own, {"$set": {"title": UNTITLED}})

    async def rename(self, owner: str, session_id: str, title: str) -> Session:
        found = await self._sessions.find_one_and_update(
            {"user_id": owner, "session_id": session_id},
            {"$set": {"title": title}},
            projection=COUNTERS,
            return_document=ReturnDocument.AFTER,
        )
        if found is None:
            raise NotFound("No such session")
        return _session(found)


def _title(text: str) -> str:
    return cut_at_word(text, TITLE_CHARACTERS)


def _event(turn: Turn) -> Document:
    event: Document = {
        "type": "response" if turn.role == "assistant" else "prompt",
        "turn_id": turn.turn_id or turn.id,
        "at": turn.timestamp,
    }
    if turn.turn_id is None:
        event["id"] = turn.id
    return event | {"interrupted": True} if turn.interrupted else event


def _place(session: Document, index: int, wanted: _Wanted) -> Place:
    own = {turn.id for turn in wanted.turns}
    newest = tuple(identifier for event in session["events"] if (identifier := _id_of(event)) not in own)
    return Place(session["_id"], index, session["summary"]["to"], session["next_index"], newest[-NEWEST:])


def _index_of(session: Document, wanted: _Wanted) -> int | None:
    """Where an exchange was placed: counted back from the session's end over the places that each event took since.
    None where its event is not among those that were read."""
    index = int(session["next_index"])
    for event in reversed(session["events"]):
        index -= _places_of(event)
        if event["type"] == "prompt" and event["turn_id"] == wanted.turns[0].turn_id:
            return index
    return None


def _places_of(event: Document) -> int:
    """A prompt takes its answer's place too, so the answer takes none; an imported message takes one."""
    return 1 if "id" in event else 2 if event["type"] == "prompt" else 0


def _id_of(event: Document) -> str:
    """The id of the message that an event logs."""
    if "id" in event:
        return str(event["id"])
    return prompt_id(event["turn_id"]) if event["type"] == "prompt" else response_id(event["turn_id"])


def _session(found: Document) -> Session:
    return Session(
        id=found["session_id"],
        title=found["title"],
        created_at=found["created_at"],
        updated_at=found["updated_at"],
        message_count=found["message_count"],
        pair_count=found["pair_count"],
    )
