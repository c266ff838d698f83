"""The errors that the store answers with: MongoDB's own codes and names."""

import sqlite3

NAMES = {
    2: "BadValue",
    4: "NoSuchKey",
    8: "UnknownError",
    9: "FailedToParse",
    11: "UserNotFound",
    13: "Unauthorized",
    14: "TypeMismatch",
    15: "Overflow",
    16: "InvalidLength",
    18: "AuthenticationFailed",
    20: "IllegalOperation",
    22: "InvalidBSON",
    26: "NamespaceNotFound",
    27: "IndexNotFound",
    28: "PathNotViable",
    40: "ConflictingUpdateOperators",
    43: "CursorNotFound",
    48: "NamespaceExists",
    50: "MaxTimeMSExpired",
    52: "DollarPrefixedFieldName",
    53: "InvalidIdField",
    54: "NotSingleValueField",
    56: "EmptyFieldName",
    59: "CommandNotFound",
    66: "ImmutableField",
    67: "CannotCreateIndex",
    72: "InvalidOptions",
    73: "InvalidNamespace",
    76: "NoReplicationEnabled",
    85: "IndexOptionsConflict",
    86: "IndexKeySpecsConflict",
    96: "OperationFailed",
    123: "NotAReplicaSet",
    125: "CommandFailed",
    146: "ExceededMemoryLimit",
    168: "InvalidPipelineOperator",
    171: "CannotIndexParallelArrays",
    175: "QueryPlanKilled",
    197: "InvalidIndexSpecificationOption",
    238: "NotImplemented",
    241: "ConversionFailure",
    292: "QueryExceededMemoryLimitNoDiskUseAllowed",
    322: "APIVersionError",
    327: "DataCorruptionDetected",
    10334: "BSONObjectTooLarge",
    11000: "DuplicateKey",
    11600: "InterruptedAtShutdown",
    11601: "Interrupted",
    14031: "OutOfDiskSpace",
    40324: "Location40324",
}


NO_ROOM = 14031
MAX_MESSAGE = 4096


class StoreError(Exception):
    """An error that is sent to the client as MongoDB would send it, its message cut at `MAX_MESSAGE` letters.

    `extra` holds further fields of the error document (`keyPattern`, `keyValue` …).
    """

    def __init__(self, code: int, message: str, **extra: object) -> None:
        if len(message) > MAX_MESSAGE:  # it may quote what the client sent, which has no end
            message = f"{message[:MAX_MESSAGE]}…"
        super().__init__(message)
        self.code = code
        self.name = NAMES.get(code, f"Location{code}")
        self.message = message
        self.extra = extra


class Ended(StoreError):
    """A command was ended from outside: the whole of it, not the one write of a batch that it was at."""


def not_implemented(what: str) -> StoreError:
    """An operator, stage, option or command that MongoDB has and this store does not: refused, never ignored."""
    return StoreError(238, f"{what} is not supported by the built-in store; set MONGODB_URI to use a MongoDB server")


DAMAGED = (
    "put a copy from before in its place, or move it away to begin anew; sqlite3's .recover saves what can be read"
)
"""What to do with a file that SQLite cannot read."""

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)  # the latter where a file is opened


def storage_error(error: sqlite3.Error) -> StoreError:
    """What the client is told when SQLite fails: OutOfDiskSpace (14031), DataCorruptionDetected (327), else 8."""
    code = getattr(error, "sqlite_errorcode", 0)
    primary = code & 0xFF  # the upper bits are details
    if code in _FULL:
        return StoreError(NO_ROOM, "the disk is full: make room on it")
    if primary in _DAMAGE:
        return StoreError(327, f"the data file is damaged ({error}): {DAMAGED}")
    return StoreError(8, f"the storage failed: {error}")
