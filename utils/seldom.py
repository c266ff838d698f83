"""Logging seldom what keeps happening."""

from time import monotonic

SECONDS = 60.0


class Seldom:
    """Says yes the first time it is asked, and then once a minute at most."""

    def __init__(self) -> None:
        self._next = 0.0

    def due(self) -> bool:
        if monotonic() < self._next:
            return False
        self._next = monotonic() + SECONDS
        return True
