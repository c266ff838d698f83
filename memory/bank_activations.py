"""Which bank is a client at work with? What it activated last, remembered for a while, also when nothing else of it is.

A client that has a session of its own, such as one connection of MCP, goes by that. Where it has none, or that session
is new, it is known by its name, which all of a user's windows of that program share: what was activated last under the
name is meant. Whoever has several windows at once says which bank is meant by its conversation id.
"""

import re
from dataclasses import dataclass
from datetime import timedelta

from memory.bank import BankInfo
from memory.bank_ids import ID_PATTERN
from memory.bank_types import BANK_TYPES, BankType
from memory.collections import Collections
from memory.ids import derived_id
from utils.clock import now
from utils.errors import NotFound

OF_LATE = timedelta(hours=24)
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
    def keys(self) -> tuple[str, ...]:
        by_name = f"name {self.name}"
        return (f"session {self.session}", by_name) if self.session is not None else (by_name,)


class Activations:
    """What clients activated, in the store, so that any process knows it, for `OF_LATE`."""

    def __init__(self, collections: Collections) -> None:
        self._activations = collections.bank_activations

    async def note(self, owner: str, client: Client, bank: BankInfo) -> None:
        """Remembers what a client activated, until that very bank is deleted."""
        active = {"bank_type": bank.type, "bank_id": bank.id, "epoch": bank.epoch}
        for key in client.keys:
            noted = {"user_id": owner, "client": key, "at": now()} | active
            await self._activations.update_one({"_id": _id(owner, key)}, {"$set": noted}, upsert=True)

    async def active(self, owner: str, client: Client) -> Active:
        """The bank that a client is at work with. Raises `NotFound` where it activated none of late, which says what to
        do."""
        late = {"user_id": owner, "at": {"$gt": now() - OF_LATE}}
        for key in client.keys:
            found = await self._activations.find_one({"_id": _id(owner, key), **late})
            if found is not None:
                return Active(found["bank_type"], found["bank_id"])
        raise NotFound("No memory bank is active: call `activate` first, and pass the conversation_id that it gives")


def _id(owner: str, key: str) -> str:
    return derived_id("activation", owner, key)
