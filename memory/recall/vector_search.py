"""Vector search by MongoDB: which messages may answer a query, where no index of all of them is kept.

MongoDB names the nearest by embedding; the store then says what they are, what stands around them, and what changed
last. All of that is ranked as a whole history is.

mongot follows the store with a delay. So it is believed where to look, and nothing else: every document is read from
the store, by its owner, and what was said since is among the newest.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from math import floor
from typing import Any

from bson.datetime_ms import DatetimeMS
from pymongo.errors import ExecutionTimeout, OperationFailure

from config.recipes import Recipe
from memory.domain import RULE_BASED
from memory.recall.index import FIELDS, UserIndex
from memory.recall.kept_indexes import MESSAGES
from memory.recall.ranking import Scope
from memory.recall.search_index import NAME, PATH, SearchIndex, unavailable
from memory.store import Changes, Collections, Standing
from utils.mongo import Document, aggregate
from utils.vectors import Floats, to_binary

NEAREST = 128  # with their neighbours some 400 messages; twice as many find hardly more (docs/vector-search.md)
CANDIDATES = 20 * NEAREST  # what MongoDB advises for so many; 10,000 at most
NEWEST = 200
AROUND = 2  # neighbours on each side; features look at up to eight, of which more find no more (docs/vector-search.md)
PLACES = dict.fromkeys(("session_id", "message_index"), 1)


class VectorSearch:
    """Indexes of what suits a query, made for it and thrown away."""

    def __init__(
        self, collections: Collections, changes: Changes, model: str, index: SearchIndex, *, only: Document = MESSAGES
    ) -> None:
        self._only = only  # a filter of what is searched, where the scope names no kinds
        self._changes = changes
        self._vectors = collections.vectors
        self._model = model
        self._index = index

    async def suiting(
        self, owner: str, vector: "asyncio.Future[Floats]", recipe: Recipe, scope: Scope
    ) -> tuple[UserIndex, Standing | None]:
        """An index of the owner's messages nearest to a query, their neighbours, and the newest.

        `vector`: the query's embedding, (dimensions,), of length 1, which may be still to come. Raises
        `StoreUnavailable` where MongoDB's search does not answer, or its index is not built.
        """
        if scope.among is not None:
            return await self._named(owner, scope.among, len(await vector))
        await self._index.require()
        wanted = self._filter(owner, scope)
        if await self._stays_inside(owner, recipe, scope):
            wanted["session_id"] = scope.session_id
        standing, near, newest = await asyncio.gather(
            self._changes.standing(owner), self._nearest(vector, wanted), self._newest(owner, scope)
        )
        if newest and not near:  # MongoDB answers so, too, where it has no such index
            await self._index.look()
        return await self._index_of([*newest, *await self._with_neighbours(owner, near)], len(await vector)), standing

    async def _named(self, owner: str, keys: Collection[str], dimensions: int) -> tuple[UserIndex, Standing | None]:
        """An index of what is to be compared, where that is known: MongoDB's search would name some of it alone."""
        standing = await self._changes.standing(owner)
        found = await self._vectors.find({"_id": {"$in": list(keys)}, "user_id": owner}, FIELDS).to_list(None)
        return await self._index_of(found, dimensions), standing

    async def _index_of(self, documents: Iterable[Document], dimensions: int) -> UserIndex:
        index = UserIndex(self._model, dimensions)
        found = {document["_id"]: document for document in documents}
        await asyncio.to_thread(index.put, sorted(found.values(), key=_place))  # some 20 ms
        return index

    def known(self, owner: str) -> UserIndex | None:
        """Nothing is kept."""
        return None

    def drop(self, owner: str, keys: Iterable[str]) -> None:
        """Nothing is kept."""

    def forget(self, owner: str) -> None:
        """Nothing is kept."""

    def _filter(self, owner: str, scope: Scope) -> Document:
        """What a document must be to be found, as a query of MongoDB's."""
        wanted: dict[str, Any] = {"user_id": owner, "embedding_model": self._model, "model": {"$ne": RULE_BASED}}
        wanted |= self._of_kinds(scope)
        if scope.sessions is not None:
            wanted["session_id"] = {"$in": list(scope.sessions)}
        limits = {"$gte": scope.since, "$lte": scope.until}
        said = {name: DatetimeMS(floor(limit * 1_000)) for name, limit in limits.items() if limit is not None}
        if said:
            wanted["timestamp"] = said
        return wanted

    def _of_kinds(self, scope: Scope) -> Document:
        return self._only if scope.kinds is None else {"kind": {"$in": list(scope.kinds)}}

    async def _stays_inside(self, owner: str, recipe: Recipe, scope: Scope) -> bool:
        """Whether the search is of one session alone: as it is told, or because that has enough."""
        if scope.session_id is None:
            return False
        if scope.only_session or recipe.expand_below is None:
            return scope.only_session
        # `message_index`: so that the index of places serves it.
        place = {"session_id": scope.session_id, "message_index": {"$gte": 0}}
        inside = self._filter(owner, scope) | place | {"_id": {"$nin": list(scope.exclude)}}
        return await self._vectors.count_documents(inside, limit=recipe.expand_below) >= recipe.expand_below

    async def _nearest(self, vector: "asyncio.Future[Floats]", wanted: Document) -> list[Document]:
        search = {
            "index": NAME,
            "path": PATH,
            "queryVector": to_binary(await vector),
            "numCandidates": CANDIDATES,
            "limit": NEAREST,
            "filter": {"$and": [{name: value} for name, value in wanted.items()]},
        }
        try:
            return await aggregate(self._vectors, [{"$vectorSearch": search}, {"$project": PLACES}])
        except ExecutionTimeout:
            raise
        except OperationFailure as error:  # mongot's own errors all have the code 8
            self._index.doubt(error)
            raise unavailable() from error

    async def _newest(self, owner: str, scope: Scope) -> list[Document]:
        """Those of the kinds asked for that changed last. Of several that changed at once, which of them come does not
        matter."""
        own = {"user_id": owner} | self._of_kinds(scope)
        return await self._vectors.find(own, FIELDS).sort("change", -1).limit(NEWEST).to_list(None)

    async def _with_neighbours(self, owner: str, near: Sequence[Document]) -> list[Document]:
        """Documents that MongoDB named and those next to them, as they stand in the store; the owner's alone."""
        if not near:
            return []
        places: defaultdict[str, set[int]] = defaultdict(set)
        for document in near:
            at = document.get("message_index", -1)
            if at >= 0:
                places[document["session_id"]].update(range(max(0, at - AROUND), at + AROUND + 1))
        named = {"_id": {"$in": [document["_id"] for document in near]}, "user_id": owner}
        beside = [
            {"user_id": owner, "session_id": session, "message_index": {"$in": sorted(at)}}
            for session, at in places.items()
        ]
        return await self._vectors.find({"$or": [named, *beside]}, FIELDS).to_list(None)


def _place(document: Document) -> tuple[str, int, str]:
    """Sorts sessions together and each in order, as neighbours are linked fastest."""
    return document["session_id"], document.get("message_index", -1), document["_id"]
