"""Moving: sessions, and all of a project, from one memory of a user's to another, with what was made of them.

What is moved is copied as an export and an import would, facts with it, and then deleted where it was, as if it had
never been said there. The documents of sessions and projects say where all belongs: the sweep looks after each move
once more, and ends one that a crash cut short. What is said in a session meanwhile goes with it.
"""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

from memory.beside import Beside
from memory.ids import owner_apart
from memory.observations import source_of_session
from memory.oversight import Forgetter
from memory.portable import Importer
from memory.product import Product, Record
from memory.responses import response_records
from memory.store import Store
from memory.turns import Conversations, Project, conversation_records, receipt_records
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document
from utils.tasks import each

MADE = {
    "fact",
    "observation",
    "task",
}  # kinds of records that are made of sessions, but for those that are read by session


class Moving:
    """Carries out what becomes of projects and of the sessions in them."""

    def __init__(
        self,
        store: Store,
        conversations: Conversations,
        importer: Importer,
        forgetter: Forgetter,
        products: Sequence[Product],
    ) -> None:
        self._collections = store.collections
        self._beside = Beside(store.collections)
        self._projects = conversations.projects
        self._sessions = conversations.sessions
        self._keyvalues = conversations.keyvalues
        self._importer = importer
        self._forgetter = forgetter
        self._products = products
        self._opened = now()

    async def session(self, user: str, session_id: str, project: str | None) -> str:
        """Moves a session into a project, or out of any; returns whose memory it is in then. Raises `NotFound`, and
        `Conflict` where its messages cannot go there."""
        at = await self._projects.standpoint(user, session_id=session_id)
        target = user if project is None else await self._projects.owner_of(user, project)
        if target != at.owner:
            await self._beside.check_messages(at.owner, target, [session_id])
        if project is not None:
            await self._projects.put(user, project, {})
        moves = () if target == at.owner else (at.project, project)
        involved = [name for name in moves if name is not None]
        for name in involved:
            await self._projects.mark(user, name, now())
        await self._sessions.change(at.owner, session_id, {"project": project})
        if involved:
            await self._move(at.owner, target, [session_id])
        return target

    async def project(self, user: str, name: str, fields: Document) -> Project:
        """Makes or changes a project; returns it once all that belongs in it, or not any more, is where it belongs.
        Raises `Conflict` where messages cannot go there."""
        if "isolated" in fields:
            apart = owner_apart(user, name)
            source, target, which = (user, apart, {"project": name}) if fields["isolated"] else (apart, user, {})
            await self._beside.check_messages(source, target, await self._ids(source, which))
        await self._projects.put(user, name, fields | ({"unsettled": now()} if "isolated" in fields else {}))
        if "isolated" in fields:
            await self.settle(user, name)
        return await self._projects.get(user, name)

    async def delete(self, user: str, name: str) -> dict[str, int]:
        """Deletes a project with all that was said in it; returns counts by collection. Raises `NotFound`."""
        await self._projects.get(user, name)
        counts = Counter(await self._forgetter.user(owner_apart(user, name)))  # of an open one, what came there late
        for session_id in await self._ids(user, {"project": name}):
            with suppress(NotFound):  # somebody else was faster
                counts.update(await self._forgetter.session(user, session_id))
        await self._projects.delete(user, name)
        return dict(counts)

    async def settle(self, user: str, name: str) -> None:
        """Has all be where it belongs: in a project's own memory where it is isolated, else in the user's."""
        try:
            isolated = (await self._projects.get(user, name)).isolated
        except NotFound:  # it was deleted
            return
        apart = owner_apart(user, name)
        if isolated:
            await self._move(user, apart, await self._ids(user, {"project": name}))
            for session_id in await self._ids(apart, {"project": {"$ne": name}}):
                there = await self._sessions.get(apart, session_id)
                target = user if there.project is None else await self._projects.owner_of(user, there.project)
                await self._move(apart, target, [session_id])
        else:
            moment = now()  # what comes later stays for the next time
            await self._move(apart, user, await self._ids(apart, {}))
            await self._keyvalues.move(apart, user, None)
            for product in self._products:
                await self._copy(user, self._beside.renamed(product.records(apart), apart, name))
            await self._forgetter.user(apart, moment)

    async def finish(self) -> None:
        """Looks after moves of a while ago: ends what was cut short, and has what came late follow."""
        await each(partial(self._finish, *project) for project in await self._projects.unsettled())

    async def resume(self) -> None:
        """Ends at once what was under way before this process was, as a kill leaves it. The sweep looks after it once
        more, as after each move."""
        marked = await self._projects.unsettled(before=self._opened)
        await each(partial(self.settle, user, name) for user, name, _ in marked)

    async def _finish(self, user: str, name: str, moment: datetime) -> None:
        await self.settle(user, name)
        await self._projects.settled(user, name, moment)

    async def _ids(self, owner: str, which: Document) -> list[str]:
        found = await self._collections.sessions.find({"user_id": owner} | which, {"session_id": 1}).to_list(None)
        return [session["session_id"] for session in found]

    async def _move(self, source: str, target: str, ids: Sequence[str]) -> None:
        if not ids:
            return
        said = set[str]()
        await self._copy(target, self._records(source, frozenset(ids), said))
        await self._keyvalues.move(source, target, said)
        for session_id in ids:
            if (ended := await self._sessions.end(source, session_id)) is None:
                continue
            # What was said meanwhile, too.
            await self._copy(target, self._stored(source, [session_id]))
            await self._forgetter.session(source, session_id, ended)

    async def _copy(self, target: str, records: AsyncIterator[Record]) -> None:
        async with self._importer.begin(target) as begun:
            async for record in records:
                await begun.take(record)
            await begun.finish()

    async def _records(self, owner: str, ids: frozenset[str], said: set[str]) -> AsyncIterator[Record]:
        """The records of sessions, and of what was made of them but for key-values. `said`: gets the ids of their
        messages."""
        async for record in self._stored(owner, ids):
            said |= {record.fields["id"]} if record.kind == "message" else set()
            yield record
        for product in self._products:
            if not product.lines.keys() & MADE:
                continue
            async for record in product.records(owner):
                if (made := _made_of(record, ids, said)) is not None:
                    yield made
        async for record in receipt_records(self._collections, owner, ids):
            yield record

    async def _stored(self, owner: str, ids: Collection[str]) -> AsyncIterator[Record]:
        """The records of what was said in sessions."""
        for records in (conversation_records, response_records):
            async for record in records(self._collections, owner, ids):
                yield record


