"""Activations: which bank a client is at work with, remembered for a while, also when nothing else of the client is.

A client that has a session of its own, such as one connection of MCP, goes by that. Where it has none, or that session
is new, it is known by its name, which all of a user's windows of that program share: the bank that was activated under
the name is meant, and of several none, for each may be another window's. Then the conversation id says which.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory.banks.bank import BankInfo
from memory.banks.ids import ID_PATTERN, bank_key
from memory.banks.types import BANK_TYPES, BankType
from memory.ids import derived_id
from memory.store import Collections
from utils.clock import now
from utils.errors import InvalidInput, NotFound
from utils.mongo import Document
from utils.text import shown

OF_LATE = timedelta(hours=24)
MOST_TOLD = 20  # banks that are named where none is meant
PATH_CHARACTERS = 200  # of each, of its path
NONE_ACTIVE = "No memory bank is active: call `activate` first, and pass the conversation_id that it gives"
SEVERAL_ACTIVE = (
    "Several memory banks are active, so nothing was changed: call `update` again with the conversation_id of the one "
    "that is meant, which is one of {}"
)
_NAMES_ONE = re.compile(rf"({'|'.join(BANK_TYPES)})/({ID_PATTERN})")


@dataclass(frozen=True)
class Active:
    """A bank that was activated."""

    type: BankType
    id: str

    @property
    def conversation_id(self) -> str:
        """Says which bank is meant, whoever says it, whenever."""
        return f"{self.type}/{self.id}"

    @classmethod
    def named(cls, conversation_id: str | None) -> "Active | None":
        """The bank that a conversation id says; None where it was never given for one."""
        found = _NAMES_ONE.fullmatch(conversation_id or "")
        return cls(next(kind for kind in BANK_TYPES if kind == found[1]), found[2]) if found is not None else None


@dataclass(frozen=True)
class Client:
    """Who calls. `session`: of one connection; None where there is none. `name`: what the program calls itself."""

    name: str
    session: str | None = None

    @property
    def by_session(self) -> str | None:
        return f"session {self.session}" if self.session is not None else None

    @property
    def by_name(self) -> str:
        return f"name {self.name}"


class Activations:
    """What clients activated, in the store, so that any process knows it, for `OF_LATE`: a document for each session,
    and for each name one for each bank."""

    def __init__(self, collections: Collections) -> None:
        self._activations = collections.bank_activations
        self._banks = collections.banks

    async def note(self, owner: str, client: Client, bank: BankInfo) -> None:
        """Remembers what a client activated, until that very bank is deleted."""
        active = {"bank_type": bank.type, "bank_id": bank.id, "epoch": bank.epoch, "at": now()}
        keys = {client.by_name: _id(owner, client.by_name, bank.key)}
        if client.by_session is not None:
            keys[client.by_session] = _id(owner, client.by_session)
        for key, identifier in keys.items():
            noted = {"user_id": owner, "client": key} | active
            await self._activations.update_one({"_id": identifier}, {"$set": noted}, upsert=True)

    async def active(self, owner: str, client: Client) -> Active:
        """The bank that a client is at work with. Raises `NotFound` where it activated none of late, and `InvalidInput`
        where it may be one of several; either says what to do."""
        late = {"user_id": owner, "at": {"$gt": now() - OF_LATE}}
        if client.by_session is not None:
            mine = await self._activations.find_one({"_id": _id(owner, client.by_session), **late})
            if mine is not None:
                return _active(mine)
        by_name = self._activations.find(late | {"client": client.by_name}).sort([("at", -1), ("_id", -1)])
        found = list(dict.fromkeys(map(_active, await by_name.limit(MOST_TOLD + 1).to_list(None))))
        if not found:
            raise NotFound(NONE_ACTIVE)
        if len(found) > 1:
            raise InvalidInput(SEVERAL_ACTIVE.format(await self._named(owner, found)))
        return found[0]

    async def _named(self, owner: str, found: Sequence[Active]) -> str:
        """Banks by their conversation ids, in order, with their paths, which tell those of one name apart."""
        keys = {bank_key(owner, bank.type, bank.id): bank for bank in found[:MOST_TOLD]}
        banks = await self._banks.find({"_id": {"$in": list(keys)}, "user_id": owner}, {"path": 1}).to_list(None)
        paths = {bank["_id"]: f" (at {shown(bank['path'])[:PATH_CHARACTERS]})" for bank in banks if bank["path"]}
        named = ", ".join(bank.conversation_id + paths.get(key, "") for key, bank in keys.items())
        return f"{named} and others" if len(found) > MOST_TOLD else named


@dataclass(frozen=True)
class Begun:
    """A session. `params`: what the client said of itself when it began, as JSON; `addresses`: of which it is told."""

    params: str
    addresses: tuple[str, ...]


class Connections:
    """Sessions that clients of MCP began and used within `OF_LATE`, by their owner and id, so that one outlives the
    process that it was begun with."""

    def __init__(self, collections: Collections) -> None:
        self._connections = collections.bank_activations

    async def begin(self, owner: str, session: str, params: str) -> None:
        said = {"user_id": owner, "client": f"connection {session}", "params": params, "addresses": [], "at": now()}
        await self._connections.update_one({"_id": _connection(owner, session)["_id"]}, {"$set": said}, upsert=True)

    async def use(self, owner: str, session: str) -> None:
        """Notes that it was used just now."""
        await self._connections.update_one(_connection(owner, session), {"$set": {"at": now()}})

    async def find(self, owner: str, session: str) -> Begun | None:
        """A session; None where it was not begun by this owner, has ended, or was not used of late."""
        late: Document = _connection(owner, session) | {"at": {"$gt": now() - OF_LATE}}
        found: Document | None = await self._connections.find_one(late)
        return Begun(found["params"], tuple(found["addresses"])) if found is not None else None

    async def listen(self, owner: str, session: str, address: str) -> None:
        """Notes that a session is told of an address."""
        await self._connections.update_one(_connection(owner, session), {"$addToSet": {"addresses": address}})

    async def leave(self, owner: str, session: str, address: str) -> None:
        """Notes that a session is told of an address no more."""
        await self._connections.update_one(_connection(owner, session), {"$pull": {"addresses": address}})

    async def end(self, owner: str, session: str) -> None:
        await self._connections.delete_one(_connection(owner, session))


def _active(noted: Document) -> Active:
    return Active(noted["bank_type"], noted["bank_id"])


def _id(owner: str, key: str, bank: str = "") -> str:
    """Of a name's, one for each bank; such as are without it were made when a name had one bank."""
    return derived_id("activation", owner, key, bank) if bank else derived_id("activation", owner, key)


def _connection(owner: str, session: str) -> Document:
    return {"_id": derived_id("connection", owner, session), "user_id": owner}
