"""Background work where no worker runs: tasks on the caller's own event loop."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from memory.engine import Engine
from utils.mongo import as_loci_error


class Nudge(Protocol):
    """Tells whoever embeds, summarises, learns or observes that there is work; never blocks, may be lost."""

    def embed(self) -> None: ...

    def summarise(self) -> None: ...

    def learn(self) -> None: ...

    def observe(self) -> None: ...


log = logging.getLogger(__name__)


class BackgroundNudge:
    """Does the work in the background of the process that has it: for the command line and for Python programs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    def embed(self) -> None:
        self._start("embed", self._engine.gists.queue.work)

    def summarise(self) -> None:
        self._start("summarise", self._engine.chats.summaries.work)

    def learn(self) -> None:
        self._start("learn", self._engine.knowledge.queue.work)

    def observe(self) -> None:
        self._start("observe", self._observe)

    async def _observe(self) -> int:
        step = await self._engine.tools.queue.step()
        if step.observed:
            self.embed()
        if step.more:
            self._again.add("observe")
        return step.observed

    def _start(self, name: str, work: Callable[[], Awaitable[int]]) -> None:
        if name in self._running:
            self._again.add(name)
            return
        self._running[name] = asyncio.create_task(self._run(name, work))

    async def _run(self, name: str, work: Callable[[], Awaitable[int]]) -> None:
        try:
            while True:
                self._again.discard(name)
                await work()
                if name not in self._again:
                    return
        except Exception as error:
            known = as_loci_error(error)
            if known is None:
                log.exception("%s failed; the sweep will try again", name)
            else:
                log.warning("%s waits for the sweep: %s", name, known.detail)
        finally:
            del self._running[name]

    async def close(self) -> None:
        """Waits for the work that is under way."""
        while self._running:
            await asyncio.wait(list(self._running.values()))
