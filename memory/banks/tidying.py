"""Tidying, for which nobody waits: memory banks that have grown are condensed, deletions are ended."""

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from functools import partial

from pymongo.errors import PyMongoError

from memory.banks.bank import BankInfo, info_of, texts_of
from memory.banks.banks import TRIES, Banks, busy
from memory.banks.sections import BankSections
from memory.banks.store import HEAD, BankStore, Change
from memory.banks.types import BankType
from memory.banks.writing import BankWriter
from memory.domain import RULE_BASED
from memory.store import Collections, claim, fail, held, pending, reclaim
from utils.clock import now
from utils.errors import LociError, NotFound
from utils.mongo import Document
from utils.tasks import each

DELETION_CUT_SHORT = timedelta(minutes=1)

log = logging.getLogger(__name__)


class BankTidying:
    """Work on the banks of all users, under a lease in the document of each."""

    def __init__(
        self, collections: Collections, store: BankStore, sections: BankSections, writer: BankWriter, banks: Banks
    ) -> None:
        self._documents = collections.banks
        self._store = store
        self._sections = sections
        self._writer = writer
        self._banks = banks

    async def work(self) -> None:
        """Does what is due: sections that a crash left behind, banks to be condensed, deletions to be ended. Safe to
        run twice at once."""
        await each([self._sections.work, self._end_deletions, self.condense])

    async def _end_deletions(self) -> None:
        old = {"deleted_at": {"$lt": now() - DELETION_CUT_SHORT}}
        cut_short = await self._documents.find(old, HEAD).limit(100).to_list(None)
        await each(partial(self._banks.end_deletion, bank) for bank in cut_short)

    async def condense(self) -> int:
        """Condenses the banks that are due, also those whose condenser died; returns how many it did."""
        due = {"tidying.state": {"$in": ["pending", "leased"]}, "tidying.lease_until": {"$lte": now()}}
        if await self._documents.find_one(due, {"_id": 1}) is None:
            return 0  # nothing is written for nothing
        await reclaim(self._documents, "tidying")
        total = 0
        while (claimed := await claim(self._documents, "tidying", 1)).documents:
            async with held(self._documents, "tidying", claimed):
                [bank] = claimed.documents
                mine = {"_id": bank["_id"], "tidying.lease": claimed.lease}
                try:
                    total += await self._optimise(bank)
                except LociError as error:
                    log.warning("a memory bank is condensed later: %s", error.detail)
                    await fail(self._documents, "tidying", claimed.lease, [bank], type(error).__name__)
                except asyncio.CancelledError:  # its process ends, which is no fault of the bank's
                    with suppress(PyMongoError):
                        await self._documents.update_one(mine, {"$set": {"tidying": pending()}})
                    raise
                else:
                    await self._documents.update_one(mine, {"$set": {"tidying": {"state": "done"}}})
        return total

    async def optimise(self, owner: str, kind: BankType, identifier: str) -> BankInfo:
        """Condenses a bank that is larger than it is to be and changed since it was condensed; returns it, condensed or
        not. Raises `NotFound`."""
        await self._optimise(await self._store.find(owner, kind, identifier))
        return await self._banks.info(owner, kind, identifier)

    async def _optimise(self, seen: Document) -> bool:
        owner, kind, identifier = seen["user_id"], seen["type"], seen["id"]
        for attempt in range(TRIES):
            small = seen["tokens"] <= self._writer.recipe.target
            if small or seen["deleted_at"] is not None or seen["tidying"]["state"] == "done":
                return False
            files, failed, by = texts_of(seen), None, RULE_BASED
            if attempt < 3:
                short = await self._writer.shorten(kind, files, seen["version"], now())
                made, by, failed = dict(short.files), short.by, short.failed
            else:  # it changes faster than a model writes
                made = await self._writer.shorten_by_rules(kind, files, seen["version"], now())
            if failed is not None:
                await self._banks.note_error(info_of(seen), failed, "warning")
            if made == files:
                return False
            try:
                if await self._banks.commit(seen, Change(made, "optimise", by)) is not None:
                    log.info("a memory bank was condensed from %d tokens, by %s", seen["tokens"], by)
                    return True
                seen = await self._store.find(owner, kind, identifier)
            except NotFound:
                return False
        raise busy()
