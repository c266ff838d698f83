"""How many requests a caller may make: each API key, or where no keys are on each address, by `RATE_LIMIT`."""

import logging
from time import time

from limits import RateLimitItem, parse_many
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import StorageError

from utils.clock import Seldom
from utils.errors import TooManyRequests

PREFIX = "loci-rates"  # of names in Redis

log = logging.getLogger(__name__)


class Rates:
    """Counted on Redis where there is one, for all API processes; else in this process, from its start on."""

    def __init__(self, allowed: str, redis_url: str | None) -> None:
        """`allowed`: as "120/minute", or several."""
        self._allowed: list[RateLimitItem] = sorted(parse_many(allowed))
        storage: Storage = MemoryStorage()
        if redis_url is not None:
            storage = RedisStorage(
                f"async+{redis_url}", wrap_exceptions=True, implementation="redispy", key_prefix=PREFIX
            )
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._away = Seldom()

    async def count(self, who: str) -> None:
        """Counts a request. Raises `TooManyRequests` where its caller has made too many. Where Redis is away every
        request goes: the limit is there to keep the server answering."""
        try:
            for limit in self._allowed:
                if not await self._limiter.hit(limit, who):
                    resets, _ = await self._limiter.get_window_stats(limit, who)
                    raise TooManyRequests(f"At most {limit} are answered", retry_after=max(1.0, resets - time()))
        except StorageError:
            if self._away.due():
                log.warning("RATE_LIMIT does not hold while Redis is away")
