"""How the application starts and ends."""

import asyncio
import socket
import threading
from collections.abc import Callable

import pytest
from redis.asyncio import Redis

from api.app import create_app
from config.settings import Settings
from tests.conversations import request
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


@pytest.mark.parametrize("down", [True, False])
async def test_a_broker_that_is_away_at_the_start_is_told_of_and_the_start_goes_on(
    make_settings: Callable[..., Settings],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    down: bool,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"redis://:secret@127.0.0.1:{free.getsockname()[1]}/0"
    settings = make_settings(redis_url=url)
    if not down:
        monkeypatch.setattr(Redis, "ping", answered)
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        assert (await app.state.memory.chat(request("hello"))).answer.text
    told = [one.getMessage() for one in caplog.records if one.name == "api.app"]
    assert len(told) == int(down)
    assert all(one.startswith("REDIS_URL: Redis does not answer; ") and "secret" not in one for one in told)


async def answered(_: object) -> bool:
    return True
