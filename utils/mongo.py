"""MongoDB, whichever driver and server it is.

The only file that knows drivers. The rest of the project is written against PyMongo's async API as far as Motor shares
it, which leaves out `list_indexes`, and `aggregate` but for the function here.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from inspect import isawaitable
from typing import Any, TypeAlias, TypeVar

from bson.codec_options import DatetimeConversion
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    ConnectionFailure,
    DocumentTooLarge,
    ExecutionTimeout,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)
from pymongo.errors import ConfigurationError as PyMongoConfigurationError

from config.settings import Settings
from embedded.launch import attached
from utils.errors import ConfigurationError, DiskFull, InvalidInput, LociError, StoreUnavailable

T = TypeVar("T")
Document: TypeAlias = dict[str, Any]
Collection: TypeAlias = AsyncCollection[Document]
Database: TypeAlias = AsyncDatabase[Document]

DUPLICATE_KEY = 11000
TOO_LARGE = 10334  # a document, for the server; where the driver sees it first, it raises `DocumentTooLarge`
NO_ROOM = 14031
FULL = "The disk is full: nothing can be kept until there is room on it"
SELECTION_SECONDS = 10  # how long an operation waits for a server before it fails
CLOSING_SECONDS = 1  # PyMongo 4.20 waits 20 for a server that takes connections and answers none


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Database]:
    """The database that the settings name: a MongoDB, or the built-in store, started or joined for the while.

    The client belongs to the running event loop. Raises `embedded.launch.StoreStartError` where the built-in store
    cannot be started, `ConfigurationError` for an address that the driver does not take, and PyMongo's error where no
    server answers.
    """
    if settings.mongodb_uri is not None:
        try:
            async with _client(settings, settings.mongodb_uri.get_secret_value()) as database:
                yield database
        except PyMongoConfigurationError as error:
            raise ConfigurationError("MONGODB_URI is not one that the driver takes") from error
    else:
        async with attached(settings.loci_home) as uri, _client(settings, uri) as database:
            yield database


@asynccontextmanager
async def _client(settings: Settings, uri: str) -> AsyncIterator[Database]:
    options: dict[str, Any] = {
        "tz_aware": True,
        "serverSelectionTimeoutMS": SELECTION_SECONDS * 1000,
        "datetime_conversion": DatetimeConversion.DATETIME_AUTO,
        "appname": "loci",
    }
    if settings.mongodb_driver == "motor":
        motor: Any = AsyncIOMotorClient(uri, **options)
        try:
            yield await _answering(motor[settings.mongodb_db])
        finally:
            motor.close()
    else:
        client: AsyncMongoClient[Document] = AsyncMongoClient(uri, **options)
        try:
            yield await _answering(client[settings.mongodb_db])
        finally:
            with suppress(TimeoutError):
                await asyncio.wait_for(client.close(), CLOSING_SECONDS)


async def _answering(database: Database) -> Database:
    """A database whose server answers. One command finds out, alone: of several that wait for a server, PyMongo 4.20
    leaves some waiting for good where their loop is closed. Whoever stops waiting for it is not kept: on Python 3.11
    the driver misses a cancellation that comes as a connection breaks."""
    answer = asyncio.ensure_future(database.command("ping"))
    try:
        await asyncio.wait([answer])
    finally:
        answer.cancel()
    await answer
    return database


async def insert_new(collection: Collection, documents: Sequence[Document]) -> list[bool]:
    """Inserts documents in one call; for each whether it was new. False: one with the same unique key stands there."""
    try:
        await collection.insert_many(documents, ordered=False)
    except BulkWriteError as error:
        refused = duplicates(error)
        return [at not in refused for at in range(len(documents))]
    return [True] * len(documents)


def duplicates(error: BulkWriteError) -> set[int]:
    """Which writes of a bulk were refused for a duplicate key; raises the error where another reason stopped one."""
    failures = error.details["writeErrors"]
    if any(failure["code"] != DUPLICATE_KEY for failure in failures) or error.details.get("writeConcernErrors"):
        raise error
    return {failure["index"] for failure in failures}


async def aggregate(collection: Collection, pipeline: Sequence[Document]) -> list[Document]:
    """All that a pipeline gives."""
    cursor: Any = collection.aggregate(pipeline)
    if isawaitable(cursor):  # PyMongo's is, Motor's is a cursor at once
        cursor = await cursor
    found: list[Document] = await cursor.to_list(None)
    return found


StoreError = PyMongoError  # the root of what the drivers raise,
STORE_ERRORS = (StoreError, DocumentTooLarge)  # but for this one


def foreseen(error: Exception) -> LociError:
    """As `as_loci_error`; an error that nobody foresaw is raised."""
    known = as_loci_error(error)
    if known is None:
        raise error
    return known


def as_loci_error(error: Exception) -> LociError | None:
    """`StoreUnavailable` where the driver says that the server is away, `DiskFull` where the server has no room,
    `InvalidInput` where a document has more than it takes; an error of ours as it is; None for every other."""
    if isinstance(error, LociError):
        return error
    if isinstance(error, ConnectionFailure | AutoReconnect | ExecutionTimeout):
        return StoreUnavailable("The store does not answer; try again", retry_after=1.0)
    if NO_ROOM in _codes(error):
        return DiskFull(FULL)
    if isinstance(error, DocumentTooLarge) or TOO_LARGE in _codes(error):
        return InvalidInput("The store takes at most 16 MB in a document")
    return None


def is_lost_connection(error: Exception) -> bool:
    """Whether a connection broke, and whoever asks again may get another one; not that none can be had."""
    return isinstance(error, AutoReconnect) and not isinstance(error, ServerSelectionTimeoutError)


async def persistently(work: Callable[[bool], Awaitable[T]]) -> T:
    """Does some work, and where the store is found to have gone away, once more: it comes back in a moment. The work is
    told whether it may be done already."""
    try:
        return await work(False)
    except STORE_ERRORS as error:
        if not is_lost_connection(error):
            raise
    return await work(True)


def _codes(error: Exception) -> set[int | None]:
    """The codes by which a server refused."""
    match error:
        case BulkWriteError():
            return {failure["code"] for failure in error.details["writeErrors"]}
        case OperationFailure():
            return {error.code}
    return set()
