"""How the application starts and ends."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from api.app import create_app
from config.settings import Settings
from workers.inprocess import InProcessWorker
from workers.nudges import CeleryNudge


async def test_answers_are_kept_while_the_workers_end(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for a worker's threads does not keep the event loop, on which interrupted answers are stored."""
    loop = asyncio.get_running_loop()
    ran: list[bool] = []

    def end(_: object) -> None:
        turned = threading.Event()
        loop.call_soon_threadsafe(turned.set)
        ran.append(turned.wait(5))

    monkeypatch.setattr(InProcessWorker, "start", lambda _: None)
    monkeypatch.setattr(InProcessWorker, "stop", end)
    close = CeleryNudge.close
    monkeypatch.setattr(CeleryNudge, "close", lambda nudge: (end(nudge), close(nudge)))
    app = create_app(make_settings())
    async with app.router.lifespan_context(app):
        pass
    assert ran == [True, True]
