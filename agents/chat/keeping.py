"""Work that outlives the request that began it: what must be stored although whoever asked has left."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from pymongo.errors import BulkWriteError

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
