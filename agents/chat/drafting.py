"""Drafting: an answer is committed while it is still coming."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic

from memory.domain import Turn
from memory.turns import Drafts, Place
from utils.mongo import StoreError

EVERY = 0.5  # seconds between two commits
ANYWAY = 3.0  # seconds after which it is committed though nothing came, as a sign of life

log = logging.getLogger(__name__)


class Drafting:
    """Commits what `answer` tells, twice a second while it grows, until it is stopped."""

    def __init__(self, drafts: Drafts, place: Place, answer: Callable[[], Turn]) -> None:
        self._drafts = drafts
        self._place = place
        self._answer = answer
        self._drafted = False
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> bool:
        """Ends it, and tells whether anything was committed. A store that was away meanwhile is no error."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        return self._drafted

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[bool]:
        """Around the keeping of the whole: ends the drafts, tells whether there were any, and deletes them after it."""
        drafted = await self.stop()
        yield drafted
        if drafted:
            await self._drafts.drop(self._place, self._answer().id)

    async def _run(self) -> None:
        written, at, told = "", monotonic(), False
        while True:
            await asyncio.sleep(EVERY)
            answer = self._answer()
            if answer.content == written and (not written or monotonic() - at < ANYWAY):
                continue
            self._drafted = True
            try:
                await self._drafts.save(self._place, replace(answer, interrupted=True))
            except StoreError as error:  # it may be back in a moment
                if not told:
                    log.warning("the answer %s is not drafted: %s", answer.id, type(error).__name__)
                told = True
                continue
            written, at = answer.content, monotonic()
