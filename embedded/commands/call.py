"""What does a command say? Its fields, checked; what is unknown or unsupported is refused."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bson import Int64

from embedded.activity import Operation
from embedded.catalog import Collection
from embedded.codec import Document, decode, encode
from embedded.errors import StoreError
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
    slow: bool = False
    """What comes next may take long: at the next breath it leaves the event loop."""

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
        """A field that has to be a number not below zero. Raises TypeMismatch (14) and 51024."""
        value = self.body.get(field)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _mismatch(self.name, field, value, "int")
        if value < 0:
            raise StoreError(51024, f"BSON field '{field}' value must be >= 0, actual value '{value}'")
        return int(value)

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
        value = self.body.get("hint")
        return value or None

    def breathe(self) -> None:
        """Called now and then by what may take long. Raises MaxTimeMSExpired (50), InterruptedAtShutdown (11600),
        Interrupted (11601)."""
        if self.store.closing:
            raise StoreError(11600, "interrupted at shutdown")
        if self.operation.killed:
            raise StoreError(11601, "operation was interrupted")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise StoreError(50, "operation exceeded time limit")


Reply = bytes
Steps = Iterator[Reply | None]
"""A reading command: None at each breath, then the reply."""


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

    run: Callable[[Call, Ledger], Reply | Steps]
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


def write(run: Callable[[Call, Ledger], Reply | Steps], *fields: str) -> Write:
    return Write(run, COMMON_FIELDS | set(fields))


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
