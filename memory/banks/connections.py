"""Which sessions have clients of MCP begun, so that one outlives the process that it was begun with?

Beside what clients activated (`memory/banks/activations.py`), for as long.
"""

from dataclasses import dataclass

from memory.banks.activations import OF_LATE
from memory.ids import derived_id
from memory.store import Collections
from utils.clock import now
from utils.mongo import Document


@dataclass(frozen=True)
class Begun:
    """A session. `params`: what the client said of itself when it began, as JSON; `addresses`: of which it is told."""

    params: str
    addresses: tuple[str, ...]


class Connections:
    """Sessions that were used within `OF_LATE`, by their owner and id."""

    def __init__(self, collections: Collections) -> None:
        self._connections = collections.bank_activations

    async def begin(self, owner: str, session: str, params: str) -> None:
        said = {"user_id": owner, "client": f"connection {session}", "params": params, "addresses": [], "at": now()}
        await self._connections.update_one({"_id": _id(owner, session)}, {"$set": said}, upsert=True)

    async def use(self, owner: str, session: str) -> None:
        """Notes that it was used just now."""
        await self._connections.update_one(_own(owner, session), {"$set": {"at": now()}})

    async def find(self, owner: str, session: str) -> Begun | None:
        """A session; None where it was not begun by this owner, has ended, or was not used of late."""
        late: Document = _own(owner, session) | {"at": {"$gt": now() - OF_LATE}}
        found: Document | None = await self._connections.find_one(late)
        return Begun(found["params"], tuple(found["addresses"])) if found is not None else None

    async def listen(self, owner: str, session: str, address: str) -> None:
        """Notes that a session is told of an address."""
        await self._connections.update_one(_own(owner, session), {"$addToSet": {"addresses": address}})

    async def leave(self, owner: str, session: str, address: str) -> None:
        """Notes that a session is told of an address no more."""
        await self._connections.update_one(_own(owner, session), {"$pull": {"addresses": address}})

    async def end(self, owner: str, session: str) -> None:
        await self._connections.delete_one(_own(owner, session))


def _own(owner: str, session: str) -> Document:
    return {"_id": _id(owner, session), "user_id": owner}


def _id(owner: str, session: str) -> str:
    return derived_id("connection", owner, session)
