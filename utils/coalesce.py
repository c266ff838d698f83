"""Coalescing of small calls to the store: those that are made while one is under way go together as the next."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST = 200  # keys that go together


class Coalescer(Generic[K, V]):
    """Calls `fetch` with the keys of concurrent `get`s; one call is under way at a time.

    A `get` is served by a call that began after it, so a caller reads its own writes. Belongs to one event loop.
    `fetch`: takes keys, returns as many values in their order; where it raises, every caller of that call is told.
    """

    def __init__(self, fetch: Callable[[Sequence[K]], Awaitable[Sequence[V]]]) -> None:
        self._fetch = fetch
        self._waiting: list[tuple[K, asyncio.Future[V]]] = []
        self._running: asyncio.Task[None] | None = None

    async def get(self, key: K) -> V:
        """The value for a key; raises what `fetch` raises for it."""
        future: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, future))
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._serve(batch)
        finally:
            self._running = None
            for _, future in self._waiting:  # none, unless this task was cancelled
                future.cancel()
            self._waiting = []

    async def _serve(self, batch: list[tuple[K, asyncio.Future[V]]]) -> None:
        try:
            values = await self._fetch([key for key, _ in batch])
        except Exception as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        except BaseException:
            for _, future in batch:
                future.cancel()
            raise
        for (_, future), value in zip(batch, values, strict=True):
            if not future.done():
                future.set_result(value)
