"""Workers as processes of their own."""

from collections.abc import Callable
from typing import Any

import pytest

from config.settings import Settings
from workers import run
from workers.app import WorkerProcess


class App:
    """Stands for a Celery app whose worker does one piece of work and ends."""

    def __init__(self, process: WorkerProcess) -> None:
        self._process = process
        self.loglevel, self.exitcode = "", 0

    def set_current(self) -> None: ...

    def Worker(self, *, loglevel: str, **_: Any) -> "App":
        self.loglevel = loglevel
        return self

    def Beat(self, *, loglevel: str) -> "App":
        self.loglevel = loglevel
        return self

    def run(self) -> None: ...

    def start(self) -> None:
        async def work(_: object) -> None: ...

        self._process.run(work)


def test_a_worker_alone_closes_its_memory_as_it_ends(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(redis_url="redis://localhost")
    process = WorkerProcess(settings)
    done: list[str] = []
    stop = process.stop
    monkeypatch.setattr(process, "stop", lambda: (stop(), done.append("closed")))
    monkeypatch.setattr(run, "make_app", lambda _: (App(process), process))
    run.run_worker(settings, concurrency=1, beat=False)
    assert done == ["closed"]


@pytest.mark.parametrize("beat", [False, True])
def test_a_worker_and_a_beat_log_as_much_as_they_are_asked_to(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch, beat: bool
) -> None:
    settings = make_settings(redis_url="redis://localhost", log_level="DEBUG")
    process = WorkerProcess(settings)
    app = App(process)
    monkeypatch.setattr(run, "make_app", lambda _: (app, process))
    if beat:
        run.run_beat(settings)
    else:
        run.run_worker(settings, concurrency=1, beat=False)
    assert app.loglevel == "DEBUG"
