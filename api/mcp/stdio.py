"""`loci mcp`: one client over standard input and output."""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mcp.server.stdio import stdio_server

from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep import bank_files
from api.mcp.calling import Call, Context, client_of
from api.mcp.server import BankServer
from config.settings import Settings
from memory.ids import new_id
from utils.mongo import StoreError
from workers.app import SWEEP_SECONDS

log = logging.getLogger(__name__)


async def serve(settings: Settings, owner: str) -> None:
    """Serves until the client closes its end. Nothing but the protocol goes to standard output."""
    process = new_id()
    async with (
        open_memory(settings) as memory,
        bank_files(memory.engine, settings.bank_flush_seconds, dump=settings.debug_memory_dump),
        _sweeping(memory),
    ):

        async def call(context: Context) -> Call:
            return Call(memory, owner, client_of(context, process), owner)

        banks = BankServer(call, lambda: memory.engine.library.banks)
        server = banks.server()
        try:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
        except* BrokenPipeError:
            log.info("the client is gone")
            with Path(os.devnull).open("wb") as nowhere:  # noqa: ASYNC230  for what is still to be flushed
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
        finally:
            await banks.subscriptions.end_all()


@asynccontextmanager
async def _sweeping(memory: Memory) -> AsyncIterator[None]:
    """Does meanwhile what a worker would: there may be none. Where there is one, each job is done by either."""

    async def sweep() -> None:
        while True:
            try:
                await memory.engine.sweep()
            except StoreError as error:
                log.warning("the work waits for the store: %s", type(error).__name__)
            except Exception:
                log.exception("a sweep failed; the next one will try again")
            await asyncio.sleep(SWEEP_SECONDS)

    task = asyncio.create_task(sweep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
