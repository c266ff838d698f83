"""A circuit breaker: whether a model that keeps failing is asked again yet.

One breaker stands for one endpoint and one purpose (chat, embeddings): a provider whose chat is down may still embed.

closed ──threshold failures in a row──▶ open ──cool-down over──▶ half-open ──probe succeeds──▶ closed
                                          ▲───────────────────────probe fails─────┘
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from utils.errors import CircuitOpen, ModelError, ModelRefused

THRESHOLD = 5  # whole calls, each with its own retries behind it
COOL_DOWN = 30.0  # seconds


class CircuitBreaker:
    """Counts calls that failed in a row, and refuses further ones for a while; safe to share between threads."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def healthy(self) -> bool:
        """Whether the last call was not a failure."""
        return self._failures == 0

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Let one call through and learn from how it ends.

        `ModelUnavailable` and `ModelGarbage` count as failures. `ModelRefused` does not: whoever answers 4xx is up.
        Anything else (a cancelled call, a bug) says nothing about the model and counts neither way. Raises
        `CircuitOpen` with the seconds until the next probe, when the model is not to be asked now."""
        probe = self._admit()
        try:
            yield
        except ModelRefused:
            self._succeeded(probe)
            raise
        except ModelError:
            self._failed(probe)
            raise
        else:
            self._succeeded(probe)
        finally:
            if probe:
                with self._lock:
                    self._probing = False

    def _admit(self) -> bool:
        """Whether the call let through is the probe of a half-open circuit."""
        with self._lock:
            if self._opened_at is None:
                return False
            wait = self._opened_at + COOL_DOWN - self._clock()
            if wait > 0 or self._probing:
                raise CircuitOpen(
                    f"The {self.name} model failed repeatedly and is not asked for now", retry_after=max(wait, 1.0)
                )
            self._probing = True
            return True

    def _succeeded(self, probe: bool) -> None:
        with self._lock:
            if probe or self._opened_at is None:  # a call from before the circuit opened does not close it
                self._failures, self._opened_at = 0, None

    def _failed(self, probe: bool) -> None:
        with self._lock:
            self._failures += 1
            if probe or (self._opened_at is None and self._failures >= THRESHOLD):
                self._opened_at = self._clock()
