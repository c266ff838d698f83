"""Wrong API keys: an address that has sent some waits for each further one, so that nobody guesses a short key.

Keys that `loci keys` makes have 256 random bits, which nobody guesses: they never wait. Nor does a key that was looked
at before, whatever came of it: it is no new guess.
"""

import asyncio
from asyncio import sleep
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import TypeVar

from utils.errors import TooManyRequests

T = TypeVar("T")

FREE = 5  # wrong keys of an address that are answered at once
FIRST, DOUBLED = 0.5, 5  # seconds until the next one is looked at, and how often they are doubled: 16 at most
FORGOTTEN = 300.0  # seconds after the last wrong key
WAITING = 8  # requests of an address that wait at once; further ones are refused
MOST = 10_000  # addresses, and keys that were looked at, that are remembered
NETWORK = 64  # bits of an IPv6 address that tell whose it is


@dataclass
class _Wrong:
    """Wrong keys of an address. `turn`: whose key is looked at next."""

    count: int = 0
    last: float = field(default_factory=monotonic)
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def delay(self) -> float:
        if self.count < FREE or self.last + FORGOTTEN < monotonic():
            return 0.0
        return FIRST * 2.0 ** min(self.count - FREE, DOUBLED)


class Guesses:
    """What wrong keys came from where, in this process."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, _Wrong] = OrderedDict()  # the latest first look last
        self._seen: OrderedDict[str, None] = OrderedDict()

    @asynccontextmanager
    async def looking(self, address: str, digest: str) -> AsyncIterator[None]:
        """Around a look at a key that may be guessed: one at a time of an address, after the wait that its wrong ones
        have earned. Raises `TooManyRequests` where too many wait already."""
        if digest in self._seen:
            yield
            return
        wrong = self._of(address)
        if wrong.waiting >= WAITING and wrong.delay:
            raise TooManyRequests("Too many wrong API keys came from this address", retry_after=wrong.delay)
        wrong.waiting += 1
        try:
            async with wrong.turn:
                if delay := wrong.delay:
                    await sleep(delay)
                yield
        finally:
            wrong.waiting -= 1
        _remember(self._seen, digest, None)

    def wrong(self, address: str) -> None:
        """Counts a wrong key."""
        wrong = self._of(address)
        if wrong.last + FORGOTTEN < monotonic():
            wrong.count = 0
        wrong.count, wrong.last = wrong.count + 1, monotonic()

    def _of(self, address: str) -> _Wrong:
        name = _network_of(address)
        return self._wrong.get(name) or _remember(self._wrong, name, _Wrong())


def _network_of(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, NETWORK), strict=False)) if isinstance(parsed, IPv6Address) else address


def _remember(kept: OrderedDict[str, T], name: str, value: T) -> T:
    kept[name] = value
    if len(kept) > MOST:
        kept.popitem(last=False)
    return value
