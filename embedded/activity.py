"""What the server is doing, and what it has done since it started.

Counted on the event loop's thread. Other threads only look, and set an operation's flags.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from embedded.catalog import Catalog, Collection
from embedded.codec import Document
from embedded.logs import LogLines

_BATCHES = {"insert": "documents", "update": "updates", "delete": "deletes"}
_SINGLE = {"find": "query", "getMore": "getmore"}


@dataclass(slots=True)
class Client:
    """Who is connected, from where, and under which name it introduced itself."""

    number: int
    address: str
    application: str = ""


@dataclass(eq=False, slots=True)
class Operation:
    """One command on its way. `waiting`: for a thread; `killed`: it ends at its next breath."""

    number: int = 0
    name: str = ""
    body: Document = field(default_factory=dict)
    client: Client | None = None
    writes: bool = False
    waiting: bool = False
    killed: bool = False
    started: float = field(default_factory=time.perf_counter)

    @property
    def database(self) -> str:
        return str(self.body.get("$db", ""))

    @property
    def target(self) -> str:
        """The collection that it is about, empty for none."""
        target = self.body.get("collection" if self.name == "getMore" else self.name)
        return target if isinstance(target, str) else ""


@dataclass(slots=True)
class Spent:
    """How often something was done and how long that took altogether."""

    count: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.count + other.count, self.seconds + other.seconds)


class Activity:
    """What is under way, and counters from the start on."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.log = LogLines()
        self.clients: dict[int, Client] = {}
        self.clients_ever = 0
        self.bytes_in = self.bytes_out = self.requests = 0
        self.operations = dict.fromkeys(("insert", "query", "update", "delete", "getmore", "command"), 0)
        """By kind, as MongoDB's `opcounters` does: of a batch each insert, update and delete counts."""
        self.under_way: dict[int, Operation] = {}
        self._numbers = count(1)
        self._spent: dict[int, dict[str, Spent]] = {}

    def connected(self, number: int, address: str) -> None:
        self.clients[number] = Client(number, address)
        self.clients_ever += 1

    def disconnected(self, number: int) -> None:
        self.clients.pop(number, None)

    def began(self, name: str, body: Document, beside: Mapping[str, list[bytes]], connection: int) -> Operation:
        """Count a command, whose documents may have come `beside` its body, as under way until it has `ended`."""
        self.requests += 1
        batch = _BATCHES.get(name)
        if batch is None:
            self.operations[_SINGLE.get(name, "command")] += 1
        else:
            batched = beside.get(batch) or body.get(batch)
            self.operations[name] += len(batched) if isinstance(batched, list) else 1
        operation = Operation(next(self._numbers), name, body, self.clients.get(connection))
        self.under_way[operation.number] = operation
        return operation

    def ended(self, operation: Operation, collection: Collection | None) -> None:
        """Add the time to what was spent on the collection, if the operation was about one."""
        self.under_way.pop(operation.number, None)
        if collection is not None:
            spent = self._spent.setdefault(collection.id, {}).setdefault(operation.name, Spent())
            spent.count += 1
            spent.seconds += time.perf_counter() - operation.started

    def spent_on(self, collection: Collection) -> dict[str, Spent]:
        """By command, what was spent on a collection."""
        return self._spent.get(collection.id, {})

    def forget_gone(self, catalog: Catalog) -> None:
        """Keep what was spent on the collections that are there."""
        there = {collection.id for collection in catalog.collections.values()}
        for gone in self._spent.keys() - there:
            del self._spent[gone]

    def running(self) -> Iterator[Operation]:
        """The operations under way, the eldest first."""
        yield from list(self.under_way.values())
