"""Named leases: one thing at a time happens to a user's facts or a memory bank, whichever process asks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from time import monotonic
from typing import Literal

from pymongo.errors import DuplicateKeyError, PyMongoError

from memory.ids import derived_id, new_id
from memory.store.collections import Collections
from utils.clock import now
from utils.errors import Conflict
from utils.tasks import begun

LEASE = timedelta(seconds=4)  # without a sign of life from its holder; so long a holder that dies keeps others waiting
WAIT = 10.0  # seconds for others: longer than one that died keeps it
FIRST_STEP, LAST_STEP = 0.02, 0.25  # seconds between two tries, each time twice as long

# `learning`: from the look at what is in force to the end of what is decided of it, which may ask a model.
# `linking`: a few writes that belong together. Whoever holds both took `learning` first.
# `indexing`: of a memory bank, while its gists are brought up to it.
# `importing`: into a user's memory, from the first line of a file to its last.
Doing = Literal["learning", "linking", "indexing", "importing"]


class NamedLeases:
    """Leases on what is a user's, a memory bank by its name, all facts without one, beside the requests in progress, in
    the collection that forgets all within a day. They name no user, so that deleting one need not look for them."""

    def __init__(self, collections: Collections) -> None:
        self._leases = collections.idempotency

    @asynccontextmanager
    async def held(self, doing: Doing, owner: str, name: str = "") -> AsyncIterator[bool]:
        """Holds what is the owner's, after a wait of at most `WAIT` for those who hold it now; False where it was not
        let go, and the caller does not hold it. A holder that loses it, since it could not renew it in time, is
        cancelled where it stands: then this raises `Conflict`."""
        key, token = derived_id("lease", doing, owner, name), new_id()
        end, step = monotonic() + WAIT, FIRST_STEP
        while not await self._take(key, token):
            if monotonic() >= end:
                yield False
                return
            await asyncio.sleep(step)
            step = min(2 * step, LAST_STEP)
        try:
            async with asyncio.timeout(None) as holding, begun(self._renew(key, token, holding)):
                yield True
        except TimeoutError:
            if not holding.expired():
                raise
            raise Conflict("Another process took over what was being changed", retry_after=1.0) from None
        finally:
            await self._leases.delete_one({"_id": key, "lease": token})

    @asynccontextmanager
    async def linking(self, owner: str) -> AsyncIterator[None]:
        """`held` around writes of facts that belong together. Raises `Conflict` where they were not let go."""
        async with self.held("linking", owner) as held:
            if not held:
                raise Conflict("Facts of the user are being changed", retry_after=1.0)
            yield

    async def _take(self, key: str, token: str) -> bool:
        moment = now()
        taken = {"lease": token, "until": moment + LEASE, "at": moment}
        try:
            await self._leases.insert_one({"_id": key, **taken})
        except DuplicateKeyError:
            over = {"_id": key, "until": {"$lte": moment}}
            return bool((await self._leases.update_one(over, {"$set": taken})).matched_count)
        return True

    async def _renew(self, key: str, token: str, holding: asyncio.Timeout) -> None:
        """Renews a lease until it is lost, and ends then what its holder does."""
        held = True
        while held:
            await asyncio.sleep(LEASE.total_seconds() / 4)
            with suppress(PyMongoError):  # the next time may be in time
                until = {"$set": {"until": now() + LEASE}}
                held = bool((await self._leases.update_one({"_id": key, "lease": token}, until)).matched_count)
        holding.reschedule(0)