def _made_of(record: Record, ids: Collection[str], said: Collection[str]) -> Record | None:
    """A record as far as it was made of sessions and their messages; None where it was not."""
    fields = record.fields
    match record.kind:
        case "fact":
            return record if fields["memory_id"] in ids else _fact_of(record, ids)
        case "observation":
            of_session = fields["source"] in map(source_of_session, ids)
            return record if of_session or set(fields.get("messages", ())) & set(said) else None
        case "task" | "trace":
            return record if fields["task_id"] in ids else None
    return None


def _fact_of(record: Record, ids: Collection[str]) -> Record | None:
    """A fact in force of another session that one of these says, too, as this one's."""
    fields = record.fields
    events = [event for event in fields["history"] if event.get("memory_id") in ids and event.get("source")]
    sources = [event["source"] for event in events if event["source"] in fields["sources"]]
    if not sources or fields.get("valid_to") is not None:
        return None
    begun = {name: value for name, value in events[0].items() if name not in ("memory_id", "other")} | {"event": "ADD"}
    own = {"id": f"{fields['id']}.{sources[0]}"[:200], "memory_id": events[0]["memory_id"], "sources": sources}
    left = {name: value for name, value in fields.items() if name not in ("supersedes", "superseded_by")}
    return Record("fact", left | own | {"history": [begun]})
