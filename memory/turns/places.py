"""Places: where messages stand in their session, handed out by atomic counters.

One update hands out places and tells what the counters are; it needs a call to the store of its own. Where this process
knows the counters already, for it answered the session last, an update that holds only for those does the same and goes
along with those of other sessions.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from pymongo import ReturnDocument, UpdateOne
from pymongo.errors import DuplicateKeyError

from memory.domain import RULE_BASED, Turn
from memory.ids import new_id, prompt_id, response_id, scoped
from memory.store import Changes, Collections, pending
from memory.turns.sessions import COUNTERS, new_session, title_of
from utils.clock import now
from utils.coalesce import Coalescer
from utils.errors import Conflict
from utils.mongo import Document

# What counting an answer found: no session, one whose line may have changed since its prompt came, or has not.
Counted = Literal["gone", "there", "in line"]


@dataclass(frozen=True)
class Place:
    """Where new messages of a session go. `key`: the session's `_id`. `epoch`: tells it from one that was deleted and
    came back under its id. `index`: place of the first of them. `summarised_to`: place of the last message that a
    summary covers, -1 for none. `next_index`, `message_count`: the counters, the new messages counted but for answers.
    `newest`: ids of the messages logged last but for the new ones, oldest first. `is_first`: nothing was answered in
    the session before. `reply`: place of the answer, where that is not the one after the prompt's. `left_behind`: how
    many messages are in branches. `line_changes`: how often the session's line did. `answered`: when the exchange
    before was, if that was before the prompt came; None where nobody knows."""

    owner: str
    session_id: str
    key: str
    epoch: str
    index: int
    summarised_to: int
    next_index: int
    message_count: int
    newest: tuple[str, ...] = ()
    is_first: bool = False
    reply: int = -1
    left_behind: int = 0
    line_changes: int | None = None
    answered: datetime | None = None

    @property
    def answer_index(self) -> int:
        """The place of the answer to the prompt at `index`."""
        return self.index + 1 if self.reply < 0 else self.reply

    @property
    def session(self) -> dict[str, Any]:
        """The filter of the session as it was when the place was given."""
        return {"_id": self.key, "user_id": self.owner, "epoch": self.epoch}

    @property
    def in_line(self) -> dict[str, Any]:
        """The filter of the session where no message left its line or came back since."""
        return {**self.session, "line_changes": self.line_changes}

    @property
    def unchanged(self) -> dict[str, Any]:
        """The filter of the session where nothing was logged, placed or summarised either."""
        counters = {"next_index": self.next_index, "message_count": self.message_count}
        return {**self.in_line, **counters, "summary.to": self.summarised_to}


NEWEST = 16  # messages that a place names: the twelve that a bundle shows, and some to spare
KNOWN = 1_000  # sessions, the one answered longest ago going first
EVENTS = 200  # newest events that a session keeps
DUE = {"summary.state": "pending", "summary.attempts": 0}  # new messages are a reason to try a dead job again


@dataclass(frozen=True)
class _Logging:
    """An update of a session that logs a turn. `event`: what tells the event of it from all others, where the update
    may find the session changed; None where it finds every session that is there."""

    filter: dict[str, Any]
    update: dict[str, Any]
    event: Document | None = None

    def is_in(self, session: Document) -> bool:
        """Whether a session has been updated by it."""
        if self.event is None:
            return True
        return any(self.event.items() <= event.items() for event in session.get("events", ()))


class Places:
    """The counters of sessions. `window`: messages that one summary covers. `titled`: a model makes their titles."""

    def __init__(self, collections: Collections, changes: Changes, window: int, *, titled: bool) -> None:
        self._changes = changes
        self._sessions = collections.sessions
        self._window = window
        self._titled = titled
        self._updates: Coalescer[_Logging, bool] = Coalescer(self._log)
        self._known: OrderedDict[tuple[str, str], Place] = OrderedDict()  # sessions as they were when last answered

    async def reserve(
        self, owner: str, session_id: str, turns: Sequence[Turn], *, answers: int = 0, counted: bool = False
    ) -> Place:
        """Places for new turns, and after them for answers that are still to come; makes the session where it is new.

        One atomic update hands out the places and logs the turns as events. `counted`: all but the places was done
        before, by a request that came no further.
        """
        # It is taken out, so that of requests at once only one goes by it.
        known = None if counted else self._known.pop((owner, session_id), None)
        if known is not None and (place := await self._reserve_known(known, turns, answers)) is not None:
            return place
        first = next((turn for turn in turns if turn.role == "user"), turns[0])
        update: dict[str, Any] = _handing_out(len(turns) + answers, [] if counted else turns) | {
            **_spanning(turns),
            "$setOnInsert": new_session(title_of(first.content), new_id())
            | {"titled_by": RULE_BASED}
            | ({} if first.project is None else {"project": first.project}),
        }
        session = await self._upsert(owner, session_id, update)
        own = {turn.id for turn in turns}
        before = [event for event in session["events"] if _id_of(event) not in own]
        place = place_in(session, session["next_index"] - len(turns) - answers, tuple(map(_id_of, before)))
        return replace(place, answered=_before(turns[0], _answered(before) if place.index else turns[0].timestamp))

    async def _reserve_known(self, known: Place, turns: Sequence[Turn], answers: int) -> Place | None:
        """The same where the session is as it was when last answered; else None."""
        place = replace(
            known,
            index=known.next_index,
            next_index=known.next_index + len(turns) + answers,
            message_count=known.message_count + len(turns),
            answered=_before(turns[0], known.answered),
        )
        mark = new_id()[:16]
        update = _handing_out(len(turns) + answers, turns, mark) | _spanning(turns)
        return place if await self._updates.get(_Logging(known.unchanged, update, {"by": mark})) else None

    async def _upsert(self, owner: str, session_id: str, update: dict[str, Any]) -> Document:
        # A duplicate key is another request that makes the same session just now, or another user's session of that id.
        for key in (session_id, session_id, scoped(session_id, owner)):
            try:
                session: Document | None = await self._sessions.find_one_and_update(
                    {"user_id": owner, "session_id": session_id},
                    update | {"$setOnInsert": update["$setOnInsert"] | {"_id": key}},
                    projection={"events": {"$slice": -NEWEST}},
                    upsert=True,
                    return_document=ReturnDocument.AFTER,
                )
            except DuplicateKeyError:
                continue
            if session is not None:
                return session
        raise AssertionError("a scoped session id is taken")

    async def has_logged(self, owner: str, session_id: str, turns: Sequence[Turn]) -> bool:
        """Whether the session counted one of these turns already."""
        events = [{"turn_id": turn.turn_id or turn.id, "type": _event(turn)["type"]} for turn in turns]
        if not events:
            return False
        own = {"user_id": owner, "session_id": session_id, "events": {"$elemMatch": {"$or": events}}}
        return await self._sessions.find_one(own, {"_id": 1}) is not None

    def look_again(self, owner: str, session_id: str) -> None:
        """Has the session read anew before the next place in it is given, for it was changed."""
        self._known.pop((owner, session_id), None)

    async def reserve_reply(self, owner: str, session_id: str, prompt: int) -> Place | None:
        """A place behind all others for another answer to the prompt at a place; None where the session is gone."""
        self.look_again(owner, session_id)
        session: Document | None = await self._sessions.find_one_and_update(
            {"user_id": owner, "session_id": session_id},
            {"$inc": {"next_index": 1, "line_changes": 1}},
            projection=COUNTERS,
            return_document=ReturnDocument.AFTER,
        )
        return None if session is None else replace(place_in(session, prompt), reply=session["next_index"] - 1)

    async def take_in(self, place: Place, turns: Sequence[Turn], *, places: int = 0) -> Place:
        """Logs turns that are imported into a session, and hands out places behind all others where they need some.
        When the session was changed last stays as it is. Raises `Conflict` where the session is gone."""
        session: Document | None = await self._sessions.find_one_and_update(
            place.session, _handing_out(places, turns), projection=COUNTERS, return_document=ReturnDocument.AFTER
        )
        if session is None:
            raise Conflict("The session was deleted meanwhile")
        return place_in(session, session["next_index"] - places)

    async def answered(self, place: Place, turn: Turn, *, once: bool) -> Counted:
        """Counts an answer. `once`: it may have been counted before."""
        update: dict[str, Any] = {
            "$inc": {"message_count": 1, "pair_count": 1},
            "$push": _logged([_event(turn)]),
            **_spanning([turn]),
        }
        wanted = dict(DUE) if self.is_due(place) else {}
        if self.is_titled(place):
            wanted["naming"] = pending() | {"at": place.index}
        if wanted:
            update["$set"] = wanted
        if not once:
            event = {"type": "response", "turn_id": turn.turn_id}
            if place.answered and await self._updates.get(_Logging(place.in_line, update, event)):
                self._keep(place, turn)
                return "in line"
            if not await self._updates.get(_Logging(place.session, update)):
                return "gone"
            self._keep(place, turn)
            return "there"
        uncounted = {"events": {"$not": {"$elemMatch": {"turn_id": turn.turn_id, "type": "response"}}}}
        if (await self._sessions.update_one(place.session | uncounted, update)).matched_count:
            return "there"
        return "there" if await self.is_there(place) else "gone"

    def _keep(self, place: Place, answer: Turn) -> None:
        """Keeps the place of an exchange whose answer was just counted: a guess at the session's counters, which others
        may change."""
        session = (place.owner, place.session_id)
        later = self._known.get(session)
        if later is not None and later.next_index > place.next_index:
            return
        prompt = prompt_id(answer.turn_id or "")
        self._known[session] = replace(
            place,
            message_count=place.message_count + 1,
            newest=(*place.newest, prompt, answer.id)[-NEWEST:],
            is_first=False,
            reply=-1,
            answered=answer.timestamp,
        )
        self._known.move_to_end(session)
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)

    async def _log(self, updates: Sequence[_Logging]) -> list[bool]:
        """Makes updates of several sessions in one call; for each whether it found its session."""
        done = await self._sessions.bulk_write(
            [UpdateOne(logging.filter, logging.update) for logging in updates], ordered=False
        )
        if done.matched_count == len(updates):
            return [True] * len(updates)
        keys = [logging.filter["_id"] for logging in updates]
        shown = dict.fromkeys(("epoch", "events.type", "events.turn_id", "events.by"), 1)
        sessions = await self._sessions.find({"_id": {"$in": keys}}, shown).to_list(None)
        there = {(session["_id"], session["epoch"]): session for session in sessions}
        found = [there.get((logging.filter["_id"], logging.filter["epoch"])) for logging in updates]
        return [session is not None and logging.is_in(session) for logging, session in zip(updates, found, strict=True)]

    async def give_back(self, place: Place) -> bool:
        """Deletes the session that a place began, where nobody has another place in it and nothing came to this one.
        Says whether it did."""
        unused = place.session | {"next_index": place.next_index, "message_count": 0}
        async with self._changes.noted(place.owner, "places"):
            return (await self._sessions.delete_one(unused)).deleted_count == 1

    async def is_there(self, place: Place) -> bool:
        """Whether the session was not deleted since the place was given."""
        return await self._sessions.find_one(place.session, {"_id": 1}) is not None

    def is_due(self, place: Place) -> bool:
        """Whether a whole window of messages after the last summary has its places."""
        return place.next_index > place.summarised_to + self._window

    def is_titled(self, place: Place) -> bool:
        """Whether the session is to have a title by a model, once the prompt at the place is answered."""
        return self._titled and place.is_first

    async def mark_due(self, place: Place) -> None:
        """Asks for a summary. A lease that runs keeps running: its holder looks again before it ends."""
        await self._sessions.update_one(place.session, {"$set": DUE})

    async def place(self, owner: str, session_id: str) -> Place | None:
        """Where the session stands; None where there is none."""
        session = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, COUNTERS)
        return None if session is None else place_in(session, session["next_index"])


def place_in(session: Document, index: int, newest: tuple[str, ...] = ()) -> Place:
    """The place of an index in a session as it was read."""
    return Place(
        owner=session["user_id"],
        session_id=session["session_id"],
        key=session["_id"],
        epoch=session["epoch"],
        index=index,
        summarised_to=session["summary"]["to"],
        next_index=session["next_index"],
        message_count=session["message_count"],
        newest=newest,
        is_first=not session["pair_count"],
        left_behind=session.get("left_behind", 0),
        line_changes=session.get("line_changes"),
    )


def _handing_out(places: int, logged: Sequence[Turn], mark: str | None = None) -> dict[str, Any]:
    """The update that takes places and logs turns. `mark`: stands in the last event."""
    events = [_event(turn) for turn in logged]
    if mark is not None:
        events[-1]["by"] = mark
    counted = {"message_count": len(logged), "pair_count": sum(turn.role == "assistant" for turn in logged)}
    return {"$inc": {"next_index": places} | counted, "$push": _logged(events)}


def _spanning(turns: Sequence[Turn]) -> dict[str, Any]:
    """The update by which a session began no later than turns and ended no sooner; what says to come from later than
    now, comes from now."""
    moment = now()
    said = [min(turn.timestamp, moment) for turn in turns]
    return {"$min": {"created_at": min(said)}, "$max": {"updated_at": max(said)}}


def _logged(events: list[Document]) -> Document:
    return {"events": {"$each": events[-EVENTS:], "$slice": -EVENTS}}


def _event(turn: Turn) -> Document:
    event: Document = {
        "type": "response" if turn.role == "assistant" else "prompt",
        "turn_id": turn.turn_id or turn.id,
        "at": turn.timestamp,
    }
    if turn.turn_id is None:
        event["id"] = turn.id
    return event | {"interrupted": True} if turn.interrupted else event


def _answered(events: Sequence[Document]) -> datetime | None:
    """When the newest prompt that events log was answered; None where they do not tell."""
    prompt = next((event for event in reversed(events) if event["type"] == "prompt"), {})
    answers = (event for event in events if event["type"] == "response" and event["turn_id"] == prompt.get("turn_id"))
    return next((event["at"] for event in answers), None)


def _before(turn: Turn, moment: datetime | None) -> datetime | None:
    """A moment, if a turn is not from before it."""
    return moment if moment is not None and moment <= turn.timestamp else None


def _id_of(event: Document) -> str:
    """The id of the message that an event logs."""
    if "id" in event:
        return str(event["id"])
    return prompt_id(event["turn_id"]) if event["type"] == "prompt" else response_id(event["turn_id"])
