"""Condensing of memory banks that have grown: a task of the process that is told of it, since a worker may be at
embeddings for long.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from memory.engine import Engine
from utils.mongo import StoreError
from utils.tasks import begun

LOOK = 5.0  # seconds between two looks at what another process left, at most

log = logging.getLogger(__name__)


@asynccontextmanager
async def bank_condensing(engine: Engine) -> AsyncIterator[None]:
    """Condenses for the while what has grown: at once where this process let it grow. What is under way at the end is
    left to whoever looks next, once its lease is over."""
    woken = asyncio.Event()
    engine.library.banks.grown = woken.set
    async with begun(_condense(engine, woken)):
        yield


async def _condense(engine: Engine, woken: asyncio.Event) -> None:
    while True:
        woken.clear()
        try:
            await engine.library.tidying.condense()
        except StoreError as error:
            log.warning("memory banks that have grown wait for the store: %s", type(error).__name__)
        except Exception:
            log.exception("condensing memory banks failed; it is tried again")
        with suppress(TimeoutError):
            await asyncio.wait_for(woken.wait(), LOOK)
