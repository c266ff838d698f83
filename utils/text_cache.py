"""A cache of what was made of texts, shared by the threads and event loops of a process."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future
from hashlib import blake2b
from typing import Generic, TypeVar

CACHED = 2048  # texts; as vectors of 1,536 dimensions 12 MB, as readings some 20

T = TypeVar("T")


class _GivenUp(Exception):
    """Whoever was making it could not, or was cancelled."""


class TextCache(Generic[T]):
    """What was made of the newest texts: a chat message is embedded as a query, and again by the worker. Threads and
    their event loops may share it. `waiting`: what one is making, the others wait for; else they make it, too."""

    def __init__(self, size: int = CACHED, *, waiting: bool = False) -> None:
        self._size = size
        self._waiting = waiting
        self.begin_anew()

    def begin_anew(self) -> None:
        """Lets go of all."""
        self._lock = threading.Lock()
        self._made: OrderedDict[bytes, Future[T]] = OrderedDict()

    async def fill(
        self, space: str, texts: Sequence[str], make: Callable[[Sequence[str]], Awaitable[Sequence[T]]]
    ) -> list[T]:
        """What belongs to each text in a space; `make` makes what is missing."""
        keys = [blake2b(f"{space}\0{text}".encode(), digest_size=16).digest() for text in texts]
        named = dict(zip(keys, texts, strict=True))
        while True:
            futures, mine = self._claim(named)
            try:
                if mine:
                    for key, made in zip(mine, await make([named[key] for key in mine]), strict=True):
                        futures[key].set_result(made)
            finally:
                self._give_up({key: futures[key] for key in mine if not futures[key].done()})
            try:
                ready = [futures[key] for key in keys]
                return [each.result() if each.done() else await asyncio.wrap_future(each) for each in ready]
            except _GivenUp:
                continue

    def _claim(self, keys: Iterable[bytes]) -> tuple[dict[bytes, Future[T]], list[bytes]]:
        """What is made of each or being made, and the keys of what the caller is to make."""
        mine: list[bytes] = []
        with self._lock:
            for key in keys:
                if key not in self._made or not (self._waiting or self._made[key].done()):
                    self._made[key] = Future()
                    self._made[key].set_running_or_notify_cancel()  # who waits may be cancelled, it may not
                    mine.append(key)
                self._made.move_to_end(key)
            futures = {key: self._made[key] for key in keys}
            while len(self._made) > self._size:
                self._made.popitem(last=False)
        return futures, mine

    def _give_up(self, futures: dict[bytes, Future[T]]) -> None:
        with self._lock:
            for key, future in futures.items():
                if self._made.get(key) is future:
                    del self._made[key]
        for future in futures.values():
            future.set_exception(_GivenUp())
