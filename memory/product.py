"""The product protocol: what a product brings so that sweeps, deletion, export, import and admins need not know it.

A product (conversations, facts, banks …) is one room with a function that returns its `Product`, and one line in
`memory/wiring.py`. What it has nothing to say about, it leaves out.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from pymongo import ASCENDING, DESCENDING, IndexModel

from memory.lines import Line
from utils.mongo import Collection, Document, insert_new

Counts = Mapping[str, int]  # how many documents went, by collection
Indexes = Mapping[str, Sequence[IndexModel]]  # by collection


def index(name: str, *keys: str, having: str | None = None, **options: Any) -> IndexModel:
    """An index over fields in this order, one with "-" before it descending. `having`: of the documents that have this
    field alone. `options`: others, as MongoDB has them."""
    if having is not None:
        options["partialFilterExpression"] = {having: {"$exists": True}}
    fields = [(key.removeprefix("-"), DESCENDING if key.startswith("-") else ASCENDING) for key in keys]
    return IndexModel(fields, name=name, **options)


@dataclass(frozen=True)
class Record:
    """One thing of a user's, as it is exported and imported. It names no user: whoever imports it owns it. Fields are
    those of its kind's line (`Product.lines`), by which they are checked; times are in UTC. Ids are those the owner
    knows, never the `_id` that a document took because another user had it. `size`: bytes of the line that it came
    in."""

    kind: str
    fields: Document
    size: int = 0


async def nothing(*_: object) -> None:
    """Does nothing, where nothing is to be done."""


@dataclass(frozen=True)
class Landed:
    """A batch of an import. `imported`: how many records are new; the others are there already. `take_back`: deletes
    the new ones, and nothing else; called where a deletion came between."""

    imported: int
    take_back: Callable[[], Awaitable[object]] = nothing


class Taker(Protocol):
    """Takes records of some kinds into one user's memory. One that inherits says only what it does more than `take`."""

    def check(self, record: Record) -> None:
        """Raises `InvalidInput` where a record does not fit to those before it. Called for each, in order."""
        return

    async def take(self, records: Sequence[Record]) -> Landed:
        """Takes in some records of one kind."""

    async def close(self) -> None:
        """After the last record, or where none come any more; once or more often."""
        return

    def check_end(self) -> None:
        """Raises `InvalidInput` where something is still to come that belongs to the last record."""
        return


class Inserting(Taker):
    """Takes records of one kind as documents of a collection, where none of the same key stands there. `document`: of a
    record's fields, with its `_id`. `writing`: around each write."""

    def __init__(
        self,
        collection: Collection,
        owner: str,
        document: Callable[[Document], Document],
        writing: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> None:
        self._collection = collection
        self._owner = owner
        self._document = document
        self._writing = writing

    async def take(self, records: Sequence[Record]) -> Landed:
        documents = [{"user_id": self._owner} | self._document(record.fields) for record in records]
        async with self._writing():
            inserted = await insert_new(self._collection, documents)
        new = [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]

        async def take_back() -> None:
            async with self._writing():
                await self._collection.delete_many({"_id": {"$in": new}, "user_id": self._owner})

        return Landed(len(new), take_back)


@dataclass(frozen=True)
class Queue:
    """Where the jobs of a kind stand: under a field of a collection's documents. `id`, `text`: the fields by which a
    document is known, and which say what it is about. `everywhere`: each document has a job, be it done; else those
    whose job is done are not in the index of what is to be done."""

    kind: str
    collection: Collection
    field: str
    id: str
    text: str
    everywhere: bool = False

    @property
    def index(self) -> IndexModel:
        due = f"{self.field}.lease_until"
        having = None if self.everywhere else due
        return index(f"{self.field}_work", f"{self.field}.state", due, "_id", having=having)


@dataclass(frozen=True)
class SessionEnd:
    """A session that is being deleted. `begun`, `over`: just before and after it was ended. `successor`, `places`: the
    epoch of what is said under its id from then on, and from which place; None where there was no such session."""

    session_id: str
    begun: datetime
    over: datetime
    successor: str | None
    places: int | None


async def _no_counts(*_: object) -> Counts:
    return {}


async def _no_texts(*_: object) -> list[str]:
    return []


async def _no_records(_: str) -> AsyncIterator[Record]:
    none: tuple[Record, ...] = ()
    for record in none:
        yield record


@dataclass(frozen=True)
class Product:
    """What a product brings. Functions that take an owner see nothing of others.

    `indexes`: its collections, each with the indexes that its queries stand on, but for those of its queues.
    `activity`: by which of them an admin knows its users, each with the field that says when something happened there
    last, if one does. `gists`: kinds of its gists, but for messages. `queues`: its jobs, for admins. `sweep`: finds the
    work that a crash or a lost nudge left. `forget_user`: deletes all of a user's that was there at a moment;
    `forget_session`, and `forget_message` by the ids of both: what was made of these. `texts_of`: what was made of
    these messages (by id) alone, which answers by rules may have quoted. `records`: all that a user has, in an order
    that is the same every time; `lines`: of what kinds, in order, with their shapes; `takers`: who takes records of
    which kind in, for one owner and import.
    """

    indexes: Indexes = field(default_factory=dict)
    activity: Mapping[str, str | None] = field(default_factory=dict)
    gists: Sequence[str] = ()
    queues: Sequence[Queue] = ()
    sweep: Callable[[], Awaitable[object]] = nothing
    forget_user: Callable[[str, datetime], Awaitable[Counts]] = _no_counts
    forget_session: Callable[[str, SessionEnd], Awaitable[Counts]] = _no_counts
    forget_message: Callable[[str, str, str], Awaitable[object]] = nothing
    texts_of: Callable[[str, Sequence[str]], Awaitable[Sequence[str]]] = _no_texts
    records: Callable[[str], AsyncIterator[Record]] = _no_records
    lines: Mapping[str, type[Line]] = field(default_factory=dict)
    takers: Callable[[str], Mapping[str, Taker]] = lambda owner: {}
