"""MongoDB's search index, and whether it can be asked now.

MongoDB's search is a process of its own, mongot. Atlas has it, and MongoDB 8.2 or newer may have it beside it. It
follows the collection, and builds in the background the indexes that commands of MongoDB's ask for.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pymongo.errors import OperationFailure
from pymongo.operations import SearchIndexModel

from utils.embeddings import Embedder
from utils.errors import ConfigurationError, ModelError, StoreUnavailable
from utils.mongo import Collection, Document, aggregate

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
