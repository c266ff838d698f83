"""Findings, insights and lessons: remembered once, and beside each the gist by whose words it is recalled.

The observation is written first and says by `unindexed_since` that its gist is still to come, so that whoever is killed
in between leaves word of it. A gist has a `category`, by which the index of words knows it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pymongo import UpdateOne

from config.recipes import OBSERVATIONS, Recipe
from memory import metrics
from memory.gists import AT_ONCE, GistEraser, new_gist, to_bytes
from memory.ids import derived_id, keys_of, scoped
from memory.observations.observation import (
    CATEGORIES,
    FIL,
    Category,
    Observation,
    Observed,
    Recalled,
    check,
    observation_id,
    source_of_session,
)
from memory.recall import Scope, WordSearch, indexed_terms
from memory.store import Changes, Collections, NotesCache
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document, insert_new
from utils.tasks import each

# A filter: the gists of observations, and nothing else in `vectors`. `$exists` is the condition of the index, `$in` has
# the change behind it looked up.
INDEXED = {"category": {"$exists": True, "$in": list(CATEGORIES)}}
NOWHERE = ""  # the session of such a gist: none, so that no search within one finds it, whatever its source
CUT_SHORT = timedelta(seconds=30)  # after which a gist that is not there was lost with whoever was to write it
MENDED_AT_ONCE = 500
DELETED_AT_ONCE = 1_000
NEWEST_FIRST = [("created_at", -1), ("_id", -1)]


class Observations:
    """The observations of users, each a document with a gist in `vectors` whose `id` is its own. They never change; the
    same again is the same one."""

    def __init__(self, collections: Collections, changes: Changes, eraser: GistEraser, search: WordSearch) -> None:
        self._observations = collections.observations
        self._vectors = collections.vectors
        self._changes = changes
        self._eraser = eraser
        self._search = search
        self.cache = NotesCache(changes, self._read_any, "facts")

    async def remember(
        self, owner: str, observed: Sequence[Observed], source: str, *, model: str | None = None
    ) -> tuple[list[Observation], int]:
        """Commits observations of one source; returns them in their order, and how many are new. What was remembered
        of the same category, content and source before is that one.

        `model`: who found them in a text. Raises `InvalidInput` where one of them cannot be remembered; none is then.
        """
        for note in observed:
            check(note, source)
        moment = now()
        made: dict[str, Observation] = {}
        messages: dict[str, dict[str, None]] = {}
        ids = [observation_id(owner, note, source) for note in observed]
        for identifier, note in zip(ids, observed, strict=True):
            made.setdefault(identifier, Observation(identifier, note.category, note.content, source, moment, model))
            messages.setdefault(identifier, {}).update(dict.fromkeys(note.messages))
        if not made:
            return [], 0
        documents = [document_of(owner, each, list(messages[each.id])) for each in made.values()]
        new = await self.insert(owner, documents)
        for identifier in new:
            metrics.OBSERVATIONS.labels(made[identifier].category).inc()
        if len(new) < len(made):
            made |= await self._find(owner, [identifier for identifier in made if identifier not in new])
        return [made[identifier] for identifier in ids], len(new)

    async def insert(self, owner: str, documents: Sequence[Document]) -> set[str]:
        """Adds what is not there yet, and sees to it that all of it is recalled; returns the ids that are new."""
        async with self._changes.noted(owner, "facts"):
            new = await insert_new(self._observations, documents)
        fresh = [document for document, inserted in zip(documents, new, strict=True) if inserted]
        known = [document for document, inserted in zip(documents, new, strict=True) if not inserted]
        if known:  # somebody may have been killed before their gists were written
            lost = {"_id": {"$in": [document["_id"] for document in known]}, "user_id": owner}
            await self._note_messages(owner, known)
            known = await self._observations.find(lost | {"unindexed_since": {"$exists": True}}).to_list(None)
        if fresh or known:
            await self._make_recallable(owner, [*fresh, *known])
        return {document["_id"] for document in fresh}

    async def get(self, owner: str, observation_id: str) -> Observation:
        """Raises `NotFound`."""
        found = await self._find(owner, [observation_id])
        if not found:
            raise NotFound("No such observation")
        return found[observation_id]

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        category: Category | None = None,
        source: str | None = None,
    ) -> list[tuple[Observation, str]]:
        """Observations, newest first, each with its `_id`. `after`: `created_at` and `_id` of the last one seen."""
        filter: Document = {"user_id": owner}
        if category is not None:
            filter["category"] = category
        if source is not None:
            filter["source"] = source
        if after is not None:
            moment, key = after
            filter["$or"] = [{"created_at": {"$lt": moment}}, {"created_at": moment, "_id": {"$lt": key}}]
        found = await self._observations.find(filter).sort(NEWEST_FIRST).limit(limit).to_list(None)
        return [(observation_of(document), document["_id"]) for document in found]

    async def has_any(self, owner: str) -> bool:
        """Whether a user has observations, or had some lately."""
        return await self.cache.get(owner)

    async def _read_any(self, owner: str) -> bool:
        return await self._observations.find_one({"user_id": owner}, {"_id": 1}) is not None

    async def recall(
        self,
        owner: str,
        query: str,
        recipe: Recipe = OBSERVATIONS,
        *,
        categories: Sequence[Category] = CATEGORIES,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Recalled]:
        """The observations of some categories whose words suit a query, best first. A score depends on all that the
        owner has, not on what else is left out, so those of different categories can be compared."""
        scope = Scope(
            kinds=tuple(categories),
            since=since.timestamp() if since else None,
            until=until.timestamp() if until else None,
        )
        hits = (await self._search.recall(owner, query, recipe, scope)).hits
        found = await self._find(owner, [hit.gist.id for hit in hits])
        return [Recalled(found[hit.gist.id], hit.score) for hit in hits if hit.gist.id in found]

    async def recall_fil(self, owner: str, query: str, limit: int) -> FIL:
        """The best of each category, at most `limit` of each, no text twice."""
        recipe = replace(OBSERVATIONS, top_k=limit, distinct=True)
        every = (self.recall(owner, query, recipe, categories=(category,)) for category in CATEGORIES)
        return FIL(*map(tuple, await asyncio.gather(*every)))

    async def delete(self, owner: str, observation_id: str) -> None:
        """Raises `NotFound` where there is none."""
        if not await self._delete(owner, {"_id": observation_id}):
            raise NotFound("No such observation")

    async def take_back(self, owner: str, ids: Sequence[str]) -> None:
        """Deletes what came too late."""
        await self._delete(owner, {"_id": {"$in": list(ids)}})

    async def forget_session(self, owner: str, session_id: str, moment: datetime) -> int:
        """Deletes what came of a session until a moment; returns how many."""
        return await self._delete(owner, {"source": source_of_session(session_id), "created_at": {"$lte": moment}})

    async def forget_message(self, owner: str, message_id: str) -> int:
        """Deletes what a message alone says, and lets the rest rest on the others; returns how many it deleted."""
        deleted = await self._delete(owner, {"messages": {"$eq": message_id, "$size": 1}})
        says = {"user_id": owner, "messages": message_id}
        await self._observations.update_many(says, {"$pull": {"messages": message_id}})
        return deleted

    async def forget(self, owner: str, moment: datetime) -> int:
        """Deletes all of a user's until a moment; returns how many."""
        return await self._delete(owner, {"created_at": {"$lte": moment}})

    async def mend(self) -> int:
        """Writes the gists that somebody who was killed did not come to, some of them at a time; returns how many."""
        lost = {"unindexed_since": {"$exists": True, "$lte": now() - CUT_SHORT}}
        order = [("unindexed_since", 1), ("_id", 1)]
        found = await self._observations.find(lost).sort(order).limit(MENDED_AT_ONCE).to_list(None)
        by_owner: dict[str, list[Document]] = {}
        for document in found:
            by_owner.setdefault(document["user_id"], []).append(document)
        await each(partial(self._make_recallable, owner, documents) for owner, documents in by_owner.items())
        return len(found)

    async def _find(self, owner: str, ids: Sequence[str]) -> dict[str, Observation]:
        """The owner's observations of these ids; those that are gone are left out."""
        found = await self._observations.find({"_id": {"$in": list(ids)}, "user_id": owner}).to_list(None)
        return {document["_id"]: observation_of(document) for document in found}

    async def _delete(self, owner: str, filter: Document) -> int:
        """Deletes the observations of a filter with their gists; returns how many."""
        own = {"user_id": owner} | filter
        deleted = 0
        while found := await self._observations.find(own, {"_id": 1}).limit(DELETED_AT_ONCE).to_list(None):
            deleted += await self._delete_some(owner, own, [document["_id"] for document in found])
        return deleted

    async def _delete_some(self, owner: str, own: Document, ids: Sequence[str]) -> int:
        going = {"_id": {"$in": ids}, "user_id": owner}
        # What the filter does not hold for any more when they go, stays, and gets its gist back.
        await self._observations.update_many(going, {"$set": {"unindexed_since": now()}})
        await self._eraser.erase(owner, _gists_of(owner, ids))  # first: whoever tries again finds the observations
        deleted = (await self._observations.delete_many(own | going)).deleted_count
        await self._drop_gists(owner, ids)  # what landed in between
        return deleted

    async def _note_messages(self, owner: str, documents: Sequence[Document]) -> None:
        """Notes that other messages, too, say what was known."""
        said = [
            UpdateOne(
                {"_id": document["_id"], "user_id": owner}, {"$addToSet": {"messages": {"$each": document["messages"]}}}
            )
            for document in documents
            if "messages" in document
        ]
        if said:
            await self._observations.bulk_write(said, ordered=False)

    async def _make_recallable(self, owner: str, documents: Sequence[Document]) -> None:
        """Gives observations their gists, but for those that were deleted meanwhile."""
        ids = [document["_id"] for document in documents]
        if not ids:
            return
        number = await self._changes.take(owner)
        await self._put_gists(owner, await _gists(owner, documents, number))
        while not await self._changes.close(owner, number):  # readers may have passed it
            number = await self._changes.take(owner)
            await self._vectors.update_many(_gists_of(owner, ids), {"$set": {"change": number}})
        there = await self._find(owner, ids)
        if gone := [identifier for identifier in ids if identifier not in there]:
            await self._drop_gists(owner, gone)
            if await self._vectors.find_one({"user_id": owner}, {"_id": 1}) is None:
                await self._changes.forget(owner)  # all of the user was deleted
        await self._observations.update_many(
            {"_id": {"$in": list(there)}, "user_id": owner}, {"$unset": {"unindexed_since": ""}}
        )

    async def _put_gists(self, owner: str, gists: Sequence[Document]) -> None:
        """Inserts those that are not there. One whose `_id` is the id of another user's message gets another."""
        new = await insert_new(self._vectors, gists)
        refused = [gist for gist, inserted in zip(gists, new, strict=True) if not inserted]
        if not refused:
            return
        known = await self._known(owner, refused)
        foreign = [gist | {"_id": scoped(gist["_id"], owner)} for gist in refused if gist["id"] not in known]
        again = await insert_new(self._vectors, foreign) if foreign else []
        lost = [gist for gist, inserted in zip(foreign, again, strict=True) if not inserted]
        if lost and {gist["id"] for gist in lost} - await self._known(owner, lost):
            raise RuntimeError("a gist was refused that is not there")

    async def _known(self, owner: str, gists: Sequence[Document]) -> set[str]:
        """The ids of those that the owner has."""
        there = _gists_of(owner, [gist["id"] for gist in gists])
        return {document["id"] for document in await self._vectors.find(there, {"id": 1}).to_list(None)}

    async def _drop_gists(self, owner: str, ids: Sequence[str]) -> None:
        """Deletes the gists of observations that are gone. One that was remembered again meanwhile found its gist there
        and relied on it, so it gets another."""
        await self._eraser.erase(owner, _gists_of(owner, ids))
        again = {"_id": {"$in": list(ids)}, "user_id": owner}
        await self._make_recallable(owner, await self._observations.find(again).to_list(None))


