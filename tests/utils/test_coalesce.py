"""Calls that go together: whoever waits is told, whatever becomes of the call."""

import asyncio
from collections.abc import Sequence

import pytest

from utils.coalesce import Coalescer


async def test_those_who_wait_behind_a_cancelled_call_do_not_wait_for_ever() -> None:
    asked = asyncio.Event()

    async def fetch(keys: Sequence[str]) -> list[str]:
        asked.set()
        await asyncio.Event().wait()
        return list(keys)

    coalescer = Coalescer(fetch)
    first = asyncio.create_task(coalescer.get("a"))
    await asked.wait()
    second = asyncio.create_task(coalescer.get("b"))
    await asyncio.sleep(0)
    assert coalescer._running is not None
    coalescer._running.cancel()
    for waiting in (first, second):
        with pytest.raises(asyncio.CancelledError):
            await waiting
