"""Subscriptions: clients are told that a file of a bank has changed, whichever process changed it.

Where somebody asked, one task looks at the versions of these banks every second, and at once when this process changed
one. Nobody's update waits until others are told.
"""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from api.mcp.calling import Context, when_ended
from api.mcp.resources import read_uri
from memory.banks import Banks, bank_key
from utils.errors import InvalidInput
from utils.mongo import StoreError

MOST = 1_000  # connections of an owner that are told; the oldest go first
MOST_ADDRESSES = 1_000  # of which an owner is told, by all connections
LOOK = 1.0  # seconds between two looks at the banks, at most
SENDING = 5.0  # seconds that a connection has to take what it is told; then it is told no more

log = logging.getLogger(__name__)

Mark = tuple[str, int] | None  # the epoch of a bank and the version since which a file is as it is; None: no such file


@dataclass
class _Connection:
    """Of a protocol before 2026. `addresses`: of which it is told."""

    session: ServerSession
    addresses: set[str] = field(default_factory=set)


@dataclass
class _Owner:
    """`told`: connections that subscribed; `heard`: addresses of which others listen, each as often as it is listened
    to; `marks`: how the files at these addresses were when somebody last looked."""

    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    told: OrderedDict[str, _Connection] = field(default_factory=OrderedDict)
    heard: Counter[str] = field(default_factory=Counter)
    marks: dict[str, Mark] = field(default_factory=dict)
    listening: int = 0
    listen: ListenHandler = field(init=False)

    def __post_init__(self) -> None:
        self.listen = ListenHandler(self.bus)

    @property
    def addresses(self) -> set[str]:
        return {uri for one in self.told.values() for uri in one.addresses} | set(self.heard)


class Subscriptions:
    """Each owner is told of their own banks alone, though those of two may have the same address."""

    def __init__(self, banks: Callable[[], Banks]) -> None:
        self._banks = banks
        self._owners: dict[str, _Owner] = {}
        self._changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._sending: set[asyncio.Task[None]] = set()

    async def listen(
        self, owner: str, context: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tells a client for as long as it listens (protocol of 2026 and later). Raises `InvalidInput` where those are
        too many addresses."""
        addresses = set(params.notifications.resource_subscriptions or ())
        await self._mark(owner, addresses)
        with self._heard(owner, addresses) as known:
            return await known.listen(context, params)

    async def add(self, owner: str, connection: str, session: ServerSession, uri: str) -> None:
        """Tells a connection from now on, until it ends (protocols before 2026). Raises `InvalidInput` where there are
        too many addresses."""
        await self._mark(owner, {uri})
        told = self._owners.setdefault(owner, _Owner()).told
        if connection not in told:
            when_ended(session, partial(self.end, owner, connection))
            told[connection] = _Connection(session)
        told[connection].addresses.add(uri)
        while len(told) > MOST:
            told.popitem(last=False)
        self._look_on()

    def drop(self, owner: str, connection: str, uri: str) -> None:
        """Tells a connection of this address no more (protocols before 2026)."""
        known = self._owners.get(owner)
        if known is not None and connection in known.told:
            known.told[connection].addresses.discard(uri)
            if not known.told[connection].addresses:
                self.end(owner, connection)

    def end(self, owner: str, connection: str) -> None:
        """Tells a connection nothing any more."""
        known = self._owners.get(owner)
        if known is not None:
            known.told.pop(connection, None)
            self._tidy(owner)

    def changed(self) -> None:
        """This process changed a bank: who listens need not wait for the next look."""
        self._changed.set()

    async def listed(self, owner: str) -> None:
        """There may be other files than before."""
        if owner in self._owners:
            await self._owners[owner].bus.publish(ResourcesListChanged())

    def close(self) -> None:
        """Ends the streams of those who listen."""
        for owner in self._owners.values():
            owner.listen.close()

    async def end_all(self) -> None:
        """Tells nobody anything any more."""
        self.close()
        tasks = [*self._sending, *([self._looking] if self._looking is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    @contextmanager
    def _heard(self, owner: str, addresses: set[str]) -> Iterator[_Owner]:
        known = self._owners.setdefault(owner, _Owner())
        known.heard.update(addresses)
        known.listening += 1
        self._look_on()
        try:
            yield known
        finally:
            known.listening -= 1
            known.heard -= Counter(addresses)  # only those that others listen to stay
            self._tidy(owner)

    def _tidy(self, owner: str) -> None:
        known = self._owners[owner]
        if not known.told and not known.listening:
            del self._owners[owner]

    async def _mark(self, owner: str, addresses: set[str]) -> None:
        """Notes how files are, so that only what happens from now on is told. Raises `InvalidInput` where there are too
        many of them."""
        marks = await self._marks({owner: self._fresh(owner, addresses)})
        fresh = self._fresh(owner, addresses)  # others may have asked meanwhile
        known = self._owners.setdefault(owner, _Owner())
        known.marks |= {uri: mark for uri, mark in marks[owner].items() if uri in fresh}

    def _fresh(self, owner: str, addresses: set[str]) -> set[str]:
        """The addresses of which the owner is not told yet. Raises `InvalidInput` where there are then too many."""
        known = self._owners.get(owner)
        told = known.addresses if known is not None else set()
        fresh = addresses - told
        if fresh and len(told) + len(fresh) > MOST_ADDRESSES:
            raise InvalidInput(f"At most {MOST_ADDRESSES:,} files can be listened to at once")
        return fresh

    def _look_on(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_until_nobody_asks())

    async def _look_until_nobody_asks(self) -> None:
        while any(known.addresses for known in self._owners.values()):
            self._changed.clear()
            try:
                await self._look()
            except StoreError as error:
                log.warning("who listens to memory banks waits for the store: %s", type(error).__name__)
            except Exception:
                log.exception("a look at the memory banks that are listened to failed")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), LOOK)

    async def _look(self) -> None:
        asked = {owner: known.addresses for owner, known in self._owners.items()}
        for owner, marks in (await self._marks(asked)).items():
            known = self._owners.get(owner)
            if known is None:
                continue
            changed = [uri for uri, mark in marks.items() if known.marks.get(uri) != mark]
            known.marks = {uri: marks.get(uri, known.marks.get(uri)) for uri in known.addresses}
            for uri in changed:
                await known.bus.publish(ResourceUpdated(uri=uri))
                for name, connection in list(known.told.items()):
                    if uri in connection.addresses:
                        self._send(owner, name, connection.session, uri)

    async def _marks(self, asked: dict[str, set[str]]) -> dict[str, dict[str, Mark]]:
        """How the files at addresses are now, by owner."""
        places = {
            (owner, uri): (bank_key(owner, address.type, address.id), address.file)
            for owner, addresses in asked.items()
            for uri in addresses
            if (address := read_uri(uri)) is not None and address.version is None
        }
        keys = sorted({key for key, _ in places.values()})
        found = {info.key: info for info in (await self._banks().infos(keys) if keys else [])}
        marks: dict[str, dict[str, Mark]] = {owner: {} for owner in asked}
        for (owner, uri), (key, name) in places.items():
            files = {file.name: (found[key].epoch, file.version) for file in found[key].files} if key in found else {}
            marks[owner][uri] = files.get(name)
        return marks

    def _send(self, owner: str, connection: str, session: ServerSession, uri: str) -> None:
        async def send() -> None:
            try:
                async with asyncio.timeout(SENDING):
                    await session.send_resource_updated(uri)
            except Exception as error:  # whatever befell the connection, it cannot be told
                log.info("a client is told of memory banks no more: %s", type(error).__name__)
                self.end(owner, connection)

        task = asyncio.create_task(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
