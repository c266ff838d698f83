"""Nudges from the API to the workers, without waiting for the broker."""

import logging
import threading
from time import monotonic

from celery import Celery

from agents.upkeep import Work
from workers.app import nudge

GAP = 0.2  # seconds between two nudges of one task; a task does all the work that it finds
LEARN_GAP = 2.0  # for facts, which nobody waits for, and whose work is better done for several messages at once

log = logging.getLogger(__name__)


class CeleryNudge:
    """Sends nudges from a thread of its own, many asked for at once going out as one. A lost one costs a sweep."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._wanted: set[Work] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._send, name="nudges", daemon=True)
        self._thread.start()

    def __call__(self, *works: Work) -> None:
        if self._wanted.issuperset(works):
            return
        with self._changed:
            self._wanted.update(works)
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(timeout=5)

    def _rest(self, learnt: float) -> float | None:
        """Seconds until facts may be asked for again; None where nobody wants any."""
        return max(0.0, learnt + LEARN_GAP - monotonic()) if "learn" in self._wanted else None

    def _send(self) -> None:
        failing = False
        learnt = -LEARN_GAP
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted - {"learn"} or self._closed, self._rest(learnt))
                if self._closed:
                    return
                works = self._wanted if self._rest(learnt) == 0 else self._wanted - {"learn"}
                self._wanted = self._wanted - works
            if "learn" in works:
                learnt = monotonic()
            try:
                nudge(self._app, *works)
                failing = False
            except Exception as error:  # whatever a broker's client raises, the sweep finds the work
                if not failing:
                    log.warning("the broker does not take nudges: %s", type(error).__name__)
                failing = True
            with self._changed:
                self._changed.wait_for(lambda: self._closed, timeout=GAP)
