"""Yielding: work that nobody waits for leaves the processor to whoever is being answered.

Worker and API share a process where there is no broker. Between two steps of its work, the worker waits until nobody is
being answered, for at most nine times as long as the step before took: so it gets on beside any load.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

QUIET = 0.03  # seconds without a request after which nobody is being answered: a client may ask again within less
LOOK = 0.01  # seconds between two looks
SHARE = 9  # waits are so many times as long as work at most
PATIENCE = 0.25  # seconds of a wait at most


class _Request:
    is_over = False


_current: ContextVar[_Request | None] = ContextVar("request", default=None)


class Answering:
    """Whether requests are being answered in this process. Threads may share it."""

    def __init__(self) -> None:
        self._requests: set[_Request] = set()
        self._last = -QUIET

    def begin(self) -> Callable[[], None]:
        """Notes that a request came, which this task and those that it makes answer; returns what to call when its
        answer begins, once or more often."""
        request = _Request()
        self._requests.add(request)
        _current.set(request)

        def end() -> None:
            request.is_over = True
            self._drop(request)

        return end

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Around a wait for a provider: meanwhile this process has nothing to do for the request."""
        request = _current.get()
        if request is not None:
            self._drop(request)
        try:
            yield
        finally:
            if request is not None and not request.is_over:
                self._requests.add(request)

    @property
    def is_quiet(self) -> bool:
        return not self._requests and monotonic() - self._last >= QUIET

    async def wait(self, most: float) -> None:
        """Returns once nobody is being answered, or after `most` seconds."""
        end = monotonic() + most
        while True:
            if self.is_quiet or monotonic() >= end:
                return
            await asyncio.sleep(LOOK)

    def _drop(self, request: _Request) -> None:
        if request in self._requests:
            self._requests.discard(request)
            self._last = monotonic()


ANSWERING = Answering()  # one a process


class Pace:
    """The steps of a piece of background work."""

    def __init__(self, answering: Answering = ANSWERING) -> None:
        self._answering = answering
        self._began: float | None = None

    async def step(self) -> None:
        """Before each step: lets those go first who are being answered."""
        took = PATIENCE if self._began is None else monotonic() - self._began
        await self._answering.wait(min(PATIENCE, SHARE * took))
        self._began = monotonic()
