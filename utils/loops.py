"""Event loops of a process."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Collects no garbage while modules load, a sixth of the time that this takes: all of what they make is there to
    stay, and need not be looked through afterwards either."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def new_runner() -> asyncio.Runner:
    """A runner on uvloop, or on asyncio's own loop where there is none."""
    try:
        import uvloop
    except ImportError:  # it has no wheels for some platforms
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)
