"""Event loops of a process."""

import asyncio


def new_runner() -> asyncio.Runner:
    """A runner on uvloop, or on asyncio's own loop where there is none."""
    try:
        import uvloop
    except ImportError:  # it has no wheels for some platforms
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)
