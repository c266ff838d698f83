"""Work that goes on beside what its caller does meanwhile, and no longer than that."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@asynccontextmanager
async def begun(work: Coroutine[Any, Any, T]) -> AsyncIterator["asyncio.Task[T]"]:
    """Work under way, to be awaited inside, as often as wanted. What is not done by the end is cancelled; an error that
    nobody awaited is dropped, as another one was raised before it."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        if task.done():
            if not task.cancelled():
                task.exception()  # else asyncio tells of an error that nobody looked at
        else:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
