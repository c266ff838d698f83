"""Records of conversations, out and in: a session, its summaries, and its messages at the places that they had, each
with its images behind it.

A session that the user has already stays as it is. Where it is the one that was exported, messages that it lacks come
to their places; in every other, and where a place is taken, they come behind those that are there, in order.
`importing` stands in a session until all of it has come, so that an import that was cut short has its counts made anew.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Collection as Ids
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from pydantic import Field
from pymongo.errors import DuplicateKeyError

from memory.domain import Role, Turn
from memory.gists import TEXT, GistEraser, document_of, turn_of
from memory.ids import keys_of
from memory.lines import PLACES, Count, Epoch, Index, Kept, Line, LinePart, Passed
from memory.product import Landed, Record, Taker, nothing
from memory.store import PAGE, Changes, Collections, by_key, pending
from memory.turns.images import Images, address_of
from memory.turns.places import Place, Places, place_in
from memory.turns.sessions import COUNTERS, NOTHING_SAID, Sessions, new_session
from memory.turns.summaries import TOLD, WRITTEN, key_of
from memory.turns.turns import Turns
from utils.errors import Conflict, InvalidInput
from utils.fields import IMAGES, Identifier, ImageAddress, Instructions, MessageId, Moment, Name, ProjectName, Timezone
from utils.mongo import Document, insert_new


class SessionLine(Kept):
    alone = True
    id: Identifier
    title: str
    epoch: Epoch
    places: Annotated[int, Field(ge=0, le=PLACES)]
    summarised_to: Annotated[int, Field(ge=-1, lt=PLACES)]
    project: ProjectName | None = None
    instructions: Instructions | None = None


class WindowSummary(LinePart):
    at: Passed
    text: str
    message_count: Count
    model: str
    from_index: Index
    to_index: Index


class DigestPart(LinePart):
    text: str
    model: str
    to_index: Index
    at: Passed


class SummariesLine(Kept):
    alone = True
    session_id: Identifier
    summaries: Annotated[list[WindowSummary], Field(max_length=1_000)]
    digest: DigestPart | None = None


class MessageLine(Line):
    session_id: Identifier
    id: MessageId
    place: Index
    role: Role
    content: str
    timestamp: Moment
    created_at: Passed
    name: Name | None = None
    turn_id: MessageId | None = None
    model: str | None = None
    interrupted: bool | None = None
    facts: Literal["pending", "done"] | None = None
    timezone: Timezone | None = None
    proxied: bool | None = None
    follows: MessageId | Literal[""] | None = None
    branch: Literal["replaced", "left"] | None = None
    images: Annotated[int, Field(ge=0, le=IMAGES)] | None = None
    recalled: bool | None = None
    unaided: bool | None = None


class ImageLine(Line):
    alone = True
    session_id: Identifier
    message_id: MessageId
    n: Index
    address: ImageAddress


CONVERSATION_LINES: Mapping[str, type[Line]] = {
    "session": SessionLine,
    "summaries": SummariesLine,
    "message": MessageLine,
    "image": ImageLine,
}


async def conversation_records(
    collections: Collections, owner: str, only: Ids[str] | None = None
) -> AsyncIterator[Record]:
    """Each session, its summaries and its messages in order, up to the place where it stood. `only`: ids of those that
    are wanted."""
    async for session in by_key(collections.sessions, owner, "session_id", {"events": 0, "uncounted": 0}, only):
        identifier, places = session["session_id"], session["next_index"]
        standing = {"id": identifier, "places": places, "summarised_to": session["summary"]["to"]}
        yield Record("session", SessionLine.picked(session) | standing)
        own = {"user_id": owner, "session_id": identifier}
        async for document in collections.summaries.find(own).sort("_id", 1):
            summaries = [WindowSummary.picked(summary | {"at": summary["t"]}) for summary in document["summaries"]]
            yield Record("summaries", SummariesLine.picked(document | {"summaries": summaries}))
        after, read = -1, PAGE
        while read == PAGE:
            read = 0
            page = own | {"message_index": {"$gt": after, "$lt": places}, **TOLD}
            async for message in collections.vectors.find(page, TEXT).sort("message_index", 1).limit(PAGE):
                read, after = read + 1, message["message_index"]
                yield Record("message", _exported(message))
                if message.get("images"):
                    images = collections.images.find({"user_id": owner, "message": message["id"]})
                    async for image in images.sort("n", 1):
                        yield Record("image", _exported_image(message, image))


def _exported(message: Document) -> Document:
    made = MessageLine.picked(message) | {"place": message["message_index"]}
    if "facts" in message:
        made["facts"] = "done" if message["facts"]["state"] == "done" else "pending"
    return made


def _exported_image(message: Document, image: Document) -> Document:
    of_message = {"session_id": message["session_id"], "message_id": message["id"]}
    return of_message | {"n": image["n"], "address": address_of(image)}


@dataclass
class _Open:
    """The session whose messages come now. `places`: how many its file says that it has, `updated_at`: when it says
    that it changed last; `as_exported`: messages come to the places that they had; `marked`: it says that messages are
    coming; `miscounted`: its counts are to be made anew, since an import was cut short before."""

    place: Place
    places: int
    updated_at: datetime
    as_exported: bool
    marked: bool
    miscounted: bool


class ConversationTaker(Taker):
    """Takes in `session`, `summaries`, `message` and `image`."""

    def __init__(
        self,
        owner: str,
        collections: Collections,
        changes: Changes,
        sessions: Sessions,
        places: Places,
        turns: Turns,
        images: Images,
        eraser: GistEraser,
    ) -> None:
        self._owner = owner
        self._documents = collections.sessions
        self._vectors = collections.vectors
        self._summaries = collections.summaries
        self._changes = changes
        self._sessions = sessions
        self._places = places
        self._turns = turns
        self._images = images
        self._eraser = eraser
        self._named: tuple[str, int] | None = None  # the session of the last record, and its places
        self._said: tuple[str, int] | None = None  # the last message, and how many images it has
        self._open: _Open | None = None

    def check(self, record: Record) -> None:
        fields = record.fields
        if record.kind == "session":
            self._named = fields["id"], fields["places"]
            return
        if self._named is None or self._named[0] != fields["session_id"]:
            raise InvalidInput("session_id: its session is not the last one before it")
        if record.kind == "message":
            if fields["place"] >= self._named[1]:
                raise InvalidInput("place: beyond those of its session")
            self._said = fields["id"], fields.get("images") or 0
        if record.kind == "image" and (
            self._said is None or self._said[0] != fields["message_id"] or fields["n"] >= self._said[1]
        ):
            raise InvalidInput("message_id: its message is not the last one before it, or has fewer images")

    async def take(self, records: Sequence[Record]) -> Landed:
        match records[0].kind:
            case "session":
                landed = [await self._begin(record.fields) for record in records]
            case "summaries":
                landed = [await self._summarise(record.fields) for record in records]
            case "image":
                landed = [await self._attach(record.fields) for record in records]
            case _:
                return await self._say([record.fields for record in records])
        return landed[-1]  # of these kinds, one comes at a time

    async def close(self) -> None:
        """Ends the session: its counts are right, and its summary is asked for where it is due."""
        session, self._open = self._open, None
        if session is None:
            return
        if session.miscounted:
            await self._sessions.recount(self._owner, session.place.session_id)
        if not session.marked and not session.miscounted:
            return
        await self._documents.update_one(session.place.session, {"$unset": {"importing": ""}})
        place = await self._places.place(self._owner, session.place.session_id)
        if place is not None and self._places.is_due(place):
            await self._places.mark_due(place)

    async def _begin(self, fields: Document) -> Landed:
        await self.close()
        own = {"user_id": self._owner, "session_id": fields["id"]}
        there = await self._documents.find_one(own, {"_id": 1}) is not None
        if not there:
            there = not await self._insert(_session(self._owner, fields))
        session = await self._documents.find_one(own, COUNTERS)
        if session is None:
            raise Conflict("The session was deleted meanwhile", retry_after=1.0)
        place = place_in(session, session["next_index"])
        self._open = _Open(
            place,
            fields["places"],
            fields["updated_at"],
            as_exported=place.epoch == fields["epoch"],
            marked=not there,
            miscounted=there and "importing" in session,
        )

        async def take_back() -> None:
            async with self._changes.noted(self._owner, "places"):
                await self._documents.delete_one(place.session | {"importing": True})

        return Landed(int(not there), nothing if there else take_back)

    async def _insert(self, session: Document) -> bool:
        """Whether a session is new. One whose id another user has gets a `_id` of its own."""
        for key in keys_of(session["session_id"], self._owner):
            try:
                await self._documents.insert_one(session | {"_id": key})
                return True
            except DuplicateKeyError:
                own = {"user_id": self._owner, "session_id": session["session_id"]}
                if await self._documents.find_one(own, {"_id": 1}) is not None:
                    return False
        raise AssertionError("a scoped session id is taken")

    async def _summarise(self, fields: Document) -> Landed:
        session = self._open
        assert session is not None  # noqa: S101  `check` refuses what is of no session
        if not session.as_exported:  # its places are others: workers make summaries of what comes
            return Landed(0)
        key = key_of(self._owner, fields["session_id"], session.place.epoch)
        summaries = [
            {"t": summary["at"]} | {name: summary[name] for name in WRITTEN} for summary in fields["summaries"]
        ]
        document = fields | {"_id": key, "user_id": self._owner, "summaries": summaries}
        async with self._changes.noted(self._owner):
            [inserted] = await insert_new(self._summaries, [document])

        async def take_back() -> None:
            async with self._changes.noted(self._owner):
                await self._summaries.delete_one({"_id": key, "user_id": self._owner})

        return Landed(int(inserted), take_back if inserted else nothing)

    async def _say(self, messages: Sequence[Document]) -> Landed:
        session = self._open
        assert session is not None  # noqa: S101  as above
        known = await self._turns.known(self._owner, [message["id"] for message in messages])
        first = {message["id"]: message for message in reversed(messages)}
        fresh = [one for one in messages if one["id"] not in known and first[one["id"]] is one]
        if not fresh:
            return Landed(0)
        await self._mark(session)
        placed = await self._placed(session, fresh)
        new = await self._turns.insert(self._owner, [_message(self._owner, session.place, *one) for one in placed])

        async def take_back() -> None:
            keys = [key for identifier in new for key in keys_of(identifier, self._owner)]
            await self._eraser.erase(self._owner, {"_id": {"$in": keys}, "user_id": self._owner})

        if session.as_exported:
            logged = [_turn(message, at) for message, at in placed if message["id"] in new]
            try:
                await self._places.take_in(session.place, logged)
            except Conflict:
                await take_back()
                raise
        elif len(new) < len(fresh):
            session.miscounted = True  # somebody else said some of them meanwhile: all are counted anew
        return Landed(len(new), take_back)

    async def _attach(self, image: Document) -> Landed:
        said = {"_id": {"$in": keys_of(image["message_id"], self._owner)}, "user_id": self._owner}
        own = said | {"session_id": image["session_id"], "images": {"$gt": image["n"]}}
        if await self._vectors.find_one(own, {"_id": 1}) is None:  # it is there already, and was said elsewhere
            return Landed(0)
        addresses = {image["n"]: image["address"]}
        new = await self._images.keep(self._owner, image["session_id"], image["message_id"], addresses)
        return Landed(len(new), partial(self._images.take_back, self._owner, new) if new else nothing)

    async def _mark(self, session: _Open) -> None:
        """Notes that messages are coming, and that the session has places for all of them."""
        if session.marked:
            return
        update: Document = {"$set": {"importing": True}}
        if session.as_exported:
            update["$max"] = {"next_index": session.places, "updated_at": session.updated_at}
        await self._documents.update_one(session.place.session, update)
        session.marked = True

    async def _placed(self, session: _Open, fresh: Sequence[Document]) -> list[tuple[Document, int]]:
        """Messages with their places. From the first on whose place is taken, all of the session come behind."""
        if session.as_exported:
            places = [message["place"] for message in fresh]
            own = {"user_id": self._owner, "session_id": session.place.session_id, "message_index": {"$in": places}}
            taken = {one["message_index"] async for one in self._vectors.find(own, {"message_index": 1})}
            if not taken and len(set(places)) == len(places):
                return list(zip(fresh, places, strict=True))
            session.as_exported = False
        behind = await self._places.take_in(session.place, [_turn(message, 0) for message in fresh], places=len(fresh))
        return [(message, behind.index + at) for at, message in enumerate(fresh)]


def _session(owner: str, fields: Document) -> Document:
    """A session of which nothing has come yet. Its `_id` is still to be given."""
    return (
        new_session(fields["title"], fields["epoch"], fields["summarised_to"])
        | NOTHING_SAID
        | {"user_id": owner, "session_id": fields["id"], "next_index": fields["places"], "importing": True}
        | {name: fields[name] for name in ("created_at", "updated_at", "project", "instructions") if name in fields}
    )


def _turn(message: Document, index: int) -> Turn:
    return turn_of(message | {"message_index": index})


def _message(owner: str, place: Place, message: Document, index: int) -> Document:
    made = document_of(owner, place.session_id, _turn(message, index), index) | {"created_at": message["created_at"]}
    if "facts" in message:
        made["facts"] = pending() if message["facts"] == "pending" else {"state": "done", "attempts": 0}
    return made
