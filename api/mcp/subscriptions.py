"""Who is told that a file of a bank has changed? Clients that asked for it, of changes that this process makes."""

from collections import OrderedDict
from dataclasses import dataclass, field

from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from api.mcp.calling import Context

MOST = 1_000  # connections of an owner that are told; the oldest go first


@dataclass
class _Owner:
    """`told`: by connection, how to tell it, and of which addresses."""

    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    told: OrderedDict[str, tuple[ServerSession, set[str]]] = field(default_factory=OrderedDict)
    listen: ListenHandler = field(init=False)

    def __post_init__(self) -> None:
        self.listen = ListenHandler(self.bus)


class Subscriptions:
    """Each owner is told of their own banks alone, though those of two may have the same address."""

    def __init__(self) -> None:
        self._owners: dict[str, _Owner] = {}

    async def listen(
        self, owner: str, context: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tells a client for as long as it listens (protocol of 2026 and later)."""
        return await self._owners.setdefault(owner, _Owner()).listen(context, params)

    def add(self, owner: str, connection: str, session: ServerSession, uri: str) -> None:
        """Tells a connection from now on (protocols before 2026)."""
        told = self._owners.setdefault(owner, _Owner()).told
        _, addresses = told.get(connection, (session, set()))
        told[connection] = session, addresses | {uri}
        while len(told) > MOST:
            told.popitem(last=False)

    def drop(self, owner: str, connection: str, uri: str) -> None:
        known = self._owners.get(owner)
        if known is not None and connection in known.told:
            session, addresses = known.told[connection]
            known.told[connection] = session, addresses - {uri}

    async def changed(self, owner: str, uri: str) -> None:
        known = self._owners.get(owner)
        if known is None:
            return
        await known.bus.publish(ResourceUpdated(uri=uri))
        for session, addresses in list(known.told.values()):
            if uri in addresses:
                await session.send_resource_updated(uri)

    async def listed(self, owner: str) -> None:
        """There may be other files than before."""
        if owner in self._owners:
            await self._owners[owner].bus.publish(ResourcesListChanged())

    def close(self) -> None:
        """Ends the streams of those who listen."""
        for owner in self._owners.values():
            owner.listen.close()