def _gists_of(owner: str, ids: Sequence[str]) -> Document:
    """The filter of the gists of observations."""
    keys = [key for identifier in ids for key in keys_of(_key(identifier), owner)]
    return {"_id": {"$in": keys}, "user_id": owner} | INDEXED


def _key(observation_id: str) -> str:
    """The `_id` of an observation's gist. No client is told of it, so none gives it to a message."""
    return derived_id("gist", observation_id)


async def _gists(owner: str, documents: Sequence[Document], change: int) -> list[Document]:
    """Gists that words find as soon as they are written; they are embedded like every other."""
    if sum(len(document["content"]) for document in documents) < AT_ONCE:
        return [_gist(owner, document, change) for document in documents]
    return await asyncio.to_thread(lambda: [_gist(owner, document, change) for document in documents])


def _gist(owner: str, document: Document, change: int) -> Document:
    category, content = document["category"], document["content"]
    own = {"id": document["_id"], "category": category, "change": change, "words": to_bytes(indexed_terms(content))}
    return new_gist(_key(document["_id"]), owner, NOWHERE, category, content, document["created_at"], **own)


def document_of(owner: str, observation: Observation, messages: Sequence[str]) -> Document:
    """An observation whose gist is still to come."""
    document: dict[str, Any] = {
        "_id": observation.id,
        "user_id": owner,
        "category": observation.category,
        "content": observation.content,
        "source": observation.source,
        "created_at": observation.created_at,
        "model": observation.model,
        "unindexed_since": now(),
    }
    return document | ({"messages": list(messages)} if messages else {})


def observation_of(found: Document) -> Observation:
    category = next(document for document in CATEGORIES if document == found["category"])
    return Observation(
        found["_id"], category, found["content"], found["source"], found["created_at"], found.get("model")
    )
