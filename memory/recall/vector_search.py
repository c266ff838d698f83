"""Vector search by MongoDB: which messages may answer a query, where no index of all of them is kept.

MongoDB names the nearest by embedding; the store then says what they are, what stands around them, and what changed
last. All of that is ranked as a whole history is.

mongot follows the store with a delay. So it is believed where to look, and nothing else: every document is read from
the store, by its owner, and what was said since is among the newest. Atlas has mongot, and MongoDB 8.2 or newer may
have it beside it; it builds in the background the indexes that commands of MongoDB's ask for.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection as Ids
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from bson.datetime_ms import DatetimeMS
from pymongo.errors import ExecutionTimeout, OperationFailure
from pymongo.operations import SearchIndexModel

from config.recipes import Recipe
from memory.domain import RULE_BASED
from memory.recall.index import FIELDS, UserIndex
from memory.recall.kept_indexes import MESSAGES
from memory.recall.ranking import Scope
from memory.store import Changes, Collections, Standing
from utils.embeddings import Embedder
from utils.errors import ConfigurationError, ModelError, StoreUnavailable
from utils.mongo import Collection, Document, aggregate
from utils.vectors import Floats, to_binary

NAME = "loci_embeddings"
PATH = "embedding"
# What a search is narrowed by within the index. `model`: so that answers made by rules, which are not recalled, take
# nobody's place among the nearest.
FILTERS = ("user_id", "embedding_model", "session_id", "kind", "timestamp", "model")
MOST_DIMENSIONS = 8192
RETRY_SECONDS = 5.0

# What servers without mongot answer to its commands: SearchNotEnabled (8 and newer), CommandNotSupported and 6047401
# (7), CommandNotFound and an unknown stage (older ones), NotImplemented (the built-in store and others).
NOT_THERE = frozenset({31082, 115, 6047401, 59, 40324, 238})
ALREADY_EXISTS = 68
FAILED = "FAILED"  # a status: MongoDB does not try again
NEAREST = 128  # with their neighbours some 400 messages; twice as many find hardly more (docs/vector-search.md)
CANDIDATES = 20 * NEAREST  # what MongoDB advises for so many; 10,000 at most
NEWEST = 200
AROUND = 2  # neighbours on each side; features look at up to eight, of which more find no more (docs/vector-search.md)
PLACES = dict.fromkeys(("session_id", "message_index"), 1)
NEEDED = "VECTOR_SEARCH=mongodb needs MongoDB Atlas, or MongoDB 8.2 or newer with mongot"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Listed:
    """The index as MongoDB lists it. `dimensions`: of its vectors; None where `PATH` is not indexed as a vector.
    `fields`: its definition's."""

    status: str
    queryable: bool
    dimensions: int | None
    fields: Sequence[Document]

    @property
    def missing(self) -> list[str]:
        """What a search is narrowed by and the index does not know."""
        known = {field.get("path") for field in self.fields if field.get("type") == "filter"}
        return [path for path in FILTERS if path not in known]


