"""How does work that nobody waits for leave the processor to whoever is being answered?

Worker and API share a process where there is no broker. What the worker does one by one, it does while nobody is being
answered, or after a while all the same.
"""

import asyncio
from collections.abc import Callable
from time import monotonic

QUIET = 0.03  # seconds without a request after which nobody is being answered: a client may ask again within less
STEP = 0.01  # seconds between two looks
PATIENCE = 0.25  # seconds for which a piece of work waits, so that it gets on beside any load


class Answering:
    """Whether requests are being answered in this process. Threads may share it."""

    def __init__(self) -> None:
        self._requests: set[object] = set()
        self._last = -QUIET

    def begin(self) -> Callable[[], None]:
        """Notes that a request came; returns what to call when its answer begins, once or more often."""
        request = object()
        self._requests.add(request)

        def end() -> None:
            self._requests.discard(request)
            self._last = monotonic()

        return end

    @property
    def is_quiet(self) -> bool:
        return not self._requests and monotonic() - self._last >= QUIET

    async def over(self) -> None:
        """Returns once nobody is being answered, or after a while."""
        end = monotonic() + PATIENCE
        while True:
            if self.is_quiet or monotonic() >= end:
                return
            await asyncio.sleep(STEP)


ANSWERING = Answering()  # one a process
