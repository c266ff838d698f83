"""Wrong API keys: an address that has sent some waits for each further one, so that nobody guesses a short key."""

import asyncio
from asyncio import sleep
from collections import OrderedDict
from dataclasses import dataclass, field
from time import monotonic

from utils.errors import TooManyRequests

FREE = 5  # wrong keys of an address that are answered at once
FIRST, LONGEST = 0.5, 16.0  # seconds until the next one is looked at, doubled with each
FORGOTTEN = 300.0  # seconds after the last wrong key
WAITING = 8  # requests of an address that wait at once; further ones are refused
MOST = 10_000  # addresses, and keys that opened something, that are remembered


@dataclass
class _Wrong:
    """Wrong keys of an address. `turn`: whose key is looked at next."""

    count: int = 0
    last: float = field(default_factory=monotonic)
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def delay(self) -> float:
        return min(FIRST * 2.0 ** (self.count - FREE), LONGEST) if self.count >= FREE else 0.0


class Guesses:
    """What wrong keys came from where, in this process. Keys that opened something lately do not wait, wherever they
    come from: behind a proxy all requests have one address."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, _Wrong] = OrderedDict()  # the latest wrong key last
        self._right: OrderedDict[str, None] = OrderedDict()

    async def wait(self, address: str, digest: str) -> None:
        """Waits until a key may be looked at. Raises `TooManyRequests` where too many wait already."""
        wrong = self._wrong.get(address)
        if wrong is None or wrong.delay == 0 or digest in self._right:
            return
        if wrong.last + FORGOTTEN < monotonic():
            del self._wrong[address]
            return
        if wrong.waiting >= WAITING:
            raise TooManyRequests("Too many wrong API keys came from this address", retry_after=wrong.delay)
        wrong.waiting += 1
        try:
            async with wrong.turn:
                await sleep(wrong.delay)
        finally:
            wrong.waiting -= 1

    def wrong(self, address: str) -> None:
        """Remembers a wrong key."""
        wrong = self._wrong.setdefault(address, _Wrong())
        wrong.count, wrong.last = wrong.count + 1, monotonic()
        self._wrong.move_to_end(address)
        if len(self._wrong) > MOST:
            self._wrong.popitem(last=False)

    def right(self, digest: str) -> None:
        """Remembers a key that opened something."""
        self._right[digest] = None
        self._right.move_to_end(digest)
        if len(self._right) > MOST:
            self._right.popitem(last=False)
