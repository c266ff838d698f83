"""The audit log: what admins did, and of whom they looked at something. Kept for a year, also of users who are gone."""

from dataclasses import dataclass
from datetime import datetime

from memory.ids import new_id
from memory.store.collections import Collections
from utils.clock import now


@dataclass(frozen=True)
class Entry:
    """`who`: how they were let in, and from which address. `action`: the method and address of the request, as routes
    have it; `user`: whom it was about; None where it was about no one. `detail`: which of several, such as a job's
    kind, or the `_id` of a document."""

    key: str
    updated_at: datetime
    who: str
    action: str
    user: str | None
    detail: str | None


class Audit:
    def __init__(self, collections: Collections) -> None:
        self._audit = collections.audit

    async def note(self, who: str, action: str, user: str | None, detail: str | None) -> None:
        """Keeps an entry, before what it tells of is done."""
        entry = {"who": who, "action": action, "user": user, "detail": detail}
        await self._audit.insert_one({"_id": new_id(), "at": now(), **entry})

    async def page(self, *, limit: int, after: tuple[datetime, str] | None = None) -> list[Entry]:
        """Entries, newest first. `after`: moment and key of the last one seen."""
        behind = {}
        if after is not None:
            moment, key = after
            behind = {"at": {"$lte": moment}, "$or": [{"at": {"$lt": moment}}, {"_id": {"$lt": key}}]}
        documents = await self._audit.find(behind).sort([("at", -1), ("_id", -1)]).limit(limit).to_list(None)
        told = ("who", "action", "user", "detail")
        return [Entry(each["_id"], each["at"], *(each[name] for name in told)) for each in documents]
