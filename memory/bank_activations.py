"""Which bank is a client at work with? What it activated last, remembered for a week, also when nothing else of it is.

A client that has a session of its own, such as one connection of MCP, goes by that. One that has none is known by its
name alone, which all of a user's windows share: it goes by what was activated under the name of late, if that was one
bank.
"""

from dataclasses import dataclass
from datetime import timedelta

from memory.bank_types import BankType
from memory.collections import Collections
from memory.ids import derived_id
from utils.clock import now
from utils.errors import Conflict, NotFound

OF_LATE = timedelta(hours=12)
MOST = 20  # banks of a name that are told where it is not clear which is meant


@dataclass(frozen=True)
class Active:
    """A bank that was activated."""

    type: BankType
    id: str

    @property
    def conversation_id(self) -> str:
        """Says which bank is meant, whoever says it, whenever."""
        return f"{self.type}/{self.id}"


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
    def __init__(self, collections: Collections) -> None:
        self._activations = collections.bank_activations

    async def note(self, owner: str, client: Client, active: Active) -> None:
        """Remembers what a client activated."""
        for key in client.keys:
            # Of a session the last one counts; of a name, all of late.
            which = (key,) if key.startswith("session ") else (key, active.conversation_id)
            noted = {"user_id": owner, "client": key, "bank_type": active.type, "bank_id": active.id, "at": now()}
            await self._activations.update_one(
                {"_id": derived_id("activation", owner, *which)}, {"$set": noted}, upsert=True
            )

    async def active(self, owner: str, client: Client) -> Active:
        """The bank that a client is at work with. Raises `NotFound` where it activated none, and `Conflict` where it
        may be one of several; both say what to do."""
        for key in client.keys:
            late = {"user_id": owner, "client": key, "at": {"$gt": now() - OF_LATE}}
            found = await self._activations.find(late).sort([("at", -1), ("_id", -1)]).limit(MOST).to_list(None)
            if len(found) > 1:
                banks = ", ".join(Active(one["bank_type"], one["bank_id"]).conversation_id for one in found)
                raise Conflict(
                    f"Several memory banks were activated of late ({banks}): pass the conversation_id that `activate` "
                    "gave, or call `activate` again in this session"
                )
            if found:
                return Active(found[0]["bank_type"], found[0]["bank_id"])
        raise NotFound("No memory bank is active: call `activate` first, and pass the conversation_id that it gives")