class SearchIndex:
    """The vector search index of `vectors`."""

    def __init__(self, vectors: Collection) -> None:
        self._vectors = vectors
        self._queryable = False

    async def ensure(self, embedder: Embedder) -> None:
        """Makes the index where it is missing; safe to run by many processes at once. Does not wait until it is built.

        Raises `ConfigurationError` where the server has no search, where an index of this name does not fit, and where
        it is to be made and no embedding tells how many dimensions it has.
        """
        try:
            found = await self._listed()
            if found is None:
                await self._create(embedder)
                found = await self._listed()
            else:
                await self._check(found, embedder)
        except OperationFailure as error:
            raise _as_configuration_error(error) from error
        self._queryable = found is not None and found.queryable
        if not self._queryable:
            log.warning("the search index %s is not built yet; until then searches are answered 503", NAME)

    async def require(self) -> None:
        """Raises `StoreUnavailable` while the index cannot be asked. Looks no more once it can, until `doubt`."""
        if not self._queryable:
            await self.look()

    async def look(self) -> None:
        """`require`, asking MongoDB in any case."""
        try:
            found = await self._listed()
        except OperationFailure as error:
            self.doubt(error)
            raise unavailable() from error
        self._queryable = found is not None and found.queryable
        if found is None:
            raise unavailable(f"The search index {NAME} is gone; a restart of Loci makes it again")
        if found.status == FAILED:
            raise unavailable(f"The search index {NAME} could not be built; see mongot's log")
        if not found.queryable:
            raise unavailable(f"The search index {NAME} is being built ({found.status}); try again")

    def doubt(self, error: OperationFailure) -> None:
        """A search failed: the next one looks whether the index is there."""
        log.warning("MongoDB's search failed with code %s: %s", error.code, error)
        self._queryable = False

    async def _check(self, found: Listed, embedder: Embedder) -> None:
        try:
            dimensions = await _dimensions(embedder)
        except ModelError as error:  # the index is there, and the provider may come back
            log.warning("the search index %s was not compared with the embedding model: %s", NAME, error.detail)
            dimensions = found.dimensions or 0
        if found.dimensions != dimensions:
            raise ConfigurationError(
                f"The search index {NAME} is for vectors of {found.dimensions or 'no'} dimensions, and the embedding "
                f'model makes {dimensions}: drop it with db.vectors.dropSearchIndex("{NAME}") and start again, or set '
                "the EMBEDDING_MODEL of before"
            )
        if found.status == FAILED:
            raise ConfigurationError(
                f"The search index {NAME} could not be built: see mongot's log, drop the index with "
                f'db.vectors.dropSearchIndex("{NAME}") and start again'
            )
        if found.missing:  # until it is built anew, MongoDB refuses a search that filters by them
            log.warning("the search index %s is built anew, to filter by %s", NAME, ", ".join(found.missing))
            await self._vectors.update_search_index(NAME, {"fields": [*found.fields, *_filters(found.missing)]})

    async def _create(self, embedder: Embedder) -> None:
        try:
            dimensions = await _dimensions(embedder)
        except ModelError as error:
            raise ConfigurationError(
                f"The search index {NAME} is to be made, and the embedding model does not tell how long its vectors "
                f"are ({error.detail}): start again when it answers, or set EMBEDDING_MODEL=local"
            ) from error
        if dimensions > MOST_DIMENSIONS:
            raise ConfigurationError(
                f"MongoDB indexes vectors of at most {MOST_DIMENSIONS} dimensions, and the embedding model makes "
                f"{dimensions}: set VECTOR_SEARCH=exact, or another EMBEDDING_MODEL"
            )
        model = SearchIndexModel(definition(dimensions), NAME, type="vectorSearch")
        try:
            await self._vectors.create_search_index(model)
        except OperationFailure as error:
            if error.code != ALREADY_EXISTS:  # another process was faster
                raise

    async def _listed(self) -> Listed | None:
        found = await aggregate(self._vectors, [{"$listSearchIndexes": {"name": NAME}}])
        if not found:
            return None
        fields = found[0].get("latestDefinition", {}).get("fields", [])
        dimensions = [
            field["numDimensions"] for field in fields if field.get("path") == PATH and "numDimensions" in field
        ]
        return Listed(
            found[0].get("status", ""), found[0].get("queryable", False), next(iter(dimensions), None), fields
        )


def definition(dimensions: int) -> Document:
    """The definition of the index. Embeddings have length 1, so their dot product is the cosine."""
    vector = {"type": "vector", "path": PATH, "numDimensions": dimensions, "similarity": "dotProduct"}
    return {"fields": [vector, *_filters(FILTERS)]}


def unavailable(detail: str = "MongoDB's search does not answer; try again") -> StoreUnavailable:
    return StoreUnavailable(detail, retry_after=RETRY_SECONDS)


def _filters(paths: Sequence[str]) -> list[Document]:
    return [{"type": "filter", "path": path} for path in paths]


async def _dimensions(embedder: Embedder) -> int:
    """Raises `ModelError` where no embedding has told yet, and none can be had."""
    return embedder.dimensions or (await embedder.embed(["How long is a vector?"])).shape[1]


def _as_configuration_error(error: OperationFailure) -> ConfigurationError:
    if error.code in NOT_THERE:
        return ConfigurationError(
            f"{NEEDED}; this server has no search. Set VECTOR_SEARCH=exact, or another MONGODB_URI"
        )
    name = (error.details or {}).get("codeName", f"code {error.code}")
    return ConfigurationError(
        f"MongoDB did not list or make the search index {NAME} ({name}): check that mongot runs, that MongoDB reaches "
        "it, and that the user of MONGODB_URI has the role readWrite"
    )


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

    async def catch_up(self, owner: str) -> None:
        """Nothing is in memory."""

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

    async def _named(self, owner: str, keys: Ids[str], dimensions: int) -> tuple[UserIndex, Standing | None]:
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
