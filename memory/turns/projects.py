"""Projects of a user, and what holds wherever the user is: a small document each.

A session belongs to a project, or to none. What is said in an open project is remembered as all else is. What is said
in an isolated one is another memory, with an owner of its own (`owner_apart`): whatever reads or makes anything of a
user's sees nothing of it, and within it nothing else of the user is seen. Instructions are no memory: the user's hold
in every project.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pymongo import ReturnDocument

from memory.ids import derived_id, keys_of, owner_apart, prompt_id, response_id
from memory.lines import Kept, Line
from memory.product import Record
from memory.store import Changes, Collections, NotesCache, by_key
from utils.clock import now
from utils.coalesce import Coalescer
from utils.errors import Conflict, NotFound
from utils.fields import Instructions, Locale, ProjectName, Timezone
from utils.mongo import Document, insert_new

ELSEWHERE = 'The session is in {}: PATCH /v1/sessions/{{id}} with {{"project": …}} moves it'
LOOKED_AFTER = timedelta(minutes=2)  # a move: it may have been cut short, or what was on its way then came later
MOST = 1_000  # projects of a user: in the memories of those that are isolated, a session or answer is looked for
TOO_MANY = "A user has at most {} projects: delete one, or use one that is there"
EVERYWHERE = ""  # the name of the document that says what holds outside of projects, too


@dataclass(frozen=True)
class Project:
    """`isolated`: it remembers by itself. `instructions`: those that hold in it, beside others."""

    name: str
    isolated: bool
    instructions: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Preferences:
    """What holds for a user in whatever project. `timezone`, `locale`: where a request names none. `paused`: nothing of
    what is said is to be kept."""

    instructions: str | None = None
    timezone: str | None = None
    locale: str | None = None
    paused: bool = False


@dataclass(frozen=True)
class Standpoint:
    """From where a user asks. `owner`: whose memory that is; `instructions`: those that hold there, the user's first,
    then the project's, then the session's. `paused`: as `Preferences` have it."""

    owner: str
    project: str | None = None
    instructions: tuple[str, ...] = ()
    timezone: str | None = None
    locale: str | None = None
    paused: bool = False


class ProjectLine(Kept):
    name: ProjectName
    isolated: bool
    instructions: Instructions | None = None


class PreferencesLine(Kept):
    instructions: Instructions | None = None
    timezone: Timezone | None = None
    locale: Locale | None = None
    paused: bool | None = None


LINES: dict[str, type[Line]] = {"preferences": PreferencesLine, "project": ProjectLine}


class Projects:
    def __init__(self, collections: Collections, changes: Changes) -> None:
        """Whoever changes in which project a session is, or its instructions, or deletes it, takes a number for it."""
        self._projects = collections.projects
        self._sessions = collections.sessions
        self._vectors = collections.vectors
        self._owners = collections.owners
        self._changes = changes
        self._reads: Coalescer[tuple[str, str], Document | None] = Coalescer(self._read)
        self._looks: Coalescer[tuple[str, str], Document | None] = Coalescer(self._look)
        self.documents = NotesCache(changes, lambda *name: self._reads.get(name), "places")
        self.sessions = NotesCache(changes, self._there, "places")

    async def standpoint(
        self, user: str, project: str | None = None, session_id: str | None = None, *, making: bool = False
    ) -> Standpoint:
        """From where a request is made that names a project, a session, both or neither. A session says by itself in
        which project it is. `making`: a project that is not there yet is made, open.

        Raises `Conflict` where the session is in another project.
        """
        known, session = await asyncio.gather(
            self._named(user, EVERYWHERE, project or EVERYWHERE), self._session([user], session_id)
        )
        if session is None and session_id is not None:
            session = await self._session(await self.isolated(user), session_id)
        if session is not None:
            there = session.get("project")
            if project not in (None, there):
                raise Conflict(ELSEWHERE.format(f"the project {there!r}" if there else "no project"))
            project = there
        if project is not None and project not in known:  # the session's
            known |= await self._named(user, project)
        if project is not None and project not in known and making:
            known[project] = await self.put(user, project, {})
        own, here = known.get(EVERYWHERE, {}), known.get(project, {}) if project else {}
        owner = owner_apart(user, project) if project and here.get("isolated") else user
        if session is not None:
            owner = session["user_id"]
        held = [own, here, session or {}]
        instructions = tuple(one["instructions"] for one in held if one.get("instructions"))
        says = own.get("timezone"), own.get("locale"), own.get("paused", False)
        return Standpoint(owner, project, instructions, *says)

    async def isolated(self, user: str) -> list[str]:
        """The owners of what the user's isolated projects remember."""
        found = await self._projects.find({"user_id": user, "isolated": True}, {"name": 1}).to_list(None)
        return [owner_apart(user, one["name"]) for one in found]

    async def apart(self, user: str) -> set[str]:
        """The owners of all that the user has in isolated projects, or had, and of which something came late."""
        left = {"$gt": owner_apart(user, ""), "$lt": f"{user} "}  # a space comes next
        found = await self._owners.find({"_id": left}, {"_id": 1}).to_list(None)
        return {*await self.isolated(user), *(one["_id"] for one in found)}

    async def owner_of_turn(self, user: str, turn_id: str) -> str:
        """Whose memory has an exchange of the user's; the user's own where none has."""
        isolated = await self.isolated(user)
        ids = (prompt_id(turn_id), response_id(turn_id))  # an answer that was asked for again has no prompt of its own
        keys = [key for owner in isolated for identifier in ids for key in keys_of(identifier, owner)]
        own = {"_id": {"$in": keys}, "user_id": {"$in": isolated}}
        message = await self._vectors.find_one(own, {"user_id": 1}) if isolated else None
        return user if message is None else str(message["user_id"])

    async def owner_of(self, user: str, project: str) -> str:
        """Whose memory a project's is."""
        there = (await self._named(user, project)).get(project, {})
        return owner_apart(user, project) if there.get("isolated") else user

    async def owners(self, user: str, project: str | None) -> list[str]:
        """Whose memories may have a conversation of the user's: the project's, or where none is named, all."""
        return [user, *await self.isolated(user)] if project is None else [await self.owner_of(user, project)]

    async def page(self, user: str, *, limit: int, after: str = "") -> list[Project]:
        """The user's projects in the order of their names, behind the last one seen."""
        own = {"user_id": user, "name": {"$gt": after}}
        return [_project(one) for one in await self._projects.find(own).sort("name", 1).limit(limit).to_list(None)]

    async def get(self, user: str, name: str) -> Project:
        project = await self._projects.find_one({"user_id": user, "name": name})
        if project is None:
            raise NotFound("No such project")
        return _project(project)

    async def put(self, user: str, name: str, fields: Document) -> Document:
        """Sets fields of a project's document, which is made where it is not there; fields that are None go. Raises
        `Conflict` where the user has too many."""
        await self._check_room(user, name)
        moment = now()
        made = {"_id": derived_id(user, name), "created_at": moment} | (
            {} if "isolated" in fields else {"isolated": False}
        )
        gone = [field for field, value in fields.items() if value is None]
        update: Document = {
            "$set": {field: value for field, value in fields.items() if value is not None} | {"updated_at": moment},
            "$setOnInsert": made,
        } | ({"$unset": dict.fromkeys(gone, "")} if gone else {})
        async with self._changes.noted(user, "places"):
            project: Document | None = await self._projects.find_one_and_update(
                {"user_id": user, "name": name}, update, upsert=True, return_document=ReturnDocument.AFTER
            )
        return project or {}

    async def preferences(self, user: str) -> Preferences:
        own = (await self._named(user, EVERYWHERE)).get(EVERYWHERE, {})
        says = own.get("instructions"), own.get("timezone"), own.get("locale")
        return Preferences(*says, paused=own.get("paused", False))

    async def mark(self, user: str, name: str, moment: datetime) -> None:
        """Notes since when not all of a project may be where it belongs."""
        await self._projects.update_one({"user_id": user, "name": name}, {"$set": {"unsettled": moment}})

    async def settled(self, user: str, name: str, moment: datetime) -> None:
        """Takes away the mark of a moment; a newer one stays."""
        marked = {"user_id": user, "name": name, "unsettled": moment}
        await self._projects.update_one(marked, {"$unset": {"unsettled": ""}})

    async def unsettled(self, before: datetime | None = None) -> list[tuple[str, str, datetime]]:
        """The users and names of projects that were marked before a moment, or a while ago, and when."""
        old = {"unsettled": {"$lt": before or now() - LOOKED_AFTER}}
        found = await self._projects.find(old, {"user_id": 1, "name": 1, "unsettled": 1}).to_list(None)
        return [(project["user_id"], project["name"], project["unsettled"]) for project in found]

    async def delete(self, user: str, name: str) -> None:
        async with self._changes.noted(user, "places"):
            await self._projects.delete_one({"user_id": user, "name": name})

    async def records(self, user: str) -> AsyncIterator[Record]:
        """What holds everywhere, then the user's projects."""
        if (own := await self._projects.find_one({"user_id": user, "name": EVERYWHERE})) is not None:
            yield Record("preferences", PreferencesLine.picked(own))
        async for one in by_key(self._projects, user, "name"):
            yield Record("project", ProjectLine.picked(one))

    async def take(self, user: str, fields: Document) -> bool:
        """Takes a record of an export in; whether it is new. Raises `Conflict` where the user has too many."""
        name = fields.get("name", EVERYWHERE)
        await self._check_room(user, name)
        one = {"isolated": False} | fields | {"_id": derived_id(user, name), "user_id": user, "name": name}
        async with self._changes.noted(user, "places"):
            return (await insert_new(self._projects, [one]))[0]

    async def _check_room(self, user: str, name: str) -> None:
        own: Document = {"user_id": user, "name": {"$gt": EVERYWHERE}}
        if name == EVERYWHERE or await self._projects.count_documents(own, limit=MOST) < MOST:
            return
        if await self._projects.find_one({"user_id": user, "name": name}, {"_id": 1}) is None:
            raise Conflict(TOO_MANY.format(MOST))

    async def _named(self, user: str, *names: str) -> dict[str, Document]:
        """The documents of those of a user's projects that are there, by their names."""
        found = await asyncio.gather(*(self.documents.get(user, name) for name in set(names)))
        return {project["name"]: project for project in found if project is not None}

    async def _read(self, wanted: Sequence[tuple[str, str]]) -> list[Document | None]:
        named = [{"user_id": user, "name": name} for user, name in set(wanted)]
        by_name = {(one["user_id"], one["name"]): one for one in await self._projects.find(_any(named)).to_list(None)}
        return [by_name.get(one) for one in wanted]

    async def _session(self, owners: Sequence[str], session_id: str | None) -> Document | None:
        """The session of this id that one of these owners has."""
        if session_id is None:
            return None

        async def of(owner: str) -> Document | None:
            try:
                return await self.sessions.get(owner, session_id)
            except NotFound:
                return None

        found = await asyncio.gather(*map(of, owners))
        return next((session for session in found if session is not None), None)

    async def _there(self, owner: str, session_id: str) -> Document:
        """A session of the owner's. Raises `NotFound`, which is not kept: one that begins takes no number."""
        if (session := await self._looks.get((owner, session_id))) is None:
            raise NotFound("No such session")
        return session

    async def _look(self, wanted: Sequence[tuple[str, str]]) -> list[Document | None]:
        named = [{"user_id": owner, "session_id": session_id} for owner, session_id in set(wanted)]
        shown = {"user_id": 1, "session_id": 1, "project": 1, "instructions": 1}
        found = await self._sessions.find(_any(named), shown).to_list(None)
        by_name = {(one["user_id"], one["session_id"]): one for one in found}
        return [by_name.get(one) for one in wanted]


def _any(filters: Sequence[Document]) -> Document:
    return filters[0] if len(filters) == 1 else {"$or": list(filters)}


def _project(document: Document) -> Project:
    return Project(
        document["name"],
        document["isolated"],
        document.get("instructions"),
        document["created_at"],
        document["updated_at"],
    )
