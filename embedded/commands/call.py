"""A command as it was called: its fields, checked; what is unknown or unsupported is refused."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bson import Decimal128, Int64

from embedded.activity import Operation
from embedded.catalog import Collection
from embedded.codec import Document, decode, encode
from embedded.cursors import Breath
from embedded.errors import Ended, StoreError
from embedded.ledger import Ledger
from embedded.store import Store

COMMON_FIELDS = frozenset(
    {
        "$db",
        "lsid",
        "$clusterTime",
        "$readPreference",
        "comment",
        "maxTimeMS",
        "readConcern",
        "writeConcern",
        "apiVersion",
        "apiStrict",
        "apiDeprecationErrors",
    }
)


@dataclass(slots=True)
class Call:
    """One command on its way: `name` as the client wrote it, `sequences` the documents that came beside the body."""

    name: str
    body: Document
    sequences: Mapping[str, list[bytes]]
    store: Store
    connection: int = 0
    operation: Operation = field(default_factory=Operation)
    deadline: float | None = None

    @property
    def database(self) -> str:
        return str(self.body.get("$db", "test"))

    @property
    def target(self) -> str:
        """The collection's name. Raises InvalidNamespace (73)."""
        name = self.body[self.name]
        if not isinstance(name, str) or not name:
            raise StoreError(73, f"collection name has invalid type {type(name).__name__}")
        return name

    @property
    def namespace(self) -> str:
        return f"{self.database}.{self.target}"

    def collection(self) -> Collection | None:
        """The collection as it was last committed, or None."""
        return self.store.catalog.get(self.database, self.target)

    def document(self, field: str, default: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """A field that has to be a document. Raises TypeMismatch (14)."""
        value = self.body.get(field)
        if value is None:
            return {} if default is None else default
        if not isinstance(value, Mapping):
            raise _mismatch(self.name, field, value, "object")
        return value

    def integer(self, field: str, default: int = 0) -> int:
        """A field that has to be a number not below zero. Raises as `read_integer`, and 51024."""
        value = self.body.get(field)
        return default if value is None else read_count(self.name, field, value)

    def signed(self, field: str) -> int:
        """A field that has to be a number, of either sign. Raises as `read_integer`."""
        value = self.body.get(field)
        return 0 if value is None else read_integer(self.name, field, value)

    def boolean(self, field: str, default: bool = False) -> bool:
        """A field that has to be true or false. Raises TypeMismatch (14)."""
        value = self.body.get(field)
        if value is None:
            return default
        if not isinstance(value, (bool, int, float)):
            raise _mismatch(self.name, field, value, "bool")
        return bool(value)

    def raw_documents(self, field: str) -> list[bytes]:
        """The documents of a field, from beside the body or out of it. Raises TypeMismatch (14)."""
        beside = self.sequences.get(field)
        if beside is not None:
            return beside
        value = self.body.get(field)
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            raise _mismatch(self.name, field, value, "array")
        return [encode(each) for each in value]

    def documents(self, field: str) -> list[Document]:
        """The same, decoded."""
        beside = self.sequences.get(field)
        if beside is not None:
            return [decode(raw) for raw in beside]
        value = self.body.get(field)
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            raise _mismatch(self.name, field, value, "array")
        return value

    def hint(self) -> str | Mapping[str, Any] | None:
        """The index to use. Raises as `read_hint`."""
        return read_hint(self.body.get("hint"))

    def breathe(self) -> None:
        """Called at each breath and pause, and now and then by what takes long without any. Raises Ended:
        MaxTimeMSExpired (50), InterruptedAtShutdown (11600), Interrupted (11601)."""
        if self.store.closing:
            raise Ended(11600, "interrupted at shutdown")
        if self.operation.killed:
            raise Ended(11601, "operation was interrupted")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Ended(50, "operation exceeded time limit")


Reply = bytes
Steps = Iterator[Reply | Breath]
"""A reading command: its breaths, at each of which it may be ended, then the reply."""
Portions = Iterator[Reply | None]
"""A write that takes long: None at each pause, in which others are written, then the reply."""


@dataclass(frozen=True, slots=True)
class Now:
    """A command that only looks at what is in memory."""

    run: Callable[[Call], Reply]
    fields: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Read:
    """A command that reads documents."""

    run: Callable[[Call], Steps]
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class Write:
    """A command that runs on the writer's thread; one that takes long pauses, so that others are written meanwhile."""

    run: Callable[[Call, Ledger], Reply | Portions]
    fields: frozenset[str]


Command = Now | Read | Write


def now(run: Callable[[Call], Reply], *fields: str) -> Now:
    return Now(run, COMMON_FIELDS | set(fields))


def lenient(run: Callable[[Call], Reply]) -> Now:
    """A command that takes any fields: a greeting, to which drivers keep adding; one whose fields name what is asked
    for, as those of currentOp and getParameter do; or a refusal, which is to be told whatever came with it."""
    return Now(run, None)


def read(run: Callable[[Call], Steps], *fields: str) -> Read:
    return Read(run, COMMON_FIELDS | set(fields))


def write(run: Callable[[Call, Ledger], Reply | Portions], *fields: str) -> Write:
    return Write(run, COMMON_FIELDS | set(fields))


def read_integer(where: str, field: str, value: object) -> int:
    """A number without its fraction. Raises TypeMismatch (14) for another type, BadValue (2) for one that is not finite
    or too large for 64 bits."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal128)):
        raise _mismatch(where, field, value, "int")
    try:
        number = int(value.to_decimal() if isinstance(value, Decimal128) else value)
    except (ValueError, OverflowError):  # NaN and the infinities
        number = _BEYOND
    if not -_BEYOND <= number < _BEYOND:
        raise StoreError(2, f"BSON field '{where}.{field}' has to be a number of 64 bits, actual value '{value}'")
    return number


def read_count(where: str, field: str, value: object) -> int:
    """A number not below zero. Raises as `read_integer`, and 51024."""
    number = read_integer(where, field, value)
    if number < 0:
        raise StoreError(51024, f"BSON field '{field}' value must be >= 0, actual value '{value}'")
    return number


def read_hint(value: object) -> str | Mapping[str, Any] | None:
    """An index's name or key. Raises FailedToParse (9) for another type."""
    if value is not None and not isinstance(value, (str, Mapping)):
        raise StoreError(9, "hint must be either a string or nested object")
    return value or None


_BEYOND = 2**63


def _mismatch(command: str, field: str, value: object, wanted: Literal["object", "int", "bool", "array"]) -> StoreError:
    if value is None:
        return StoreError(40414, f"BSON field '{command}.{field}' is missing but a required field")
    given = _TYPE_NAMES.get(type(value), type(value).__name__)
    return StoreError(14, f"BSON field '{command}.{field}' is the wrong type '{given}', expected type '{wanted}'")


_TYPE_NAMES: dict[type, str] = {
    str: "string",
    int: "int",
    Int64: "long",
    float: "double",
    bool: "bool",
    dict: "object",
    list: "array",
}
