"""Rounds of work on files that follow the store: one process at a time does them, until it is stopped."""

import asyncio
import fcntl
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from utils.mongo import StoreError

LOOK = 1.0  # seconds between two looks whether another process has ended

log = logging.getLogger(__name__)


class FileRounds:
    """`what`: is worked on, for the log. `stopped`: ends the rounds; may be waited for in threads."""

    def __init__(self, what: str, lock: Path) -> None:
        """`lock`: the file whose lock the process has that does them. Raises `OSError` where it can have none."""
        self.stopped = threading.Event()
        self._what = what
        self._woken = asyncio.Event()
        self._lock = lock.open("w")
        try:
            self._has_lock()
        except OSError:
            self._lock.close()
            raise

    @asynccontextmanager
    async def going(self, work: Callable[[], Awaitable[None]], patience: float) -> AsyncIterator[None]:
        """Has the work done for the while, once no other process does it: it ends when `stopped` is set, or is cut off
        after `patience` seconds. What it did not do is found by the next process."""
        task = asyncio.create_task(self._run(work))
        try:
            yield
        finally:
            self.stopped.set()
            self._woken.set()
            await asyncio.wait([task], timeout=patience)
            task.cancel()
            await asyncio.wait([task])

    async def tried(self, step: Callable[[], Awaitable[None]]) -> bool:
        """Whether a step was done; why not, the log says."""
        try:
            await step()
        except StoreError as error:
            log.warning("%s: waiting for the store, %s", self._what, type(error).__name__)
        except Exception:
            log.exception("%s failed; it is tried again", self._what)
        else:
            return True
        return False

    async def pause(self, seconds: float) -> None:
        """Waits until somebody wakes it, at most so long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)
        if not self.stopped.is_set():
            self._woken.clear()

    def wake(self) -> None:
        self._woken.set()

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        with self._lock:
            waited = False
            while not self._has_lock():
                if not waited:
                    log.info("%s: another process does that", self._what)
                waited = True
                await self.pause(LOOK)
                if self.stopped.is_set():
                    return
            await work()

    def _has_lock(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
