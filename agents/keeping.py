"""What must be stored although whoever asked has left? Work that outlives the request that began it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Keeping:
    """Tasks that go on when their request is cancelled, and that a shutdown waits for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that outlives the request it belongs to, and whose error is told to those who wait for it alone."""
        task = asyncio.create_task(work)
        self._tasks.add(task)

        def ended(task: asyncio.Task[T]) -> None:
            self._tasks.discard(task)
            if not task.cancelled():
                task.exception()

        task.add_done_callback(ended)
        return task

    async def close(self) -> None:
        """Waits until everything that was begun is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)
