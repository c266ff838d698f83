"""Background work where no worker runs: tasks on the caller's own event loop."""

import asyncio
import logging
from time import monotonic
from typing import Literal, Protocol

from memory.engine import Engine
from utils.mongo import as_loci_error

Work = Literal["embed", "summarise", "title", "learn", "observe"]

PATIENCE = 10.0  # seconds after closing in which facts are still made; what is left is found by whoever works next

log = logging.getLogger(__name__)


class Nudge(Protocol):
    """Tells whoever does some kinds of work that there is some; never blocks, may be lost."""

    def __call__(self, *works: Work) -> None: ...


class BackgroundNudge:
    """Does the work in the background of the process that has it: for the command line and for Python programs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._running: dict[Work, asyncio.Task[None]] = {}
        self._again: set[Work] = set()
        self._closed: float | None = None

    def __call__(self, *works: Work) -> None:
        for work in works:
            if work in self._running:
                self._again.add(work)
            else:
                self._running[work] = asyncio.create_task(self._run(work))

    async def _do(self, work: Work) -> None:
        match work:
            case "embed":
                await self._engine.gists.queue.work()
            case "summarise":
                await self._engine.chats.summaries.work()
            case "title":
                await self._engine.chats.titles.work()
            case "learn":
                made = await self._engine.knowledge.queue.step()
                if made is not None and (self._closed is None or monotonic() < self._closed + PATIENCE):
                    self._again.add("learn")
            case "observe":
                step = await self._engine.tools.queue.step()
                if step.count:
                    self("embed")
                if step.more:
                    self._again.add("observe")

    async def _run(self, work: Work) -> None:
        try:
            while True:
                self._again.discard(work)
                await self._do(work)
                if work not in self._again:
                    return
        except Exception as error:
            known = as_loci_error(error)
            if known is None:
                log.exception("%s failed; the sweep will try again", work)
            else:
                log.warning("%s waits for the sweep: %s", work, known.detail)
        finally:
            del self._running[work]

    async def close(self) -> None:
        """Waits for the work that is under way, but not long for facts, which a model may make of thousands of
        messages."""
        self._closed = monotonic()
        while self._running:
            await asyncio.wait(list(self._running.values()))
