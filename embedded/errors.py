"""Which errors does the store answer with? MongoDB's own codes and names."""

NAMES = {
    2: "BadValue",
    8: "UnknownError",
    9: "FailedToParse",
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
    54: "NotSingleValueField",
    53: "InvalidIdField",
    56: "EmptyFieldName",
    59: "CommandNotFound",
    61: "ShardKeyNotFound",
    66: "ImmutableField",
    67: "CannotCreateIndex",
    68: "IndexAlreadyExists",
    72: "InvalidOptions",
    73: "InvalidNamespace",
    85: "IndexOptionsConflict",
    86: "IndexKeySpecsConflict",
    115: "CommandNotSupported",
    123: "NotAReplicaSet",
    125: "CommandFailed",
    167: "InvalidIndexSpecificationOption",
    168: "InvalidPipelineOperator",
    171: "CannotIndexParallelArrays",
    175: "QueryPlanKilled",
    197: "InvalidIndexSpecificationOption",
    238: "NotImplemented",
    241: "ConversionFailure",
    292: "QueryExceededMemoryLimitNoDiskUseAllowed",
    322: "APIVersionError",
    10334: "BSONObjectTooLarge",
    11000: "DuplicateKey",
    11600: "InterruptedAtShutdown",
    14031: "OutOfDiskSpace",
    40324: "Location40324",
}


class StoreError(Exception):
    """An error that is sent to the client as MongoDB would send it.

    `extra` holds further fields of the error document (`keyPattern`, `keyValue` …).
    """

    def __init__(self, code: int, message: str, **extra: object) -> None:
        super().__init__(message)
        self.code = code
        self.name = NAMES.get(code, f"Location{code}")
        self.message = message
        self.extra = extra


def not_implemented(what: str) -> StoreError:
    """An operator, stage, option or command that MongoDB has and this store does not: refused, never ignored."""
    return StoreError(238, f"{what} is not supported by the built-in store; set MONGODB_URI to use a MongoDB server")
