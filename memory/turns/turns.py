"""Turns: the one way to keep what is said; imports, prompts and answers all go through `remember`."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memory.domain import REPLACED, Gist, Remembered, Turn
from memory.gists import TEXT, GistReader, JustSaid, document_of, gist_of, turn_of
from memory.ids import fingerprint, keys_of, prompt_id, scoped
from memory.language import End, Trait
from memory.store import Changes, Collections
from memory.turns.branches import LINE
from memory.turns.line import BEGINNING, COMPARED
from memory.turns.places import Counted, Place, Places
from memory.turns.sessions import Sessions
from utils.clock import now
from utils.coalesce import Coalescer
from utils.errors import Conflict, NotFound
from utils.mongo import Document, insert_new
from utils.text import GAP, ends_with_question_mark
from utils.thoughts import without_thoughts

_WITH_TRAITS = {"embedding": 0, "recall.tokens": 0, "recall.terms": 0}
NEAR_END = 50  # messages that are looked at for the first or last that asks, or that does not


class Turns:
    """The messages of sessions, one document each in `vectors`."""

    def __init__(
        self,
        collections: Collections,
        sessions: Sessions,
        places: Places,
        changes: Changes,
        reader: GistReader,
        just_said: JustSaid,
    ) -> None:
        self._vectors = collections.vectors
        self._images = collections.images
        self._sessions = sessions
        self._places = places
        self._changes = changes
        self._reader = reader
        self._just_said = just_said
        self._inserts: Coalescer[Document, bool] = Coalescer(lambda new: insert_new(self._vectors, new))

    async def remember(
        self, owner: str, session_id: str, turns: Sequence[Turn], *, ids_are_new: bool = False
    ) -> Remembered:
        """Commits turns to the end of a session, in order; those whose id the owner has already are no-ops.
        `ids_are_new`: they were made for this call, and nobody is asked who has them.

        When it returns, the turns are durable and their embedding is due; `Places.is_due` says whether a summary is.
        """
        turns = [_spoken(turn) for turn in turns]
        known, logged = set[str](), False
        if not ids_are_new:
            known, logged = await asyncio.gather(
                self.known(owner, [turn.id for turn in turns]), self._places.has_logged(owner, session_id, turns[-1:])
            )
        first = {turn.id: turn for turn in reversed(turns)}
        fresh = [turn for turn in turns if turn.id not in known and first[turn.id] is turn]
        ids = tuple(turn.id for turn in turns)
        if not fresh:
            place = await self._places.place(owner, session_id)
            inserted = 0
        else:
            # A request that crashed between the next two lines has counted them all, for it logged the last one.
            counted = logged and fresh[-1].id == turns[-1].id
            place = await self._places.reserve(owner, session_id, fresh, counted=counted)
            inserted = await self._import(owner, session_id, place, fresh)
        if place is not None and self._places.is_due(place):
            await self._places.mark_due(place)
        return Remembered(ids, inserted, len(turns) - inserted, session_id)

    async def _import(self, owner: str, session_id: str, place: Place, turns: list[Turn]) -> int:
        """Inserts turns at their places; where another request of the same moment inserted some, all are counted anew.

        Raises `Conflict` where the session was deleted meanwhile; nothing is left behind.
        """
        documents = [document_of(owner, session_id, turn, place.index + at) for at, turn in enumerate(turns)]
        for back, document in enumerate(reversed(documents)):
            if "facts" in document:  # are due in the order of their places
                document["facts"]["lease_until"] -= timedelta(milliseconds=back)
        new = await self.insert(owner, documents)
        if len(new) < len(turns):
            await self._sessions.recount(owner, session_id)
            if not new and place.index == 0 and await self._places.give_back(place):
                return 0
        if not await self._places.is_there(place):
            await self._delete(owner, _own(owner, list(new)))
            raise Conflict("The session was deleted meanwhile")
        return len(new)

    async def open_exchange(self, owner: str, session_id: str, prompt: Turn, *, retried: bool) -> Place:
        """Commits a prompt and keeps the place after it for the answer. `retried`: it may be there already."""
        if retried:
            stored = await self._vectors.find_one(_own(owner, [prompt.id]), {"message_index": 1})
            place = await self._places.place(owner, session_id)
            if stored is not None and place is not None:
                return replace(place, index=stored["message_index"])
        counted = retried and await self._places.has_logged(owner, session_id, [prompt])
        place = await self._places.reserve(owner, session_id, [prompt], answers=1, counted=counted)
        document = document_of(owner, session_id, prompt, place.index)
        if await self.insert(owner, [document]):
            self._reader.put(owner, gist_of(document))
        return place

    async def close_exchange(
        self, owner: str, session_id: str, place: Place, answer: Turn, *, retried: bool
    ) -> Counted:
        """Commits the answer to the prompt that `open_exchange` placed, and counts the pair. `retried`: it takes the
        place of an answer that may be there already. "gone": the session was deleted meanwhile; nothing is left behind.
        "there": the answer is still to be settled.
        """
        document = document_of(owner, session_id, answer, place.answer_index)
        # Counted while it lands: a crash in between costs a count, never a message.
        inserted, counted = await asyncio.gather(
            self.insert(owner, [document]), self._places.answered(place, answer, once=retried)
        )
        if not inserted and retried:
            await self._overwrite(owner, document)
        if counted == "gone":
            await self._delete(owner, {"user_id": owner, "turn_id": answer.turn_id, "session_id": session_id})
        else:
            self._reader.put(owner, gist_of(document))
        return counted

    async def conversations_with(self, owners: Sequence[str], texts: Sequence[str]) -> list[tuple[str, str]]:
        """The conversations of the proxy's that have messages of these texts, each with its owner, who is one of these:
        those with most of them first, of equals the newest."""
        prints = [fingerprint(text) for text in texts if text]
        same = {"user_id": {"$in": list(owners)}, "fingerprint": {"$in": prints}}
        shown = {"user_id": 1, "session_id": 1, "fingerprint": 1}
        newest = self._vectors.find(same, shown).sort("timestamp", -1).limit(COMPARED)
        shared: dict[tuple[str, str], set[str]] = {}
        for message in await newest.to_list(None):
            shared.setdefault((message["user_id"], message["session_id"]), set()).add(message["fingerprint"])
        return sorted(shared, key=lambda session: -len(shared[session]))

    async def among(self, owner: str, session_id: str, texts: Sequence[str]) -> tuple[Counter[tuple[str, str]], bool]:
        """How often a session has messages of these texts, by role and text; and whether all that was said in it is
        there still."""
        place = await self._places.place(owner, session_id)
        if place is None:
            return Counter(), True
        own = {"user_id": owner, "session_id": session_id, "message_index": {"$gte": 0}}
        same = self._vectors.find(own | {"content": {"$in": list(texts)}}, {"role": 1, "content": 1})
        found = Counter((message["role"], message["content"]) for message in await same.to_list(None))
        return found, place.message_count >= place.next_index

    async def _delete(self, owner: str, filter: dict[str, Any]) -> None:
        """Takes back what landed in a session that was deleted before."""
        ids = [message["id"] async for message in self._vectors.find(filter, {"id": 1})]
        async with self._changes.overwriting(owner):
            await self._vectors.delete_many(filter)
        await self._images.delete_many({"user_id": owner, "message": {"$in": ids}})
        if await self._vectors.find_one({"user_id": owner}, {"_id": 1}) is None:
            await self._changes.forget(owner)  # all of the user was deleted

    async def is_there(self, owner: str, identifier: str) -> bool:
        """Whether the owner has a message of this id."""
        return await self._vectors.find_one(_own(owner, [identifier]), {"_id": 1}) is not None

    async def get(self, owner: str, session_id: str, identifier: str) -> Turn:
        """A message of a session. Raises `NotFound`."""
        own = _own(owner, [identifier]) | {"kind": "turn", "session_id": session_id}
        message = await self._vectors.find_one(own, TEXT)
        if message is None:
            raise NotFound("No such message")
        placed = await self.page(owner, session_id, after=message["message_index"] - 1, limit=1)
        return next((turn for turn in placed if turn.id == identifier), turn_of(message))

    async def set_recalled(self, owner: str, session_id: str, identifier: str, *, recalled: bool) -> Turn:
        """Has a message of a session recalled for other answers, or no more, which every index sees at its next look;
        it stays in its session. Raises `NotFound`."""
        own = _own(owner, [identifier]) | {"kind": "turn", "session_id": session_id}
        seen = (await self.get(owner, session_id, identifier)).recalled == recalled
        while not seen:
            number = await self._changes.take(owner, deletion=True)
            changed: Document = {"$set": {"change": number} | ({} if recalled else {"recalled": False})}
            await self._vectors.update_one(own, changed | ({"$unset": {"recalled": ""}} if recalled else {}))
            seen = await self._changes.close(owner, number)
        return await self.get(owner, session_id, identifier)

    async def recent(self, owner: str, session_id: str, place: Place, most: int) -> list[Gist]:
        """The newest messages before a place of the session, oldest first."""
        logged = await self._reader.by_ids(owner, place.newest)
        here = [gist for gist in logged if gist.session_id == session_id and gist.branch is None]
        earlier = [gist for gist in here if gist.message_index < place.index]
        if len(earlier) >= min(most, place.index):
            return sorted(earlier, key=lambda gist: gist.message_index)[-most:]
        return await self._before(owner, session_id, place.index, most)

    async def _before(self, owner: str, session_id: str, before: int, most: int) -> list[Gist]:
        filter = {"user_id": owner, "session_id": session_id, "message_index": {"$lt": before}, **LINE}
        cursor = self._vectors.find(filter, TEXT).sort("message_index", -1).limit(most)
        return [gist_of(document) for document in reversed(await cursor.to_list(None))]

    async def near(self, owner: str, messages: Sequence[Gist], reach: int) -> list[Gist]:
        """The messages of the same sessions at most `reach` places before or after some, without these."""
        places: dict[str, set[int]] = {}
        for message in messages:
            if message.message_index >= 0:
                beside = range(max(0, message.message_index - reach), message.message_index + reach + 1)
                places.setdefault(message.session_id, set()).update(beside)
        known = {message.key for message in messages}
        found = await self._reader.at_places(owner, places)
        return [gist for gist in found if gist.key not in known and gist.branch != REPLACED and gist.recalled]

    async def at_end(self, owner: str, session_id: str, before: int, end: End) -> Gist | None:
        """The session's first or last message before a place that is of the kind asked for, by the first or last
        `NEAR_END` of whoever says it."""
        places = {"message_index": {"$gte": 0, "$lt": before}}
        own = {"user_id": owner, "session_id": session_id, "role": end.role, **LINE} | places
        cursor = self._vectors.find(own, _WITH_TRAITS).sort("message_index", -1 if end.last else 1).limit(NEAR_END)
        for document in await cursor.to_list(None):
            if end.asking is None or _asks(document, end.asking):
                return gist_of(document)
        return None

    async def page(
        self, owner: str, session_id: str, *, after: int, limit: int, newest_first: bool = False
    ) -> list[Turn]:
        """Messages of a session in order, from the place after `after`, or with the newest first from the place before
        it; -1 for where that begins. Each has the one that it follows; those of branches are among them."""
        own = {"user_id": owner, "session_id": session_id}
        places = {"$gt": -1, "$lt": after} if newest_first and after >= 0 else {"$gt": -1 if newest_first else after}
        page = self._vectors.find(own | {"message_index": places}, TEXT).sort(
            "message_index", -1 if newest_first else 1
        )
        found = sorted(await page.limit(limit).to_list(None), key=lambda document: document["message_index"])
        first = found[0]["message_index"] if found else 0
        before = self._vectors.find(own | {"message_index": {"$gte": 0, "$lt": first}}, {"id": 1})
        previous = await before.sort("message_index", -1).limit(1).to_list(None) if first > 0 else []
        last = previous[0]["id"] if previous else None
        turns: list[Turn] = []
        for turn in map(turn_of, found):
            turns.append(replace(turn, follows=_follows(turn, last)))
            last = turn.id
        return turns[::-1] if newest_first else turns

    async def embedded(self, owner: str, ids: Sequence[str]) -> bool:
        """Whether none of these messages still waits for its embedding."""
        waiting = _own(owner, ids) | {"embed.state": {"$in": ["pending", "leased"]}}
        return await self._vectors.find_one(waiting, {"_id": 1}) is None

    async def unembeddable(self, owner: str, ids: Sequence[str]) -> bool:
        """Whether the embedding of one of these messages was given up for now."""
        return await self._vectors.find_one(_own(owner, ids) | {"embed.state": "dead"}, {"_id": 1}) is not None

    async def known(self, owner: str, ids: Sequence[str]) -> set[str]:
        """Those of these ids that a message of the owner's has, in whatever session."""
        documents = self._vectors.find(_own(owner, ids), {"id": 1})
        return {document["id"] for document in await documents.to_list(None)}

    async def insert(self, owner: str, documents: Sequence[Document]) -> set[str]:
        """Inserts the documents of placed turns, no two of one id; returns the ids that were new. An id that another
        user has gets a `_id` of its own."""
        landing = {"created_at": now()}  # imported ones say an earlier time, and may have been deleted since
        refused = await self._insert_many(documents)
        ids = {document["id"] for document in documents}
        self._just_said.add(owner, [document | landing for document in documents if document not in refused])
        if not refused:
            return ids
        known = await self.known(owner, [document["id"] for document in refused])
        foreign = [
            document | {"_id": scoped(document["id"], owner)} for document in refused if document["id"] not in known
        ]
        again = await self._insert_many(foreign) if foreign else []
        self._just_said.add(owner, [document | landing for document in foreign if document not in again])
        if {document["id"] for document in again} - await self.known(owner, [document["id"] for document in again]):
            raise RuntimeError("two messages were given the same place")
        return ids - known - {document["id"] for document in again}

    async def _overwrite(self, owner: str, document: Document) -> None:
        """Puts a turn in the place of the one of the same id, to be embedded anew."""
        fresh = {name: document[name] for name in document if name not in ("_id", "created_at", "message_index")}
        gone = {"embedding": "", "embedding_model": ""} | ({} if "interrupted" in document else {"interrupted": ""})
        async with self._changes.overwriting(owner):
            await self._vectors.update_one(_own(owner, [document["id"]]), {"$set": fresh, "$unset": gone})
            self._just_said.drop(owner, dict.fromkeys(keys_of(document["id"], owner), now()))

    async def _insert_many(self, documents: Sequence[Document]) -> list[Document]:
        """The documents that were refused as duplicates."""
        if len(documents) == 1:
            return [] if await self._inserts.get(documents[0]) else list(documents)
        new = await insert_new(self._vectors, documents)
        return [document for document, inserted in zip(documents, new, strict=True) if not inserted]


def _spoken(turn: Turn) -> Turn:
    """A turn; an assistant's without its thoughts."""
    if turn.role != "assistant" or (said := without_thoughts(turn.content)) == turn.content:
        return turn
    return replace(turn, content=said or GAP)


def _asks(document: Document, asking: bool) -> bool:
    """Whether a message asks, or does not ask alone; before a worker has read it, by its mark."""
    traits = document.get("recall", {}).get("traits", b"")
    asks = traits[Trait.ASKS] if traits else int(ends_with_question_mark(document["content"]))
    return asks > 0 if asking else asks != 1


def _follows(turn: Turn, before: str | None) -> str | None:
    """The id of the message that one follows, None for the first. `before`: of the one at the place before it."""
    if turn.follows is not None:
        return turn.follows if turn.follows != BEGINNING else None
    return prompt_id(turn.turn_id) if turn.role == "assistant" and turn.turn_id is not None else before


def _own(owner: str, ids: Sequence[str]) -> dict[str, Any]:
    """The filter of the owner's messages of these ids."""
    return {"_id": {"$in": [key for identifier in ids for key in keys_of(identifier, owner)]}, "user_id": owner}
