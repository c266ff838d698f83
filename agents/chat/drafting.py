"""What goes on beside a request, and after it: work that outlives it, and drafts of an answer that grows."""

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

DRAFT_SECONDS = 0.5  # between two commits of an answer that grows
SIGN_OF_LIFE_SECONDS = 3.0  # after which it is committed though nothing came

log = logging.getLogger(__name__)


class Keeping:
    """Tasks that go on when their request is cancelled, and that a shutdown waits for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that outlives the request it belongs to. Its error is told to those who wait for it; where nobody
        does, or not any more, to the log."""
        task = _LoggedTask(work, loop=asyncio.get_running_loop())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives, which is carried out even where its caller is cancelled meanwhile."""
        return await asyncio.shield(self.start(work))

    async def close(self) -> None:
        """Waits until everything that was begun is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)


class _LoggedTask(asyncio.Task[T]):
    """A task that logs its error when nobody has asked for it, nor can any more. asyncio would do so too, but with all
    that the error quotes."""

    def __del__(self) -> None:
        if self._log_traceback and (error := self.exception()) is not None:
            quotes = isinstance(error, BulkWriteError)  # the documents that were refused
            log.error("work after a request failed: %s%s", type(error).__name__, "" if quotes else f": {error}")
        super().__del__()


class Drafting:
    """Commits what `answer` tells, twice a second while it grows, until it is stopped. `cancel`: ends the answer, where
    somebody wants that. `at_once`: it is known of before it says anything."""

    def __init__(
        self,
        drafts: Drafts,
        place: Place,
        answer: Callable[[], Turn],
        cancel: Callable[[], object] | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        self._cancel = cancel
        self._at_once = at_once
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

    async def give_up(self) -> None:
        """Ends it where nothing is kept of the answer; what it had said stays, for it may be found yet."""
        if await self.stop() and not self._answer().content:
            await self.drop()

    async def drop(self) -> None:
        """Deletes what was committed, once the whole is kept."""
        await self._drafts.drop(self._place, self._answer().id)

    async def _run(self) -> None:
        written, at, told = "", monotonic(), False
        while True:
            await asyncio.sleep(0 if self._at_once and not self._drafted else DRAFT_SECONDS)
            answer = self._answer()
            if self._drafted:
                due = answer.content != written or monotonic() - at >= SIGN_OF_LIFE_SECONDS
            else:
                due = self._at_once or bool(answer.content)
            if not due:
                continue
            self._drafted = True
            try:
                unwanted = await self._drafts.save(self._place, replace(answer, interrupted=True))
            except StoreError as error:  # it may be back in a moment
                if not told:
                    log.warning("the answer %s is not drafted: %s", answer.id, type(error).__name__)
                told = True
                continue
            written, at = answer.content, monotonic()
            if unwanted and self._cancel is not None:
                self._cancel()


@asynccontextmanager
async def settled(drafting: Drafting | None) -> AsyncIterator[bool]:
    """Around the keeping of a whole answer: ends the drafts of it, tells whether there were any, and deletes them after
    it."""
    drafted = drafting is not None and await drafting.stop()
    yield drafted
    if drafting is not None and drafted:
        await drafting.drop()
