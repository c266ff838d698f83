"""Work that goes on beside what its caller does meanwhile, and no longer than that; and steps, none of which holds up
another."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)


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
            await asyncio.shield(asyncio.gather(task, return_exceptions=True))  # its end is its own


async def each(steps: Iterable[Callable[[], Awaitable[object]]]) -> None:
    """Takes steps one after the other. One that fails holds up no other: the first error is raised at the end, the
    others are logged."""
    first: Exception | None = None
    for step in steps:
        try:
            await step()
        except Exception as error:
            if first is not None:
                log.warning("another step failed", exc_info=error)
            first = first or error
    if first is not None:
        raise first
