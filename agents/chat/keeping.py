"""Work that outlives the request that began it: what must be stored although whoever asked has left."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic
from typing import Any, TypeVar

from pymongo.errors import BulkWriteError

from memory.domain import Turn
from memory.turns import Drafts, Place
from utils.mongo import StoreError

T = TypeVar("T")

log = logging.getLogger(__name__)


class Keeping:
    """Tasks that go on when their request is cancelled, and that a shutdown waits for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that outlives the request it belongs to. Its error is told to those who wait for it; where nobody
        does, or not any more, to the log."""
        task = _Kept(work, loop=asyncio.get_running_loop())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Waits until everything that was begun is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)


class _Kept(asyncio.Task[T]):
    """A task that logs its error when nobody has asked for it, nor can any more. asyncio would do so too, but with all
    that the error quotes."""

    def __del__(self) -> None:
        if self._log_traceback and (error := self.exception()) is not None:
            quotes = isinstance(error, BulkWriteError)  # the documents that were refused
            log.error("work after a request failed: %s%s", type(error).__name__, "" if quotes else f": {error}")
        super().__del__()


EVERY = 0.5  # seconds between two commits
ANYWAY = 3.0  # seconds after which it is committed though nothing came, as a sign of life


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
