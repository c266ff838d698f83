"""Nudges from the API to the workers, without waiting for the broker."""

import logging
import threading
from time import monotonic
from typing import Literal

from celery import Celery

from workers.app import nudge

GAP = 0.2  # seconds between two nudges of one task; a task does all the work that it finds
LEARN_GAP = 2.0  # for facts, which nobody waits for, and whose work is better done for several messages at once

Task = Literal["embed", "summarise", "learn", "observe"]

log = logging.getLogger(__name__)


class CeleryNudge:
    """Sends nudges from a thread of its own, many asked for at once going out as one. A lost one costs a sweep."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._wanted: set[Task] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._send, name="nudges", daemon=True)
        self._thread.start()

    def embed(self) -> None:
        self._want("embed")

    def summarise(self) -> None:
        self._want("summarise")

    def learn(self) -> None:
        self._want("learn")

    def observe(self) -> None:
        self._want("observe")

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(timeout=5)

    def _want(self, task: Task) -> None:
        if task in self._wanted:
            return
        with self._changed:
            self._wanted.add(task)
            self._changed.notify()

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
                tasks = self._wanted if self._rest(learnt) == 0 else self._wanted - {"learn"}
                self._wanted = self._wanted - tasks
            if "learn" in tasks:
                learnt = monotonic()
            try:
                nudge(self._app, *tasks)
                failing = False
            except Exception as error:  # whatever a broker's client raises, the sweep finds the work
                if not failing:
                    log.warning("the broker does not take nudges: %s", type(error).__name__)
                failing = True
            with self._changed:
                self._changed.wait_for(lambda: self._closed, timeout=GAP)
