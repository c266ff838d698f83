"""Projects of a user, and what holds wherever the user is: a small document each.

A session belongs to a project, or to none. What is said in an open project is remembered as all else is. What is said
in an isolated one is another memory, with an owner of its own (`owner_apart`): whatever reads or makes anything of a
user's sees nothing of it, and within it nothing else of the user is seen. Instructions are no memory: the user's hold
in every project.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pymongo import ReturnDocument

from memory.ids import derived_id, keys_of, owner_apart, prompt_id
from memory.lines import Kept, Line
from memory.product import Record
from memory.store import Collections, by_key
from utils.clock import now
from utils.errors import Conflict, NotFound
from utils.fields import Instructions, Locale, ProjectName, Timezone
from utils.mongo import Document, insert_new

ELSEWHERE = 'The session is in {}: PATCH /v1/sessions/{{id}} with {{"project": …}} moves it'
CUT_SHORT = timedelta(minutes=2)  # after which a move that is not done was cut short
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
    """What holds for a user in whatever project. `timezone`, `locale`: where a request names none."""

    instructions: str | None = None
    timezone: str | None = None
    locale: str | None = None


@dataclass(frozen=True)
class Standpoint:
    """From where a user asks. `owner`: whose memory that is; `instructions`: those that hold there, the user's first,
    then the project's, then the session's."""

    owner: str
    project: str | None = None
    instructions: tuple[str, ...] = ()
    timezone: str | None = None
    locale: str | None = None


class ProjectLine(Kept):
    name: ProjectName
    isolated: bool
    instructions: Instructions | None = None


class PreferencesLine(Kept):
    instructions: Instructions | None = None
    timezone: Timezone | None = None
    locale: Locale | None = None


LINES: dict[str, type[Line]] = {"preferences": PreferencesLine, "project": ProjectLine}


class Projects:
    def __init__(self, collections: Collections) -> None:
        self._projects = collections.projects
        self._sessions = collections.sessions
        self._vectors = collections.vectors

    async def standpoint(
        self, user: str, project: str | None = None, session_id: str | None = None, *, making: bool = False
    ) -> Standpoint:
        """From where a request is made that names a project, a session, both or neither. A session says by itself in
        which project it is. `making`: a project that is not there yet is made, open.

        Raises `Conflict` where the session is in another project.
        """
        known, session = await asyncio.gather(self._known(user), self._session([user], session_id))
        isolated = [owner_apart(user, name) for name, one in known.items() if one.get("isolated")]
        if session is None and isolated:
            session = await self._session(isolated, session_id)
        if session is not None:
            there = session.get("project")
            if project not in (None, there):
                raise Conflict(ELSEWHERE.format(f"the project {there!r}" if there else "no project"))
            project = there
        if project is not None and project not in known and making:
            known[project] = await self.put(user, project, {})
        owner = owner_apart(user, project or "")
        if session is not None or owner not in isolated:
            owner = user if session is None else session["user_id"]
        own = known.get(EVERYWHERE, {})
        held = [own, known.get(project or "", {}) if project else {}, session or {}]
        instructions = tuple(one["instructions"] for one in held if one.get("instructions"))
        return Standpoint(owner, project, instructions, own.get("timezone"), own.get("locale"))

    async def isolated(self, user: str) -> list[str]:
        """The owners of what the user's isolated projects remember."""
        return [owner_apart(user, name) for name, one in (await self._known(user)).items() if one.get("isolated")]

    async def owner_of_turn(self, user: str, turn_id: str) -> str:
        """Whose memory has an exchange of the user's; the user's own where none has."""
        isolated = await self.isolated(user)
        keys = [key for owner in isolated for key in keys_of(prompt_id(turn_id), owner)]
        own = {"_id": {"$in": keys}, "user_id": {"$in": isolated}}
        message = await self._vectors.find_one(own, {"user_id": 1}) if isolated else None
        return user if message is None else str(message["user_id"])

    async def owner_of(self, user: str, project: str) -> str:
        """Whose memory a project's is."""
        owner = owner_apart(user, project)
        return owner if owner in await self.isolated(user) else user

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
        """Sets fields of a project's document, which is made where it is not there; fields that are None go."""
        moment = now()
        made = {"_id": derived_id(user, name), "created_at": moment} | (
            {} if "isolated" in fields else {"isolated": False}
        )
        gone = [field for field, value in fields.items() if value is None]
        update: Document = {
            "$set": {field: value for field, value in fields.items() if value is not None} | {"updated_at": moment},
            "$setOnInsert": made,
        } | ({"$unset": dict.fromkeys(gone, "")} if gone else {})
        project: Document | None = await self._projects.find_one_and_update(
            {"user_id": user, "name": name}, update, upsert=True, return_document=ReturnDocument.AFTER
        )
        return project or {}

    async def preferences(self, user: str) -> Preferences:
        own = await self._projects.find_one({"user_id": user, "name": EVERYWHERE}) or {}
        return Preferences(own.get("instructions"), own.get("timezone"), own.get("locale"))

    async def unsettled(self) -> list[tuple[str, str]]:
        """The users and names of projects of which not all is where it belongs, for a while already."""
        old = {"unsettled": True, "updated_at": {"$lt": now() - CUT_SHORT}}
        found = await self._projects.find(old, {"user_id": 1, "name": 1}).to_list(None)
        return [(one["user_id"], one["name"]) for one in found]

    async def delete(self, user: str, name: str) -> None:
        await self._projects.delete_one({"user_id": user, "name": name})

    async def records(self, user: str) -> AsyncIterator[Record]:
        """What holds everywhere, then the user's projects."""
        if (own := await self._projects.find_one({"user_id": user, "name": EVERYWHERE})) is not None:
            yield Record("preferences", PreferencesLine.picked(own))
        async for one in by_key(self._projects, user, "name"):
            yield Record("project", ProjectLine.picked(one))

    async def take(self, user: str, fields: Document) -> bool:
        """Takes a record of an export in; whether it is new."""
        name = fields.get("name", EVERYWHERE)
        one = {"isolated": False} | fields | {"_id": derived_id(user, name), "user_id": user, "name": name}
        return (await insert_new(self._projects, [one]))[0]

    async def _known(self, user: str) -> dict[str, Document]:
        found = await self._projects.find({"user_id": user}).to_list(None)
        return {one["name"]: one for one in found}

    async def _session(self, owners: list[str], session_id: str | None) -> Document | None:
        if session_id is None:
            return None
        session: Document | None = await self._sessions.find_one(
            {"user_id": {"$in": owners}, "session_id": session_id}, {"user_id": 1, "project": 1, "instructions": 1}
        )
        return session


def _project(document: Document) -> Project:
    return Project(
        document["name"],
        document["isolated"],
        document.get("instructions"),
        document["created_at"],
        document["updated_at"],
    )
