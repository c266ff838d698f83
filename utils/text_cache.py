"""A cache of what was made of texts, shared by the threads and event loops of a process."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from hashlib import blake2b
from typing import Generic, TypeVar

CACHED = 2048  # texts; as vectors of 1,536 dimensions 12 MB, as readings some 20

T = TypeVar("T")


class TextCache(Generic[T]):
    """What was made of the newest texts: a chat message is embedded as a query, and again by the worker. Threads and
    their event loops may share it. `waiting`: what one is making, the others wait for; else they make it, too."""

    def __init__(self, size: int = CACHED, *, waiting: bool = False) -> None:
        self._size = size
        self._waiting = waiting
        self._lock = threading.Lock()
        self._made: OrderedDict[bytes, T] = OrderedDict()
        self._making: dict[bytes, Future[None]] = {}  # done when there is no more to wait for

    def begin_anew(self) -> None:
        """Lets go of all."""
        self._lock = threading.Lock()
        self._made.clear()
        self._making.clear()

    async def fill(
        self, space: str, texts: Sequence[str], make: Callable[[Sequence[str]], Awaitable[Sequence[T]]]
    ) -> list[T]:
        """What belongs to each text in a space; `make` makes what is missing."""
        keys = [blake2b(f"{space}\0{text}".encode(), digest_size=16).digest() for text in texts]
        named = dict(zip(keys, texts, strict=True))
        known: dict[bytes, T] = {}
        while named.keys() - known.keys():
            mine, others = self._claim(named, known)
            if mine:
                try:
                    known.update(zip(mine, await make([named[key] for key in mine]), strict=True))
                finally:
                    self._end(mine, known)
            for future in others:
                await asyncio.wrap_future(future)
        self._keep(known)
        return [known[key] for key in keys]

    def _claim(self, named: Iterable[bytes], known: dict[bytes, T]) -> tuple[list[bytes], list[Future[None]]]:
        """Takes what is made into `known`; returns what the caller is to make, and what others are making."""
        mine: list[bytes] = []
        others: list[Future[None]] = []
        with self._lock:
            for key in named:
                if key in known:
                    continue
                if key in self._made:
                    known[key] = self._made[key]
                elif key in self._making:
                    others.append(self._making[key])
                else:
                    mine.append(key)
                    if self._waiting:
                        self._making[key] = Future()
                        self._making[key].set_running_or_notify_cancel()  # who waits may be cancelled, it may not
        return mine, others

    def _end(self, mine: Sequence[bytes], known: Mapping[bytes, T]) -> None:
        """Lets those go on who wait for what was made, or could not be."""
        self._keep({key: known[key] for key in mine if key in known})
        with self._lock:
            ended = [self._making.pop(key) for key in mine if key in self._making]
        for future in ended:
            future.set_result(None)

    def _keep(self, known: Mapping[bytes, T]) -> None:
        with self._lock:
            for key, made in known.items():
                self._made[key] = made
                self._made.move_to_end(key)
            while len(self._made) > self._size:
                self._made.popitem(last=False)
