"""Where in its session does a message stand? Places are handed out by atomic counters of the session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pymongo import ReturnDocument, UpdateOne
from pymongo.errors import DuplicateKeyError

from memory.collections import Collections
from memory.domain import Turn
from memory.ids import new_id, prompt_id, response_id, scoped
from memory.sessions import COUNTERS, title_of
from utils.clock import now
from utils.coalesce import Coalescer
from utils.mongo import Document

NEWEST = 16  # events that a reservation tells: the twelve messages that a bundle shows, and some to spare
EVENTS = 200  # newest events that a session keeps
DUE = {"summary.state": "pending", "summary.attempts": 0}  # new messages are a reason to try a dead job again


@dataclass(frozen=True)
class Place:
    """Where new messages of a session go. `key`: the session's `_id`. `epoch`: tells it from one that was deleted and
    came back under its id. `index`: place of the first of them. `summarised_to`: place of the last message that a
    summary covers, -1 for none. `newest`: ids of the messages logged last, oldest first."""

    owner: str
    key: str
    epoch: str
    index: int
    summarised_to: int
    next_index: int
    newest: tuple[str, ...] = ()

    @property
    def session(self) -> dict[str, Any]:
        """The filter of the session as it was when the place was given."""
        return {"_id": self.key, "user_id": self.owner, "epoch": self.epoch}


class Places:
    """The counters of sessions. `window`: messages that one summary covers."""

    def __init__(self, collections: Collections, window: int) -> None:
        self._sessions = collections.sessions
        self._window = window
        self._answers: Coalescer[tuple[Place, UpdateOne], bool] = Coalescer(self._count)

    async def reserve(
        self, owner: str, session_id: str, turns: Sequence[Turn], *, answers: int = 0, counted: bool = False
    ) -> Place:
        """Places for new turns, and after them for answers that are still to come; makes the session where it is new.

        One atomic update hands out the places and logs the turns as events. `counted`: all but the places was done
        before, by a request that came no further.
        """
        moment = now()
        logged = [] if counted else turns
        update: dict[str, Any] = {
            "$inc": {
                "next_index": len(turns) + answers,
                "message_count": len(logged),
                "pair_count": sum(turn.role == "assistant" for turn in logged),
            },
            "$push": {"events": {"$each": [_event(turn) for turn in logged[-EVENTS:]], "$slice": -EVENTS}},
            "$set": {"updated_at": moment},
            "$setOnInsert": {
                "title": title_of(next((turn for turn in turns if turn.role == "user"), turns[0]).content),
                "created_at": moment,
                "epoch": new_id(),
                "summary": {"state": "done", "attempts": 0, "lease_until": moment, "to": -1},
            },
        }
        found = await self._upsert(owner, session_id, update)
        own = {turn.id for turn in turns}
        newest = tuple(identifier for event in found["events"] if (identifier := _id_of(event)) not in own)
        return _place(found, found["next_index"] - len(turns) - answers, newest)

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

    async def has_logged(self, owner: str, session_id: str, turns: Sequence[Turn]) -> bool:
        """Whether the session counted one of these turns already."""
        events = [{"turn_id": turn.turn_id or turn.id, "type": _event(turn)["type"]} for turn in turns]
        if not events:
            return False
        own = {"user_id": owner, "session_id": session_id, "events": {"$elemMatch": {"$or": events}}}
        return await self._sessions.find_one(own, {"_id": 1}) is not None

    async def recount(self, place: Place, messages: int, answers: int) -> None:
        """Sets the counters to what there is, after two requests counted the same turns."""
        counted = {"message_count": messages, "pair_count": answers}
        await self._sessions.update_one(place.session, {"$set": counted})

    async def answered(self, place: Place, turn: Turn, *, once: bool) -> bool:
        """Counts an answer. `once`: it may have been counted before. False: the session is gone."""
        update: dict[str, Any] = {
            "$inc": {"message_count": 1, "pair_count": 1},
            "$push": {"events": {"$each": [_event(turn)], "$slice": -EVENTS}},
            "$set": {"updated_at": now()},
        }
        if self.is_due(place):
            update["$set"] |= DUE
        if not once:
            return await self._answers.get((place, UpdateOne(place.session, update)))
        uncounted = {"events": {"$not": {"$elemMatch": {"turn_id": turn.turn_id, "type": "response"}}}}
        if (await self._sessions.update_one(place.session | uncounted, update)).matched_count:
            return True
        return await self.is_there(place)

    async def _count(self, answers: Sequence[tuple[Place, UpdateOne]]) -> list[bool]:
        """Counts answers of several requests in one call; for each whether its session is still there."""
        done = await self._sessions.bulk_write([update for _, update in answers], ordered=False)
        if done.matched_count == len(answers):
            return [True] * len(answers)
        return [await self.is_there(place) for place, _ in answers]

    async def is_there(self, place: Place) -> bool:
        """Whether the session was not deleted since the place was given."""
        return await self._sessions.find_one(place.session, {"_id": 1}) is not None

    def is_due(self, place: Place) -> bool:
        """Whether a whole window of messages after the last summary has its places."""
        return place.next_index > place.summarised_to + self._window

    async def mark_due(self, place: Place) -> None:
        """Asks for a summary. A lease that runs keeps running: its holder looks again before it ends."""
        await self._sessions.update_one(place.session, {"$set": DUE})

    async def place(self, owner: str, session_id: str) -> Place | None:
        """Where the session stands; None where there is none."""
        found = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, COUNTERS)
        return None if found is None else _place(found, found["next_index"])


def _place(session: Document, index: int, newest: tuple[str, ...] = ()) -> Place:
    return Place(
        owner=session["user_id"],
        key=session["_id"],
        epoch=session["epoch"],
        index=index,
        summarised_to=session["summary"]["to"],
        next_index=session["next_index"],
        newest=newest,
    )


def _event(turn: Turn) -> Document:
    event: Document = {
        "type": "response" if turn.role == "assistant" else "prompt",
        "turn_id": turn.turn_id or turn.id,
        "at": turn.timestamp,
    }
    if turn.turn_id is None:
        event["id"] = turn.id
    return event | {"interrupted": True} if turn.interrupted else event


def _id_of(event: Document) -> str:
    """The id of the message that an event logs."""
    if "id" in event:
        return str(event["id"])
    return prompt_id(event["turn_id"]) if event["type"] == "prompt" else response_id(event["turn_id"])
