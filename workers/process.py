"""A worker process: one event loop and one memory for as long as it lives."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from utils.errors import DiskFull
from utils.loops import new_runner
from utils.mongo import StoreError, foreseen
from utils.seldom import Seldom

T = TypeVar("T")

log = logging.getLogger(__name__)


class WorkerProcess:
    """The door from Celery's synchronous tasks to the core. Belongs to the thread that starts it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"rerank_model": None})  # a worker does not search
        self._runner: asyncio.Runner | None = None
        self._stack = AsyncExitStack()
        self._memory: Memory | None = None
        self._full = Seldom()

    def start(self) -> None:
        """Opens the loop, and on it the memory. Where that fails, the next piece of work tries again."""
        self._runner = new_runner()
        try:
            opened = open_memory(self._settings, condenses=False)  # whose loop rests between two tasks
            self._memory = self._runner.run(self._stack.enter_async_context(opened))
        except BaseException:
            self.stop()
            raise

    def run(self, work: Callable[[Memory], Awaitable[T]]) -> T | None:
        """What one piece of work gives. Where the store is away or has no room it is left to the next sweep: None."""

        async def job(memory: Memory) -> T:
            return await work(memory)

        try:
            if self._runner is None or self._memory is None:
                self.start()
            assert self._runner is not None and self._memory is not None  # noqa: S101
            return self._runner.run(job(self._memory))
        except StoreError as error:
            full = isinstance(foreseen(error), DiskFull)
            if not full or self._full.due():
                what = "the disk is full" if full else f"the store does not answer ({type(error).__name__})"
                log.warning("%s; the work waits for the next sweep", what)
            return None

    def stop(self) -> None:
        """Closes the memory and the loop."""
        runner, self._runner, self._memory = self._runner, None, None
        if runner is not None:
            with runner:
                runner.run(self._stack.aclose())
